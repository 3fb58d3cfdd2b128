/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses in a text that was written where there were none: each NAME+0xADDRESS[BUILDID]
 * (as naming_text makes it) becomes the function's name, by debug files with that build id.
 */
#ifndef ROCLATCH_ROCP_FORMATS_SYMBOLIZE_H
#define ROCLATCH_ROCP_FORMATS_SYMBOLIZE_H

#include "elf/functions.h"
#include "inject/watch/debug_folder.h"
#include "rocp/formats/file.h"
#include "rocp/trace/texts.h"

/* One build id of the text. */
struct symbol_build {
	const char *id;         /* hex */
	const char *file;       /* that names it, or NULL: there is none */
	uint64_t named, unnamed;
	struct functions functions;
};

struct symbolizer {
	const char *const *folders;     /* NULL-terminated; /usr/lib/debug comes behind them */
	struct symbol_build *build;
	size_t builds;
	uint64_t named, unnamed;
	bool escaped;           /* names go into strings of JSON (in HTML too) */
	/* what was found before */
	struct texts texts;
	struct index by_id, shown_by_name;
	const char **shown;
	size_t shown_n;
	struct debug_folder scanned;
	bool is_scanned;
	size_t tables;          /* bytes that all functions take */
};

/* Is it JSON or HTML?  By how the name of the file ends, else by how the text begins. */
bool symbolize_is_escaped(const char *path, const char *text, size_t size);

/* Copy what fd gives to the file, with names.  `path` is for messages and symbolize_is_escaped.  0, also if
 * nothing was named, or -1 with err: not text, not readable, no memory. */
int symbolize(struct symbolizer *symbolizer, int fd, const char *path, struct file *to, struct err *err);

/* The name for people of the function at an address, or NULL; -1 with err: no memory.  Counts. */
int symbolize_name(struct symbolizer *symbolizer, const char *id, uint64_t vaddr, const char **name, struct err *err);
void symbolizer_free(struct symbolizer *symbolizer);

#endif
