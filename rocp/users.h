/* SPDX-License-Identifier: MIT */
/* Names of users, by /etc/passwd alone: no services are asked. */
#ifndef ROCLATCH_ROCP_USERS_H
#define ROCLATCH_ROCP_USERS_H

#include <stddef.h>
#include <sys/types.h>

#define USERS_FILE "/etc/passwd"

struct users {
	char *text;
	struct known_user { uid_t uid; const char *name; } *v;        /* by uid */
	size_t n;
};

/* A file that cannot be read has no users. */
void users_read(struct users *users, const char *file);
void users_free(struct users *users);
/* NULL: nobody has that id. */
const char *users_name(const struct users *users, uid_t uid);

#endif
