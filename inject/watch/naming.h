/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses in a process: functions by .dynsym, .symtab, .gnu_debugdata, separate debug
 * files by build id (as the process sees them, as we do, and in folders that the user names), code made
 * at run time by /tmp/perf-PID.map as the process sees it; else library+0xoffset with the build id,
 * which can be named elsewhere.  Names are as in the tables: mangled.
 */
#ifndef ROCLATCH_INJECT_WATCH_NAMING_H
#define ROCLATCH_INJECT_WATCH_NAMING_H

#include "inject/images.h"

struct naming;

struct naming_options {
	const char *const *debug_dirs;  /* NULL-terminated, may be NULL: as given by --debug-dir; outlives the naming */
	bool no_files;          /* memory of the process only */
};

struct frame_name {
	const char *function;   /* NULL: not known.  Owned by the naming, as are the others */
	uint64_t offset;        /* of pc in the function; vaddr where there is none */
	const char *module;     /* base name: "libc.so.6", "[vdso]", "[jit]", or "" : in no image */
	const char *path;       /* whole path as mapped, or "" */
	const char *build_id;   /* hex, or "" */
	uint64_t vaddr;         /* in the module's file, of the instruction that is named; in no image, its address */
};

/* images must outlive it; they may be closed and opened again meanwhile. */
struct naming *naming_open(struct images *images, const struct naming_options *options, struct err *err);
void naming_close(struct naming *naming);

/* Always answers.  `exact` as in struct frame: else the instruction before pc is named. */
void naming_at(struct naming *naming, raddr pc, bool exact, struct frame_name *name);

/* "main+0x1c", or "libx.so+0x1a2b[BUILDID]" (the token that roclatch symbolize finds again: what would
 * disturb it in the module's name is \xNN), or "0x7f...".  No control characters. */
void naming_text(const struct frame_name *name, bool with_offset, char *text, size_t size);
/* May it stand in the token's name as it is? */
bool naming_is_word(unsigned char c);

#endif
