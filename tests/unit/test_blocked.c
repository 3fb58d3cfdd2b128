/* SPDX-License-Identifier: MIT */
/* Children that wait in each kind of system call, and what it costs to stop them there. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "inject/blocked.h"
#include "inject/thread.h"
#include "live_target.h"
#include "old_waits.h"

static const struct timespec minute = { 60, 0 };
static int semaphore, queue, file;
static uint32_t word;

static void wait_nanosleep(void) { syscall(SYS_nanosleep, &minute, NULL); }
static void wait_clock_relative(void) { syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &minute, NULL); }
static void wait_clock_absolute(void)
{
	struct timespec end;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += 60;
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
}
static void wait_futex(void) { syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL); }
static void wait_futex_timed(void) { syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &minute); }

static void wait_epoll(int ms)
{
	struct epoll_event event;
	syscall(SYS_epoll_pwait, epoll_create1(0), &event, 1, ms, NULL, 8);
}
static void wait_epoll_for_ever(void) { wait_epoll(-1); }
static void wait_epoll_timed(void) { wait_epoll(60000); }
static void wait_epoll2(const struct timespec *time)
{
	struct epoll_event event;
	syscall(SYS_epoll_pwait2, epoll_create1(0), &event, 1, time, NULL, 8);
}
static void wait_epoll2_for_ever(void) { wait_epoll2(NULL); }
static void wait_epoll2_timed(void) { wait_epoll2(&minute); }
static void wait_ppoll(void) { syscall(SYS_ppoll, NULL, 0, &minute, NULL, 8); }
static void wait_pselect(void) { syscall(SYS_pselect6, 0, NULL, NULL, NULL, NULL, NULL); }
static void wait_sigsuspend(void) { syscall(SYS_rt_sigsuspend, (uint64_t[]){ 0 }, 8); }

static void wait_pipe(void)
{
	int ends[2];
	char byte;
	if (pipe(ends) == 0 && read(ends[0], &byte, 1) < 0)
		_exit(2);
}

/* A socket with a time limit (of this option, 0: none). */
static int limited_socket(int option)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		_exit(2);
	if (option)
		setsockopt(ends[0], SOL_SOCKET, option, &(struct timeval){ 60, 0 }, sizeof(struct timeval));
	return ends[0];
}
static void wait_recv(void) { recv(limited_socket(0), &word, 1, 0); }
static void wait_recv_timed(void) { recv(limited_socket(SO_RCVTIMEO), &word, 1, 0); }
static void wait_read_timed(void)
{
	if (read(limited_socket(SO_RCVTIMEO), &word, 1) < 0)
		_exit(2);
}
static void wait_send_timed(void)
{
	static char much[1 << 16];
	int fd = limited_socket(SO_SNDTIMEO);
	for (;;)
		sendto(fd, much, sizeof much, 0, NULL, 0);
}
static void wait_accept(int option)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(fd, (struct sockaddr *)&name, sizeof(sa_family_t));        /* the kernel finds a name */
	listen(fd, 1);
	if (option)
		setsockopt(fd, SOL_SOCKET, option, &(struct timeval){ 60, 0 }, sizeof(struct timeval));
	syscall(SYS_accept, fd, NULL, NULL);
}
static void wait_accept_for_ever(void) { wait_accept(0); }
static void wait_accept_timed(void) { wait_accept(SO_RCVTIMEO); }
static void wait_signal(void) { syscall(SYS_rt_sigtimedwait, (uint64_t[]){ 1 << (SIGUSR1 - 1) }, NULL, NULL, 8); }
static void wait_signal_timed(void) { syscall(SYS_rt_sigtimedwait, (uint64_t[]){ 1 << (SIGUSR1 - 1) }, NULL, &minute, 8); }
static struct sembuf take = { 0, -1, 0 };
static void wait_semop(void) { syscall(SYS_semtimedop, semaphore, &take, 1, NULL); }
static void wait_semop_timed(void) { syscall(SYS_semtimedop, semaphore, &take, 1, &minute); }
static void wait_message(void) { syscall(SYS_msgrcv, queue, (char[64]){ 0 }, 8, 0, 0); }
static void wait_child(void)
{
	pid_t parent = getpid();
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)     /* it may have been killed before that */
			pause();
		_exit(0);
	}
	syscall(SYS_wait4, -1, NULL, 0, NULL);
}
static void wait_lock(void)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	syscall(SYS_flock, open(path, O_RDWR), LOCK_EX);
}

