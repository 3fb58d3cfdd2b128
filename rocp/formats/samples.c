/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "rocp/formats/samples_parts.h"
#include "rocp/trace/demangle.h"

const char *const samples_endings[] = {
	[SAMPLES_TEXT] = ".txt", [SAMPLES_JSON] = ".json", [SAMPLES_FOLDED] = ".folded",
	[SAMPLES_SPEEDSCOPE] = ".speedscope.json", [SAMPLES_PFTRACE] = ".pftrace", [SAMPLES_HTML] = ".html",
};

int samples_write(enum samples_format format, const struct profile *profile, struct file *file, struct err *err)
{
	static int (*const write[])(struct samples *, struct err *) = {
		[SAMPLES_TEXT] = samples_text, [SAMPLES_JSON] = samples_json, [SAMPLES_FOLDED] = samples_folded,
		[SAMPLES_SPEEDSCOPE] = samples_speedscope, [SAMPLES_PFTRACE] = samples_pftrace, [SAMPLES_HTML] = samples_html,
	};
	struct samples samples;
	int rc = samples_open(&samples, profile, file, err);
	if (rc == 0)
		rc = write[format](&samples, err);
	samples_close(&samples);
	return rc < 0 ? err_wrap(err, "%s", file->path) : 0;
}

/* The last place of a stack that goes no further. */
static void end_text(const struct place *place, char *text, size_t size)
{
	snprintf(text, size, "[%s]", unwind_end_text((enum unwind_end)(place->end - 1)));
}

static void unnamed_text(const struct place *place, char *text, size_t size)
{
	const struct frame_name name = { .offset = place->vaddr, .module = place->module ? place->module : "",
		.path = place->path ? place->path : "", .build_id = place->build_id ? place->build_id : "", .vaddr = place->vaddr };
	if (name.module[0])
		naming_text(&name, false, text, size);
	else
		snprintf(text, size, "0x%llx", (unsigned long long)place->pc);
}

void samples_place_text(const struct place *place, char *text, size_t size)
{
	struct texts texts = { .n = 0 };
	struct err err = { .code = 0 };
	const char *function = place->function && place->function[0] ? place->function : NULL, *name = function;
	if (!place->end && name && strlen(name) <= DEMANGLE_PLAIN)
		name = demangled_name(&texts, name, &err);
	if (place->end)
		end_text(place, text, size);
	else if (function)
		snprintf(text, size, "%s", name ? name : function);
	else
		unnamed_text(place, text, size);
	texts_free(&texts);
}

const char *samples_blocked(uint8_t state, int32_t call, char *text, size_t size)
{
	if (state == TASK_RUNNING)
		return NULL;
	if (call >= 0 && (state == TASK_SLEEPING || state == TASK_WAITING))
		return task_syscall_name(call, text, size);
	return task_state_text((enum task_state)state);
}

double samples_period(const struct profile *profile)
{
	return profile->rate > 0 ? 1 / profile->rate : 0;
}

const struct watched_thread *samples_thread(const struct samples *samples, uint32_t thread)
{
	static const struct watched_thread unknown = { .tid = 0 };
	return thread < samples->profile->threads_n ? &samples->profile->threads[thread] : &unknown;
}

uint32_t samples_path(const struct samples *samples, uint32_t stack)
{
	return stack < samples->profile->nodes_n ? samples->path_of[stack] : NO_STACK;
}

uint64_t samples_until(const struct samples *samples, size_t in_time)
{
	const struct profile *profile = samples->profile;
	const struct stretch *stretch = &profile->stretches[samples->in_time[in_time]];
	uint64_t until = stretch->to_ns + (uint64_t)(samples_period(profile) * 1e9);
	if (until > profile->duration_ns)
		until = stretch->to_ns > profile->duration_ns ? stretch->to_ns : profile->duration_ns;
	if (in_time + 1 < profile->stretches_n) {
		const struct stretch *next = &profile->stretches[samples->in_time[in_time + 1]];
		if (next->thread == stretch->thread && next->from_ns < until)
			until = next->from_ns;
	}
	return until < stretch->from_ns ? stretch->from_ns : until;
}
