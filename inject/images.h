/* SPDX-License-Identifier: MIT */
/*
 * The images in a target: which files are mapped where, which of them a user
 * means by a name, and symbols in them.  Program headers come from memory;
 * files are found by map_files, /proc/PID/root + path, path, and are taken
 * only if device and inode or the build id match.
 */
#ifndef ROCLATCH_INJECT_IMAGES_H
#define ROCLATCH_INJECT_IMAGES_H

#include <sys/stat.h>

#include "elf/file.h"
#include "inject/target.h"

struct image {
	const char *path;       /* as in maps, "[vdso]" for the vdso; owned by images */
	const char *name;       /* its last part */
	raddr start;            /* where its ELF header is mapped */
	uint64_t inode;
	unsigned dev_major, dev_minor;
	bool deleted;
	bool opened;            /* elf is valid */
	struct elf_image elf;
};

struct images {
	struct target *target;
	struct maps maps;
	struct image *v;        /* in order of address */
	size_t n;
	bool libc_known;        /* images_libc has done its work */
};

int images_open(struct images *images, struct target *target, struct err *err);
void images_close(struct images *images);

/* The one image that answers to `name` (path, basename, soname, version-less;
 * "exe" is the program itself, "vdso", "libc" the C library, "ld.so" the
 * interpreter, "0x7f..." the one that starts there).  NULL with ERR_NOT_POSSIBLE: none (nearest names given), or
 * several (all listed). */
struct image *images_find(struct images *images, const char *name, struct err *err);
/* The same for the names that are roles; NULL if nothing plays it (no error). */
struct image *images_exe(struct images *images);
struct image *images_interpreter(struct images *images);
struct image *images_libc_image(struct images *images);
/* The image that covers an address, opened; NULL if none (no error). */
struct image *images_at(struct images *images, raddr addr);
/* Is that the file that it is mapped from?  (overlayfs and btrfs show other numbers in maps than in stat.) */
bool image_is_file(const struct image *image, const struct stat *file);
/* Parse its headers if that has not been done. */
int image_open(struct images *images, struct image *image, struct err *err);
/* Its file, checked to be the very same (see above), as an fd; -1 with err. */
int image_file(struct images *images, struct image *image, struct err *err);

/* The name under which the target's loader knows it, which may be relative or lead through
 * symbolic links; false if it is not in the loader's list. */
bool images_link_name(struct images *images, struct image *image, char *name, size_t size);

/* A function in one image: dynamic symbols, else .symtab of its file. */
int images_symbol(struct images *images, struct image *image, const char *symbol,
		  struct elf_symbol *out, struct err *err);
/* The first of `symbols` (NULL-terminated) that the C library (libc, libpthread,
 * libdl, ld.so, or a static program) defines.  Returns 1, 0 none, -1 err. */
int images_libc_symbol(struct images *images, const char *const *symbols,
		       struct elf_symbol *out, struct err *err);
/* images_open tells target->libc by file names alone.  This looks closer (a
 * static program's symbols) and fills in libc_version; it reads a megabyte or
 * two of the target, so it is for those who show it. */
void images_libc(struct images *images);
/* "libc.so.6!abort+0x1c", "0x7f... (anonymous, rw-)", for people. */
void images_describe(struct images *images, raddr addr, char *buf, size_t size);

#endif
