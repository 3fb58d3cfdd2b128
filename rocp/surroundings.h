/* SPDX-License-Identifier: MIT */
/* Where roclatch itself runs, so that a remedy can be one for that place, ready to paste. */
#ifndef ROCLATCH_ROCP_SURROUNDINGS_H
#define ROCLATCH_ROCP_SURROUNDINGS_H

#include "rocp/container.h"
#include "elf/err.h"

enum surroundings_kind { ON_METAL, IN_CONTAINER, IN_KUBERNETES, IN_SLURM };

struct surroundings {
	enum surroundings_kind kind;
	struct container container;     /* the one that we are in; kind NULL: none */
	char pod[254], space[64];       /* of Kubernetes; "" */
	char job[64], step[64];         /* of Slurm; "" */
};

/* Of the process that looks.  root: "", or where a test has made the files that lie below "/".
 * Names that could not be pasted into a shell as they are count as not told. */
void surroundings_look(struct surroundings *surroundings, const char *proc, const char *root, char *const *environment);
/* "in a container of docker", "in a pod of Kubernetes", "in step 0 of Slurm job 42", "on the machine itself" */
void surroundings_text(const struct surroundings *surroundings, char *text, size_t size);
const char *surroundings_name(enum surroundings_kind kind);     /* "machine", "container", "kubernetes", "slurm" */

/* Put the remedy for this place in place of the general one, where err says that a right is lacking.
 * target: the container of the process; uid: its owner, or -1. */
void surroundings_remedy(const struct surroundings *surroundings, const struct container *target, pid_t pid, long uid,
			 struct err *err);

#endif
