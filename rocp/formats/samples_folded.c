/* SPDX-License-Identifier: MIT */
/* A line for each stack of a thread: "thread-tid;outer;...;inner;[futex] count". */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/samples_parts.h"
#include "rocp/formats/utf8.h"

/* One element of a line: nothing in it ends it. */
static void put_element(struct file *file, const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	while (at < end) {
		size_t skip, length = utf8_length(at, (size_t)(end - at), &skip);
		if (!length)
			file_text(file, UTF8_INSTEAD);
		else if (utf8_control(at, length))
			file_put(file, "?", 1);
		else
			file_put(file, *at == ';' ? (const unsigned char *)":" : at, length);
		at += length ? length : skip;
	}
}

static void put_frames(struct samples *samples, uint32_t path, uint32_t *outer)
{
	size_t n = 0;
	for (; path != NO_STACK; path = samples->path[path].parent)
		outer[n++] = samples->path[path].function;
	while (n--) {
		file_put(samples->file, ";", 1);
		put_element(samples->file, samples->function[outer[n]].label);
	}
}

static void put_line(struct samples *samples, const struct sampled_stack *stack, uint32_t *room)
{
	const struct watched_thread *thread = samples_thread(samples, stack->thread);
	const char *state = stack->blocked ? stack->blocked : stack->path == NO_STACK ? task_state_text(TASK_RUNNING) : NULL;
	put_element(samples->file, thread->name);
	file_text(samples->file, "-");
	file_signed(samples->file, thread->tid);
	put_frames(samples, stack->path, room);
	if (state) {
		file_text(samples->file, ";[");
		put_element(samples->file, state);
		file_text(samples->file, "]");
	}
	file_text(samples->file, " ");
	file_unsigned(samples->file, stack->samples);
	file_text(samples->file, "\n");
}

int samples_folded(struct samples *samples, struct err *err)
{
	uint32_t *room = samples_array(samples->paths, sizeof *room, err);
	for (size_t i = 0; room && i < samples->stacks; i++)
		put_line(samples, &samples->stack[i], room);
	free(room);
	return room ? 0 : -1;
}
