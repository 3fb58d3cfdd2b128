/* SPDX-License-Identifier: MIT */
#include "inject/watch/unwind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject/watch/unwind_parts.h"

const char *unwind_end_text(enum unwind_end end)
{
	static const char *const text[] = {
		[END_OUTERMOST] = "outermost frame", [END_NO_TABLE] = "no unwind table",
		[END_NO_CODE] = "not in code", [END_LOST] = "a register is not known",
		[END_CUT] = "stack not copied so far", [END_LOOP] = "the stack does not rise",
		[END_MALFORMED] = "broken unwind table", [END_DEPTH] = "too deep",
	};
	return (unsigned)end < sizeof text / sizeof text[0] ? text[end] : "?";
}

const char *frame_how_text(enum frame_how how)
{
	static const char *const text[] = {
		[FRAME_TOP] = "top", [FRAME_CFI] = "cfi", [FRAME_POINTER] = "frame pointer",
		[FRAME_SEARCH] = "search", [FRAME_SIGNAL] = "signal",
	};
	return (unsigned)how < sizeof text / sizeof text[0] ? text[how] : "?";
}

struct unwinder *unwinder_open(struct images *images, struct err *err)
{
	struct unwinder *u = calloc(1, sizeof *u);
	if (u) {
		u->images = images;
		u->steps = calloc((size_t)STEP_SETS * STEP_WAYS, sizeof *u->steps);
		u->pages = calloc(CODE_PAGES, sizeof *u->pages);
	}
	if (u && u->steps && u->pages)
		return u;
	unwinder_close(u);
	err_set(err, ERR_FAILED, ENOMEM, "prepare to unwind stacks");
	return NULL;
}

static void forget_steps(struct unwinder *u)
{
	memset(u->steps, 0, (size_t)STEP_SETS * STEP_WAYS * sizeof *u->steps);
	for (unsigned i = 0; i < CODE_PAGES; i++)
		u->pages[i].at = 0;
	while (u->full_n)
		free(u->full[--u->full_n]);
}

void unwinder_close(struct unwinder *u)
{
	if (!u)
		return;
	if (u->steps && u->pages)
		forget_steps(u);
	while (u->tables_n)
		tables_free(u, u->tables[--u->tables_n]);
	free(u->tables);
	free(u->steps);
	free(u->pages);
	free(u);
}

static bool is_still_there(struct unwinder *u, const struct tables *tables)
{
	const struct image *image = images_at(u->images, tables->start);
	return image && image->start == tables->start && image->inode == tables->inode &&
	       image->dev_major == tables->dev_major && image->dev_minor == tables->dev_minor &&
	       image->elf.high == tables->elf.high &&
	       !memcmp(image->elf.build_id, tables->elf.build_id, sizeof image->elf.build_id);
}

int unwinder_renew(struct unwinder *u, struct err *err)
{
	size_t kept = 0;
	(void)err;
	forget_steps(u);
	for (size_t i = 0; i < u->tables_n; i++) {
		if (is_still_there(u, u->tables[i]))
			u->tables[kept++] = u->tables[i];
		else
			tables_free(u, u->tables[i]);
	}
	u->tables_n = kept;
	return 0;
}

/* From the present frame to its caller: WALK_ON, or why there is none. */
static int go(struct walk *w, struct step *step)
{
	if (step->outermost)
		return END_OUTERMOST;
	switch (step->kind) {
	case STEP_PLAIN: return walk_by_plain(w, step);
	case STEP_FULL: return walk_by_row(w, step);
	case STEP_SIGRETURN: return walk_by_sigreturn(w);
	case STEP_NO_TABLE: return walk_without_table(w, step);
	case STEP_BROKEN: return END_MALFORMED;
	default: return END_NO_CODE;
	}
}

static void walk(struct walk *w)
{
	struct frames *frames = w->frames;
	for (;;) {
		struct step step = step_at(w->unwinder, walk_pc(w), w->exact);
		frames->end_pc = walk_pc(w);
		frames->end_sp = walk_sp(w);
		/* The thread is where it is, whatever that may be. */
		if (step.kind == STEP_NO_CODE && w->how != FRAME_TOP) {
			frames->end = END_NO_CODE;
			return;
		}
		if (frames->n == frames->room || frames->n == UNWIND_DEPTH_MAX) {
			frames->end = END_DEPTH;
			return;
		}
		/* Nobody called the code that ends a handler. */
		frames->v[frames->n++] = (struct frame){ .pc = walk_pc(w), .exact = w->exact || step.after_signal,
							 .how = (uint8_t)w->how };
		int way = go(w, &step);
		if (way != WALK_ON) {
			frames->end = (enum unwind_end)way;
			return;
		}
	}
}

void unwind(struct unwinder *unwinder, const struct stack_copy *copy, struct memory *live, struct frames *frames)
{
	struct walk w;
	w.unwinder = unwinder;
	w.copy = copy;
	w.live = live;
	w.frames = frames;
	w.regs = copy->regs;
	w.exact = true;
	w.how = FRAME_TOP;
	w.page_known = false;
	w.live_pages = w.full_steps = 0;
	unwinder->budget = CODE_BUDGET;
	frames->n = 0;
	frames->end_pc = frames->end_sp = 0;
	frames->end = END_LOST;
	if (frame_knows(&w.regs, UNWIND_PC) && frame_knows(&w.regs, UNWIND_SP))
		walk(&w);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

void unwind_why(struct unwinder *unwinder, const struct frames *frames, char *text, size_t size)
{
	struct image *image = images_at(unwinder->images, frames->end_pc);
	const char *name = image ? base_name(image->path) : "the code there";
	unsigned long long pc = frames->end_pc;
	switch (frames->end) {
	case END_NO_TABLE:
		snprintf(text, size, "%s has no unwind table for 0x%llx", name, pc);
		break;
	case END_MALFORMED:
		snprintf(text, size, "the unwind table of %s is broken at 0x%llx", name, pc);
		break;
	case END_NO_CODE:
		snprintf(text, size, "0x%llx is not in code that is mapped", pc);
		break;
	case END_LOST:
		snprintf(text, size, "the frame at 0x%llx in %s needs a register that is not known", pc, name);
		break;
	case END_CUT:
		snprintf(text, size, "the stack of 0x%llx in %s goes on behind what was copied", pc, name);
		break;
	case END_LOOP:
		snprintf(text, size, "the stack does not rise at 0x%llx in %s", pc, name);
		break;
	case END_DEPTH:
		snprintf(text, size, "more than %zu frames", frames->n);
		break;
	default:
		snprintf(text, size, "%s", unwind_end_text(frames->end));
	}
}
