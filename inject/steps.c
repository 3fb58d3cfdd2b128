/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "inject/run.h"

static int place_arg(struct run *run, const struct call_arg *arg, uint64_t *value, struct err *err)
{
	*value = arg->value;
	if (!arg->data)
		return 0;
	return region_put(&run->region, &run->images->target->memory, arg->data, arg->size, value, err);
}

int steps_write(struct run *run, const struct call_step *steps, unsigned n, raddr at,
		const struct mailbox *head, struct err *err)
{
	struct mailbox mailbox = *head;
	mailbox.count = n;
	memset(mailbox.step, 0, sizeof mailbox.step);
	for (unsigned i = 0; i < n; i++) {
		struct mailbox_step *to = &mailbox.step[i];
		to->fn = steps[i].fn;
		to->flags = (steps[i].stop_if_nonzero ? ST_STOP_IF_NONZERO : 0) |
			    (steps[i].stop_if_zero ? ST_STOP_IF_ZERO : 0);
		for (unsigned a = 0; a < steps[i].nargs; a++)
			if (place_arg(run, &steps[i].arg[a], &to->args[a], err) < 0)
				return -1;
	}
	return memory_write(&run->images->target->memory, at, &mailbox, sizeof mailbox, err);
}

int mailbox_read(struct run *run, raddr at, struct mailbox *mailbox, struct err *err)
{
	return memory_read(&run->images->target->memory, at, mailbox, sizeof *mailbox, err);
}

int steps_read(struct run *run, struct call_step *steps, unsigned n, raddr at, struct err *err)
{
	struct mailbox mailbox;
	if (mailbox_read(run, at, &mailbox, err) < 0)
		return -1;
	for (unsigned i = 0; i < n; i++) {
		steps[i].returned = mailbox.step[i].returned;
		steps[i].result = mailbox.step[i].result;
	}
	return 0;
}
