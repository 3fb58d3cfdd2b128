/* SPDX-License-Identifier: MIT */
#include "bin/library.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "inject/root.h"

/* 1 found, 0 not, -1 err.  A static program may hold a dlopen of its own in
 * .symtab; that one would bring a second C library, so only a dynamic symbol
 * counts. */
static int dynamic_symbol(struct images *images, const char *name, raddr *addr, struct err *err)
{
	const char *const names[] = { name, NULL };
	struct elf_symbol symbol, exported;
	*addr = 0;
	int found = images_libc_symbol(images, names, &symbol, err);
	if (found <= 0)
		return found;
	struct image *image = images_at(images, symbol.addr);
	if (!image || elf_symbol_find(&image->elf, name, &exported, NULL) != 1 || symbol.ifunc)
		return 0;
	*addr = symbol.addr;
	return 1;
}

static int pair(struct images *images, const char *open_name, const char *close_name,
		struct loader *loader, struct err *err)
{
	int found = dynamic_symbol(images, open_name, &loader->open, err);
	return found == 1 ? dynamic_symbol(images, close_name, &loader->close, err) : found;
}

int loader_find(struct images *images, struct loader *loader, struct err *err)
{
	*loader = (struct loader){ .flags = 0 };
	int found = pair(images, "dlopen", "dlclose", loader, err);
	if (found == 1)
		return dynamic_symbol(images, "dlerror", &loader->error, err) < 0 ? -1 : 0;
	/* glibc before 2.34 without libdl.so.2 */
	if (found == 0)
		found = pair(images, "__libc_dlopen_mode", "__libc_dlclose", loader, err);
	if (found < 0)
		return -1;
	if (found == 1) {
		loader->flags = TARGET_RTLD_DLOPEN;
		return 0;
	}
	err_set(err, ERR_NOT_POSSIBLE, 0, "process %d has no dlopen: it is statically linked, or "
		"has no C library", (int)images->target->pid);
	return err_remedy(err, "none: libraries can only be loaded into dynamically linked programs");
}

struct call_step loader_open_step(const struct loader *loader, const char *path, uint64_t flags)
{
	struct call_step step = { .fn = loader->open, .nargs = 2 };
	step.arg[0].data = path;
	step.arg[0].size = strlen(path) + 1;
	step.arg[1].value = flags | loader->flags;
	return step;
}

int library_absolute(const char *name, char *path, size_t size, struct err *err)
{
	char folder[PATH_MAX] = "";
	if (!name[0])
		return err_set(err, ERR_USAGE, 0, "the name of the library is empty");
	if (name[0] != '/' && !getcwd(folder, sizeof folder))
		return err_set(err, ERR_FAILED, errno, "the current folder");
	int length = snprintf(path, size, "%s%s%s", folder, name[0] == '/' ? "" : "/", name);
	if (length < 0 || (size_t)length >= size)
		return err_set(err, ERR_USAGE, ENAMETOOLONG, "%.200s", name);
	return 0;
}

struct image *library_loaded(struct images *images, const struct stat *st, const char *real)
{
	for (size_t i = 0; i < images->n; i++) {
		struct image *image = &images->v[i];
		if (image->deleted || image->path[0] != '/')
			continue;
		/* Overlay and btrfs show one device in maps and another in stat:
		 * there the path decides. */
		if (image_is_file(image, st) || !strcmp(root_strip(images->target, image->path), real))
			return image;
	}
	return NULL;
}

int library_mapped(const struct target *target, const struct image *image, struct err *err)
{
	struct maps maps;
	if (target_maps(target, &maps, err) < 0)
		return -1;
	int mapped = 0;
	for (size_t i = 0; i < maps.n && !mapped; i++)
		mapped = maps.v[i].inode == image->inode &&
			 maps.v[i].dev_major == image->dev_major &&
			 maps.v[i].dev_minor == image->dev_minor &&
			 !strcmp(maps.v[i].path, image->path);
	maps_free(&maps);
	return mapped;
}

void library_error_text(struct images *images, const struct call_step *step,
			char *text, size_t size)
{
	if (!step->returned || !step->result ||
	    memory_read_text(&images->target->memory, step->result, text, size, NULL) < 0)
		snprintf(text, size, "no reason was given");
}
