/* SPDX-License-Identifier: MIT */
#include "app.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unity.h"

#define READY_MS 30000
#define ANSWER_MS 240000        /* an emulated machine is slow */

const char *fixtures;

static const char everything[] = "ROCPROF_HIP_RUNTIME_API_TRACE=1 ROCPROF_HIP_COMPILER_API_TRACE=1 "
	"ROCPROF_HSA_CORE_API_TRACE=1 ROCPROF_HSA_AMD_EXT_API_TRACE=1 ROCPROF_HSA_IMAGE_EXT_API_TRACE=1 "
	"ROCPROF_HSA_FINALIZER_EXT_API_TRACE=1 ROCPROF_MARKER_API_TRACE=1 ROCPROF_RCCL_API_TRACE=1 "
	"ROCPROF_ROCDECODE_API_TRACE=1 ROCPROF_ROCJPEG_API_TRACE=1 ROCPROF_ROCSHMEM_API_TRACE=1 ROCPROF_HIPFILE_API_TRACE=1 "
	"ROCPROF_KERNEL_TRACE=1 ROCPROF_MEMORY_COPY_TRACE=1 ROCPROF_MEMORY_ALLOCATION_TRACE=1 ROCPROF_SCRATCH_MEMORY_TRACE=1";

void nap_ms(long ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };
	while (nanosleep(&left, &left))
		;
}

static void become(char **variables, int record, int wake)
{
	char program[] = "./rocm-app", state[] = "ready", *argv[] = { program, state, NULL }, path[4096];
	int high_record = fcntl(record, F_DUPFD, 20), high_wake = fcntl(wake, F_DUPFD, 20);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(open("/dev/null", O_RDWR), 0);
	dup2(0, 1);
	dup2(high_record, RECORD_FD);
	dup2(high_wake, WAKE_FD);
	for (int fd = 5; fd < 64; fd++)
		close(fd);
	snprintf(path, sizeof path, "%s/root-rocm", fixtures);
	if (chdir(path) == 0)
		execve(argv[0], argv, variables);
	_exit(120);
}

