/* SPDX-License-Identifier: MIT */
/*
 * A program whose loader is asked: for each line of input, a child of it calls
 * dlopen with that name.  One line answers: "ok" and the file without links, "no"
 * and dlerror's text, or "died" and how.  The program itself stays as it was started; with an
 * argument it loads that library first.
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void try(const char *name)
{
	char path[PATH_MAX] = "?";
	struct link_map *map;
	void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && realpath(map->l_name, path))
		printf("ok %s\n", path);
	else if (handle)
		printf("ok ?\n");
	else
		printf("no %s\n", dlerror());
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	char line[4096];
	if (argc > 1 && !dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL)) {
		printf("%s\n", dlerror());
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready\n");
	while (fgets(line, sizeof line, stdin)) {
		int status = 0;
		line[strcspn(line, "\n")] = '\0';
		pid_t pid = fork();
		if (pid == 0) {
			alarm(10);
			try(line);
		}
		waitpid(pid, &status, 0);
		if (WIFSIGNALED(status))
			printf("died of signal %d\n", WTERMSIG(status));
		else if (WEXITSTATUS(status))
			printf("died with status %d\n", WEXITSTATUS(status));
	}
	return 0;
}
