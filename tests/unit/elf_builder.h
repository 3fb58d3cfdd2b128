/* SPDX-License-Identifier: MIT */
/*
 * Small ELF images made to order, so that tests need neither a compiler nor
 * libraries.  File and memory have the same layout: one segment, and in it all
 * tables; with a `gap` everything but the headers lies that far behind them.
 */
#ifndef ROCLATCH_TESTS_ELF_BUILDER_H
#define ROCLATCH_TESTS_ELF_BUILDER_H

#include "elf/file.h"

#define BUILT_MAX (2u << 20)
#ifndef BUILT_HEAD
#define BUILT_HEAD 4096         /* where the gap is; as small as 512 for seeds of fuzzers */
#endif

enum built_hash { HASH_NONE, HASH_GNU = 1, HASH_SYSV = 2, HASH_BOTH = 3 };
enum built_stack { STACK_UNSAID, STACK_PLAIN, STACK_EXEC };
enum built_moved { MOVED_NOT, MOVED_BY_GLIBC };         /* what a loader did to DT_* */

struct built_symbol {
	const char *name;
	uint64_t value;         /* offset in the image; 0 is undefined */
	uint64_t size;
	uint8_t type, bind;     /* STT_NOTYPE and STB_LOCAL are taken as FUNC, GLOBAL */
	const char *version;
	bool hidden;
	bool local;             /* really STB_LOCAL */
	bool absolute;
};

struct built_plan {
	uint16_t machine, type;         /* 0: EM_X86_64, ET_DYN */
	uint64_t vaddr;                 /* of the first segment */
	uint64_t base;                  /* run-time address of the header */
	uint64_t gap;
	enum built_hash hash;
	enum built_stack stack;
	enum built_moved moved;
	bool verdef_moved;              /* glibc leaves this one alone */
	bool interp, no_dynamic, far_headers;
	const char *soname;
	uint64_t flags_1;
	const char *build_id;           /* bytes of it */
	uint32_t property;              /* feature bits, 0: no note */
	const struct built_symbol *symbol;
	size_t symbols;
	const struct built_symbol *local;       /* .symtab; names share tails */
	size_t locals;
};

struct built {
	struct built_plan plan;
	size_t size;                    /* without the gap */
	size_t phdrs;
	size_t ehdr_phdrs, dynamic, symtab, strtab, gnu_hash, sysv_hash, versym, verdef, sections;
	unsigned reads;                 /* how often the source was asked */
	uint64_t readable;              /* bytes of the image that can be read */
	uint8_t data[BUILT_MAX];
};

/* The one image that a test has. */
struct built *build(struct built_plan plan);

/* As memory at plan.base. */
struct elf_source built_source(struct built *built);
int built_open(struct built *built, struct elf_image *image, struct err *err);

/* As a file: an fd of a memfd. */
int built_file(const struct built *built);

#endif
