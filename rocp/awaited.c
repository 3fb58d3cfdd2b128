/* SPDX-License-Identifier: MIT */
#include "rocp/awaited.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject/call.h"
#include "inject/thread.h"
#include "rocp/advice.h"
#include "rocp/select_family.h"

#define MS 1000000u
#define PAUSE_SHORTEST (50u * MS)
#define PAUSE_LONGEST (500u * MS)
#define PAUSE_DEAR (5000u * MS) /* when the looks take long */
#define SETTLE (1000u * MS)     /* for others that are on their way */
#define FREE (50u * MS)         /* of CPU time; beyond that: */
#define SHARE 125               /* a part in so many of the time that passes */
#define YOUNG 8                 /* looks in which a process that was just born is asked each time */
#define SLICES 8                /* of the others, one in each look */

struct seen { pid_t pid; unsigned looks; };

/* One that answers. */
struct candidate {
	struct selected as;
	uint64_t start_time, faults, ticks;     /* when it was asked */
	unsigned asked;         /* in which look; 0: not yet */
	struct attachable answer;
};

struct room {
	const struct awaited *awaited;
	unsigned look;          /* 1, 2, ... */
	struct seen *seen, *before;     /* processes of this look and the last, in order of ids */
	size_t n_seen, n_before, room_seen, at;
	struct candidate *v;    /* in the order of their selection */
	size_t n;
	bool news;              /* someone came, or changed */
	struct select_scope scope;
	uint64_t begun, cpu_begun, pause, first_ready;
	char missing[sizeof((struct err *)0)->text], remedy[sizeof((struct err *)0)->remedy];
};

static uint64_t cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const struct candidate *find(const struct candidate *v, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].as.pid == pid)
			return &v[i];
	return NULL;
}

/* Who was there at the first look is as if known for long. */
static bool due(void *ctx, pid_t pid)
{
	struct room *room = ctx;
	while (room->at < room->n_before && room->before[room->at].pid < pid)
		room->at++;
	bool known = room->at < room->n_before && room->before[room->at].pid == pid;
	unsigned looks = known ? room->before[room->at].looks + 1 : room->look == 1 ? YOUNG : 0;
	if (room->n_seen == room->room_seen) {
		size_t more = room->room_seen * 2 + 256;
		struct seen *larger = realloc(room->seen, more * sizeof *larger);
		if (!larger)
			return true;    /* asked each time, then */
		room->seen = larger;
		room->room_seen = more;
	}
	room->seen[room->n_seen++] = (struct seen){ pid, looks };
	return !known || looks < YOUNG || (unsigned)pid % SLICES == room->look % SLICES || find(room->v, room->n, pid);
}

/* What was found becomes the candidates; what was known of them stays known. */
static int take_over(struct room *room, const struct selection *found, struct err *err)
{
	struct candidate *now = calloc(found->n + 1, sizeof *now);
	size_t n = 0;
	if (!now)
		return err_set(err, ERR_FAILED, ENOMEM, "list the processes");
	for (size_t i = 0; i < found->n; i++) {
		struct proc_stat stat;
		const struct candidate *before = find(room->v, room->n, found->v[i].pid);
		if (proc_stat(found->v[i].pid, 0, &stat, NULL) < 0 || strchr("ZXx", stat.state))
			continue;
		if (before && before->start_time == stat.start_time)
			now[n] = *before;
		uint64_t ticks = stat.utime + stat.stime;
		bool ran = now[n].faults != stat.faults || now[n].ticks != ticks;
		now[n].as = found->v[i];
		now[n].start_time = stat.start_time;
		now[n].faults = stat.faults;
		now[n].ticks = ticks;
		/* what did not run may have been let go by others, or have been granted */
		if (ran || room->look - now[n].asked >= SLICES)
			now[n].asked = 0;
		n++;
	}
	free(room->v);
	room->v = now;
	room->n = n;
	return 0;
}

