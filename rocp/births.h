/* SPDX-License-Identifier: MIT */
/*
 * A family of processes as it grows: who was born to one of them since the last look.  A look
 * costs one short read as long as nobody was born on the whole machine.
 */
#ifndef ROCLATCH_ROCP_BIRTHS_H
#define ROCLATCH_ROCP_BIRTHS_H

#include "inject/proc.h"
#include "rocp/pids.h"

struct member {
	pid_t pid, root;        /* root: through which first member it belongs to the family */
	uint64_t start_time;
	uint64_t faults;        /* of pages, as it was read last */
	bool gone;
};

struct births {
	const char *proc;       /* "/proc", or a folder made like it */
	struct member *v;       /* in the order of their coming; the index of one stays */
	size_t n, room;
	/* own */
	struct pids before;
	uint64_t last;          /* the id that was given last on this machine */
};

/* One of those whose children are looked for; to be told before the first look.  0 also if it is gone. */
int births_add(struct births *births, pid_t pid, pid_t root, struct err *err);
/* The first look only remembers who is there already.  0, or -1 with err. */
int births_look(struct births *births, struct err *err);
/* Is this one there still?  Tells how many page faults it has had. */
bool births_lives(struct births *births, size_t i);
void births_free(struct births *births);

#endif
