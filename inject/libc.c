/* SPDX-License-Identifier: MIT */
#include "inject/libc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINKED_MAX 8192

/* The start of struct r_debug and struct link_map, of <link.h>, glibc and musl alike. */
struct debug_start { uint64_t version; raddr map; };
struct link_start { uint64_t addr; raddr name, dynamic, next; };

const char *libc_basename(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* "libc.so.6", "libc-2.31.so" for the stem "libc".  (Most names are others after a letter or four, and there are many.) */
static bool is_part(const char *name, const char *stem)
{
	while (*stem && *name == *stem) {
		name++;
		stem++;
	}
	return !*stem && (strncmp(name, ".so.", 4) == 0 || strncmp(name, "-2.", 3) == 0);
}

static bool is_musl_name(const char *name)
{
	return strncmp(name, "ld-musl-", 8) == 0 || strncmp(name, "libc.musl-", 10) == 0;
}

/* musl's own file name is libc.so, and it is the interpreter; Android's is not. */
static enum libc_kind kind_of(const struct images *images, const struct image *image)
{
	if (is_musl_name(image->name))  /* NOLINT(clang-analyzer-core.NullDereference): what it calls does not take images away */
		return LIBC_MUSL;
	if (is_part(image->name, "libc"))
		return LIBC_GLIBC;
	if (strcmp(image->name, "libc.so") != 0)
		return LIBC_NONE;
	const struct auxv *auxv = &images->target->auxv;
	if (image->start == auxv->base || (auxv->base == 0 && image->start <= auxv->entry))
		return LIBC_MUSL;
	return strstr(image->path, "bionic") || strncmp(image->path, "/system/", 8) == 0 ? LIBC_BIONIC : LIBC_NONE;
}

enum libc_kind libc_kind_by_names(struct images *images)
{
	for (size_t i = 0; i < images->n; i++) {
		enum libc_kind kind = kind_of(images, &images->v[i]);
		if (kind != LIBC_NONE)
			return kind;
	}
	return LIBC_NONE;
}

/* The loader's list of what the program has loaded; 0 if it has none (yet). */
static raddr linked_list(struct images *images, struct image *loader)
{
	struct memory *memory = &images->target->memory;
	struct elf_symbol symbol;
	struct debug_start debug;
	raddr at = 0;
	if (image_open(images, loader, NULL) < 0)
		return 0;
	if (elf_symbol_find(&loader->elf, "_r_debug", &symbol, NULL) == 1)
		at = symbol.addr;
	else if (elf_symbol_find(&loader->elf, "_dl_debug_addr", &symbol, NULL) != 1 ||
		 memory_read(memory, symbol.addr, &at, sizeof at, NULL) < 0)
		return 0;
	return at && memory_read(memory, at, &debug, sizeof debug, NULL) == 0 ? debug.map : 0;
}

struct image *libc_first_linked(struct images *images, struct image *loader)
{
	struct link_start link;
	raddr at = linked_list(images, loader);
	if (!at || memory_read(&images->target->memory, at, &link, sizeof link, NULL) < 0)
		return NULL;
	return images_at(images, link.dynamic);
}

/* Its entry in the loader's list. */
static bool find_link(struct images *images, struct image *image, struct link_start *link)
{
	struct image *loader = images_interpreter(images);
	raddr at = loader ? linked_list(images, loader) : 0;
	if (image_open(images, image, NULL) < 0)
		return false;
	for (int i = 0; at && i < LINKED_MAX; i++, at = link->next) {
		if (memory_read(&images->target->memory, at, link, sizeof *link, NULL) < 0)
			return false;
		if (link->dynamic == image->elf.dynamic)
			return true;
	}
	return false;
}

/* Is it loaded by the program itself, not by dlmopen into another namespace? */
static bool is_linked(struct images *images, struct image *image)
{
	struct link_start link;
	return find_link(images, image, &link);
}

bool images_link_name(struct images *images, struct image *image, char *name, size_t size)
{
	struct link_start link;
	return find_link(images, image, &link) &&
	       memory_read_text(&images->target->memory, link.name, name, size, NULL) == 0 && name[0];
}

/* The one library with that stem; of several, the one the program itself uses. */
static struct image *part(struct images *images, const char *stem)
{
	struct image *found = NULL;
	bool several = false;
	for (size_t i = 0; i < images->n && !several; i++) {
		if (!is_part(images->v[i].name, stem))
			continue;
		several = found != NULL;
		found = &images->v[i];
	}
	for (size_t i = 0; several && i < images->n; i++)
		if (is_part(images->v[i].name, stem) && is_linked(images, &images->v[i]))
			return &images->v[i];
	return found;
}

struct image *images_libc_image(struct images *images)
{
	struct image *found = part(images, "libc");
	for (size_t i = 0; i < images->n && !found; i++)
		if (kind_of(images, &images->v[i]) != LIBC_NONE)
			found = &images->v[i];
	if (found)
		return found;
	/* a static program is its own C library */
	return images_interpreter(images) ? NULL : images_exe(images);
}

int images_libc_symbol(struct images *images, const char *const *symbols, struct elf_symbol *out, struct err *err)
{
	struct image *part_of[4] = {
		images_libc_image(images), part(images, "libpthread"), part(images, "libdl"),
		images_interpreter(images),
	};
	bool is_static = !part_of[3];   /* a static PIE has a dynamic section, but no symbols there */
	for (; *symbols; symbols++) {
		for (size_t i = 0; i < sizeof part_of / sizeof *part_of; i++) {
			struct image *image = part_of[i];
			if (!image || image_open(images, image, NULL) < 0)
				continue;
			int found = elf_symbol_find(&image->elf, *symbols, out, err);
			if (found == 0 && is_static)
				found = images_symbol(images, image, *symbols, out, NULL) == 0;
			if (found != 0)
				return found;
		}
	}
	return 0;
}

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

/* " version 2.36.\nCopyright": digits and dots, without a last dot */
static bool version_after(const char *text, size_t size, const char *mark, char *version, size_t version_size)
{
	const char *found = memmem(text, size, mark, strlen(mark));
	if (!found)
		return false;
	const char *end = text + size, *p = found + strlen(mark);
	size_t n = 0;
	while (p + n < end && (is_digit(p[n]) || p[n] == '.') && n < version_size - 1)
		n++;
	if (p + n == end)       /* there may be more of it */
		return false;
	while (n && p[n - 1] == '.')
		n--;
	memcpy(version, p, n);
	version[n] = '\0';
	return n > 0;
}

/* NUL, "1.2.3" or "1.2.5-git-4-gabc", NUL */
static bool is_musl_version(const char *p, size_t size)
{
	size_t n = strnlen(p, size), i = 0;
	int dots = 0;
	if (n < 5 || n > 30 || n == size)
		return false;
	for (; i < n && (is_digit(p[i]) || (p[i] == '.' && i && is_digit(p[i - 1]))); i++)
		dots += p[i] == '.';
	return dots == 2 && is_digit(p[i - 1]) && (i == n || strncmp(p + i, "-git-", 5) == 0) && p[0] <= '1' && p[1] == '.';
}

bool libc_version_in(enum libc_kind kind, const char *text, size_t size, char *version, size_t version_size)
{
	if (kind == LIBC_GLIBC) {
		const char *banner = memmem(text, size, "GNU C Library ", 14);
		size_t left = banner ? size - (size_t)(banner - text) : 0;
		return banner && version_after(banner, left < 256 ? left : 256, " version ", version, version_size);
	}
	for (size_t i = 1; kind == LIBC_MUSL && i + 5 < size; i++) {
		if (text[i - 1] == '\0' && is_digit(text[i]) && is_musl_version(text + i, size - i)) {
			snprintf(version, version_size, "%s", text + i);
			return true;
		}
	}
	return false;
}

typedef bool (*look_fn)(struct target *target, const char *text, size_t size);

#define PIECE ((size_t)64 << 10)
#define WHOLE 512u              /* what is looked for is shorter, and lies whole in one of two pieces */

static bool search_mapping(struct target *target, const struct mapping *m, char *text, look_fn look)
{
	for (raddr at = m->start; at < m->end; at += PIECE) {
		size_t size = m->end - at < PIECE + WHOLE ? m->end - at : PIECE + WHOLE;
		if (memory_read(&target->memory, at, text, size, NULL) < 0)
			return false;
		if (look(target, text, size))
			return true;
	}
	return false;
}

static bool search_some(struct images *images, const struct image *image, bool code, char *text, look_fn look)
{
	bool found = false;
	for (size_t i = 0; i < images->maps.n && !found; i++) {
		const struct mapping *m = &images->maps.v[i];
		if (m->x != code || m->w || !m->r || m->inode != image->inode || m->start < image->elf.low ||
		    m->start >= image->elf.high || m->end - m->start > 64 << 20)
			continue;
		found = search_mapping(images->target, m, text, look);
	}
	return found;
}

/* Call `look` on the read-only bytes of the image until it says true.  Constants first, as there is more code than them. */
static bool search(struct images *images, struct image *image, look_fn look)
{
	char *text = malloc(PIECE + WHOLE);
	bool found = text && (search_some(images, image, false, text, look) || search_some(images, image, true, text, look));
	free(text);
	return found;
}

static bool look_for_version(struct target *target, const char *text, size_t size)
{
	return libc_version_in(target->libc, text, size, target->libc_version, sizeof target->libc_version);
}

/* Names of glibc's tunables are in every static glibc program. */
static bool look_for_tunables(struct target *target, const char *text, size_t size)
{
	bool found = memmem(text, size, "glibc.malloc.", 13) != NULL;
	if (found)
		target->libc = LIBC_GLIBC;
	return found;
}

static void kind_of_static(struct images *images, struct image *exe)
{
	struct elf_symbol symbol;
	if (images_symbol(images, exe, "__libc_setup_tls", &symbol, NULL) == 0)
		images->target->libc = LIBC_GLIBC;
	else if (images_symbol(images, exe, "__init_libc", &symbol, NULL) == 0)
		images->target->libc = LIBC_MUSL;
	else
		search(images, exe, look_for_tunables);
}

void images_libc(struct images *images)
{
	struct target *target = images->target;
	struct image *libc = images_libc_image(images);
	if (images->libc_known || !libc || image_open(images, libc, NULL) < 0)
		return;
	images->libc_known = true;
	if (target->libc == LIBC_NONE)
		kind_of_static(images, libc);
	const char *name = libc->name;
	if (strncmp(name, "libc-", 5) == 0) {
		snprintf(target->libc_version, sizeof target->libc_version, "%.*s",
			 (int)strspn(name + 5, "0123456789."), name + 5);
		size_t n = strlen(target->libc_version);
		if (n && target->libc_version[n - 1] == '.')
			target->libc_version[n - 1] = '\0';
		return;
	}
	search(images, libc, look_for_version);
}