static int ask(struct room *room, struct err *err)
{
	for (size_t i = 0; i < room->n; i++) {
		struct candidate *one = &room->v[i];
		struct attachable before = one->answer;
		struct err why = { .code = ERR_NONE };
		if (one->asked || call_stop_signal)
			continue;
		one->asked = room->look;
		if (attachable_ask_for(&one->answer, one->as.pid, one->start_time, room->awaited->request, &why) < 0) {
			if (why.sys == ENOMEM) {
				*err = why;
				return -1;
			}
			one->answer = (struct attachable){ .summary = "is about to end" };
			one->start_time = 0;    /* asked anew, if it is still there */
		}
		room->news |= strcmp(before.summary, one->answer.summary) != 0;
	}
	return 0;
}

/* Given ids do not come by waiting, and do not come back. */
static int look_at_given(const struct room *room, struct err *err)
{
	const struct request *request = room->awaited->request;
	for (size_t i = 0; i < request->pids; i++) {
		struct proc_status status;
		if (proc_status(request->pid[i], 0, &status, NULL) == 0 && !strchr("ZXx", status.state))
			continue;
		if (room->look > 1)
			return err_set(err, ERR_TARGET_EXITED, 0, "process %d ended before it could be attached", (int)request->pid[i]);
		err_set(err, ERR_NOT_POSSIBLE, 0, "there is no process %d", (int)request->pid[i]);
		return err_remedy(err, "a process that is yet to come is named with --name, --pid-file or --env");
	}
	return 0;
}

static int look(struct room *room, struct err *err)
{
	struct selection found;
	free(room->before);
	room->before = room->seen;
	room->n_before = room->n_seen;
	room->seen = NULL;
	room->n_seen = room->room_seen = room->at = 0;
	room->look++;
	room->news = false;
	room->scope.missing = (struct err){ .code = ERR_NONE };
	if (look_at_given(room, err) < 0 ||
	    select_among(&found, room->awaited->request, SELECT_PROC, &room->scope, err) < 0)
		return -1;
	int rc = take_over(room, &found, err);
	selection_free(&found);
	return rc < 0 ? rc : ask(room, err);
}

/* Is someone of that family ready? */
static bool has_ready(const struct room *room, pid_t root)
{
	for (size_t i = 0; i < room->n; i++)
		if (room->v[i].answer.ready && (room->v[i].as.pid == root || room->v[i].as.root == root))
			return true;
	return false;
}

static bool is_over(struct room *room)
{
	const struct request *request = room->awaited->request;
	size_t ready = 0, coming = 0;
	for (size_t i = 0; i < room->n; i++) {
		ready += room->v[i].answer.ready;
		coming += room->v[i].answer.coming;
	}
	for (size_t i = 0; ready && i < request->pids; i++) {
		struct proc_status status;
		if (proc_status(request->pid[i], 0, &status, NULL) < 0 || !has_ready(room, status.tgid))
			ready = 0;
	}
	if (!ready)
		room->first_ready = 0;
	else if (!room->first_ready)
		room->first_ready = now_ns();
	return ready && (!coming || now_ns() - room->first_ready >= SETTLE);
}

static void remember_nobody(struct room *room)
{
	struct err nobody = room->scope.missing;
	nobody.lack = LACK_SIGHT;
	surroundings_advise(0, &nobody);
	memcpy(room->remedy, nobody.remedy, sizeof room->remedy);
}

