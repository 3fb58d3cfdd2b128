/* SPDX-License-Identifier: MIT */
#include "inject/pick.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inject/blocked.h"
#include "inject/thread.h"

#define STACK_WORDS 2048        /* of stack that are searched for return addresses */
#define ENOUGH 8                /* good candidates, after which we stop looking */
#define RUNNING_LOOKS 8
#define LOOK_AT 64              /* threads, after which any candidates are enough */
#define MALLOC_MARGIN 0x6000    /* malloc's inner functions stand before its exported ones */
#define STALE_NS 20000000ull    /* no frame of malloc lives as long as this, unless it waits for a lock */
#define ARENA_ALIGN (64ull << 20)
#define ARENA_HEADER 4096       /* glibc's arenas but the first begin with their lock */

static void avoid(struct pick *pick, raddr from, raddr to, bool pc_only)
{
	if (pick->avoided < PICK_RANGES_MAX && from < to) {
		pick->avoid[pick->avoided].from = from;
		pick->avoid[pick->avoided].to = to;
		pick->avoid[pick->avoided++].pc_only = pc_only;
	}
}

/* The functions of malloc stand together; from the first to the last of them. */
static void avoid_malloc_in(struct pick *pick, struct image *image)
{
	static const char *const names[] = { "malloc", "free", "calloc", "realloc", "memalign",
					     "posix_memalign", "aligned_alloc", "malloc_trim",
					     "malloc_usable_size", NULL };
	raddr low = UINT64_MAX, high = 0;
	for (size_t i = 0; names[i]; i++) {
		struct elf_symbol symbol;
		if (elf_symbol_find(&image->elf, names[i], &symbol, NULL) != 1)
			continue;
		low = symbol.addr < low ? symbol.addr : low;
		high = symbol.addr + symbol.size > high ? symbol.addr + symbol.size : high;
	}
	/* Far apart: they do not stand together, and only the pc can be judged. */
	if (high > low && high - low < (1u << 18))
		avoid(pick, low - MALLOC_MARGIN, high, false);
}

static void avoid_image(struct pick *pick, struct image *image, bool pc_only)
{
	if (image && image_open(pick->images, image, NULL) == 0)
		avoid(pick, image->elf.low, image->elf.high, pc_only);
}

void pick_open(struct pick *pick, struct images *images, raddr restore)
{
	*pick = (struct pick){ .images = images, .restore = restore, .since_ns = now_ns() };
	struct image *libc = images_libc_image(images), *loader = images_interpreter(images);
	/* musl's loader is its C library */
	avoid_image(pick, loader, loader == libc);
	avoid_image(pick, libc, true);
	pick->inner_known = libc && libc != images_exe(images);
	for (size_t i = 0; i < images->n; i++) {
		struct image *image = &images->v[i];
		if (strncmp(image->name, "libpthread", 10) == 0 || strncmp(image->name, "libdl", 5) == 0)
			avoid_image(pick, image, true);
		else if (strstr(image->path, "alloc"))
			avoid_image(pick, image, false);
	}
}

/* Nine symbols to look up: only when a stack must be judged. */
static void find_malloc(struct pick *pick)
{
	struct image *libc = images_libc_image(pick->images);
	if (!pick->malloc_known && libc && image_open(pick->images, libc, NULL) == 0)
		avoid_malloc_in(pick, libc);
	pick->malloc_known = true;
}

void pick_close(struct pick *pick)
{
	free(pick->v);
	*pick = (struct pick){ 0 };
}

static bool avoided(const struct pick *pick, raddr addr, bool is_pc)
{
	for (size_t i = 0; i < pick->avoided; i++)
		if (addr >= pick->avoid[i].from && addr < pick->avoid[i].to &&
		    (is_pc || !pick->avoid[i].pc_only))
			return true;
	return false;
}

/* The stack from sp upwards, as far as it can be read; the number of words. */
static size_t read_stack(const struct pick *pick, raddr sp, uint64_t words[STACK_WORDS])
{
	size_t size = STACK_WORDS * sizeof words[0];
	while (size >= 64 && memory_read(&pick->images->target->memory, sp & ~7ull, words, size, NULL) < 0)
		size /= 2;
	return size < 64 ? 0 : size / sizeof words[0];
}

