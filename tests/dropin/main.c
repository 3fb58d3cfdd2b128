/* SPDX-License-Identifier: MIT */
/*
 * dropin --fixtures DIR [--filter TEXT] [--root NAME]...: HOST in each system, or in those named, so
 * that the libraries are loaded by programs of every C library; HOST-static, too, where there is one.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

static void become(const char *fixtures, const char *root, const char *host, char *filter)
{
	char folder[4096], libraries[4096], program[64], search[] = "LD_LIBRARY_PATH=.:lib", label[64];
	char *argv[] = { program, libraries, (char *)(uintptr_t)fixtures, label, filter, NULL };
	char *environment[] = { search, NULL };

	snprintf(program, sizeof program, "./%s", host);
	snprintf(label, sizeof label, "%s%s", root + 5, host + strlen(HOST));
	snprintf(folder, sizeof folder, "%s/%s", fixtures, root);
	snprintf(libraries, sizeof libraries, "%s/dropin", fixtures);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chdir(folder) == 0)
		execve(program, argv, environment);
	perror(folder);
	_exit(120);
}

static bool has_static(const char *fixtures, const char *root)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s/" HOST "-static", fixtures, root);
	return access(path, X_OK) == 0;
}

static int run(const char *fixtures, const char *root, const char *host, char *filter)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		become(fixtures, root, host, filter);
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("not ok %s: %s ended by signal %d\n", root + 5, host, WTERMSIG(status));
	else if (WEXITSTATUS(status) > 1)
		printf("not ok %s: %s ended with status %d\n", root + 5, host, WEXITSTATUS(status));
	fflush(stdout);
	return status ? 1 : 0;
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
		if (some && !chosen[i])
			continue;
		worst |= run(fixtures, roots[i], HOST, filter);
		if (has_static(fixtures, roots[i]))
			worst |= run(fixtures, roots[i], HOST "-static", filter);
	}
	return worst;
}
