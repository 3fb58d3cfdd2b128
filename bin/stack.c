/* SPDX-License-Identifier: MIT */
/* roclatch stack: where is every thread? */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bin/stacks.h"

#define DEPTH_DEFAULT 256

const char stack_text[] =
	"Shows the stacks of all threads, or of the given ones, once, innermost function first.  Blocked\n"
	"threads are not stopped: their stacks are copied from outside.  A running thread is stopped\n"
	"while its stack is copied, one thread at a time, usually for less than 100 microseconds.  A '?'\n"
	"after a frame's number means that the frame was found by a search, not by unwind tables.  If a\n"
	"stack ends too early, the reason is shown.\n"
	"\n"
	"examples:\n"
	"  roclatch stack 4711\n"
	"  roclatch stack 4711 4712 4713 --depth 20\n";

static void put_frame(struct watched *watched, size_t number, const struct frame *frame)
{
	struct frame_name name;
	char text[1024];
	naming_at(watched->naming, frame->pc, frame->exact, &name);
	watched_place(watched, frame->pc, frame->exact, true, text, sizeof text);
	char mark[24];
	snprintf(mark, sizeof mark, "#%zu%s", number, frame->how == FRAME_SEARCH ? "?" : "");
	printf("  %-4s 0x%016" PRIx64 "  ", mark, frame->pc);
	output_safe(stdout, text);
	if (name.function && name.module[0]) {
		fputs("  ", stdout);
		output_safe(stdout, name.module);
	}
	putchar('\n');
}

static void put_thread(struct watched *watched, const struct thread_stack *stack)
{
	printf("TID %d \"", (int)stack->tid);
	output_safe(stdout, stack->name);
	printf("\" %s\n", stack->doing);
	for (size_t i = 0; i < stack->n; i++)
		put_frame(watched, i, &stack->frames[i]);
	if (stack->why[0]) {
		printf("  [%s", stack->taken ? "goes no further: " : "no stack: ");
		output_safe(stdout, stack->why);
		puts("]");
	}
}

static void put_all(const struct stacks *stacks)
{
	const struct target *target = &stacks->watched->target;
	printf("PID %d (", (int)target->pid);
	output_safe(stdout, target->status.name);
	puts(")");
	for (size_t i = 0; i < stacks->n; i++)
		put_thread(stacks->watched, &stacks->v[i]);
}

static void json_frame(struct json *json, struct watched *watched, const struct frame *frame)
{
	struct frame_name name;
	naming_at(watched->naming, frame->pc, frame->exact, &name);
	json_object(json, NULL);
	json_hex(json, "pc", frame->pc);
	json_text(json, "function", name.function);
	json_text(json, "demangled", name.function ? watched_spoken(watched, name.function) : NULL);
	json_unsigned(json, "offset", name.offset);
	json_text(json, "module", name.module);
	json_text(json, "build_id", name.build_id);
	json_hex(json, "vaddr", name.vaddr);
	json_text(json, "how", frame_how_text((enum frame_how)frame->how));
	json_end(json);
}

static void json_thread(struct json *json, struct watched *watched, const struct thread_stack *stack)
{
	static const char *const ways[] = { [COPY_OUTSIDE] = "outside", [COPY_STOP] = "stop", [COPY_PERF] = "perf" };
	json_object(json, NULL);
	json_signed(json, "tid", stack->tid);
	json_text(json, "name", stack->name);
	json_text(json, "state", stack->state);
	json_text(json, "call", stack->call[0] ? stack->call : NULL);
	json_text(json, "way", stack->taken ? ways[stack->way] : NULL);
	json_unsigned(json, "stopped_ns", stack->stopped_ns);
	json_array(json, "frames");
	for (size_t i = 0; i < stack->n; i++)
		json_frame(json, watched, &stack->frames[i]);
	json_end(json);
	json_text(json, "end", stack->taken ? unwind_end_text(stack->end) : NULL);
	json_text(json, "why", stack->why);
	json_end(json);
}

static void json_all(struct output *out, const struct stacks *stacks)
{
	json_text(&out->writer, "name", stacks->watched->target.status.name);
	json_unsigned(&out->writer, "longest_stop_ns", stacks->longest_stop_ns);
	json_array(&out->writer, "threads");
	for (size_t i = 0; i < stacks->n; i++)
		json_thread(&out->writer, stacks->watched, &stacks->v[i]);
	json_end(&out->writer);
}

static int read_tids(char **operands, int n, pid_t *tids, struct err *err)
{
	uint64_t tid;
	for (int i = 0; i < n; i++) {
		if (!options_number(operands[i], &tid) || !tid || tid > PID_HIGHEST)
			return err_set(err, ERR_USAGE, 0, "'%s' is not a thread id", operands[i]);
		tids[i] = (pid_t)tid;
	}
	return 0;
}

static int show(struct watched *watched, const struct settings *settings, const pid_t *tids, size_t n,
		struct output *out, struct err *err)
{
	struct stacks stacks;
	if (stacks_open(&stacks, watched, settings->depth ? settings->depth : DEPTH_DEFAULT, err) < 0)
		return -1;
	int rc = stacks_take(&stacks, tids, n, err);
	if (out->json)
		json_all(out, &stacks);
	else if (stacks.n)
		put_all(&stacks);
	if (settings->verbose)
		output_note(out, "%zu stacks from outside, %zu by stops; longest stop %" PRIu64 " us", stacks.outside,
			    stacks.stopped, (stacks.longest_stop_ns + 999) / 1000);
	stacks_close(&stacks);
	return rc;
}

int command_stack(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	struct watched watched;
	pid_t tids[STACK_TIDS_MAX];
	if (read_tids(operands, n, tids, err) < 0 || watched_open(&watched, settings, true, out, err) < 0)
		return -1;
	int rc = show(&watched, settings, tids, (size_t)n, out, err);
	watched_close(&watched);
	return rc;
}
