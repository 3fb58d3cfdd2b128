/* SPDX-License-Identifier: MIT */
/* What the lines of the pre-flight share; each line is a function that adds one check. */
#ifndef ROCLATCH_ROCP_PREFLIGHT_LOOK_H
#define ROCLATCH_ROCP_PREFLIGHT_LOOK_H

#include "rocp/preflight.h"

/* Against what does a finding stand? */
enum { FOR_ATTACH = 1, FOR_LATE = 2, FOR_BOTH = 3 };

struct look {
	struct preflight *preflight;
	struct rocm_view *view;
	struct images *images;
	const struct target *target;
	const struct request *request;
	unsigned asked;         /* FOR_ATTACH or FOR_LATE; the tool of one says nothing about the other */
	unsigned refused;       /* FOR_*: what can no longer be done */
	struct check *not_started_for_it;       /* whose remedy is also --late, if that can be done */
	const char *before;     /* the path of the tool that was attached before, or NULL */
	bool late_before;       /* a tool was loaded by --late and is still there */
	char own[PATH_MAX];     /* roclatch's own tool, once it was looked for: its path, or OWN_TOOL_NAME if it is built in; "" */
	bool own_hidden;        /* the process does not see that one */
};

/* A new line, ok until something else is said. */
struct check *check_add(struct look *look, const char *name);
void check_ok(struct check *check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void check_note(struct check *check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* It stands against an attachment of these kinds: NO if that is what was asked for, else a note.
 * What was said before and weighs as much stays. */
void check_refuse(struct look *look, struct check *check, unsigned against, const char *remedy,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* What cannot be known for a reason that stands before: no attachment without it. */
void check_unknown(struct look *look, struct check *check, const char *text);

/* Does this image, or this file as the target sees it, export the symbol? */
bool image_exports(const struct look *look, struct image *image, const char *symbol);
bool file_exports(const struct look *look, const char *path, const char *symbol);
bool fd_exports(int fd, const char *symbol);
/* A value of the target's environment as it is now, or NULL. */
const char *variable(const struct look *look, const char *name);
/* "0", "off", "no", "false", "n", "f", as ROCm reads them */
bool is_false(const char *value);
/* Does the environment turn the register off? */
bool is_disabled(const struct look *look);
/* A tool from the start, and by what it is known; NULL if there is none. */
const char *startup_tool(const struct look *look, const char **how);

/* Is this tool one of ours that the process does not see, and that is to be brought to it? */
bool must_stage(const struct look *look, const char *entry);
/* Can it be, and be loaded there by code of `from`?  Our fd of it, preflight.place is how; or -1 with err. */
int stage_look(struct look *look, const char *entry, struct image *from, struct err *err);
void stage_tell(const struct look *look, struct check *check);
/* Is the list of tools the one that was attached before, by strings that are not theirs here? */
bool is_staged_list(const struct look *look, const char *list, const char *before);
/* Is this string one of a tool that was brought to a process? */
bool is_brought(const char *entry);
/* preflight.shown for what was attached before. */
void show_before(struct look *look);

void look_process(struct look *look);
void look_permission(struct look *look);
void look_cpu(struct look *look);
void look_libc(struct look *look);
void look_namespaces(struct look *look);
void look_tracer(struct look *look);
void look_seccomp(struct look *look);
void look_register(struct look *look);
void look_attach_library(struct look *look);
void look_rocattach(struct look *look);
void look_runtime(struct look *look);
void look_listener(struct look *look);
void look_startup_tool(struct look *look);
void look_attached(struct look *look);
void look_sdk(struct look *look);
void look_tool(struct look *look);
void look_own_tool(struct look *look);
void look_same_tool(struct look *look);
void look_same_services(struct look *look);
void look_output(struct look *look);
void look_late(struct look *look);

#endif
