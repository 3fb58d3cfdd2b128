/* SPDX-License-Identifier: MIT */
/* The input is a file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/functions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a caller may rely on. */
static int checked(int rc, struct err *err)
{
	if (rc < 0 && (err->code == ERR_NONE || !err->text[0]))
		abort();
	err->code = ERR_NONE;
	return rc;
}

/* One file for all inputs: to make one each time would be slow. */
static int make_file(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || ftruncate(fd, (off_t)size) ||
	    pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	return fd;
}

/* All functions, and what covers some addresses: each a text that ends. */
static void name_addresses(struct elf_file *file, bool dynamic, struct err *err)
{
	struct functions functions = { .n = 0 };
	uint64_t offset;

	if (dynamic)
		checked(functions_add_dynamic(&functions, &file->image, err), err);
	checked(functions_add_file(&functions, file, err), err);
	for (uint64_t at = 0; at < 0x2000; at += 0x10) {
		const char *name = functions_at(&functions, at, &offset);
		if (name && (name < functions.names || name + strlen(name) >= functions.names + functions.names_size || offset > at))
			abort();
	}
	functions_free(&functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "a", "exported", "twice", "shadow", "same" };
	struct elf_file file;
	struct elf_symbol symbol;
	struct err err = { .code = ERR_NONE };
	char name[64];
	uint64_t offset;

	if (!checked(elf_file_open_debug(&file, make_file(data, size), &err), &err))
		name_addresses(&file, false, &err);
	if (checked(elf_file_open(&file, make_file(data, size), &err), &err))
		return 0;
	name_addresses(&file, true, &err);
	checked(elf_file_loadable(&file, EM_X86_64, &err), &err);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		checked(elf_symbol_find(&file.image, names[i], &symbol, &err), &err);
		checked(elf_file_symbol_find(&file, names[i], &symbol, &err), &err);
	}
	for (uint64_t at = 0x100; at <= 0x200; at += 0x80) {
		checked(elf_symbol_at(&file.image, at, name, sizeof name, &offset, &err), &err);
		checked(elf_file_symbol_at(&file, at, name, sizeof name, &offset, &err), &err);
	}
	/* The file shrinks while it is used. */
	if (ftruncate(file.fd, (off_t)(size / 2)))
		abort();
	checked(elf_symbol_find(&file.image, "exported", &symbol, &err), &err);
	checked(elf_file_symbol_find(&file, "exported", &symbol, &err), &err);
	return 0;
}