struct app app_start(const char *libraries, bool for_attach, const char *more)
{
	struct app app = { .folder = "/tmp/roclatch-tool-XXXXXX" };
	char search[256], truth[128], attach[] = "ROCP_TOOL_ATTACH=1", other[512];
	char *variables[5] = { search, truth };
	int record = memfd_create("record", MFD_CLOEXEC), pair[2], n = 2;
	TEST_ASSERT_TRUE(record >= 0 && !ftruncate(record, sizeof *app.record) && mkdtemp(app.folder) &&
			 !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
	snprintf(search, sizeof search, "LD_LIBRARY_PATH=%s", libraries);
	snprintf(truth, sizeof truth, "SDK_TRUTH=%s/truth.%%p", app.folder);
	if (for_attach)
		variables[n++] = attach;
	if (more) {
		snprintf(other, sizeof other, "%s", more);
		variables[n++] = other;
	}
	app.record = mmap(NULL, sizeof *app.record, PROT_READ | PROT_WRITE, MAP_SHARED, record, 0);
	app.pid = fork();
	if (app.pid == 0)
		become(variables, record, pair[1]);
	close(record);
	close(pair[1]);
	app.wake = pair[0];
	for (int i = 0; i < READY_MS && !atomic_load(&app.record->ready); i++)
		nap_ms(1);
	TEST_ASSERT_TRUE_MESSAGE(atomic_load(&app.record->ready), "the sample ROCm program does not start");
	return app;
}

void app_order(const struct app *app, const char *order)
{
	dprintf(app->wake, "%s\n", order);
}

const char *app_answer(const struct app *app)
{
	static char answer[4096];
	struct pollfd ready = { .fd = app->wake, .events = POLLIN };
	size_t have = 0;
	while (have < sizeof answer - 1 && poll(&ready, 1, ANSWER_MS) == 1) {
		ssize_t n = read(app->wake, answer + have, sizeof answer - 1 - have);
		if (n <= 0)
			break;
		have += (size_t)n;
		if (answer[have - 1] == '\n')
			break;
	}
	answer[have ? have - 1 : 0] = '\0';
	return answer;
}

const char *app_ask(const struct app *app, const char *fmt, ...)
{
	char order[4096];
	va_list list;
	va_start(list, fmt);
	vsnprintf(order, sizeof order, fmt, list);
	va_end(list);
	app_order(app, order);
	return app_answer(app);
}

void app_does(const struct app *app, const char *answer, const char *fmt, ...)
{
	char order[4096];
	va_list list;
	va_start(list, fmt);
	vsnprintf(order, sizeof order, fmt, list);
	va_end(list);
	app_order(app, order);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(answer, app_answer(app), order);
}

void app_attach(const struct app *app, const char *name, const char *variables)
{
	app_does(app, "0", "attach %s/tool/libroclatch-tool.so " TOOL_LOG_VARIABLE "=%s/%s %s %s", fixtures, app->folder, name,
		 everything, variables);
}

void app_is_well(const struct app *app)
{
	uint64_t before = atomic_load(&app->record->spins);
	for (int i = 0; i < READY_MS && atomic_load(&app->record->spins) < before + 2; i++)
		nap_ms(1);
	TEST_ASSERT_TRUE_MESSAGE(atomic_load(&app->record->spins) > before, "the program no longer computes");
	TEST_ASSERT_FALSE_MESSAGE(atomic_load(&app->record->wrong), app->record->wrong_text);
	TEST_ASSERT_EQUAL(0, waitpid(app->pid, NULL, WNOHANG));
}

void app_end(struct app *app)
{
	char command[128];
	if (app->pid > 0) {
		kill(app->pid, SIGKILL);
		waitpid(app->pid, NULL, 0);
	}
	close(app->wake);
	munmap(app->record, sizeof *app->record);
	snprintf(command, sizeof command, "rm -rf %s", app->folder);
	TEST_ASSERT_EQUAL(0, system(command));
	app->pid = 0;
}

/* In what the tool has of written data: the mark that it begins with. */
struct tool_status status_of(pid_t pid)
{
	struct tool_status status = { 0 };
	char path[64], line[4352], data[65536];
	unsigned long long from, to;
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(path, "re");
	while (maps && !status.magic && fgets(line, sizeof line, maps)) {
		if (!strstr(line, "libroclatch-tool.so") || !strstr(line, " rw-p ") || sscanf(line, "%llx-%llx", &from, &to) != 2)
			continue;
		struct iovec here = { data, sizeof data }, there = { (void *)(uintptr_t)from, (size_t)(to - from) };
		ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);
		for (ssize_t at = 0; at + (ssize_t)sizeof status <= n; at += 8)
			if (!memcmp(data + at, "RlStatus", 8))
				memcpy(&status, data + at, sizeof status);
	}
	if (maps)
		fclose(maps);
	TEST_ASSERT_TRUE_MESSAGE(status.magic == TOOL_STATUS_MAGIC, "the tool's status is not found");
	return status;
}

unsigned threads_of(pid_t pid, const char *name)
{
	char path[400], comm[32];
	unsigned n = 0;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *list = opendir(path);
	for (struct dirent *entry; list && (entry = readdir(list));) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/comm", (int)pid, entry->d_name);
		FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
		if (file && fgets(comm, sizeof comm, file)) {
			comm[strcspn(comm, "\n")] = '\0';
			n += !name || !strcmp(comm, name);
		}
		if (file)
			fclose(file);
	}
	if (list)
		closedir(list);
	return n;
}

unsigned open_files(pid_t pid, const char *ending)
{
	char path[400], link[512];
	unsigned n = 0;
	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	DIR *list = opendir(path);
	for (struct dirent *entry; list && (entry = readdir(list));) {
		snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)pid, entry->d_name);
		ssize_t length = readlink(path, link, sizeof link - 1);
		link[length > 0 ? length : 0] = '\0';
		n += length >= (ssize_t)strlen(ending) && !strcmp(link + length - strlen(ending), ending);
	}
	if (list)
		closedir(list);
	return n;
}
