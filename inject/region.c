/* SPDX-License-Identifier: MIT */
#include "inject/region.h"

#include <stdlib.h>
#include <string.h>

#include "inject/thread.h"

struct header {
	char magic[24];
	uint64_t size, mailbox;
	uint8_t pad[REGION_HEADER - 40];
};
_Static_assert(sizeof(struct header) == REGION_HEADER, "region header");
static const char magic[24] = "roclatch region 1";

#define MAILBOX_ROOM 512u
_Static_assert(sizeof(struct mailbox) <= MAILBOX_ROOM, "mailbox");

static size_t code_size(void)
{
	return (size_t)(trampoline_end - trampoline_start);
}

void region_place(struct region *region, raddr base, size_t page)
{
	*region = (struct region){
		.base = base,
		.size = REGION_SIZE,
		.page = page,
		.end = base + REGION_SIZE,
		.data = base + REGION_SIZE - REGION_DATA,
	};
	region->mailbox = region->data;
	region->maker = region->mailbox + MAILBOX_ROOM;
	region->next_data = region->maker + MAILBOX_ROOM;
	region->small_stack = region->data;
	region->stack = region->data - REGION_SMALL_STACK;
}

raddr region_code(const struct region *region, const uint8_t *part)
{
	return region->base + REGION_HEADER + (raddr)(part - trampoline_start);
}

int region_write_code(const struct region *region, struct memory *memory, struct err *err)
{
	uint8_t code[4096 - REGION_HEADER], seen[sizeof code];
	struct header header = { .size = region->size, .mailbox = region->mailbox };
	memcpy(header.magic, magic, sizeof magic);
	if (code_size() > sizeof code)
		return err_set(err, ERR_FAILED, 0, "the trampoline is too large");
	memcpy(code, trampoline_start, code_size());

	if (memory_write(memory, region->base, &header, sizeof header, err) < 0 ||
	    memory_write(memory, region->base + sizeof header, code, code_size(), err) < 0 ||
	    memory_read(memory, region->base + sizeof header, seen, code_size(), err) < 0)
		return err_wrap(err, "write the trampoline");
	if (memcmp(code, seen, code_size()))
		return err_set(err, ERR_FAILED, 0, "the trampoline reads back otherwise than it was written");
	return arch_trampoline_check(seen, code_size(), err);
}

int region_reserve(struct region *region, size_t size, raddr *at, struct err *err)
{
	size_t rounded = (size + 63) & ~63ul;
	if (rounded < size || rounded > region->end - region->next_data)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "the arguments need more than %u bytes", REGION_DATA);
	*at = region->next_data;
	region->next_data += rounded;
	return 0;
}

int region_put(struct region *region, struct memory *memory, const void *data, size_t size,
	       raddr *at, struct err *err)
{
	if (region_reserve(region, size, at, err) < 0)
		return -1;
	return memory_write(memory, *at, data, size, err);
}

/* Is this the thread that calls itself `inner`, in its own pid namespace? */
static bool is_thread(const struct target *target, pid_t tid, pid_t inner)
{
	struct proc_status status;
	if (target->status.nspid_count <= 1)
		return tid == inner;
	return proc_status(target->pid, tid, &status, NULL) == 0 && status.nspid_count &&
	       status.nspid[status.nspid_count - 1] == inner;
}

/* Where the thread's stack is: as /proc tells of a blocked one, else by a glance.  Not while another is held: to seize
 * one waits for an exec (kernel/ptrace.c, cred_guard_mutex), and that for the one that is held.  `was_out`: seen before that. */
static bool is_inside(const struct target *target, pid_t tid, raddr base, uint64_t size, bool was_out)
{
	struct proc_syscall call;
	struct regs regs;
	if (proc_syscall(target->pid, tid, &call, NULL) < 0)
		return false;
	if (!call.running)
		return call.sp - base < size;
	if (target->memory.held)
		return !was_out;
	if (thread_glance(tid, &regs) < 0)
		return thread_lives(tid);
	return arch_sp(&regs) - base < size || arch_pc(&regs) - base < size;
}

static bool is_blocked_inside(const struct target *target, pid_t tid, raddr base, uint64_t size)
{
	struct proc_syscall call;
	return proc_syscall(target->pid, tid, &call, NULL) == 0 && !call.running && call.sp - base < size;
}

static pid_t find_thread(const struct target *target, const struct mailbox *mailbox, const pid_t *tids, size_t n)
{
	for (size_t i = 0; mailbox->tid && i < n; i++)
		if (is_thread(target, tids[i], (pid_t)mailbox->tid))
			return tids[i];
	return 0;
}

