/* SPDX-License-Identifier: MIT */
/*
 * A tool for a process that does not see its file: in a container, a chroot, or with
 * rights of its own.  Its bytes are brought there: into a file in memory that has no
 * name and is closed when the loader has mapped it, or into a file of the process's
 * user, which goes at the detach.
 */
#ifndef ROCLATCH_ROCP_STAGED_H
#define ROCLATCH_ROCP_STAGED_H

#include <limits.h>

#include "inject/images.h"
#include "rocp/owner.h"
#include "rocp/request.h"

struct attachment;

#define STAGED_MAX 8            /* tools of one list that can be brought */
/* What a file in memory of ours is called in the target's maps and behind its descriptors; the tool's name follows. */
#define STAGED_MEMORY "/memfd:roclatch/"
/* And to the register and the loader, the descriptor follows: spelt as nobody spells it, as a loader knows a name again. */
#define STAGED_STRING "/proc/self/./fd/"
#define STAGED_FOLDER "/.roclatch-"     /* how the folder of a file begins */

/* ---- stage_place.c: by reading alone ---- */

struct stage_place {
	enum stage_how how;     /* STAGE_NONE: nothing is to be brought */
	char folder[PATH_MAX];  /* for a file: the folder that a folder of its own is made in, as the target sees it */
};

/* How a tool can come to the target, of the ways that were asked for.  0, or -1 with why not, and the remedy. */
int stage_choose(const struct target *target, const char *temporary, enum stage_how wanted, struct stage_place *place,
		 struct err *err);
/* The i-th folder where files may be, the first being the target's $TMPDIR; false: there are no more. */
bool stage_folder(const struct target *target, const char *temporary, unsigned i, char *folder, size_t size);
/* May a file be made there that nobody else can take away, and can it be loaded from there? */
int stage_folder_fits(const struct target *target, const char *folder, struct err *err);
/* How many files the target may open more. */
size_t stage_files_left(const struct target *target);

/* A library of ours as an fd: by its path, or what is built in by OWN_TOOL_NAME.  -1 with err. */
int stage_source(const char *entry, struct err *err);

/* ---- staged.c: bringing it and taking it away ---- */

struct staged {
	int folder;             /* ours, of the folder that place.folder names; -1 */
	char name[64];          /* of the folder in it */
	struct owner owner;
};

/* Bring what preflight.staged says; preflight.tool is what the register is given afterwards.  0, or -1 with err and
 * nothing left behind. */
int staged_begin(struct attachment *attachment, const struct request *request, struct err *err);
/* The loader has mapped it: what need not stay goes. */
int staged_loaded(struct attachment *attachment, const struct request *request, struct err *err);
/* All goes, also what an earlier roclatch has left.  The session must be ours.  0, or -1 (ERR_RESIDUE) with what is there
 * still. */
int staged_end(struct attachment *attachment, const struct request *request, struct err *err);
/* The target is closed: a file goes with a process that has ended, and stays with one that goes on. */
void staged_close(struct staged *staged, bool gone);

/* Is the image what lies behind fd, whatever it is called? */
bool staged_is(struct images *images, struct image *image, int fd);

#endif
