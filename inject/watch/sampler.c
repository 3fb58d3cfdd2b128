/* SPDX-License-Identifier: MIT */
/* Opening, ticks, and what goes into the profile. */
#include "inject/watch/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject/thread.h"
#include "inject/watch/sampler_inside.h"

#define RATE_LOWEST 0.1
#define RATE_HIGHEST 1000.0

static void thread_ends(void *ctx, struct task *task)
{
	struct followed *followed = task->user;
	(void)ctx;
	if (followed)
		perf_end(&followed->ring);
	free(followed);
	task->user = NULL;
}

/* For people to read: NULs between words become blanks, and nothing may steer a terminal. */
static void make_plain(char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = text[i] ? '?' : ' ';
}

static void describe(struct profile *profile, pid_t pid)
{
	size_t n;
	char *text = proc_read(&n, NULL, "/proc/%d/comm", (int)pid);
	if (text) {
		n -= n && text[n - 1] == '\n';
		make_plain(text, n);
		snprintf(profile->name, sizeof profile->name, "%.*s", (int)n, text);
	}
	free(text);
	text = proc_read(&n, NULL, "/proc/%d/cmdline", (int)pid);
	if (text) {
		n -= n && !text[n - 1];
		make_plain(text, n);
		snprintf(profile->command, sizeof profile->command, "%.*s", n < 4096 ? (int)n : 4096, text);
	}
	free(text);
}

static uint64_t real_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* What stacks need; without images there are none, and the profile says so. */
static int open_stacks(struct sampler *sampler, struct err *err)
{
	struct images *images = sampler->images;
	if (!images) {
		snprintf(sampler->profile.why_no_stacks, sizeof sampler->profile.why_no_stacks,
			 "the memory of process %d may not be read", (int)sampler->pid);
		return 0;
	}
	sampler->memory = &images->target->memory;
	if (sampler->options.stacks == STACKS_NONE)
		return 0;
	sampler->frames = malloc(UNWIND_DEPTH_MAX * sizeof *sampler->frames);
	if (!sampler->frames || copy_init(&sampler->copy, COPY_SMALL) < 0)
		return err_set(err, ERR_FAILED, ENOMEM, "prepare for copies of stacks");
	sampler->unwinder = unwinder_open(images, err);
	if (!sampler->unwinder)
		return -1;
	if (sampler->options.stacks == STACKS_ALL && !sampler->options.no_perf)
		sampler->by_perf = perf_open(&sampler->perf, images->target->live_tid,
					     sampler->period_ns / SAMPLER_PERF, NULL) == 0;
	return 0;
}

static int open_all(struct sampler *sampler, struct err *err)
{
	struct proc_stat stat;
	if (tasks_open(&sampler->tasks, sampler->pid, err) < 0)
		return -1;
	sampler->tasks.gone = thread_ends;
	if (proc_stat(sampler->pid, 0, &stat, err) < 0 || profile_init(&sampler->profile, err) < 0)
		return -1;
	sampler->start_time = stat.start_time;
	describe(&sampler->profile, sampler->pid);
	if (open_stacks(sampler, err) < 0)
		return -1;
	sampler->profile.pid = sampler->pid;
	sampler->profile.rate = sampler->options.rate;
	sampler->profile.began_real_ns = real_ns();
	sampler->begin_ns = sampler->next_ns = now_ns();
	return 0;
}

static int check_rate(double rate, struct err *err)
{
	if (rate >= RATE_LOWEST && rate <= RATE_HIGHEST)
		return 0;
	return err_set(err, ERR_USAGE, 0, "a rate of %g per second is not between %g and %g", rate, RATE_LOWEST, RATE_HIGHEST);
}

struct sampler *sampler_open(pid_t pid, struct images *images, const struct sampler_options *options,
			     struct err *err)
{
	if (check_rate(options->rate, err) < 0)
		return NULL;
	struct sampler *sampler = calloc(1, sizeof *sampler);
	if (!sampler) {
		err_set(err, ERR_FAILED, ENOMEM, "sample process %d", (int)pid);
		return NULL;
	}
	sampler->options = *options;
	sampler->pid = pid;
	sampler->images = images;
	sampler->tasks.dir = -1;
	sampler->period_ns = (uint64_t)(1e9 / options->rate);
	if (open_all(sampler, err) < 0) {
		sampler_close(sampler);
		return NULL;
	}
	return sampler;
}

void sampler_close(struct sampler *sampler)
{
	if (!sampler)
		return;
	tasks_close(&sampler->tasks);
	perf_close(&sampler->perf);
	unwinder_close(sampler->unwinder);
	copy_free(&sampler->copy);
	profile_free(&sampler->profile);
	free(sampler->frames);
	free(sampler->samples);
	free(sampler);
}

