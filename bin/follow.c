/* SPDX-License-Identifier: MIT */
/*
 * --follow: children of the selected processes that are born while those are attached, and programs
 * that one of them becomes.  Each is attached when it can be.  One without ROCm costs a short read at
 * each look; one that has ROCm and cannot be attached yet is asked again when it has loaded something.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bin/crew.h"
#include "inject/thread.h"
#include "rocp/births.h"
#include "rocp/runtimes.h"

#define LOOK_NS UINT64_C(200000000)
#define PAUSE_NS UINT64_C(200000000)    /* after one that could not be attached; twice as long each time */
#define PAUSE_MOST_NS UINT64_C(3200000000)
#define PAUSE_FORKED_NS UINT64_C(60000000000)   /* the same for a child by fork, which must become another program first */
#define NOBODY SIZE_MAX

struct candidate {
	size_t place;           /* its place in the list of outcomes, or NOBODY */
	uint64_t faults;        /* when it was last asked */
	uint64_t next_ns, pause_ns;
	bool selected;          /* it was there at the beginning */
	bool tried;
	bool over;              /* it was attached, and that has ended */
};

struct following {
	struct births births;
	struct candidate *v;    /* one for each member */
	size_t n, room;
	uint64_t due_ns;
};

static bool make_room(struct following *following)
{
	size_t need = following->births.n;
	if (need > following->room) {
		struct candidate *v = realloc(following->v, 2 * need * sizeof *v);
		if (!v)
			return false;
		following->v = v;
		following->room = 2 * need;
	}
	while (following->n < need)
		following->v[following->n++] = (struct candidate){ .place = NOBODY, .faults = UINT64_MAX, .pause_ns = PAUSE_NS };
	return true;
}

struct following *follow_begin(const struct crew *crew)
{
	struct following *following = calloc(1, sizeof *following);
	if (!following)
		return NULL;
	following->births.proc = "/proc";
	int rc = 0;
	for (size_t i = 0; i < crew->list->n && rc == 0; i++) {
		size_t before = following->births.n;
		rc = births_add(&following->births, crew->list->v[i].pid, crew->list->v[i].root, NULL);
		if (!make_room(following))
			rc = -1;
		else if (following->births.n > before)
			following->v[before] = (struct candidate){ .place = i, .faults = UINT64_MAX, .pause_ns = PAUSE_NS,
								   .selected = true, .tried = true };
	}
	if (rc == 0 && births_look(&following->births, NULL) == 0)
		return following;
	births_free(&following->births);
	free(following->v);
	free(following);
	return NULL;
}

uint64_t follow_due(const struct following *following)
{
	return following->due_ns;
}

static enum worker_state state_of(const struct crew *crew, const struct candidate *candidate)
{
	return candidate->place == NOBODY ? WORKER_NONE : crew->workers[candidate->place].state;
}

static bool has_rocm(pid_t pid)
{
	struct runtimes runtimes;
	return runtimes_mapped(&runtimes, "/proc", pid) == 0 && runtimes.set & RUNTIME_REGISTER;
}

/* A worker of its own, which attaches at once if that is possible. */
static void try_one(struct crew *crew, const struct member *member, struct candidate *candidate)
{
	struct outcomes *list = crew->list;
	bool selected = candidate->place != NOBODY && !list->v[candidate->place].followed;
	bool required = selected && list->v[candidate->place].required;
	if (candidate->place == NOBODY && list->n == list->room)
		return;
	if (candidate->place == NOBODY)
		candidate->place = list->n++;
	else if (crew->workers[candidate->place].socket >= 0) { /* its end is still to be heard of */
		close(crew->workers[candidate->place].socket);
		waitpid(crew->workers[candidate->place].pid, NULL, 0);
	}
	list->v[candidate->place] = (struct outcome){ .pid = member->pid, .root = member->root, .required = required,
						      .followed = !selected };
	candidate->faults = member->faults;
	candidate->tried = true;
	crew_start(crew, candidate->place);
}

/* It was attached, and is so no more: if it became another program, that is one to be attached. */
static void was_attached(const struct crew *crew, struct candidate *candidate)
{
	if (crew->list->v[candidate->place].replaced) {
		candidate->place = NOBODY;
		candidate->faults = UINT64_MAX;
	} else {
		candidate->over = true;
	}
}

static void consider(struct crew *crew, size_t i)
{
	struct following *following = crew->following;
	struct candidate *candidate = &following->v[i];
	enum worker_state state = state_of(crew, candidate);
	uint64_t now = now_ns();
	if (state == WORKER_DONE && crew->list->v[candidate->place].attached && !candidate->over)
		was_attached(crew, candidate);
	else if (state != WORKER_NONE && state != WORKER_DONE)
		return;
	if (candidate->over || !births_lives(&following->births, i) || now < candidate->next_ns)
		return;
	const struct member *member = &following->births.v[i];
	if (member->faults == candidate->faults || !has_rocm(member->pid))
		return;
	bool forked = state == WORKER_DONE && candidate->place != NOBODY && crew->list->v[candidate->place].launcher;
	candidate->next_ns = now + candidate->pause_ns;
	if (candidate->pause_ns < (forked ? PAUSE_FORKED_NS : PAUSE_MOST_NS))
		candidate->pause_ns *= 2;
	try_one(crew, member, candidate);
}

void follow_look(struct crew *crew)
{
	struct following *following = crew->following;
	if (now_ns() < following->due_ns)
		return;
	following->due_ns = now_ns() + LOOK_NS;
	if (births_look(&following->births, NULL) < 0 || !make_room(following))
		return;
	for (size_t i = 0; i < following->n; i++)
		consider(crew, i);
}

bool follow_may_come(const struct crew *crew)
{
	const struct following *following = crew->following;
	for (size_t i = 0; i < following->n; i++)
		if (!following->births.v[i].gone && !following->v[i].over)
			return true;
	return false;
}

/* Those that never could be attached are told, and are no failure; nor is one that has ended or become another. */
void follow_end(struct crew *crew)
{
	struct following *following = crew->following;
	for (size_t i = 0; i < following->n; i++) {
		crew->list->born += !following->v[i].selected;
		crew->list->without_rocm += !following->v[i].tried;
	}
	for (size_t i = 0; i < crew->list->n; i++) {
		struct outcome *outcome = &crew->list->v[i];
		bool ended = outcome->err.code == ERR_TARGET_EXITED;
		outcome->skipped |= (ended && outcome->replaced) || (outcome->followed && (ended || !outcome->attached));
	}
	births_free(&following->births);
	free(following->v);
	free(following);
	crew->following = NULL;
}
