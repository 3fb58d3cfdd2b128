/* SPDX-License-Identifier: MIT */
/* The input is a library: what does it need? */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/file.h"
#include "elf/needed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

/* Every text is there and ends. */
static size_t weigh(const struct elf_needs *needs)
{
	size_t bytes = 0;

	for (size_t i = 0; i < needs->libraries; i++)
		bytes += strlen(needs->library[i]);
	for (size_t i = 0; i < needs->definitions; i++)
		bytes += strlen(needs->defined[i]);
	for (size_t i = 0; i < needs->versions; i++)
		bytes += strlen(needs->version[i].file) + strlen(needs->version[i].version);
	bytes += needs->rpath ? strlen(needs->rpath) : 0;
	return bytes + (needs->runpath ? strlen(needs->runpath) : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file file;
	struct elf_needs needs;
	struct err err = { .code = ERR_NONE };

	if (elf_file_open(&file, make_file(data, size), &err))
		return 0;
	if (elf_needs_read(&file.image, &needs, &err)) {
		if (err.code == ERR_NONE || !err.text[0] || needs.library || needs.version || needs.defined)
			abort();
		return 0;
	}
	if (needs.libraries > ELF_NEEDED_MAX || needs.versions > ELF_VERSIONS_MAX || weigh(&needs) > (size_t)1 << 30)
		abort();
	elf_needs_free(&needs);
	/* The file shrinks while it is used. */
	if (ftruncate(file.fd, (off_t)(size / 2)))
		abort();
	if (elf_needs_read(&file.image, &needs, &err) == 0)
		elf_needs_free(&needs);
	return 0;
}