/* Is a signal handler's return address there? */
static bool shows_handler(const struct pick *pick, const uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (words[i] == pick->restore)
			return true;
	return false;
}

static bool shows_avoided(struct pick *pick, const uint64_t *words, size_t n)
{
	find_malloc(pick);
	for (size_t i = 0; i < n; i++)
		if (avoided(pick, words[i], false))
			return true;
	return false;
}

/* Is this a lock of the C library, the loader or an allocator, by where it lies?  In a static
 * program the C library's data cannot be told from the program's. */
static bool is_inner_lock(const struct pick *pick, raddr word)
{
	const struct mapping *m = maps_at(&pick->images->maps, word);
	if (m && m->shared)     /* none of them is: the program's, in a hole between the segments of a library */
		return false;
	if (word % ARENA_ALIGN < ARENA_HEADER)
		return true;
	return pick->inner_known && avoided(pick, word, true);
}

/* Has a blocked thread not moved since we first looked at it, some time ago? */
static bool is_idle(struct pick *pick, pid_t tid)
{
	uint64_t switches, now = now_ns();
	if (proc_switches(pick->images->target->pid, tid, &switches) < 0)
		return false;
	for (size_t i = 0; i < pick->looks; i++)
		if (pick->look[i].tid == tid) {
			if (pick->look[i].switches == switches)
				return now - pick->look[i].at_ns > STALE_NS;
			pick->look[i].switches = switches;
			pick->look[i].at_ns = now;
			return false;
		}
	if (pick->looks < PICK_LOOKS_MAX)
		pick->look[pick->looks++] = (struct pick_look){ tid, switches, now };
	return false;
}

/*
 * One that waits for a futex may wait for the allocator's or the loader's lock, and
 * hold another of theirs: its stack must show neither.  All others are in a call, or
 * in code, that these never enter, unless it is a signal handler on top of them.
 * Words on the stack may be stale: the loader ran on the main stack before the program
 * did.  A frame of the allocator is gone after a moment; the loader's may last as long
 * as a library's constructor, but then holds no lock that pthread_create needs.  So the
 * words count only for a while; for a futex, as long as the thread moves.
 */
const char *pick_objection(struct pick *pick, pid_t tid, raddr pc, raddr sp, enum pick_class class)
{
	bool running = class == PICK_RUNNING;
	uint64_t words[STACK_WORDS];
	if (avoided(pick, pc, running))
		return running ? "it runs in the C library, the loader or an allocator" :
				 "it is blocked in the loader or an allocator";
	size_t n = read_stack(pick, sp, words);
	if ((class != PICK_FUTEX && !shows_handler(pick, words, n)) || !shows_avoided(pick, words, n))
		return NULL;
	if (class == PICK_FUTEX ? is_idle(pick, tid) : now_ns() - pick->since_ns > STALE_NS)
		return NULL;
	return "its stack shows the allocator or the loader";
}

static void remember(struct pick *pick, pid_t tid, const struct proc_syscall *call)
{
	size_t i = 0;
	if (call->running || call->nr < 0)
		return;
	while (i < pick->seens && pick->seen[i].tid != tid)
		i++;
	if (i == PICK_LOOKS_MAX)
		return;
	pick->seen[i] = (struct pick_seen){ tid, *call };
	pick->seens += i == pick->seens;
}

const struct proc_syscall *pick_seen(const struct pick *pick, pid_t tid)
{
	for (size_t i = 0; i < pick->seens; i++)
		if (pick->seen[i].tid == tid)
			return &pick->seen[i].call;
	return NULL;
}

bool pick_sees_blocked(struct pick *pick, pid_t tid)
{
	for (int i = 0; i < RUNNING_LOOKS; i++) {
		struct proc_syscall call;
		if (proc_syscall(pick->images->target->pid, tid, &call, NULL) == 0 && !call.running && call.nr >= 0) {
			remember(pick, tid, &call);
			return true;
		}
		nanosleep(&(struct timespec){ 0, 50000 }, NULL);
	}
	return false;
}