/* A borrowed thread uses the region until its steps are done and it is out of it. */
static bool borrowed_uses(const struct target *target, pid_t tid, const struct mailbox *mailbox, raddr base,
			  uint64_t size, bool was_out)
{
	return tid && (!mailbox->done || is_inside(target, tid, base, size, was_out));
}

static bool has_made_thread(const struct mailbox *maker)
{
	if (maker->count == 0 || maker->count > MB_STEPS_MAX)
		return false;
	const struct mailbox_step *last = &maker->step[maker->count - 1];
	return last->returned && (uint32_t)last->result == 0;
}

/* A fresh thread uses it as long as it lives; until it has said who it is, as long as
 * it may come. */
static bool in_use(struct images *images, const struct header *header, raddr base, bool was_out)
{
	struct target *target = images->target;
	struct mailbox caller, maker;
	pid_t *tids = NULL;
	size_t n = 0;
	bool used;

	if (memory_read(&target->memory, header->mailbox, &caller, sizeof caller, NULL) < 0 ||
	    memory_read(&target->memory, header->mailbox + MAILBOX_ROOM, &maker, sizeof maker, NULL) < 0 ||
	    proc_threads(target->pid, &tids, &n, NULL) < 0)
		return true;
	pid_t calls = find_thread(target, &caller, tids, n), makes = find_thread(target, &maker, tids, n);
	bool fresh = maker.tid || caller.go;
	used = fresh ? calls || borrowed_uses(target, makes, &maker, base, header->size, was_out) ||
		       (!caller.tid && has_made_thread(&maker)) :
		       borrowed_uses(target, calls, &caller, base, header->size, was_out);
	for (size_t i = 0; i < n && !used; i++)
		used = is_blocked_inside(target, tids[i], base, header->size);
	free(tids);
	return used;
}

bool region_covers(struct images *images, raddr addr)
{
	struct header header;
	const raddr page = addr & ~(raddr)(images->target->page - 1);
	/* code is in the first page only */
	return memory_read(&images->target->memory, page, &header, sizeof header, NULL) == 0 &&
	       !memcmp(header.magic, magic, sizeof magic);
}

/* Zeros throughout: nobody keeps code like that. */
static bool is_blank(struct images *images, raddr start)
{
	static const uint8_t zeros[65536];
	uint8_t piece[sizeof zeros];
	for (raddr at = start; at < start + REGION_SIZE; at += sizeof piece)
		if (memory_read(&images->target->memory, at, piece, sizeof piece, NULL) < 0 ||
		    memcmp(piece, zeros, sizeof piece))
			return false;
	return true;
}

/* Is a region that nobody uses at `at`?  `whole`: all of it is still r-x there. */
static bool is_leftover(struct images *images, raddr at, bool whole, bool was_one)
{
	struct header header;
	if (memory_read(&images->target->memory, at, &header, sizeof header, NULL) < 0)
		return false;
	if (!memcmp(header.magic, magic, sizeof magic) && header.size == REGION_SIZE)
		return !in_use(images, &header, at, was_one);
	return whole && is_blank(images, at);
}

static bool is_among(const struct leftover *leftovers, size_t n, raddr base)
{
	for (size_t i = 0; i < n; i++)
		if (leftovers[i].base == base)
			return true;
	return false;
}

/* The kernel joins neighbours that are alike: several that were never made writable, and
 * above them the code page of one that was. */
size_t region_leftovers(struct images *images, const struct maps *maps, const struct leftover *before, size_t before_n,
			struct leftover *out, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < maps->n; i++) {
		const struct mapping *m = &maps->v[i];
		uint64_t odd = (m->end - m->start) % REGION_SIZE;
		if (!m->x || m->w || m->inode || m->path[0] || (odd != 0 && odd != images->target->page))
			continue;
		for (raddr at = m->start; at < m->end && n < max; at += REGION_SIZE)
			if (is_leftover(images, at, m->end - at >= REGION_SIZE, is_among(before, before_n, at)))
				out[n++] = (struct leftover){ at, REGION_SIZE };
	}
	return n;
}

bool region_busy(struct images *images, const struct maps *maps)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct mapping *m = &maps->v[i];
		struct header header;
		if (!m->x || m->w || m->inode || m->path[0])
			continue;
		for (raddr at = m->start; at < m->end; at += REGION_SIZE)
			if (memory_read(&images->target->memory, at, &header, sizeof header, NULL) == 0 &&
			    !memcmp(header.magic, magic, sizeof magic) && header.size == REGION_SIZE &&
			    in_use(images, &header, at, false))
				return true;
	}
	return false;
}
