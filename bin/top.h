/* SPDX-License-Identifier: MIT */
/* roclatch top: the threads of a process on a terminal, followed from look to look. */
#ifndef ROCLATCH_BIN_TOP_H
#define ROCLATCH_BIN_TOP_H

#include "bin/terminal.h"
#include "bin/watched.h"
#include "inject/watch/sampler.h"

enum top_order { ORDER_CPU, ORDER_STATE, ORDER_TIME, ORDER_FOR, ORDER_NAME, ORDER_TID, ORDERS };
enum top_page { PAGE_THREADS, PAGE_STACK, PAGE_HELP };

struct top_row {
	struct task task;       /* as it was at the last look */
	uint64_t from_ns, from_run_ns;  /* CPU use is told from there on */
	double cpu;             /* percent of one CPU */
	uint64_t blocked_since_ns;      /* of this stay in its state; 0: not yet asked */
	uint32_t stack;         /* in the profile; NO_STACK */
	bool seen;
};

/* Which stack a look has found, until the rows are brought up to date. */
struct top_found { pid_t tid; uint32_t stack; };

struct top {
	struct watched watched;
	struct sampler *sampler;
	struct terminal terminal;
	struct top_row *rows;           /* by tid */
	size_t n, room;
	struct top_row **order;         /* as shown */
	struct top_found *found;
	size_t found_n, found_room;
	char counts[160];
	double cpu, rate;
	enum top_page page;
	enum top_order by;
	bool reversed, paused, gone;
	pid_t selected;
	size_t at;              /* its place in the order when that was made */
	size_t first;           /* of the lines that are shown */
	size_t frames;          /* that the page of a stack had */
	uint64_t drawn_ns;
};

/* --- bin/top_rows.c --- */
void top_batch(void *ctx, const struct sample *samples, size_t n);      /* for struct sampler_options */
int top_rows(struct top *top, const struct tasks *tasks, struct err *err);      /* after a look */
void top_sort(struct top *top);
void top_rows_free(struct top *top);
struct top_row *top_row(struct top *top, pid_t tid);    /* NULL: gone */
size_t top_place(const struct top *top, pid_t tid);     /* where it is shown; 0 if it is gone */
extern const char *const top_order_names[];

/* --- bin/top_pages.c, bin/top_table.c --- */
void top_draw(struct top *top);
void top_draw_table(struct top *top, unsigned from, unsigned rows);
size_t top_lines(const struct top *top);        /* of the page, that fit into the window */
/* How long it has been in its state. */
uint64_t top_blocked_ns(struct top_row *row);

#endif
