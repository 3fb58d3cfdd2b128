/* SPDX-License-Identifier: MIT */
/* What the target has afterwards, by looking and not by believing. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "inject/news.h"
#include "inject/run.h"

static void append(char *to, size_t size, const char *fmt, va_list ap)
{
	size_t used = strlen(to);
	if (used && used + 1 < size) {
		to[used++] = '\n';
		to[used] = '\0';
	}
	vsnprintf(to + used, size - used, fmt, ap);
}

void left(struct call_report *report, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	append(report->left, sizeof report->left, fmt, ap);
	va_end(ap);
}

void kept(struct call_report *report, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	append(report->kept, sizeof report->kept, fmt, ap);
	va_end(ap);
}

/* Ours by its address, or by its looks if a failure kept the address from us. */
static bool region_is_there(const struct run *run, const struct maps *maps)
{
	struct leftover leftover;
	raddr base = run->call->report.region;
	if (!base)
		return region_leftovers(run->images, maps, NULL, 0, &leftover, 1) > 0;
	const struct mapping *m = maps_at(maps, base);
	return m && m->start == base && m->x && !m->inode;
}

bool verdict_region_mapped(const struct run *run)
{
	struct maps maps;
	if (target_maps(run->images->target, &maps, NULL) < 0)
		return false;
	bool there = region_is_there(run, &maps);
	maps_free(&maps);
	return there;
}

static bool is_traced_by_us(const struct run *run, pid_t tid)
{
	struct proc_status status;
	return tid && proc_status(run->images->target->pid, tid, &status, NULL) == 0 &&
	       status.tracer == thread_tracer() && !strchr("ZX", status.state);
}

static void each_library(void *ctx, const char *path)
{
	kept(ctx, "library %s", path);
}

/* glibc's malloc gives a new thread an arena of 64 MiB of addresses and keeps it. */
static void each_anonymous(void *ctx, const struct mapping *mapping)
{
	const uint64_t heap = 64u << 20;
	if (mapping->start % heap == 0 && mapping->w)
		kept(ctx, "malloc arena at 0x%lx (%lu KiB in use)", (unsigned long)mapping->start,
		     (unsigned long)(mapping->end - mapping->start) >> 10);
}

/* The first pthread_create of a process installs the C library's own handlers. */
static void look_at_handlers(struct run *run)
{
	struct proc_status status;
	const uint64_t inner = 7ull << 31;      /* signals 32 to 34 */
	if (proc_status(run->images->target->pid, run->images->target->live_tid, &status, NULL) == 0 &&
	    (status.sig_caught & ~run->caught_before & inner))
		kept(&run->call->report, "the signal handler that the C library installs for threads");
}

/* What another run left and could not be removed, because a thread still uses it.  Its mapping was there when we came. */
static void look_at_others(struct run *run)
{
	if (region_busy(run->images, &run->images->maps))
		kept(&run->call->report, "a call of another roclatch, which still goes on; once it has ended, the next run removes its stack");
}

void verdict_look(struct run *run)
{
	struct call_report *report = &run->call->report;
	struct target *target = run->images->target;
	struct maps changed;
	struct err why = { 0 };

	report->untraced = !is_traced_by_us(run, report->borrowed) && !is_traced_by_us(run, report->fresh);
	report->fresh_gone = !report->fresh || !thread_lives(report->fresh);
	bool seen = target_maps_since(target, &run->images->maps, &changed, &why) == 0;
	/* it has ended, and everything with it; if it has become another program, that one's libraries are its own */
	if (memory_is_gone(&target->memory) || (!seen && (why.code == ERR_TARGET_EXITED || !target_alive(target)))) {
		report->untraced = report->fresh_gone = report->region_unmapped = true;
		if (seen)
			maps_free(&changed);
		return;
	}
	if (!seen) {
		left(report, "perhaps something: the target could not be looked at again: %s", why.text);
		report->region_unmapped = false;
		return;
	}
	report->region_unmapped = !region_is_there(run, &changed);
	news_libraries(&run->images->maps, &changed, each_library, report);
	if (report->fresh) {
		look_at_handlers(run);
		news_memory(&run->images->maps, &changed, each_anonymous, report);
	}
	maps_free(&changed);
	look_at_others(run);

	if (!report->fresh_gone && !strstr(report->left, "and its stack of"))
		left(report, "thread %d, which made the call", report->fresh);
	if (!report->untraced)
		left(report, "thread %d is still traced until roclatch ends", report->borrowed);
	if (!report->region_unmapped && !strstr(report->left, "stack of"))
		left(report, "a mapping of %u KiB at 0x%lx; the next run removes it",
		     REGION_SIZE >> 10, (unsigned long)report->region);
}
