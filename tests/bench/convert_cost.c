/* SPDX-License-Identifier: MIT */
/*
 * What converting costs: a log of ten million records in each format, beside a plain copy of the log and of what
 * was made of it.
 *   convert_cost ROCLATCH LOG RECORDS FOLDER
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_MIB 512
#define PIECE (1 << 20)

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double mib(double bytes)
{
	return bytes / (1 << 20);
}

static off_t size_of(const char *path)
{
	struct stat file;
	return stat(path, &file) < 0 ? 0 : file.st_size;
}

struct cost { double wall, cpu, peak_mib; int status; };

static struct cost convert(const char *roclatch, const char *log, const char *folder, const char *format)
{
	struct cost cost = { .status = -1 };
	struct rusage used;
	double begun = now();
	int status;
	pid_t pid = fork();
	if (!pid) {
		int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
		dup2(nowhere, 1);
		dup2(nowhere, 2);
		execl(roclatch, roclatch, "convert", log, "-f", format, "-d", folder, "-o", "bench", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0)
		return cost;
	cost.wall = now() - begun;
	cost.cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
	cost.peak_mib = (double)used.ru_maxrss / 1024;
	cost.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
	return cost;
}

/* Read the log and write as many bytes as the format has: what no converter can be faster than. */
static double copy(const char *log, off_t bytes, const char *to)
{
	static char piece[PIECE];
	double begun = now();
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
	return now() - begun;
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

int main(int argc, char **argv)
{
	static const char *const formats[] = { "csv", "json", "pftrace", "rocpd", "html" };
	int wrong = 0;
	if (argc != 5) {
		fprintf(stderr, "usage: convert_cost ROCLATCH LOG RECORDS FOLDER\n");
		return 2;
	}
	double records = atof(argv[3]), log_mib = mib((double)size_of(argv[2]));
	char scratch[4096];
	snprintf(scratch, sizeof scratch, "%s/copy", argv[4]);
	printf("converting %.0f records, %.0f MiB\n", records, log_mib);
	printf("  format    seconds    CPU s   log MiB/s   records/s    made MiB   peak MiB   times a copy of the same bytes\n");
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		struct cost cost = convert(argv[1], argv[2], argv[4], formats[i]);
		off_t made = take_away(argv[4]);
		double floor = copy(argv[2], made, scratch);
		printf("  %-8s %8.1f %8.1f %11.0f %11.0f %11.0f %10.0f %8.1f\n", formats[i], cost.wall, cost.cpu, log_mib / cost.wall,
			records / cost.wall, mib((double)made), cost.peak_mib, cost.wall / floor);
		fflush(stdout);
		if (cost.status || !made || cost.peak_mib > MOST_MIB) {
			printf("  NO: %s ended with %d, made %lld bytes, took %.0f MiB (at most %d)\n", formats[i], cost.status,
				(long long)made, cost.peak_mib, MOST_MIB);
			wrong = 1;
		}
	}
	return wrong;
}
