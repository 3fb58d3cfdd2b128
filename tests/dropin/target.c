// SPDX-License-Identifier: MIT
/* Processes to attach to, and what can be seen of them. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "target.h"

#define READY_MS 20000

const char *fixtures;

static void nap_ms(long ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left))
		;
}

static void become(const char *root, char **argv, char **environment, int record, int wake)
{
	char path[4096];
	int high_record = fcntl(record, F_DUPFD, 20), high_wake = fcntl(wake, F_DUPFD, 20), null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGCHLD, SIG_DFL);
	dup2(null, 0);
	dup2(null, 1);
	dup2(high_record, RECORD_FD);
	dup2(high_wake, WAKE_FD);
	for (int fd = 5; fd < 64; fd++)
		close(fd);
	snprintf(path, sizeof(path), "%s/%s", fixtures, root);
	if (chdir(path) == 0)
		execve(argv[0], argv, environment);
	_exit(120);
}

/* The thread has its name only once it runs. */
static bool has_listener(pid_t pid)
{
	char path[400], name[32];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		ssize_t n;
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", (int)pid, entry->d_name);
		fd = entry->d_name[0] == '.' ? -1 : open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? 0 : read(fd, name, sizeof(name) - 1);
		name[n > 0 ? n : 0] = 0;
		found = !strcmp(name, "rocp-bg-attach\n");
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
	return found;
}

struct app program_start(const char *root, char **argv, char **variables)
{
	struct app app = { .output = "/tmp/roclatch-dropin-XXXXXX" };
	int record = (int)syscall(SYS_memfd_create, "record", 1), pair[2];

	if (record < 0 || ftruncate(record, sizeof(*app.record)) || !mkdtemp(app.output) || chmod(app.output, 0777) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		perror("prepare an app");
		exit(1);
	}
	app.record = mmap(NULL, sizeof(*app.record), PROT_READ | PROT_WRITE, MAP_SHARED, record, 0);
	app.pid = fork();
	if (app.pid == 0)
		become(root, argv, variables, record, pair[1]);
	close(record);
	close(pair[1]);
	app.wake = pair[0];
	for (int i = 0; i < READY_MS && !atomic_load(&app.record->ready); i++)
		nap_ms(1);
	if (!atomic_load(&app.record->ready)) {
		printf("not ok %s/%s starts\n", root, argv[0]);
		exit(1);
	}
	return app;
}

struct app app_start(const char *environment)
{
	char program[] = "./rocm-app", state[] = "ready", libraries[] = "LD_LIBRARY_PATH=lib", attach[64];
	char *argv[] = { program, state, NULL }, *variables[] = { libraries, attach, NULL };

	snprintf(attach, sizeof(attach), "%s", environment ? environment : "ROCP_TOOL_ATTACH=1");
	struct app app = program_start("root-rocm", argv, variables);
	for (int i = 0; !environment && i < READY_MS && !has_listener(app.pid); i++)
		nap_ms(1);
	return app;
}

const char *app_ask(const struct app *app, const char *order)
{
	static char answer[4096];
	struct pollfd ready = { .fd = app->wake, .events = POLLIN };
	size_t have = 0;

	dprintf(app->wake, "%s\n", order);
	while (have < sizeof(answer) - 1 && poll(&ready, 1, READY_MS) == 1) {
		ssize_t n = read(app->wake, answer + have, sizeof(answer) - 1 - have);

		if (n <= 0)
			break;
		have += (size_t)n;
		if (answer[have - 1] == '\n')
			break;
	}
	answer[have ? have - 1 : 0] = 0;
	return answer;
}

static void expect_untraced(pid_t pid)
{
	char path[64], text[4096];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	check(dir, "process %d is gone", (int)pid);
	while (dir && (entry = readdir(dir))) {
		char file[400];
		ssize_t n;
		int fd;

		snprintf(file, sizeof(file), "%s/%s/status", path, entry->d_name);
		fd = entry->d_name[0] == '.' ? -1 : open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[n > 0 ? n : 0] = 0;
		check(strstr(text, "TracerPid:\t0\n"), "thread %s of %d is traced", entry->d_name, (int)pid);
	}
	if (dir)
		closedir(dir);
}

void app_is_well(const struct app *app)
{
	uint64_t before = atomic_load(&app->record->spins);

	expect_untraced(app->pid);
	for (int i = 0; i < READY_MS && atomic_load(&app->record->spins) < before + 2; i++)
		nap_ms(1);
	check(atomic_load(&app->record->spins) > before, "the program no longer computes");
	check(!atomic_load(&app->record->wrong), "the program says: %s", app->record->wrong_text);
	check(waitpid(app->pid, NULL, WNOHANG) <= 0, "the program has ended");
}

void app_end(struct app *app)
{
	struct dirent *entry;
	DIR *dir = opendir(app->output);

	child_end(app->pid);
	close(app->wake);
	munmap(app->record, sizeof(*app->record));
	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(app->output);
}

unsigned tool_saw(const struct app *app, pid_t pid, const char *word)
{
	char path[128], line[8192];
	unsigned n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d.callbacks", app->output, (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		n += strstr(line, word) != NULL;
	if (file)
		fclose(file);
	return n;
}

pid_t plain_start(void)
{
	char program[] = "./resident", *argv[] = { program, NULL }, *variables[] = { NULL }, byte;
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		exit(1);
	pid = fork();
	if (pid == 0) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/root-bookworm", fixtures);
		dup2(ready[1], 1);
		if (chdir(path) == 0)
			execve(argv[0], argv, variables);
		_exit(120);
	}
	close(ready[1]);
	check(read(ready[0], &byte, 1) == 1, "resident does not start");
	close(ready[0]);
	return pid;
}

void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
