/* SPDX-License-Identifier: MIT */
/*
 * The soak: rounds of one command on one target with one disturbance, all picked at random from the
 * round's seed.  What must hold is looked at from outside after each.
 */
#ifndef ROCLATCH_TESTS_LIVE_SOAK_H
#define ROCLATCH_TESTS_LIVE_SOAK_H

#include "rocm.h"

/* ---- soak.c: chance, and what is counted ---- */

void dice_seed(unsigned seed);
unsigned dice(unsigned below);
#define DICE(table) table[dice(sizeof(table) / sizeof(table[0]))]

enum disturbance {
	CALM,
	LOADED,         /* others compute, and take memory and give it back */
	SIGNALLED,      /* the target gets signals at 1 kHz */
	INTERRUPTED,    /* roclatch gets SIGINT or SIGTERM */
	KILLED,         /* roclatch is killed at a random time */
	KILLED_AT,      /* ... at one of its system calls, before or behind it */
	FAILING,        /* one of its system calls fails */
	ENDING,         /* the target ends */
	DISTURBANCES
};

/* Of all rounds; they are processes, so this is memory that they share. */
struct tally {
	_Atomic unsigned rounds[32][DISTURBANCES];      /* by deed */
	_Atomic unsigned by_status[256], hung;
	_Atomic unsigned hits[DISTURBANCES];            /* came while roclatch was at work */
	_Atomic unsigned left;                          /* something was there until the next roclatch */
	_Atomic unsigned signals;                       /* sent to targets, each seen to arrive where that can be counted */
	_Atomic unsigned calls;                         /* blocking system calls whose answers were checked */
	char words[TESTS_AT_ONCE][600];                 /* what each that runs is about */
};
extern struct tally *tally;

/* ---- soak_ground.c: targets ---- */

enum kind {
	CALLED = 1,             /* three glibcs and musl; states, threads, signals */
	STATIC = 2,
	WATCHED = 4,
	ROCM = 8,               /* with rocprofiler-register's listener */
	LISTENERLESS = 16,
	LATE = 32,              /* started without ROCP_TOOL_ATTACH, or with an SDK that has no attach support */
	WORLD = 64,             /* in a root that has no tool */
	ROOT = 128,             /* in a root whose files are fetched */
	SEVERAL = 256,
	PLAIN = CALLED | STATIC | WATCHED,
	ANY_ROCM = ROCM | LISTENERLESS | LATE,
	ANY = PLAIN | ANY_ROCM,
};
#define GROUND_APPS 3

struct ground {
	enum kind kind;
	struct app app[GROUND_APPS];    /* of one that is not ROCm's, t and pid alone; one that has ended has the pid 0 */
	unsigned apps;
	char name[200];
	const char *root;
	unsigned how;                   /* what comes and goes by itself, for look */
	bool queue;                     /* counts signals that are queued */
	bool takes_signals;
	bool unwatched;                 /* roclatch may be gone when the function crashes, and then nobody contains that */
	unsigned threads[GROUND_APPS];
	bool interruptible;             /* it is in a call that any stop ends with EINTR */
	struct snapshot before[GROUND_APPS];
	uint64_t signals;               /* sent to it */
};

void ground_start(struct ground *ground, enum kind kind);
void ground_look(struct ground *ground);        /* this is how it is to be again */
/* Nobody traces it and nothing of it is stopped, and it works. */
void ground_free(const struct ground *ground);
void ground_alone(const struct ground *ground); /* no thread is there that was not before; waits for that */
bool ground_same(const struct ground *ground, unsigned how, unsigned ms);     /* waits for that */
void ground_compare(const struct ground *ground, unsigned how);
/* No mapping, descriptor, folder or variable of ours. */
void ground_clean(const struct ground *ground);
void ground_answers(const struct ground *ground, bool disturbed);       /* of its blocking calls */
void ground_end(const struct ground *ground);
void ground_forget(const struct ground *ground);        /* end it, whatever it does, and remove what it has written */

/* ---- soak_deeds.c: commands ---- */

struct deed {
	const char *name;
	unsigned kinds;         /* of targets */
	const char *words;      /* see deed_words */
	const char *answer;     /* on stdout, or NULL */
	unsigned statuses;      /* a bit for each that is right if nothing disturbs it */
	unsigned calls, ms;     /* about how many system calls it makes and how long it takes */
	enum { LOOKS, CALLS, ATTACHES } does;   /* nothing is left of a look; the next call or attach removes what is left */
	const char *first;      /* words of what is done before, undisturbed */
	unsigned leaves;        /* what may be new, for compare */
	bool terminal;          /* needs one */
};
extern const struct deed deeds[];
extern const unsigned deeds_count;

/* {pid} {out} {function} {injected} {tool} {into} and so on: of that target, or picked. */
void deed_words(char *words, size_t size, const char *with, const struct ground *ground, const char **answer,
	unsigned *statuses);

/* ---- soak_disturb.c: roclatch under a disturbance ---- */

struct disturbed {
	struct outcome o;
	bool hit;               /* it came while roclatch was at work */
	int signo;              /* what was sent to roclatch */
	char where[160];        /* the system call */
};

struct disturbed disturb(struct ground *ground, const struct deed *deed, enum disturbance how, const char *words);

/* ---- soak_round.c ---- */

void soak_round(const void *slot);
void round_abandon(void) __attribute__((noreturn));     /* something is wrong, and there is no going on */
struct slot { unsigned seed, number; };

#endif
