/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/tool/circumstances.h"
#include "rocp/tool/futex.h"
#include "rocp/tool/ring.h"

/* Threads whose names are in the log; more than this many are without. */
#define SLOTS 8192u
#define MOST (SLOTS / 4 * 3)
#define COMM 16
static struct { uint32_t tid; char name[COMM]; } known[SLOTS];
static unsigned known_count, living;

/* The kernel's linux_dirent64. */
struct entry { uint64_t ino; int64_t next; uint16_t size; uint8_t type; char name[]; };
_Static_assert(offsetof(struct entry, name) == 19, "linux_dirent64");

void threads_forget(void)
{
	if (known_count)
		memset(known, 0, sizeof known);
	known_count = 0;
}

static unsigned slot_of(uint32_t tid)
{
	unsigned slot = tid * 2654435761u % SLOTS;
	while (known[slot].tid && known[slot].tid != tid)
		slot = (slot + 1) % SLOTS;
	return slot;
}

static bool read_name(uint32_t tid, char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, name, COMM);
	close(fd);
	if (n <= 0)
		return false;
	name[n - (n == COMM || name[n - 1] == '\n')] = '\0';
	return true;
}

static void look_at(uint32_t tid, bool all)
{
	unsigned slot = slot_of(tid);
	char name[COMM] = { 0 };
	bool is_new = !known[slot].tid;
	if ((!is_new && !all) || (is_new && known_count >= MOST) || !read_name(tid, name))
		return;
	if (!is_new && !memcmp(known[slot].name, name, COMM))
		return;
	known_count += is_new;
	known[slot].tid = tid;
	memcpy(known[slot].name, name, COMM);
	struct { struct log_thread thread; char text[COMM]; } record = { .thread = { .tid = tid } };
	record.thread.frame = (struct log_frame){ .size = sizeof record, .type = LOG_THREAD };
	memcpy(record.text, name, COMM);
	ring_put(&record);
}

void threads_put(bool all)
{
	_Alignas(8) char list[2048];
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (known_count >= MOST && living < MOST / 2)
		threads_forget();       /* most of them have ended */
	living = 0;
	for (;;) {
		long n = syscall(SYS_getdents64, fd, list, sizeof list);
		if (n <= 0)
			break;
		for (long at = 0; at < n; at += ((struct entry *)(list + at))->size) {
			long tid = strtol(((struct entry *)(list + at))->name, NULL, 10);
			if (tid > 0)
				look_at((uint32_t)tid, all);
			living += tid > 0;
		}
	}
	close(fd);
}
