/* SPDX-License-Identifier: MIT */
/* All that is looked at before a target is touched: one line each, with verdict, reason and remedy. */
#ifndef ROCLATCH_ROCP_PREFLIGHT_H
#define ROCLATCH_ROCP_PREFLIGHT_H

#include "rocp/loadable.h"
#include "rocp/request.h"
#include "rocp/staged.h"
#include "rocp/view.h"

enum verdict {
	VERDICT_OK,
	VERDICT_NOTE,           /* works; the user should know */
	VERDICT_NO,             /* an attachment would fail or harm the target: refused */
	VERDICT_UNKNOWN,        /* could not be looked at, for a reason that stands before */
};

#define PREFLIGHT_MAX 24

struct check {
	const char *name;       /* "process", "permission", "register", ...: stable, for JSON */
	enum verdict verdict;
	char text[384], remedy[256];
};

struct preflight {
	struct check v[PREFLIGHT_MAX];
	size_t n;
	bool can_attach;        /* by the SDK's own attach support */
	bool can_late;          /* by --late */
	char why_not_late[256];
	char tool[PATH_MAX];    /* the string to be given to rocprofiler_register_attach */
	char shown[PATH_MAX];   /* the same for people: what was brought to the process is called as the user calls it */
	unsigned staged;        /* which of its list are to be brought first, by bits: they are paths of ours */
	struct stage_place place;       /* and how, if any are */
	bool own;               /* that is roclatch's own tool, or one that offers the same */
	char sdk[PATH_MAX];     /* the SDK's file; "" if it is not known */
	pid_t listener;
	bool reattach;          /* the tool is loaded: same path, same services */
	bool orphaned;          /* attached by a roclatch that is gone: detach comes first */
};

/*
 * Look at an open target.  request tells what is wanted: tool, late, output
 * folder, services.  0 when everything was looked at, whatever the verdicts; -1
 * only if the target is gone or memory is out.
 */
int preflight_look(struct preflight *preflight, struct rocm_view *view, const struct request *request,
		   struct err *err);
/* For a target that could not even be opened: the one line that says why. */
void preflight_unopened(struct preflight *preflight, pid_t pid, const struct err *why);
/* The first NO that stands against what was asked (late or not) as an error; 0 if there is none. */
int preflight_error(const struct preflight *preflight, const struct request *request, struct err *err);
const struct check *preflight_first_no(const struct preflight *preflight);     /* NULL: there is none */

const char *verdict_name(enum verdict verdict);         /* "ok", "note", "no", "unknown" */

#endif
