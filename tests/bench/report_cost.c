/* SPDX-License-Identifier: MIT */
/*
 * What putting a job together costs: made jobs of growing size, merged into one database, page and table.
 *   report_cost ROCLATCH MAKE_JOB FOLDER RANKS...
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "measure.h"

#define MOST_MIB 64
/* CPU time of a rank in the largest job, of that in the smallest: linear, with room for a busy machine */
#define SPREAD 2.0

static double size_mib(const char *folder, const char *name)
{
	char path[4200];
	struct stat file;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return stat(path, &file) < 0 ? 0 : (double)file.st_size / (1 << 20);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st, (void)kind, (void)place;
	return remove(path);
}

/* CPU ms for a rank; 0: it could not be done, or took too much */
static double measure(char **argv, const char *ranks, double first)
{
	static struct ran ran;
	char folder[4096];
	double each = 0, n = atof(ranks);

	snprintf(folder, sizeof folder, "%s/job", argv[3]);
	if (mkdir(folder, 0777) < 0 || !program_run((const char *[]){ argv[2], folder, ranks, "slow=77", NULL }, &ran)) {
		printf("  NO: a job of %s ranks could not be made in %s\n", ranks, folder);
	} else {
		program_run((const char *[]){ argv[1], "report", folder, "--json", NULL }, &ran);
		double database = size_mib(folder, "report_results.db"), peak_mib = ran.peak_kib / 1024;
		each = ran.cpu_ms / n;
		printf("  %8.0f %10.1f %8.1f %13.2f %10.0f %14.0f %10.0f\n", n, ran.wall_ms / 1e3, ran.cpu_ms / 1e3, each, peak_mib,
			database, 1024 * size_mib(folder, "report_results.html"));
		fflush(stdout);
		figure_say("roclatch", exactly(each), "report.%s", ranks);
		figure_say("roclatch", exactly(peak_mib), "report.%s.peak", ranks);
		if (first > 0)
			figure_say("roclatch", exactly(each / first), "report.%s.spread", ranks);
		if (!ran.worked || database <= 0 || peak_mib > MOST_MIB || (first > 0 && each > SPREAD * first)) {
			printf("  NO: it ended with %d, took %.0f MiB (at most %d), or more than %.0f times as long for each rank as at first\n",
				ran.status, peak_mib, MOST_MIB, SPREAD);
			each = 0;
		}
	}
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return each;
}

int main(int argc, char **argv)
{
	double first = 0;
	int wrong = 0;
	if (argc < 5) {
		fprintf(stderr, "usage: report_cost ROCLATCH MAKE_JOB FOLDER RANKS...\n");
		return 2;
	}
	printf("putting a job together: a status and a database of 60 records from each rank\n");
	printf("     ranks    seconds    CPU s   CPU ms/rank   peak MiB   database MiB   page KiB\n");
	for (int i = 4; i < argc; i++) {
		double each = measure(argv, argv[i], first);
		first = first > 0 ? first : each;
		wrong |= each <= 0;
	}
	return wrong;
}
