/* SPDX-License-Identifier: MIT */
/* The input is the memory of a process from BASE on; an ELF header is at its start. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/image.h"

#define BASE 0x7f0000000000

struct memory { const uint8_t *data; size_t size; };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_memory(void *ctx, uint64_t addr, void *buf, size_t size)
{
	const struct memory *memory = ctx;

	if (addr < BASE || addr - BASE > memory->size || size > memory->size - (addr - BASE))
		return -1;
	memcpy(buf, memory->data + (addr - BASE), size);
	return 0;
}

/* What a caller may rely on. */
static void check(int rc, const struct err *err)
{
	if (rc < 0 && (err->code == ERR_NONE || !err->text[0]))
		abort();
}

static void find(struct elf_image *image, const char *name)
{
	struct elf_symbol symbol;
	struct err err = { .code = ERR_NONE };
	int found = elf_symbol_find(image, name, &symbol, &err);

	check(found, &err);
	if (found == 1 && symbol.type == STT_FUNC &&
	    (symbol.addr < image->low || symbol.addr >= image->high))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"a", "plain", "both", "both@V_1", "both@@V_2", "_ZN3fooEv", "dlopen@GLIBC_2.34",
	};
	struct memory memory = { data, size };
	struct elf_source source = { .read = read_memory, .ctx = &memory };
	struct elf_image image;
	struct err err = { .code = ERR_NONE };
	char name[64], id[2 * ELF_BUILD_ID_MAX + 1];
	uint64_t offset;

	if (elf_image_open(&image, source, BASE, &err)) {
		check(-1, &err);
		return 0;
	}
	elf_build_id_text(&image, id, sizeof id);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		find(&image, names[i]);
	for (uint64_t at = 0x100; at <= 0x200; at += 0x80) {
		err.code = ERR_NONE;
		check(elf_symbol_at(&image, image.low + at, name, sizeof name, &offset, &err), &err);
	}
	elf_name_matches("libx.so", image.soname, image.soname);
	elf_name_matches(image.soname, "/lib/libx.so.1.2", image.soname);
	return 0;
}
