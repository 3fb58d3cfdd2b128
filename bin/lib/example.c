/* SPDX-License-Identifier: MIT */
/*
 * example PID [OPTION...]: can the process be attached?  With options of roclatch attach, attach it.  What do its
 * threads do, for a second?
 *
 *     cc -std=c99 example.c -lroclatch -o example
 */
#define _POSIX_C_SOURCE 200809L
#include <roclatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LAST 100

static int show_check(void *ctx, const struct roclatch_check_line *line)
{
	(void)ctx;
	if (line->verdict == ROCLATCH_VERDICT_NO)
		printf("  %s: %s\n", line->name, line->text);
	return 0;
}

static int show_frame(void *ctx, const struct roclatch_frame *frame)
{
	(void)ctx;
	if (frame->how == ROCLATCH_FRAME_END)
		printf("    [%s]\n", frame->function);
	else if (frame->function[0])
		printf("    %s+0x%llx (%s)\n", frame->function, (unsigned long long)frame->offset, frame->module);
	else
		printf("    %s+0x%llx\n", frame->module[0] ? frame->module : "?", (unsigned long long)frame->offset);
	return 0;
}

/* On the sampler's thread: short work only. */
static void count(void *ctx, const struct roclatch_sample *samples, size_t n)
{
	unsigned long *running = ctx;
	size_t i;

	for (i = 0; i < n; i++)
		*running += samples[i].state == ROCLATCH_RUNNING;
}

/* The process has ended meanwhile, or become another program. */
static void ended(void *ctx, const struct roclatch_error *why)
{
	(void)ctx;
	printf("%s\n", why->text);
}

static int failed(const struct roclatch_error *error)
{
	fprintf(stderr, "example: %s\n", error->text);
	if (error->remedy[0])
		fprintf(stderr, "  %s\n", error->remedy);
	return error->status;
}

/* What each thread did when it was last looked at. */
static void show_last(struct roclatch_sampler *sampler)
{
	static struct roclatch_sample last[LAST];
	ssize_t n = roclatch_sampler_last(sampler, last, LAST, NULL), i;
	char call[32];

	for (i = 0; i < n; i++) {
		if (last[i].time_ns != last[n - 1].time_ns)
			continue;
		printf("  thread %d (%s): %s", (int)last[i].tid, last[i].name, roclatch_state_name(last[i].state));
		if (last[i].system_call >= 0)
			printf(" in %s", roclatch_system_call_name(last[i].system_call, call, sizeof call));
		printf("\n");
		if (last[i].stack != ROCLATCH_NO_STACK)
			roclatch_sampler_frames(sampler, last[i].stack, show_frame, NULL, NULL);
	}
}

/* Look at the process for a second. */
static int watch(pid_t pid, struct roclatch_error *error)
{
	unsigned long running = 0;
	struct roclatch_sampler_options options = { .size = sizeof options, .rate = 100, .ring = LAST,
						    .batch = count, .ended = ended, .ctx = &running };
	struct roclatch_counts counts = { .size = sizeof counts };
	struct roclatch_sampler *sampler = roclatch_sampler_open(pid, &options, error);
	struct timespec second = { 1, 0 };

	if (!sampler)
		return -1;
	if (roclatch_sampler_start(sampler, error) < 0) {
		roclatch_sampler_close(sampler, NULL);
		return -1;
	}
	nanosleep(&second, NULL);
	roclatch_sampler_stop(sampler, NULL);
	roclatch_sampler_count(sampler, &counts, NULL);
	printf("%llu samples in %llu looks, %lu of a running thread\n", (unsigned long long)counts.samples,
	       (unsigned long long)counts.ticks, running);
	show_last(sampler);
	return roclatch_sampler_close(sampler, error);
}

int main(int argc, char **argv)
{
	pid_t pid = argc > 1 ? (pid_t)strtol(argv[1], NULL, 10) : 0;
	struct roclatch_attach_options options = { .size = sizeof options, .arguments = (const char *const *)argv + 2,
						   .arguments_n = argc > 2 ? (size_t)argc - 2 : 0 };
	struct roclatch_check_result result = { .size = sizeof result };
	struct roclatch_attachment *attachment = NULL;
	struct roclatch_error error;

	printf("roclatch %s\n", roclatch_version());
	if (roclatch_check(pid, &options, show_check, NULL, &result, &error) < 0)
		return failed(&error);
	printf("process %ld %s\n", (long)pid, result.summary);
	if (argc > 2 && roclatch_attach(pid, &options, &attachment, &error) < 0)
		return failed(&error);
	if (watch(pid, &error) < 0) {
		roclatch_attachment_close(attachment);
		return failed(&error);
	}
	if (attachment && roclatch_detach(attachment, NULL, &error) < 0)
		return failed(&error);
	roclatch_attachment_close(attachment);
	return 0;
}
