/* SPDX-License-Identifier: MIT */
/*
 * What putting a job together costs: made jobs of growing size, merged into one database, page and table.
 *   report_cost ROCLATCH MAKE_JOB FOLDER RANKS...
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_MIB 64
#define SPREAD 2.0              /* CPU time of a rank in the largest job, of that in the smallest: linear, with room for a busy machine */

struct cost { double wall, cpu, peak_mib; int status; };

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct cost run(const char *program, const char *a, const char *b, const char *c)
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
		execl(program, program, a, b, c, (char *)NULL);
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

static double size_mib(const char *folder, const char *name)
{
	char path[4096];
	struct stat file;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return stat(path, &file) < 0 ? 0 : (double)file.st_size / (1 << 20);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st, (void)kind, (void)place;
	return remove(path);
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
		char folder[4096];
		snprintf(folder, sizeof folder, "%s/job", argv[3]);
		if (mkdir(folder, 0777) < 0 || run(argv[2], folder, argv[i], "slow=77").status) {
			printf("  NO: a job of %s ranks could not be made in %s\n", argv[i], folder);
			wrong = 1;
		} else {
			struct cost cost = run(argv[1], "report", folder, "--json");
			double ranks = atof(argv[i]), each = 1000 * cost.cpu / ranks, database = size_mib(folder, "report_results.db");
			first = first > 0 ? first : each;
			printf("  %8.0f %10.1f %8.1f %13.2f %10.0f %14.0f %10.0f\n", ranks, cost.wall, cost.cpu, each, cost.peak_mib, database,
				1024 * size_mib(folder, "report_results.html"));
			fflush(stdout);
			if (cost.status || database <= 0 || cost.peak_mib > MOST_MIB || each > SPREAD * first) {
				printf("  NO: it ended with %d, took %.0f MiB (at most %d), or more than %.0f times as long for each rank as at first\n",
					cost.status, cost.peak_mib, MOST_MIB, SPREAD);
				wrong = 1;
			}
		}
		nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	}
	return wrong;
}