/* Uninterruptible, dead, or not a thread of the program at all. */
static bool cannot_stop(const struct pick *pick, pid_t tid)
{
	struct proc_stat stat;
	if (proc_stat(pick->images->target->pid, tid, &stat, NULL) < 0)
		return true;
	return strchr("DZXxI", stat.state) || (stat.flags & 0x10 /* PF_IO_WORKER */);
}

void pick_watch(struct pick *pick, uint64_t ns)
{
	pick->watch_until_ns = now_ns() + ns;
}

static void consider(struct pick *pick, pid_t tid, bool forced)
{
	struct proc_syscall call;
	const char *what;
	if (proc_syscall(pick->images->target->pid, tid, &call, NULL) < 0)
		return;
	remember(pick, tid, &call);
	enum pick_class class = blocked_class(pick->images->target, &call, &what);
	if (class == PICK_NONE && forced)
		class = PICK_RUNNING;
	if (class == PICK_RUNNING && !forced && now_ns() < pick->watch_until_ns)
		return;
	if (class == PICK_NONE || cannot_stop(pick, tid))
		return;
	bool blocked = class != PICK_RUNNING;
	if (class == PICK_FUTEX && !forced && is_inner_lock(pick, call.args[0])) {
		pick->refused++;
		return;
	}
	if (blocked && !forced && pick_objection(pick, tid, call.pc, call.sp, class)) {
		pick->refused += class <= PICK_FUTEX;
		return;
	}
	struct candidate *c = &pick->v[pick->n++];
	*c = (struct candidate){ .tid = tid, .class = class, .sp = call.sp, .pc = call.pc };
	if (blocked)
		snprintf(c->why, sizeof c->why, "it %s (system call %ld)", what, call.nr);
	else
		snprintf(c->why, sizeof c->why, "it %s", what);
}

/* Among equals the oldest: the main thread has malloc's first arena, where
 * another may get one of its own for what pthread_create allocates. */
static int by_class(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->class != y->class)
		return (int)x->class - (int)y->class;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* As long as a better thread may become free, do not touch one whose call any
 * stop would cut. */
static void drop_costly(struct pick *pick)
{
	if (now_ns() - pick->since_ns > 100 * STALE_NS || (!pick->refused && pick->v[0].class >= PICK_REPEATED))
		return;
	/* One that runs may enter such a call just when we stop it. */
	bool wait = pick->refused && now_ns() - pick->since_ns < 5 * STALE_NS;
	size_t n = 0;
	for (size_t i = 0; i < pick->n; i++)
		if (pick->v[i].class <= PICK_FUTEX || (pick->v[i].class == PICK_RUNNING && !wait))
			pick->v[n++] = pick->v[i];
	pick->n = n;
}

static void put_first(struct pick *pick, pid_t tid)
{
	for (size_t i = 0; i < pick->n; i++) {
		struct candidate one = pick->v[i];
		if (one.tid != tid || (one.class != PICK_EXACT && one.class != PICK_FUTEX))
			continue;
		memmove(pick->v + 1, pick->v, i * sizeof one);
		pick->v[0] = one;
		return;
	}
}

int pick_candidates(struct pick *pick, pid_t only, pid_t prefer, struct err *err)
{
	pid_t *tids = NULL;
	size_t n = 1, good = 0;
	if (!only && proc_threads(pick->images->target->pid, &tids, &n, err) < 0)
		return -1;
	free(pick->v);
	pick->n = pick->refused = 0;
	pick->v = calloc(n + 1, sizeof *pick->v);
	if (!pick->v) {
		free(tids);
		return err_set(err, ERR_FAILED, ENOMEM, "list threads");
	}
	if (prefer && !only)
		consider(pick, prefer, false);
	for (size_t i = 0; i < n && good < ENOUGH && (i < LOOK_AT || pick->n < ENOUGH); i++) {
		size_t before = pick->n;
		if (tids && tids[i] == prefer)
			continue;
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): they were not listed only where one alone is meant */
		consider(pick, only ? only : tids[i], only != 0);
		good += pick->n > before && pick->v[before].class == PICK_EXACT;
	}
	free(tids);
	qsort(pick->v, pick->n, sizeof *pick->v, by_class);
	if (!only)
		drop_costly(pick);
	put_first(pick, prefer);
	return 0;
}
