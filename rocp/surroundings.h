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
	char pod[256], space[64];       /* of Kubernetes; "" */
	char job[64], step[64];         /* of Slurm; "" */
};

void surroundings_look(struct surroundings *surroundings, const char *proc, char *const *environment);
/* "in a container of docker", "in a pod of Kubernetes", "in step 0 of Slurm job 42", "on the machine itself" */
void surroundings_text(const struct surroundings *surroundings, char *text, size_t size);
/* Put the remedy for this place in place of the general one, where a permission is what is missing. */
void surroundings_remedy(const struct surroundings *surroundings, const struct container *target, pid_t pid, struct err *err);

#endif
