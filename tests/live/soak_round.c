// SPDX-License-Identifier: MIT
/* One round of the soak: pick, disturb, judge, repair, and look whether all is as before. */
#include <stdlib.h>
#include <string.h>

#include "rocm_made.h"
#include "soak.h"

#define SETTLE_MS patient(3000)
#define TRIES 3                 /* of the next roclatch to remove what a thread of the one before still uses */
#define UNTOUCHED (1u << 1 | 1u << 3)
#define GONE (1u << 4)

static const char *const names[DISTURBANCES] = { "undisturbed", "under load", "with signals to it", "and SIGINT or SIGTERM",
	"and kill -9", "and kill -9 at a system call", "with a system call that fails", "whose end comes" };

struct round {
	const struct deed *deed;
	enum disturbance how;
	struct ground ground;
	char words[8192], first[8192];
	const char *answer;
	unsigned statuses;
	struct disturbed d;
};
static struct round now;

/* For who looks into it. */
static void tell(void)
{
	if (failed())
		fail("roclatch %s had ended with %d%s%s and said: %.1500s", now.words, now.d.o.status, now.d.where[0] ? " at " : "",
			now.d.where, now.d.o.err);
}

void round_abandon(void)
{
	tell();
	ground_forget(&now.ground);
	end_failed();
}

static enum kind pick_kind(unsigned of)
{
	unsigned bits = (unsigned)__builtin_popcount(of), n = dice(bits);

	while (n--)
		of &= of - 1;
	return (enum kind)(of & -of);
}

static enum disturbance pick_disturbance(const struct round *r)
{
	/* by how much is to be learnt from each */
	static const enum disturbance often[] = { CALM, LOADED, SIGNALLED, SIGNALLED, INTERRUPTED, INTERRUPTED, KILLED, KILLED, KILLED,
		KILLED_AT, KILLED_AT, KILLED_AT, FAILING, FAILING, FAILING, ENDING };
	enum disturbance how = DICE(often);

	if (how == SIGNALLED && !r->ground.takes_signals)
		return CALM;
	if (r->deed->terminal && (how == KILLED_AT || how == FAILING))
		return KILLED;
	return how;
}

/* Was it something that roclatch cannot take part in, or not to its end? */
static bool harsh(const struct round *r)
{
	return r->how >= INTERRUPTED;
}

static void prepare(struct round *r, const struct slot *slot)
{
	unsigned unused;

	dice_seed(slot->seed);
	/* those that do something in the target come twice as often */
	r->deed = &deeds[dice(deeds_count)];
	if (r->deed->does == LOOKS)
		r->deed = &deeds[dice(deeds_count)];
	snprintf(tally->words[slot->number], sizeof(tally->words[0]), "%s", r->deed->name);
	ground_start(&r->ground, pick_kind(r->deed->kinds));
	r->how = pick_disturbance(r);
	r->ground.unwatched = harsh(r);
	r->answer = r->deed->answer;
	r->statuses = r->deed->statuses;
	deed_words(r->words, sizeof(r->words), r->deed->words, &r->ground, &r->answer, &r->statuses);
	if (r->deed->first)
		deed_words(r->first, sizeof(r->first), r->deed->first, &r->ground, &r->answer, &unused);
	if (!strcmp(r->deed->name, "eject"))    /* musl keeps every library until the end */
		r->statuses = strcmp(r->ground.root, "root-musl") ? 1u << 0 : 1u << 7;
	snprintf(tally->words[slot->number], sizeof(tally->words[0]), "%s [%.300s] on %.160s %s", r->deed->name, r->words, r->ground.name,
		names[r->how]);
}

static bool is_one_of(int status, unsigned statuses)
{
	return status >= 0 && status < 8 && (statuses >> status & 1);
}

static void must(const char *words, unsigned statuses, const char *why)
{
	int64_t end = now_ns() + patient(20000) * INT64_C(1000000);
	struct outcome o = run_all("%s", words);

	/* the workers of one that was killed let their processes go first */
	while (strstr(o.err, "another roclatch has it attached") && now_ns() < end) {
		sleep_ms(100);
		o = run_all("%s", words);
	}
	check(is_one_of(o.status, statuses), "%s: roclatch %s ended with %d and said: %s", why, words, o.status, o.err);
	if (failed())
		round_abandon();
}

static void judge_status(const struct round *r)
{
	const struct disturbed *d = &r->d;
	int status = d->o.status;
	unsigned right = r->statuses;
	bool good;

	if (r->how == FAILING && d->hit)
		right = ~(1u << 2);
	/* files that were not made of what it has recorded, which is kept and told */
	if (d->signo && strstr(d->o.err, "stopped by a signal"))
		right |= 1u << 7;
	/* one of several that was not attached when the others were told to end */
	if (d->signo && strstr(d->o.err, "was not ready before the end"))
		right |= 1u << 6;
	if (r->how == ENDING)
		right |= UNTOUCHED | GONE | 1u << 7;
	good = is_one_of(status, right) || (d->signo && (status == 128 + d->signo || !status)) ||
	       (r->how == KILLED_AT && status == 128 + 9);
	if (status < 0)
		fail("roclatch %s did not end; it said: %s", r->words, d->o.err);
	else
		check(good, "roclatch %s ended with %d%s%s and said: %s", r->words, status, d->where[0] ? " after " : "", d->where,
			d->o.err);
	if (!status && r->answer && !d->signo && r->how != ENDING)
		check(strstr(r->how == FAILING || r->how == KILLED_AT ? d->o.err : d->o.out, r->answer),
			"roclatch %s printed %s and not %s", r->words, d->o.out, r->answer);
}

