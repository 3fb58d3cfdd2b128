// SPDX-License-Identifier: MIT
/*
 * chains [THREAD...]: threads that stand still, each in a call chain that is known, named by what it waits in.
 * Prints its pid once all stand.  Nothing is inlined and no call is a tail call, so that each function has a frame.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME __attribute__((noinline, noclone))
#define STAYS __asm__ volatile("" ::: "memory")

static int quiet[2];            /* a pipe into which nobody writes */
static volatile int spins = 1;
static volatile unsigned standing;

FRAME static void in_nanosleep(void)
{
	struct timespec long_time = { 100000, 0 };
	nanosleep(&long_time, NULL);
	STAYS;
}

FRAME static void in_futex(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&never, &mutex);
}

FRAME static void in_read(void)
{
	char byte;
	if (read(quiet[0], &byte, 1) < 0)
		perror("read");
	STAYS;
}

FRAME static void in_poll(void)
{
	struct pollfd one = { .fd = quiet[0], .events = POLLIN };
	poll(&one, 1, -1);
	STAYS;
}

FRAME static void in_select(void)
{
	fd_set set;
	FD_ZERO(&set);
	FD_SET(quiet[0], &set);
	select(quiet[0] + 1, &set, NULL, NULL, NULL);
	STAYS;
}

FRAME static void in_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(fd, EPOLL_CTL_ADD, quiet[0], &event);
	while (epoll_wait(fd, &event, 1, -1) < 0)       /* EINTR, when another tool has stopped it */
		;
}

FRAME static void in_recv(void)
{
	int pair[2];
	char byte;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 && recv(pair[0], &byte, 1, 0) < 0)
		perror("recv");
	STAYS;
}

FRAME static void in_pause(void)
{
	pause();
	STAYS;
}

FRAME static void in_spin(void)
{
	while (spins)
		;
	STAYS;
}

/* Room that is not known when it is compiled: the frame is found by the frame pointer alone. */
FRAME static void in_alloca(void)
{
	volatile char *room = __builtin_alloca((size_t)getpid() % 1000 + 16);
	room[0] = 1;
	in_read();
	STAYS;
	room[1] = room[0];
}

FRAME static void in_depth(unsigned depth)
{
	if (depth)
		in_depth(depth - 1);
	else
		in_read();
	STAYS;
}

FRAME static int compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	in_read();
	STAYS;
	return 0;
}

/* Called back by the C library. */
FRAME static void in_qsort(void)
{
	int two[] = { 2, 1 };
	qsort(two, 2, sizeof *two, compare);
	STAYS;
}

FRAME static void on_signal(int signo)
{
	(void)signo;
	in_read();
	STAYS;
}

FRAME static void handle(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	sigaction(flags ? SIGUSR1 : SIGUSR2, &action, NULL);
	raise(flags ? SIGUSR1 : SIGUSR2);
	STAYS;
}

FRAME static void in_handler(void)
{
	handle(0);
	STAYS;
}

/* The handler stands on a stack of its own. */
FRAME static void in_altstack(void)
{
	stack_t stack = { .ss_size = 65536, .ss_sp = malloc(65536) };
	sigaltstack(&stack, NULL);
	handle(SA_ONSTACK);
	STAYS;
}

FRAME static void in_deep(void)
{
	in_depth(300);
	STAYS;
}

static const struct kind { const char *name; void (*stand)(void); } kinds[] = {
	{ "nanosleep", in_nanosleep }, { "futex", in_futex }, { "read", in_read }, { "poll", in_poll },
	{ "select", in_select }, { "epoll", in_epoll }, { "recv", in_recv }, { "pause", in_pause },
	{ "spin", in_spin }, { "alloca", in_alloca }, { "deep", in_deep }, { "qsort", in_qsort },
	{ "handler", in_handler }, { "altstack", in_altstack },
};

FRAME static void chain_inner(const struct kind *kind)
{
	__atomic_add_fetch(&standing, 1, __ATOMIC_SEQ_CST);
	kind->stand();
	STAYS;
}

FRAME static void chain_middle(const struct kind *kind)
{
	chain_inner(kind);
	STAYS;
}

FRAME static void *chain_outer(void *kind)
{
	prctl(PR_SET_NAME, ((const struct kind *)kind)->name);
	chain_middle(kind);
	STAYS;
	return NULL;
}

static int is_asked(const char *name, char **argv)
{
	if (!*argv)
		return strcmp(name, "spin") != 0;
	for (; *argv; argv++)
		if (!strcmp(*argv, name))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned n = 0;
	(void)argc;
	if (pipe(quiet))
		return 1;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		pthread_t thread;
		if (!is_asked(kinds[i].name, argv + 1))
			continue;
		if (pthread_create(&thread, NULL, chain_outer, (void *)&kinds[i]))
			return 1;
		n++;
	}
	while (__atomic_load_n(&standing, __ATOMIC_SEQ_CST) < n)
		usleep(1000);
	usleep(100000);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	in_pause();
	return 0;
}
