/* SPDX-License-Identifier: MIT */
/*
 * What converting costs: a log of ten million records in each format, beside a plain copy of the log and of what
 * was made of it.
 *   convert_cost ROCLATCH LOG RECORDS FOLDER
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"

#define MOST_MIB 512
#define PIECE (1 << 20)
#define RUNS 3

static double mib(double bytes)
{
	return bytes / (1 << 20);
}

static off_t size_of(const char *path)
{
	struct stat file;
	return stat(path, &file) < 0 ? 0 : file.st_size;
}

/* Read the log and write as many bytes as the format has: what no converter can be faster than. */
static double copy(const char *log, off_t bytes, const char *to)
{
	static char piece[PIECE];
	uint64_t begun = clock_ns();
	int in = open(log, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	ssize_t n;
	while ((n = read(in, piece, sizeof piece)) > 0)
		;
	for (off_t done = 0; done < bytes; done += n) {
		n = write(out, piece, (size_t)(bytes - done < PIECE ? bytes - done : PIECE));
		if (n <= 0)
			break;
	}
	close(in);
	close(out);
	unlink(to);
	return (double)(clock_ns() - begun) / 1e9;
}

/* What a format has made, all of its files; they are removed. */
static off_t take_away(const char *folder)
{
	static const char *const endings[] = { "results.json", "results.db", "results.pftrace", "results.html", "hip_api_trace.csv",
		"hsa_api_trace.csv", "marker_api_trace.csv", "kernel_trace.csv", "memory_copy_trace.csv",
		"memory_allocation_trace.csv", "agent_info.csv" };
	off_t sum = 0;
	char path[4096];
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		snprintf(path, sizeof path, "%s/bench_%s", folder, endings[i]);
		sum += size_of(path);
		unlink(path);
	}
	return sum;
}

/* argv: as main's.  What is told is the middle of RUNS, each beside a copy right after it. */
static int measure(char **argv, const char *format, double records, double log_mib)
{
	static struct ran ran;
	const char *words[] = { argv[1], "convert", argv[2], "-f", format, "-d", argv[4], "-o", "bench", NULL };
	double wall[RUNS], cpu[RUNS], floor[RUNS], peak_mib = 0;
	unsigned runs = times(RUNS);
	char scratch[4096];
	off_t made = 0;

	snprintf(scratch, sizeof scratch, "%s/copy", argv[4]);
	for (unsigned i = 0; i < runs; i++) {
		program_run(words, &ran);
		made = take_away(argv[4]);
		floor[i] = copy(argv[2], made, scratch) / records * 1e6;
		wall[i] = ran.wall_ms / 1e3 / records * 1e6;
		cpu[i] = ran.cpu_ms / 1e3;
		peak_mib = ran.peak_kib / 1024 > peak_mib ? ran.peak_kib / 1024 : peak_mib;
		if (!ran.worked || !made || peak_mib > MOST_MIB) {
			printf("  NO: %s ended with %d, made %lld bytes, took %.0f MiB (at most %d)\n", format, ran.status,
				(long long)made, peak_mib, MOST_MIB);
			return 1;
		}
	}
	struct figure each = middle(wall, runs), copied = middle(floor, runs);
	double seconds = each.value * records / 1e6;
	printf("  %-8s %8.1f %8.1f %11.0f %11.0f %11.0f %10.0f %8.1f\n", format, seconds, middle(cpu, runs).value,
		log_mib / seconds, records / seconds, mib((double)made), peak_mib, each.value / copied.value);
	fflush(stdout);
	figure_say("roclatch", each, "convert.%s", format);
	figure_say("floor", copied, "convert.%s", format);
	figure_say("roclatch", exactly(peak_mib), "convert.%s.peak", format);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const formats[] = { "csv", "json", "pftrace", "rocpd", "html" };
	int wrong = 0;
	if (argc != 5) {
		fprintf(stderr, "usage: convert_cost ROCLATCH LOG RECORDS FOLDER\n");
		return 2;
	}
	double records = atof(argv[3]), log_mib = mib((double)size_of(argv[2]));
	printf("converting %.0f records, %.0f MiB\n", records, log_mib);
	printf("  format    seconds    CPU s   log MiB/s   records/s    made MiB   peak MiB   times a copy of the same bytes\n");
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		wrong |= measure(argv, formats[i], records, log_mib);
	return wrong;
}
