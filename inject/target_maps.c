/* SPDX-License-Identifier: MIT */
/* The mappings of a process that lives on meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "inject/cursor.h"
#include "inject/target.h"

/* The kernel gives the mappings in pieces; others change between them. */
#define MAPS_TRIES 50

/* (No mappings at all are those of a thread that has ended.) */
static char *read_maps_of(const struct target *target, pid_t tid, struct cursor *then, size_t *size, struct err *err)
{
	const char *start = then->at;
	char *text = proc_read_since(size, then, err, "/proc/%d/task/%d/maps", (int)target->pid, (int)tid);
	if (text && (*size || then->at > start))
		return text;
	if (text)
		err_set(err, ERR_FAILED, 0, "thread %d of process %d shows no mappings", (int)tid, (int)target->pid);
	free(text);
	return NULL;
}

static char *read_maps(const struct target *target, struct cursor *then, size_t *size, struct err *err)
{
	struct cursor again = *then;
	char *text = read_maps_of(target, target->live_tid, then, size, err);
	if (text)
		return text;
	*then = again;
	pid_t other = target_alive(target) ? target_living_thread(target->pid) : 0;
	text = other ? read_maps_of(target, other, then, size, err) : NULL;
	if (!text && (!other || !target_alive(target)))
		err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended", (int)target->pid);
	return text;
}

int target_maps_since(const struct target *target, const struct maps *then, struct maps *changed, struct err *err)
{
	for (int try = 0; try < MAPS_TRIES; try++) {
		struct cursor rest = {then->text, then->text + then->size};
		size_t size;
		char *text = read_maps(target, &rest, &size, err);
		if (!text)
			return -1;
		size = maps_cut(text, size, &rest);
		if (maps_take(changed, text, size, err) == 0)
			return 0;
	}
	return err_wrap(err, "the mappings of process %d, read %d times", (int)target->pid, MAPS_TRIES);
}

int target_maps(const struct target *target, struct maps *maps, struct err *err)
{
	char none[] = "";
	return target_maps_since(target, &(struct maps){.text = none}, maps, err);
}
