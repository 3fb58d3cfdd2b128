/* SPDX-License-Identifier: MIT */
/* The option table as data, and what a command line or an input file said. */
#ifndef ROCLATCH_ROCP_OPTIONS_H
#define ROCLATCH_ROCP_OPTIONS_H

#include "rocp/arena.h"
#include "rocp/options_table.h"

enum option_id {
#define O(id, ...) OPT_##id,
	OPTIONS
#undef O
	OPT_COUNT
};

enum option_takes {
	TAKES_FLAG,             /* nothing */
	TAKES_BOOL,             /* nothing, or a word for yes or no */
	TAKES_TEXT,
	TAKES_WORD,             /* one of "a|b|c" */
	TAKES_FOLDED,           /* the same in any case */
	TAKES_NUMBER,           /* decimal */
	TAKES_AUTO,             /* decimal or 0x hex */
	TAKES_LIST,             /* one or more words */
	TAKES_LIST0,            /* any number of words */
};

/* How the value gets into the variable, where that needs no thinking. */
enum option_rule {
	RULE_NO,                /* by code */
	RULE_IF_TRUE,           /* "1" when true */
	RULE_BOTH,              /* "1" or "0" */
	RULE_NOT,               /* "0" when true, "1" when false */
	RULE_TEXT,              /* as it is */
	RULE_NONEMPTY,          /* as it is, unless it is empty */
};

enum option_area {
	AREA_TARGET, AREA_PLACE, AREA_GENERAL, AREA_IO, AREA_TRACE, AREA_COUNTERS, AREA_POST, AREA_FILTER, AREA_PERFETTO,
	AREA_ADVANCED, AREA_THREAD_TRACE, AREA_COUNT
};

enum { STYLES_FULL = 1, STYLES_ALL = 2 };       /* FULL: not under the name rocprof-attach */

struct request_option {
	const char *name, *second;      /* without dashes; second may be NULL */
	const char *variable;           /* that it sets, or NULL */
	const char *value, *help;
	char letter;
	unsigned char takes, rule, area, styles;
};

extern const struct request_option request_options[OPT_COUNT];

struct option_value {
	bool given;
	bool from_file;
	bool truth;             /* of a flag or bool; of --ompt-trace too */
	uint64_t number;        /* of a number */
	struct words words;     /* the text, or the list */
};

/* All that was said. */
struct said {
	struct option_value v[OPT_COUNT];
	struct words *groups;   /* --pmc, each time it was given */
	size_t group_count;
	struct words *file_groups;      /* pmc_groups of an input file */
	size_t file_group_count;
	uint64_t group_interval;        /* pmc_group_interval of an input file */
	struct words pids;
	const char *folder;     /* "pass_" or "pmc_": from an input file of that kind */
};

/* What is being read, and where things go. */
struct reading {
	struct request *request;
	struct said said;
	char *const *environment;       /* NULL: not to be looked at */
};

static inline const char *said_text(const struct said *said, enum option_id id)
{
	return said->v[id].given && said->v[id].words.n ? said->v[id].words.v[0] : NULL;
}

static inline bool said_true(const struct said *said, enum option_id id)
{
	return said->v[id].given && said->v[id].truth;
}

/* argv into said.  rocprof-attach's words differ a little, and it knows abbreviations. */
int options_read(struct reading *reading, int argc, char **argv, struct err *err);
/* One option with these words, as the command line or a file gives it; shown is how it was called. */
int options_store(struct reading *reading, struct said *said, enum option_id id, const char *shown,
		  const struct words *words, struct err *err);
/* By its long name, or OPT_COUNT. */
enum option_id options_by_name(enum request_style style, const char *name, size_t length);
const char *options_nearest_name(enum request_style style, const char *name);
bool options_in_style(enum request_style style, enum option_id id);

/* "yes", "off", "1", ...: 0 and its truth, or -1. */
int bool_word(const char *word, bool *truth);
/* Decimal digits only (or 0x, if hex may be) below 2^63. */
bool number_word(const char *word, bool hex, uint64_t *number);
/* "5000", "10s", "500ms", "2m" in milliseconds, more than 0. */
bool time_word(const char *word, uint64_t *ms);
/* The same of an option or a variable, which err names: 0, or -1 with ERR_USAGE. */
int time_of(const char *shown, const char *word, uint64_t *ms, struct err *err);
/* "14:05:00", "2026-01-31T14:05:00Z", "@1767225600.5", "+30s" as CLOCK_REALTIME.  0, or -1: ERR_USAGE, also for what was
 * longer ago than a minute. */
int at_word(const char *word, int64_t now_ns, int64_t *at_ns, struct err *err);
/* Is word one of "a|b|c"?  The word as it is spelled there, or NULL. */
const char *choice_word(void **arena, const char *choices, const char *word, bool fold);

/* -i: what the file says into said; what the command line said too must be equal. */
int input_read(struct reading *reading, const char *path, struct err *err);

/* said into the environment and the other members of the request. */
int request_write(struct reading *reading, struct err *err);
/* Which processes beside those that have a name, when, and by which ways (AREA_PLACE). */
int request_fill_place(struct reading *reading, struct err *err);
bool request_csv_or_json(const struct env *env);
/* Is one of these n words among the formats that arrive? */
bool request_has_format(const struct env *env, const char *const *words, size_t n);
int request_write_counters(struct reading *reading, struct err *err);
int request_write_att(struct reading *reading, struct err *err);
int request_warn(struct request *request, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A variable of the caller, or NULL; also NULL where the environment is not to be looked at. */
const char *reading_getenv(const struct reading *reading, const char *name);

/* Would std::regex take it?  It throws in the target if not.  What is doubtful is refused. */
bool is_regex(const char *text);
/* Values that would abort, stop or hang the target, whoever set them. */
int request_check_values(const struct env *env, struct err *err);

#endif
