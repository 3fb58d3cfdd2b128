/* SPDX-License-Identifier: MIT */
#include "bin/watched.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "inject/timed.h"
#include "rocp/advice.h"
#include "rocp/trace/demangle.h"

int watched_folders(const struct option_list *folders, struct err *err)
{
	for (size_t i = 0; i < folders->n; i++) {
		struct stat folder;
		if (stat(folders->v[i], &folder))
			return err_set(err, ERR_FAILED, errno, "--debug-dir %s", folders->v[i]);
		if (!S_ISDIR(folder.st_mode))
			return err_set(err, ERR_FAILED, 0, "--debug-dir %s is not a folder", folders->v[i]);
	}
	return 0;
}

static int open_names(struct watched *watched, const struct settings *settings, struct err *err)
{
	struct naming_options options = { .debug_dirs = watched->debug_dirs };
	memcpy(watched->debug_dirs, settings->debug_dirs.v, settings->debug_dirs.n * sizeof *watched->debug_dirs);
	if (images_open(&watched->images, &watched->target, err) < 0)
		return -1;
	watched->naming = naming_open(&watched->images, &options, err);
	if (watched->naming)
		return 0;
	images_close(&watched->images);
	return -1;
}

int watched_open(struct watched *watched, const struct settings *settings, bool must_be_readable,
		 struct output *out, struct err *err)
{
	memset(watched, 0, sizeof *watched);
	if (watched_folders(&settings->debug_dirs, err) < 0)
		return -1;
	if (target_watch(&watched->target, (pid_t)settings->pid, &out->say, &watched->readable, err) < 0)
		return surroundings_advise((pid_t)settings->pid, err);
	if (!watched->readable) {
		surroundings_advise((pid_t)settings->pid, err);
		watched->why = *err;
		if (!must_be_readable && err->code == ERR_NOT_POSSIBLE)
			return 0;
	} else if (open_names(watched, settings, err) == 0) {
		return 0;
	}
	target_close(&watched->target);
	return -1;
}

void watched_close(struct watched *watched)
{
	if (watched->readable) {
		naming_close(watched->naming);
		images_close(&watched->images);
	}
	target_close(&watched->target);
	idmap_free(&watched->spoken);
	texts_free(&watched->texts);
}

const char *watched_spoken(struct watched *watched, const char *function)
{
	uint64_t found;
	if (idmap_get(&watched->spoken, (uintptr_t)function, &found))
		return (const char *)(uintptr_t)found;
	/* a longer one would need a larger stack than we have */
	const char *spoken = strlen(function) > DEMANGLE_PLAIN ? function : demangled_name(&watched->texts, function, NULL);
	if (!spoken)
		return function;
	idmap_set(&watched->spoken, (uintptr_t)function, (uintptr_t)spoken);
	return spoken;
}

void watched_place(struct watched *watched, raddr pc, bool exact, bool with_offset, char *text, size_t size)
{
	struct frame_name name;
	naming_at(watched->naming, pc, exact, &name);
	if (name.function && with_offset)
		snprintf(text, size, "%s+0x%" PRIx64, watched_spoken(watched, name.function), name.offset);
	else if (name.function)
		snprintf(text, size, "%s", watched_spoken(watched, name.function));
	else if (name.module[0])
		naming_text(&name, true, text, size);
	else
		snprintf(text, size, "0x%" PRIx64, pc);
}

void task_doing(const struct task *task, char *text, size_t size)
{
	char buf[32];
	bool in_call = task->call_known && task->call.nr >= 0 && task->state != TASK_RUNNING;
	snprintf(text, size, "%s%s%s", task_state_text(task->state), in_call ? " in " : "",
		 in_call ? task_syscall_name(task->call.nr, buf, sizeof buf) : "");
}

void task_count_text(const struct tasks *tasks, char *text, size_t size)
{
	size_t count[TASK_STATES] = { 0 }, used = 0;
	for (size_t i = 0; i < tasks->n; i++)
		count[tasks->v[i].state]++;
	text[0] = 0;
	for (unsigned state = 0; state < TASK_STATES && used < size; state++)
		if (count[state])
			used += (size_t)snprintf(text + used, size - used, "%s%zu %s", used ? ", " : "", count[state],
						 task_state_text((enum task_state)state));
}

uint64_t task_blocked_ns(const struct task *task, uint64_t now)
{
	uint64_t slept, seen = now > task->since_ns ? now - task->since_ns : 0;
	if (timed_slept(task->tid, &slept) < 0)
		return seen;
	return slept > seen ? slept : seen;
}
