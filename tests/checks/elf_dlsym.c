/* SPDX-License-Identifier: MIT */
/*
 * elf_dlsym LIBRARY: load it, read it in memory as roclatch reads another
 * process, and for each line NAME or NAME@VERSION of the standard input compare
 * with dlsym and dlvsym.  Prints what differs; the status is 1 then.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/image.h"

static int read_self(void *ctx, uint64_t addr, void *buf, size_t size)
{
	return pread(*(int *)ctx, buf, size, (off_t)addr) == (ssize_t)size ? 0 : -1;
}

/* 0 where it is not this library that has the symbol. */
static uint64_t by_loader(void *library, uint64_t base, char *name, char *version)
{
	Dl_info info;
	void *addr = NULL;

	if (!version)
		addr = dlsym(library, name);
#ifdef __GLIBC__
	else
		addr = dlvsym(library, name, version);
#endif
	if (!addr || !dladdr(addr, &info) || (uintptr_t)info.dli_fbase != base)
		return 0;
	return (uintptr_t)addr;
}

static bool compare(struct elf_image *image, void *library, char *question)
{
	struct elf_symbol symbol;
	struct err err;
	int found = elf_symbol_find(image, question, &symbol, &err);

	/* The loader calls resolvers, and gives a thread's address for TLS.
	 * Absolute symbols are outside of any library. */
	if (found == 1 && (symbol.ifunc || symbol.type == STT_TLS || symbol.addr < image->low))
		return true;
	char *version = strchr(question, '@');
	if (version)
		*version++ = '\0';
	uint64_t expected = by_loader(library, image->header, question, version);
	uint64_t got = found == 1 ? symbol.addr : 0;
	if (found < 0)
		printf("%s: %s\n", question, err.text);
	else if (got != expected)
		printf("%s@%s: %#llx instead of %#llx\n", question, version ? version : "",
		       (unsigned long long)got, (unsigned long long)expected);
	return found >= 0 && got == expected;
}

/* Any symbol of the library tells where it begins. */
static uint64_t find_base(void *library, const char *known)
{
	Dl_info info;
	void *addr = dlsym(library, known);

	return addr && dladdr(addr, &info) ? (uintptr_t)info.dli_fbase : 0;
}

int main(int argc, char **argv)
{
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	struct elf_source source = { .read = read_self, .ctx = &fd };
	struct elf_image image;
	struct err err;
	char line[8192];
	unsigned long compared = 0, wrong = 0;

	void *library = argc == 3 ? dlopen(argv[1], RTLD_LAZY) : NULL;
	if (!library) {
		fprintf(stderr, "usage: elf_dlsym LIBRARY SYMBOL-IN-IT\n");
		return 2;
	}
	if (elf_image_open(&image, source, find_base(library, argv[2]), &err)) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
		return 1;
	}
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		compared++;
		if (!compare(&image, library, line))
			wrong++;
	}
	printf("%s: %lu of %lu differ\n", argv[1], wrong, compared);
	return wrong || compared == 0;
}
