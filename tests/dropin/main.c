/* SPDX-License-Identifier: MIT */
/*
 * dropin --fixtures DIR [--filter TEXT] [--root NAME]...: dropin-host in each system, or in those named, so
 * that the libraries are loaded by programs of every C library.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

static void become(const char *fixtures, const char *root, char *filter)
{
	char folder[4096], libraries[4096], program[] = "./dropin-host", search[] = "LD_LIBRARY_PATH=.:lib";
	char *argv[] = { program, libraries, (char *)(uintptr_t)fixtures, (char *)(uintptr_t)(root + 5), filter, NULL };
	char *environment[] = { search, NULL };

	snprintf(folder, sizeof folder, "%s/%s", fixtures, root);
	snprintf(libraries, sizeof libraries, "%s/dropin", fixtures);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chdir(folder) == 0)
		execve(program, argv, environment);
	perror(folder);
	_exit(120);
}

int main(int argc, char **argv)
{
	static const char *const roots[] = { "root-bullseye", "root-bookworm", "root-sid", "root-musl" };
	char *fixtures = NULL, *filter = NULL;
	bool some = false, chosen[4] = { false };
	int worst = 0;

	for (int i = 1; i + 1 < argc; i += 2)
		if (!strcmp(argv[i], "--fixtures"))
			fixtures = realpath(argv[i + 1], NULL);
		else if (!strcmp(argv[i], "--filter"))
			filter = argv[i + 1];
		else if (!strcmp(argv[i], "--root"))
			for (size_t r = 0; r < sizeof roots / sizeof *roots; r++) {
				some = true;
				chosen[r] |= !strcmp(argv[i + 1], roots[r]);
			}
	if (!fixtures)
		return 2;
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		int status;
		if (some && !chosen[i])
			continue;
		pid_t pid = fork();
		if (pid == 0)
			become(fixtures, roots[i], filter);
		waitpid(pid, &status, 0);
		if (WIFSIGNALED(status))
			printf("not ok %s: the host ended by signal %d\n", roots[i] + 5, WTERMSIG(status));
		else if (WEXITSTATUS(status) > 1)
			printf("not ok %s: the host ended with status %d\n", roots[i] + 5, WEXITSTATUS(status));
		fflush(stdout);
		if (status)
			worst = 1;
	}
	return worst;
}
