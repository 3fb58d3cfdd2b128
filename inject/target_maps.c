/* SPDX-License-Identifier: MIT */
/* The mappings of a process that lives on meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "inject/target.h"

/* The kernel gives the mappings in pieces; others change between them. */
#define MAPS_TRIES 50

static char *read_maps_of(const struct target *target, pid_t tid, size_t *size, struct err *err)
{
	char *text = proc_read(size, err, "/proc/%d/task/%d/maps", (int)target->pid, (int)tid);
	if (text && *size)
		return text;
	if (text)       /* a thread that has ended */
		err_set(err, ERR_FAILED, 0, "thread %d of process %d shows no mappings", (int)tid, (int)target->pid);
	free(text);
	return NULL;
}

static char *read_maps(const struct target *target, size_t *size, struct err *err)
{
	char *text = read_maps_of(target, target->live_tid, size, err);
	if (text)
		return text;
	pid_t other = target_alive(target) ? target_living_thread(target->pid) : 0;
	text = other ? read_maps_of(target, other, size, err) : NULL;
	if (!text && (!other || !target_alive(target)))
		err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended", (int)target->pid);
	return text;
}

static int take_maps(const struct target *target, const struct maps *then, bool keep, struct maps *maps, struct err *err)
{
	for (int try = 0; try < MAPS_TRIES; try++) {
		size_t size;
		char *text = read_maps(target, &size, err);
		if (!text)
			return -1;
		char *copy = keep ? malloc(size) : NULL;
		if (copy)
			memcpy(copy, text, size);
		if (then && then->kept)
			size = maps_cut(text, size, then);
		if (maps_take(maps, text, size, err) == 0) {
			maps->kept = copy;
			maps->kept_size = copy ? size : 0;
			return 0;
		}
		free(copy);
	}
	return err_wrap(err, "the mappings of process %d, read %d times", (int)target->pid, MAPS_TRIES);
}

int target_maps(const struct target *target, struct maps *maps, struct err *err)
{
	return take_maps(target, NULL, false, maps, err);
}

int target_maps_kept(const struct target *target, struct maps *maps, struct err *err)
{
	return take_maps(target, NULL, true, maps, err);
}

int target_maps_since(const struct target *target, const struct maps *then, struct maps *changed, struct err *err)
{
	return take_maps(target, then, false, changed, err);
}