/* Of those that cannot be attached, the one of whom most is to be hoped. */
static void tell(struct room *room)
{
	const struct awaited *awaited = room->awaited;
	const struct candidate *best = NULL;
	char text[sizeof room->missing];
	size_t others = 0;
	for (size_t i = 0; i < room->n; i++) {
		const struct candidate *one = &room->v[i];
		if (one->answer.ready)
			continue;
		others += best != NULL;
		if (!best || (one->answer.coming && !best->answer.coming))
			best = one;
	}
	if (!best)
		snprintf(text, sizeof text, "%s", room->scope.missing.code ? room->scope.missing.text : "no such process is there");
	else if (others)
		snprintf(text, sizeof text, "process %d and %zu more are there, but that one %.400s", (int)best->as.pid, others,
			 best->answer.summary);
	else
		snprintf(text, sizeof text, "process %d is there, but %.400s", (int)best->as.pid, best->answer.summary);
	bool changed = strcmp(text, room->missing) != 0;
	memcpy(room->missing, text, sizeof text);
	if (best)
		snprintf(room->remedy, sizeof room->remedy, "%s", best->answer.remedy);
	else if (changed)
		remember_nobody(room);
	/* process 1 sees none but its own children, of whom nobody is waited for */
	bool in_vain = best ? !best->answer.coming : getpid() == 1;
	if (awaited->waiting)
		awaited->waiting(awaited->ctx, room->missing, in_vain && room->remedy[0] ? room->remedy : NULL, changed);
}

/* Longer and longer as long as there is no news, and as long as needed to stay below the share of a CPU. */
static uint64_t next_pause(struct room *room)
{
	uint64_t now = now_ns(), used = cpu_ns() - room->cpu_begun;
	uint64_t earliest = room->begun + (used > FREE ? (used - FREE) * SHARE : 0);
	room->pause = room->news || !room->pause ? PAUSE_SHORTEST : room->pause * 3 / 2;
	if (room->pause > PAUSE_LONGEST)
		room->pause = PAUSE_LONGEST;
	uint64_t pause = room->pause;
	if (earliest > now + pause)
		pause = earliest - now < PAUSE_DEAR ? earliest - now : PAUSE_DEAR;
	uint64_t deadline = room->awaited->deadline_ns;
	return !deadline || deadline > now + pause ? pause : deadline > now ? deadline - now : 0;
}

static int await(struct room *room, struct err *err)
{
	uint64_t deadline = room->awaited->deadline_ns;
	for (;;) {
		if (look(room, err) < 0)
			return -1;
		if (call_stop_signal)
			return err_set(err, (enum err_code)(ERR_SIGNAL + call_stop_signal), 0, "stopped by a signal while waiting");
		if (is_over(room))
			return 0;
		tell(room);
		if (deadline && now_ns() >= deadline) {
			if (room->first_ready)  /* those who were waited for besides did not make it */
				return 0;
			err_set(err, ERR_TIMEOUT, 0, "waited %lu ms: %s", (unsigned long)((now_ns() - room->begun) / MS), room->missing);
			return room->remedy[0] ? err_remedy(err, "%s", room->remedy) : -1;
		}
		call_rest(next_pause(room));
	}
}

static int choose(const struct room *room, struct selection *selection, struct err *err)
{
	selection->v = calloc(room->n + 1, sizeof *selection->v);
	if (!selection->v)
		return err_set(err, ERR_FAILED, ENOMEM, "list the processes");
	for (size_t i = 0; i < room->n; i++)
		if (room->v[i].answer.ready)
			selection->v[selection->n++] = room->v[i].as;
	return 0;
}

int awaited_processes(struct selection *selection, const struct awaited *awaited, struct err *err)
{
	struct room room = { .awaited = awaited, .begun = now_ns(), .cpu_begun = cpu_ns() };
	room.scope = (struct select_scope){ .due = due, .ctx = &room };
	*selection = (struct selection){ 0 };
	if (access(SELECT_PROC "/self/status", F_OK) < 0) {
		err_set(err, ERR_NOT_POSSIBLE, 0, SELECT_PROC " is not mounted here");
		return err_remedy(err, "mount -t proc proc " SELECT_PROC);
	}
	int rc = await(&room, err);
	if (rc == 0)
		rc = choose(&room, selection, err);
	free(room.seen);
	free(room.before);
	free(room.v);
	return rc;
}
