// SPDX-License-Identifier: MIT
/* The state of a target's threads, and what ends the calls they are blocked in. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "live.h"

bool read_text(char *buffer, size_t size, const char *path, ...)
{
	char name[256];
	size_t have = 0;
	ssize_t n;
	va_list ap;
	int fd;

	va_start(ap, path);
	vsnprintf(name, sizeof(name), path, ap);
	va_end(ap);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	buffer[0] = 0;
	if (fd < 0)
		return false;
	while (have < size - 1 && (n = read(fd, buffer + have, size - 1 - have)) > 0)
		have += (size_t)n;
	buffer[have] = 0;
	close(fd);
	return have;
}

/* '-' when there is no such thread. */
char state_of(const struct target *target, pid_t tid)
{
	char text[1024], *end;

	if (!read_text(text, sizeof(text), "/proc/%d/task/%d/stat", (int)target->pid, (int)tid))
		return '-';
	end = strrchr(text, ')');
	return end ? end[2] : '-';
}

bool alive(const struct target *target)
{
	char state = state_of(target, target->tid);

	return state != '-' && state != 'Z' && state != 'X';
}

void wait_blocked(const struct target *target, unsigned calls)
{
	int64_t end = now_ns() + patient(10000) * INT64_C(1000000);
	unsigned seen = 0;

	/* asleep twice in a row, in the call asked for */
	while (seen < 2) {
		bool in_call = atomic_load(&target->record->entered) > calls;
		require(now_ns() < end, "the target never blocked; state %c, %u calls begun",
			state_of(target, target->tid), atomic_load(&target->record->entered));
		if (atomic_load(&target->record->ready) == 2)
			skip("not to be had here: %s", target->record->wrong_text);
		seen = in_call && state_of(target, target->tid) == 'S' ? seen + 1 : 0;
		sleep_ms(1);
	}
}

static void wake_futex(const struct target *target)
{
	atomic_store(&target->record->wake, 1);
	syscall(SYS_futex, &target->record->wake, FUTEX_WAKE, 100, NULL, NULL, 0);
}

static void wake_socket(const struct target *target)
{
	check(write(target->wake, "w", 1) == 1, "cannot wake the target: %s", strerror(errno));
}

static void wake_pipe(const struct target *target)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)target->pid, target->record->ipc - 1);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	check(fd >= 0 && write(fd, "w", 1) == 1, "cannot write to the target's pipe: %s", strerror(errno));
	close(fd);
}

static void wake_accept(const struct target *target)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int n = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "roclatch-test-%d", (int)target->pid);
	socklen_t length = (socklen_t)(sizeof(name.sun_family) + 1 + (size_t)n);

	check(!connect(fd, (const struct sockaddr *)&name, length), "cannot connect: %s", strerror(errno));
	close(fd);
}

static void wake_sigwait(const struct target *target)
{
	kill(target->pid, SIGUSR1);
}

static void wake_sigsuspend(const struct target *target)
{
	kill(target->pid, SIGUSR2);
}

static void wake_msgrcv(const struct target *target)
{
	struct { long type; char text[8]; } message = { .type = 1 };

	check(!msgsnd(target->record->ipc - 1, &message, 1, 0), "msgsnd: %s", strerror(errno));
}

static void wake_semop(const struct target *target)
{
	struct sembuf up = { 0, 1, 0 };

	check(!semop(target->record->ipc - 1, &up, 1), "semop: %s", strerror(errno));
}

static const struct {
	const char *state;
	void (*wake)(const struct target *);
} ways[] = {
	{ "futex", wake_futex },
	{ "waitpid", wake_futex },
	{ "read-pipe", wake_pipe },
	{ "accept", wake_accept },
	{ "sigwait", wake_sigwait },
	{ "sigwait-children", wake_sigwait },
	{ "sigsuspend", wake_sigsuspend },
	{ "msgrcv", wake_msgrcv },
	{ "semop", wake_semop },
};

void wake(const struct target *target)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(ways[i].state, target->state)) {
			ways[i].wake(target);
			return;
		}
	wake_socket(target);
}

static const struct target *last;

void release(void)
{
	if (!last || !last->record->ipc)
		return;
	if (!strcmp(last->state, "msgrcv"))
		msgctl(last->record->ipc - 1, IPC_RMID, NULL);
	else if (!strncmp(last->state, "sem", 3))
		semctl(last->record->ipc - 1, 0, IPC_RMID);
}

void remember(const struct target *target)
{
	static struct target copy;

	release();
	copy = *target;
	last = &copy;
}

static uint64_t moved_from;

static bool has_moved(const struct target *target)
{
	return atomic_load(&target->record->spins) > moved_from + 1;
}

void go_on(const struct target *target)
{
	if (atomic_load(&target->record->spins)) {
		moved_from = atomic_load(&target->record->spins);
		check(wait_until(has_moved, target, 5000), "the target computes no more; state %c",
			state_of(target, target->tid));
	}
	bool lives = alive(target);
	unharmed(lives, "the target is gone; wait status %#x", lives ? 0 : (unsigned)end_of(target, 0));
	unharmed(!atomic_load(&target->record->wrong), "the target found %u things wrong; the first: %s",
		atomic_load(&target->record->wrong), target->record->wrong_text);
}
