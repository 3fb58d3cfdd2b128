/* SPDX-License-Identifier: MIT */
/* The lock that says: a living roclatch has this process attached.  The kernel drops it when
 * that roclatch dies, so that a session that nobody holds is told from one that goes on. */
#ifndef ROCLATCH_ROCP_SESSION_H
#define ROCLATCH_ROCP_SESSION_H

#include "inject/target.h"

/* The lock as an fd; -1 with ERR_NOT_POSSIBLE if another holds it, ERR_FAILED if it cannot be had. */
int session_lock(const struct target *target, struct err *err);
void session_unlock(int fd);
/* Does anybody hold it? */
bool session_is_held(const struct target *target);

#endif
