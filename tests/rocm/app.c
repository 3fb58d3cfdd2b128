// SPDX-License-Identifier: MIT
/* Stands in for a program that uses ROCm; see app.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "runtime.h"

#define END 42
#define WORDS_OF_MEMORY 256
#define POLL_MS 20

struct record *app_record;
static unsigned threads = 2, rest_ms = 1;
static bool uses_hip;
/* By hand there is no such file, and what gets its number later is somebody else's: to read from that would move it. */
static bool told_by_wake;

void app_wrong(const char *fmt, ...)
{
	va_list ap;

	if (atomic_fetch_add(&app_record->wrong, 1))
		return;
	va_start(ap, fmt);
	vsnprintf(app_record->wrong_text, sizeof(app_record->wrong_text), fmt, ap);
	va_end(ap);
}

static void on_signal(int signo)
{
	(void)signo;
	atomic_fetch_add(&app_record->handled, 1);
}

/* The "kernel": adds a number to each word. */
static void add_kernel(void **arguments)
{
	uint64_t *words = *(uint64_t **)arguments[0], number = *(uint64_t *)arguments[1];

	for (unsigned i = 0; i < WORDS_OF_MEMORY; i++)
		words[i] += number;
}

static void must(int status, const char *what)
{
	if (status)
		app_wrong("%s answered %d", what, status);
}

static void compute(uint64_t number)
{
	uint64_t host[WORDS_OF_MEMORY];
	struct dim3 grid = { 1, 1, 1 }, block = { WORDS_OF_MEMORY, 1, 1 };
	void *device = NULL, *arguments[] = { &device, &number };

	for (unsigned i = 0; i < WORDS_OF_MEMORY; i++)
		host[i] = i * 3;
	must(hipMalloc(&device, sizeof(host)), "hipMalloc");
	must(hipMemcpy(device, host, sizeof(host), HIP_HOST_TO_DEVICE), "hipMemcpy");
	must(hipLaunchKernel((const void *)(uintptr_t)add_kernel, grid, block, arguments, 0, NULL), "hipLaunchKernel");
	must(hipDeviceSynchronize(), "hipDeviceSynchronize");
	must(hipMemcpy(host, device, sizeof(host), HIP_DEVICE_TO_HOST), "hipMemcpy");
	must(hipFree(device), "hipFree");
	for (unsigned i = 0; i < WORDS_OF_MEMORY; i++)
		if (host[i] != i * 3 + number)
			app_wrong("word %u is %llu and not %llu", i, (unsigned long long)host[i],
				(unsigned long long)(i * 3 + number));
	atomic_fetch_add(&app_record->work, 6);
	atomic_fetch_add(&app_record->spins, 1);
}

static int64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* As long as asked for; on an emulated machine, where the work itself takes as long, four times that, so
 * that those who look at us get to work as well. */
static void rest(int64_t worked_ns)
{
	int64_t ns = rest_ms * INT64_C(1000000);
	if (ns < 4 * worked_ns && worked_ns > 250000)
		ns = 4 * worked_ns;
	struct timespec pause = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&pause, NULL);
}

static void *work(void *number)
{
	/* the thread's malloc arena is there before a test looks */
	compute((uint64_t)(uintptr_t)number);
	atomic_fetch_add(&app_record->started, 1);
	for (uint64_t i = (uint64_t)(uintptr_t)number; !atomic_load(&app_record->stop); i += 17) {
		int64_t begun = thread_ns();

		compute(i);
		rest(thread_ns() - begun);
	}
	return NULL;
}

void app_use_hip(unsigned workers)
{
	if (uses_hip)
		return;
	uses_hip = true;
	must(hipInit(0), "hipInit");
	for (unsigned i = 0; i < workers; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)(i + 1)))
			app_wrong("pthread_create failed");
		pthread_detach(thread);
	}
}

bool app_uses_hip(void)
{
	return uses_hip;
}

/* A line may come in pieces, and none may come at all. */
static void serve(void)
{
	static char line[ANSWER];
	static size_t have;
	struct pollfd wake = { .fd = WAKE_FD, .events = POLLIN };
	char answer[ANSWER], *end;
	ssize_t n;

	if (!told_by_wake) {
		usleep(POLL_MS * 1000);
		return;
	}
	if (poll(&wake, 1, POLL_MS) <= 0)
		return;
	n = read(WAKE_FD, line + have, sizeof(line) - 1 - have);
	if (n <= 0) {
		usleep(POLL_MS * 1000);
		return;
	}
	have += (size_t)n;
	line[have] = 0;
	end = strchr(line, '\n');
	if (!end)
		return;
	*end = 0;
	if (!strcmp(line, "init"))
		app_use_hip(threads);
	answer[0] = 0;
	app_obey(line, answer);
	strcat(answer, "\n");
	have = 0;
	if (write(WAKE_FD, answer, strlen(answer)) < 0)
		app_wrong("cannot answer: %s", strerror(errno));
}

static void prepare(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	app_record = mmap(NULL, sizeof(*app_record), PROT_READ | PROT_WRITE, MAP_SHARED, RECORD_FD, 0);
	/* by hand, without a test behind it */
	if (app_record == MAP_FAILED)
		app_record = mmap(NULL, sizeof(*app_record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (app_record == MAP_FAILED)
		_exit(1);
	told_by_wake = fcntl(WAKE_FD, F_GETFD) >= 0;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGWINCH, &action, NULL);
}

static atomic_bool pretends;

static void *pretend(void *unused)
{
	pthread_setname_np(pthread_self(), "rocp-bg-attach");
	atomic_store(&pretends, true);
	for (;;)
		pause();
	return unused;
}

static void start_fake_listener(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, pretend, NULL))
		_exit(1);
	while (!atomic_load(&pretends))
		usleep(1000);
}

/* What the register logs is not for the tests' own output; a chroot has no /dev/null. */
static void be_silent(void)
{
	int nowhere = open(".", O_PATH | O_CLOEXEC);

	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	close(nowhere);
}

int main(int argc, char **argv)
{
	const char *busy = NULL, *folder = NULL;
	bool loud = false;

	if (argc < 2 || (strcmp(argv[1], "ready") && strcmp(argv[1], "waiting"))) {
		fputs("usage: rocm-app ready|waiting [threads=N] [rest=MS] [busy=N] [fake=1] [loud=1] [rank=FOLDER]\n", stderr);
		return 2;
	}
	for (int i = 2; i < argc; i++)
		if (!strncmp(argv[i], "threads=", 8))
			threads = (unsigned)atoi(argv[i] + 8);
		else if (!strncmp(argv[i], "rest=", 5))
			rest_ms = (unsigned)atoi(argv[i] + 5);
		else if (!strncmp(argv[i], "busy=", 5))
			busy = argv[i] + 5;
		else if (!strncmp(argv[i], "rank=", 5))
			folder = argv[i] + 5;
		else if (!strncmp(argv[i], "loud=", 5))
			loud = atoi(argv[i] + 5);
		else if (!strcmp(argv[i], "fake=1"))
			start_fake_listener();
		else
			return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prepare();
	app_load_kernels(add_kernel);
	if (!loud)
		be_silent();
	if (!strcmp(argv[1], "ready"))
		app_use_hip(threads);
	if (busy)
		app_train((unsigned)atoi(busy));
	while (uses_hip && atomic_load(&app_record->started) < threads)
		usleep(1000);
	atomic_store(&app_record->ready, 1);
	if (folder)
		return app_rank(folder);
	while (!atomic_load(&app_record->stop))
		serve();
	return END;
}
