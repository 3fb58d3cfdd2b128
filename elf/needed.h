/* SPDX-License-Identifier: MIT */
/*
 * What an image asks of a loader: which libraries (DT_NEEDED), where to look for
 * them (DT_RPATH, DT_RUNPATH) and which versions of their symbols it needs
 * (.gnu.version_r); and which versions it defines itself (.gnu.version_d).
 */
#ifndef ROCLATCH_ELF_NEEDED_H
#define ROCLATCH_ELF_NEEDED_H

#include "elf/image.h"

/* More than any library has; a hostile one gets no further. */
#define ELF_NEEDED_MAX 1024
#define ELF_VERSIONS_MAX 8192
#define ELF_PATH_LIST_MAX (64u << 10)

struct elf_version_need {
	char *file;             /* the DT_NEEDED name that must define it */
	char *version;
	bool weak;              /* VER_FLG_WEAK: a loader does not insist */
};

struct elf_needs {
	char **library;         /* DT_NEEDED, in order */
	size_t libraries;
	char *rpath, *runpath;  /* NULL: none */
	struct elf_version_need *version;
	size_t versions;
	char **defined;         /* names of the versions that it defines */
	size_t definitions;
	uint64_t skew;          /* all bits by which address and file offset of a PT_LOAD segment differ */
};

/* 0, or -1 with err (ERR_FAILED: malformed, unreadable or out of memory); then there is nothing to free. */
int elf_needs_read(struct elf_image *image, struct elf_needs *needs, struct err *err);
void elf_needs_free(struct elf_needs *needs);

#endif