int sampler_set_rate(struct sampler *sampler, double rate, struct err *err)
{
	if (check_rate(rate, err) < 0)
		return -1;
	bool same = rate == sampler->options.rate;
	sampler->options.rate = sampler->profile.rate = rate;
	sampler->period_ns = (uint64_t)(1e9 / rate);
	sampler->perf.period_ns = sampler->period_ns / SAMPLER_PERF;
	for (size_t i = 0; i < sampler->tasks.n && !same; i++) {
		struct followed *followed = sampler->tasks.v[i].user;
		if (followed)
			perf_change(&followed->ring);
	}
	sampler->next_ns = now_ns();
	return 0;
}

uint64_t sampler_next_ns(const struct sampler *sampler)
{
	return sampler->next_ns;
}

/* Ticks whose time has passed as well are left out; those that are taken stand for the ones nearest to them, too.  Else
 * a thread would seem to do less of what keeps us from looking. */
static void advance(struct sampler *sampler, uint64_t now)
{
	uint64_t late = now > sampler->next_ns ? now - sampler->next_ns : 0;
	uint64_t dropped = late / sampler->period_ns;
	struct profile *profile = &sampler->profile;
	sampler->next_ns += (dropped + 1) * sampler->period_ns;
	if (!profile->ticks++)
		dropped = 0;
	profile->late += late > sampler->period_ns / 2;
	profile->dropped += dropped;
	sampler->weight_before = dropped / 2;
	sampler->weight = 1 + dropped - sampler->weight_before;
}

/* One that is killed has lost its memory a while before it is a zombie; another program has memory. */
static bool has_ended(const struct sampler *sampler)
{
	struct proc_stat stat;
	struct maps maps;
	if (proc_stat(sampler->pid, 0, &stat, NULL) < 0 || stat.start_time != sampler->start_time ||
	    strchr("ZX", stat.state) || target_maps(sampler->images->target, &maps, NULL) < 0)
		return true;
	maps_free(&maps);
	return false;
}

/* One read a tick: memory that was replaced reads as nothing, whatever the address (fs/proc/base.c, mem_rw);
 * of what is only unmapped it says EIO. */
static int check_program(const struct sampler *sampler, struct err *err)
{
	char byte;
	if (!sampler->memory || pread(sampler->memory->fd, &byte, 1, (off_t)sampler->images->target->auxv.phdr) != 0)
		return 0;
	if (has_ended(sampler))
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended", (int)sampler->pid);
	return err_set(err, ERR_TARGET_EXITED, 0, "process %d has become another program (exec)", (int)sampler->pid);
}

static int follow_new(struct sampler *sampler, struct err *err)
{
	for (size_t i = 0; i < sampler->tasks.n; i++) {
		struct task *task = &sampler->tasks.v[i];
		if (task->user || task->state == TASK_GONE)
			continue;
		struct followed *followed = calloc(1, sizeof *followed);
		if (!followed)
			return err_set(err, ERR_FAILED, ENOMEM, "follow thread %d", (int)task->tid);
		task->user = followed;
		*followed = (struct followed){ .stack = NO_STACK, .first_run_ns = task->run_ns, .running = NO_STACK,
						.last.state = TASK_GONE, .blocked.state = TASK_GONE };
		followed->thread = profile_thread(&sampler->profile, task->tid, task->name);
		if (followed->thread == NO_STACK)
			return err_set(err, ERR_FAILED, ENOMEM, "keep thread %d", (int)task->tid);
		if (sampler->by_perf)
			perf_begin(&sampler->perf, &followed->ring, task->tid);
	}
	return 0;
}

static void say_refused(struct sampler *sampler)
{
	char *why = sampler->profile.why_no_stacks;
	if (sampler->tasks.calls_refused && !*why)
		snprintf(why, sizeof sampler->profile.why_no_stacks,
			 "the system calls of process %d may not be read", (int)sampler->pid);
}

int sampler_tick(struct sampler *sampler, struct err *err)
{
	uint64_t now = now_ns();
	advance(sampler, now);
	if (tasks_tick(&sampler->tasks, tasks_may_differ(&sampler->tasks), err) < 0 ||
	    check_program(sampler, err) < 0 || follow_new(sampler, err) < 0)
		return -1;
	say_refused(sampler);
	if (sampler_go_on(sampler, err) < 0)
		return -1;
	sampler_stacks(sampler);
	sampler->profile.duration_ns = now - sampler->begin_ns;
	return sampler_record(sampler, now - sampler->begin_ns, err);
}

const char *sampler_way(const struct sampler *sampler)
{
	if (!sampler->unwinder || sampler->options.stacks != STACKS_ALL)
		return "";
	return sampler->by_perf ? "perf" : "stops";
}

unsigned sampler_renewed(const struct sampler *sampler)
{
	return sampler->renewed;
}

struct profile *sampler_profile(struct sampler *sampler)
{
	return &sampler->profile;
}

const struct tasks *sampler_tasks(const struct sampler *sampler)
{
	return &sampler->tasks;
}