static const struct wait {
	const char *what;
	void (*body)(void);
	long nr;
	enum pick_class class;
} waits[] = {
	{ "nanosleep", wait_nanosleep, SYS_nanosleep, PICK_EXACT },
	{ "relative clock_nanosleep", wait_clock_relative, SYS_clock_nanosleep, PICK_EXACT },
	{ "absolute clock_nanosleep", wait_clock_absolute, SYS_clock_nanosleep, PICK_EXACT },
	{ "ppoll", wait_ppoll, SYS_ppoll, PICK_EXACT },
	{ "pselect", wait_pselect, SYS_pselect6, PICK_EXACT },
	{ "rt_sigsuspend", wait_sigsuspend, SYS_rt_sigsuspend, PICK_EXACT },
	{ "read of a pipe", wait_pipe, SYS_read, PICK_EXACT },
	{ "recv", wait_recv, SYS_recvfrom, PICK_EXACT },
	{ "accept", wait_accept_for_ever, SYS_accept, PICK_EXACT },
	{ "wait4", wait_child, SYS_wait4, PICK_EXACT },
	{ "msgrcv", wait_message, SYS_msgrcv, PICK_EXACT },
	{ "futex", wait_futex, SYS_futex, PICK_FUTEX },
	{ "timed futex", wait_futex_timed, SYS_futex, PICK_FUTEX },
	{ "epoll_pwait", wait_epoll_for_ever, SYS_epoll_pwait, PICK_REPEATED },
	{ "epoll_pwait2", wait_epoll2_for_ever, SYS_epoll_pwait2, PICK_REPEATED },
	{ "sigwaitinfo", wait_signal, SYS_rt_sigtimedwait, PICK_REPEATED },
	{ "semtimedop without a time", wait_semop, SYS_semtimedop, PICK_REPEATED },
	{ "timed epoll_pwait", wait_epoll_timed, SYS_epoll_pwait, PICK_REPEATED_TIMED },
	{ "timed epoll_pwait2", wait_epoll2_timed, SYS_epoll_pwait2, PICK_REPEATED_TIMED },
	{ "sigtimedwait", wait_signal_timed, SYS_rt_sigtimedwait, PICK_REPEATED_TIMED },
	{ "semtimedop", wait_semop_timed, SYS_semtimedop, PICK_REPEATED_TIMED },
	{ "recv with SO_RCVTIMEO", wait_recv_timed, SYS_recvfrom, PICK_REPEATED_TIMED },
	{ "read with SO_RCVTIMEO", wait_read_timed, SYS_read, PICK_REPEATED_TIMED },
	{ "accept with SO_RCVTIMEO", wait_accept_timed, SYS_accept, PICK_REPEATED_TIMED },
	{ "sendto with SO_SNDTIMEO", wait_send_timed, SYS_sendto, PICK_REPEATED_TIMED },
	{ "flock", wait_lock, SYS_flock, PICK_NONE },
	OLD_WAITS
};

void setUp(void)
{
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	queue = msgget(IPC_PRIVATE, 0600);
	file = memfd_create("locked", 0);
	flock(file, LOCK_EX);
}

void tearDown(void)
{
	semctl(semaphore, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
	close(file);
}

static void test_every_wait_has_its_class(void)
{
	for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
		const char *what = NULL;
		pid_t pid = child_run(waits[i].body);
		struct proc_syscall call = wait_blocked(pid, pid, waits[i].nr);
		open_target(pid);
		TEST_ASSERT_EQUAL_MESSAGE(waits[i].class, blocked_class(&target, &call, &what), waits[i].what);
		TEST_ASSERT_TRUE_MESSAGE(what && *what, waits[i].what);
		close_target();
	}
}

/* Without pidfd_getfd nobody can tell; then the wait counts as one without a limit. */
static void test_where_a_socket_cannot_be_asked_it_counts_as_untimed(void)
{
	const char *what;
	pid_t pid = child_run(wait_recv_timed);
	struct proc_syscall call = wait_blocked(pid, pid, SYS_recvfrom);
	struct target blind = { .pid = pid, .pidfd = -1 };
	TEST_ASSERT_EQUAL(PICK_EXACT, blocked_class(&blind, &call, &what));
	child_end(pid);
}

static void test_one_that_runs_is_told_from_one_that_waits(void)
{
	const char *what;
	const struct proc_syscall running = { .running = true }, elsewhere = { .nr = -1 };
	TEST_ASSERT_EQUAL(PICK_RUNNING, blocked_class(&target, &running, &what));
	TEST_ASSERT_EQUAL_STRING("runs", what);
	TEST_ASSERT_EQUAL(PICK_RUNNING, blocked_class(&target, &elsewhere, &what));
}

static void nap_again_and_again(void)
{
	for (;;)
		nap_ms(5);
}

static void test_a_thread_that_sleeps_anew_is_noticed(void)
{
	pid_t pid = child_run(nap_again_and_again);
	wait_blocked(pid, pid, -1);
	open_target(pid);
	TEST_ASSERT_TRUE(blocked_anew(&target, pid, now_ns() + 5000000000ull));
	close_target();
}

static void test_a_thread_that_sleeps_on_is_waited_for_until_the_deadline(void)
{
	pid_t pid = child_run(wait_futex);
	wait_blocked(pid, pid, SYS_futex);
	open_target(pid);
	uint64_t end = now_ns() + 30000000;
	TEST_ASSERT_FALSE(blocked_anew(&target, pid, end));
	TEST_ASSERT_TRUE(now_ns() >= end);
	close_target();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_every_wait_has_its_class);
	RUN_TEST(test_where_a_socket_cannot_be_asked_it_counts_as_untimed);
	RUN_TEST(test_one_that_runs_is_told_from_one_that_waits);
	RUN_TEST(test_a_thread_that_sleeps_anew_is_noticed);
	RUN_TEST(test_a_thread_that_sleeps_on_is_waited_for_until_the_deadline);
	return UNITY_END();
}
