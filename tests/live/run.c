// SPDX-License-Identifier: MIT
/* Each test in a process group of its own, several at a time; nothing of a test outlives it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live.h"

#define LIMIT_S (options.at_length ? 1800 : slow_machine() ? 450 : 150)      /* of one test */
#define SKIPPED 77
#define HARMED 2
#define TRIES 3         /* of a test that failed without harm, each time with the machine to itself */

static const unsigned at_a_time[BATCHES] = { [SLEEPERS] = 12, [MIXED] = 5, [ALONE] = 1 };
static const unsigned at_a_time_slow[BATCHES] = { [SLEEPERS] = 4, [MIXED] = 2, [ALONE] = 1 };

/* Tests to be run again, alone. */
static struct running *again;
static unsigned again_count;

static int outcome;             /* in a test's own process: its exit status */
static unsigned passed, failures, skipped;

static void complain(const char *fmt, va_list ap)
{
	char text[4000];

	vsnprintf(text, sizeof(text), fmt, ap);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		dprintf(STDOUT_FILENO, "# %s\n", line);
}

void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
	if (!outcome)
		outcome = 1;
}

void harm(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
	outcome = HARMED;
}

bool failed(void)
{
	return outcome != 0;
}

void end_failed(void)
{
	release();
	_exit(outcome);
}

void skip(const char *fmt, ...)
{
	va_list ap;

	dprintf(STDOUT_FILENO, "# ");
	va_start(ap, fmt);
	vdprintf(STDOUT_FILENO, fmt, ap);
	va_end(ap);
	dprintf(STDOUT_FILENO, "\n");
	_exit(outcome ? outcome : SKIPPED);
}

static int64_t cpu_ns(int whose)
{
	struct rusage used;

	getrusage(whose, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000000) +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * INT64_C(1000);
}

