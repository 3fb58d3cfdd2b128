/* SPDX-License-Identifier: MIT */
/* Several targets at once: the workers, what they tell, and the children that come meanwhile. */
#ifndef ROCLATCH_BIN_CREW_H
#define ROCLATCH_BIN_CREW_H

#include <stdatomic.h>

#include "bin/recording.h"

/* What roclatch's own tool has, told by the workers while it records; in memory that is shared with them. */
struct so_far { _Atomic uint64_t records, bytes; _Atomic bool known; };

enum worker_state {
	WORKER_NONE,
	WORKER_LOOKS,           /* opens and looks; has changed nothing */
	WORKER_READY,           /* waits for the word, or attaches since it was given */
	WORKER_ATTACHED,
	WORKER_DONE,            /* has told its last; its end may be still to come */
};
struct worker { pid_t pid; int socket; enum worker_state state; };

struct crew {
	struct outcomes *list;
	struct worker *workers;         /* one for each place in the list */
	struct so_far *so_far;
	int *fd;                        /* of those that may still tell something; -1 */
	int gate[2];                    /* a byte in it is the word to attach; its end without one: nobody gives it */
	bool given;                     /* the word */
	const struct request *request;
	struct output *out;
	struct following *following;    /* NULL: children are not looked for */
};

/* --- bin/many.c --- */
int crew_start(struct crew *crew, size_t i);

/* --- bin/worker.c: the worker's side --- */
bool send_all(int socket, const void *data, size_t size);
bool receive_all(int socket, void *data, size_t size);
void worker_run(struct crew *crew, size_t i, int socket);

/* --- bin/follow.c: children that are born meanwhile --- */
struct following *follow_begin(const struct crew *crew);        /* NULL: no memory */
uint64_t follow_due(const struct following *following);         /* CLOCK_MONOTONIC of the next look */
void follow_look(struct crew *crew);
/* Is somebody there who may still become, or bring forth, one that can be attached? */
bool follow_may_come(const struct crew *crew);
void follow_end(struct crew *crew);

#endif