/* What it says of the target is so.  Of several it is said of the one that failed, while others were attached. */
static void judge_untouched(const struct round *r)
{
	bool others = r->ground.apps > 1 && strstr(r->d.o.err, "attached to process ");
	if (!is_one_of(r->d.o.status, UNTOUCHED) || r->deed->first || others || ground_same(&r->ground, 0, 0))
		return;
	fail("roclatch %s ended with %d%s%s and said that nothing was touched: %s", r->words, r->d.o.status,
		r->d.where[0] ? " after " : "", r->d.where, r->d.o.err);
	ground_compare(&r->ground, 0);
}

/* Before 2.34, glibc gives a thread that never allocated an arena for good at its end; roclatch, if it is there, lets the
 * fresh thread allocate. */
static unsigned leaves(const struct round *r)
{
	return r->deed->leaves | (harsh(r) && !strcmp(r->ground.root, "root-bullseye") && r->deed->does == CALLS ? WITH_MEMORY : 0);
}

/* The next call removes what is left of one that was not ended rightly. */
static void repair_calls(struct round *r)
{
	struct ground *g = &r->ground;
	const char *library = g->kind == STATIC ? "exe" : g->kind == CALLED ? "libcalled.so" : "libc";
	const char *function = g->kind & (STATIC | CALLED) ? "called_sum 1 2 3 4 5 6" : "labs -5";
	char words[256];

	ground_alone(g);
	if (!harsh(r))
		return;
	if (!ground_same(g, leaves(r), 0))
		atomic_fetch_add(&tally->left, 1);
	snprintf(words, sizeof(words), "call --timeout-msec %u %s %s %s", patient(60000), g->app[0].pid, library, function);
	for (unsigned i = 0; i < TRIES; i++) {
		must(words, g->kind == STATIC ? 1u << 0 | 1u << 3 : 1u << 0, "the next call");
		if (ground_same(g, leaves(r), SETTLE_MS))
			return;
	}
}

static void attach_anew(struct round *r)
{
	if (r->deed->first)
		must(r->first, 1u << 0, "the next attach");
	must(r->words, r->statuses, r->deed->first ? "the next detach" : "the next attach");
}

static void repair_attach(struct round *r, bool warm)
{
	struct ground *g = &r->ground;
	char words[64];

	for (unsigned i = 0; harsh(r) && i < g->apps; i++) {
		if (!g->app[i].t.pid)
			continue;
		snprintf(words, sizeof(words), "detach -p %s", g->app[i].pid);
		must(words, 1u << 0 | 1u << 3, "a detach after it");
	}
	attach_anew(r);
	if (!warm) {
		ground_look(g);
		attach_anew(r);
	}
	ground_alone(g);
}

/* It has ended, as it was told to: of several the others go on. */
static bool is_over(const struct ground *g)
{
	for (unsigned i = 0; i < g->apps; i++)
		if (g->app[i].t.pid)
			return false;
	return true;
}

static void judge_after(struct round *r, bool warm)
{
	struct ground *g = &r->ground;
	unsigned how = leaves(r);

	ground_free(g);
	/* what was attached before may be gone as an answer to that */
	if (r->how != ENDING)
		judge_untouched(r);
	if (r->deed->does == CALLS)
		repair_calls(r);
	else if (r->deed->does == ATTACHES && r->how != ENDING)
		repair_attach(r, warm);
	if (r->deed->does != ATTACHES || r->how != ENDING)
		if (!ground_same(g, how, SETTLE_MS))
			ground_compare(g, how);
	if (r->how != ENDING || g->apps == 1)
		ground_clean(g);
	if (g->kind == CALLED)
		ground_answers(g, harsh(r) && r->d.hit);
}

void soak_round(const void *with)
{
	const struct slot *slot = with;
	struct round *r = &now;
	bool warm;

	prepare(r, slot);
	warm = r->deed->first || r->deed->does != ATTACHES || dice(3);
	if (r->deed->first && r->deed->does == ATTACHES) {
		must(r->first, 1u << 0, "before");
		must(r->words, r->statuses, "before");
		ground_look(&r->ground);
	} else if (warm && r->deed->does == ATTACHES) {
		must(r->words, r->statuses, "before");
	}
	if (r->deed->first)
		must(r->first, 1u << 0, "before");
	if (!(r->deed->first && r->deed->does == ATTACHES))
		ground_look(&r->ground);
	r->d = disturb(&r->ground, r->deed, r->how, r->words);
	atomic_fetch_add(&tally->rounds[r->deed - deeds][r->how], 1);
	if (r->d.hit)
		atomic_fetch_add(&tally->hits[r->how], 1);
	if (r->d.o.status >= 0 && r->d.o.status < 256)
		atomic_fetch_add(&tally->by_status[r->d.o.status], 1);
	judge_status(r);
	if (!is_over(&r->ground))
		judge_after(r, warm);
	ground_end(&r->ground);
	tell();
	into_forget();
}