/* What it takes of a CPU, whoever else is at work here. */
static int64_t fork_ten(void)
{
	int64_t begun = cpu_ns(RUSAGE_SELF) + cpu_ns(RUSAGE_CHILDREN);

	for (int i = 0; i < 10; i++) {
		pid_t child = fork();
		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	return cpu_ns(RUSAGE_SELF) + cpu_ns(RUSAGE_CHILDREN) - begun;
}

bool slow_machine(void)
{
	static int slow = -1;

	if (slow >= 0)
		return slow;
	slow = 1;
	for (int i = 0; slow && i < 5; i++)
		slow = fork_ten() > 15 * INT64_C(1000000);
	return slow;
}

unsigned patient(unsigned ms)
{
	return !slow_machine() ? ms : options.soak ? ms * 20 : ms * 6;
}

unsigned rounds(unsigned n)
{
	unsigned part = !slow_machine() ? 1 : options.brief ? 10 : 4;

	return n <= 2 ? n : n / part < 2 ? 2 : n / part;
}

struct running test_begin(const struct test *test, unsigned tries)
{
	struct running r = { .test = test, .begun = now_ns(), .tries = tries };

	r.out = memfd_create("test", 0);
	r.pid = fork();
	if (!r.pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* what a target forks and forgets comes here, and not to the runner */
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		dup2(r.out, STDOUT_FILENO);
		close(r.out);
		test->run(test->with);
		release();
		_exit(outcome);
	}
	setpgid(r.pid, r.pid);
	r.end = (int)syscall(SYS_pidfd_open, r.pid, 0);
	return r;
}

void test_show(int out)
{
	char buffer[4096];
	ssize_t n;

	fflush(stdout);
	lseek(out, 0, SEEK_SET);
	while ((n = read(out, buffer, sizeof(buffer))) > 0)
		if (write(STDOUT_FILENO, buffer, (size_t)n) != n)
			break;
	close(out);
}

/* A crowded machine makes a test fail by its clock.  That is told, and the test is run
 * again by itself; harm to a target is final. */
static bool try_again(const struct running *r, int status, bool late)
{
	if (r->tries + 1 == TRIES || late || !WIFEXITED(status) || WEXITSTATUS(status) != 1)
		return false;
	again = realloc(again, (again_count + 1) * sizeof(*again));
	if (!again)
		abort();
	again[again_count++] = (struct running){ .test = r->test, .tries = r->tries + 1 };
	printf("# failed, to be run again alone: %s\n", r->test->name);
	return true;
}

static void report(const struct running *r, int status, bool late, int64_t cpu)
{
	double s = (double)(now_ns() - r->begun) / 1e9;

	if (try_again(r, status, late)) {
		;
	} else if (!late && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		passed++;
		printf("ok %s\n", r->test->name);
	} else if (!late && WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
		skipped++;
		printf("skip %s\n", r->test->name);
	} else {
		failures++;
		printf("not ok %s\n", r->test->name);
		if (late)
			printf("# the test did not end within %d s\n", LIMIT_S);
		else if (WIFSIGNALED(status))
			printf("# the test was ended by signal %d\n", WTERMSIG(status));
	}
	if (options.times)
		printf("# took %.2f s, %.2f of a CPU: %s\n", s, (double)cpu / 1e9, r->test->name);
	else if (s > 5)
		printf("# %.1f s\n", s);
	test_show(r->out);
}

bool test_over(const struct running *r, unsigned limit_s, int *status, bool *late)
{
	siginfo_t info = { 0 };

	*late = now_ns() - r->begun > limit_s * INT64_C(1000000000);
	/* The group is killed while its leader is still a zombie, so that its number is not another's. */
	if (!*late && (waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid))
		return false;
	kill(-r->pid, SIGKILL);
	while (waitpid(r->pid, status, 0) < 0 && errno == EINTR)
		;
	if (r->end >= 0)
		close(r->end);
	return true;
}

/* True when the test is over, and reported. */
static bool reap(struct running *r)
{
	bool late;
	int status;
	int64_t before = cpu_ns(RUSAGE_CHILDREN);

	if (!test_over(r, LIMIT_S, &status, &late))
		return false;
	report(r, status, late, cpu_ns(RUSAGE_CHILDREN) - before);
	return true;
}

void reap_strangers(const struct running *running, unsigned n)
{
	siginfo_t info = { 0 };

	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return;
	for (unsigned i = 0; i < n; i++)
		if (running[i].pid == info.si_pid)
			return;
	waitpid(info.si_pid, NULL, WNOHANG);
}

void await_any(const struct running *running, unsigned n)
{
	struct pollfd end[TESTS_AT_ONCE];

	for (unsigned i = 0; i < n; i++)
		end[i] = (struct pollfd){ .fd = running[i].end, .events = POLLIN };
	poll(end, n, 50);
}

static void run_batch(enum batch batch, const struct test *tests, unsigned count)
{
	struct running running[TESTS_AT_ONCE];
	unsigned n = 0, next = 0, most = slow_machine() ? at_a_time_slow[batch] : at_a_time[batch];

	for (;;) {
		while (next < count && n < most) {
			if (tests[next].batch == batch)
				running[n++] = test_begin(&tests[next], 0);
			next++;
		}
		if (!n)
			return;
		for (unsigned i = 0; i < n;) {
			if (reap(&running[i]))
				running[i] = running[--n];
			else
				i++;
		}
		reap_strangers(running, n);
		await_any(running, n);
	}
}

bool run_tests(const struct test *tests, unsigned count)
{
	for (int batch = 0; batch < BATCHES; batch++)
		run_batch((enum batch)batch, tests, count);
	for (unsigned i = 0; i < again_count; i++) {
		struct running one = test_begin(again[i].test, again[i].tries);

		while (!reap(&one))
			await_any(&one, 1);
		reap_strangers(NULL, 0);
	}
	again_count = 0;
	printf("# %u passed, %u failed, %u skipped\n", passed, failures, skipped);
	return !failures;
}
