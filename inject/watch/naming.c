/* SPDX-License-Identifier: MIT */
#include "inject/watch/naming.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/functions.h"
#include "inject/libc.h"
#include "inject/root.h"
#include "inject/watch/debug_file.h"
#include "inject/watch/jit.h"
#include "inject/watch/segments.h"

/* Behind so much of tables no more are read: what a hostile process can make us hold. */
#define TABLES_MAX ((size_t)2 << 30)

/* An image as far as names need it.  It is kept when the image is gone: its names were told. */
struct module {
	struct module *next;
	raddr start;
	uint64_t inode;
	unsigned dev_major, dev_minor;
	char *path;
	char build_id[2 * ELF_BUILD_ID_MAX + 1];
	struct segments segments;
	struct functions functions;
};

struct naming {
	struct images *images;
	struct naming_options options;
	struct module *modules;
	struct module **slot;   /* by the place of the image in images, as it was last asked for */
	size_t slots;
	size_t tables;          /* bytes that all functions take */
	struct jit jit;
};

struct naming *naming_open(struct images *images, const struct naming_options *options, struct err *err)
{
	struct naming *naming = calloc(1, sizeof *naming);
	if (!naming) {
		err_set(err, ERR_FAILED, ENOMEM, "name the functions of process %d", (int)images->target->pid);
		return NULL;
	}
	naming->images = images;
	if (options)
		naming->options = *options;
	jit_init(&naming->jit);
	return naming;
}

static void module_free(struct module *module)
{
	functions_free(&module->functions);
	free(module->path);
	free(module);
}

void naming_close(struct naming *naming)
{
	if (!naming)
		return;
	for (struct module *module = naming->modules, *next; module; module = next) {
		next = module->next;
		module_free(module);
	}
	jit_free(&naming->jit);
	free(naming->slot);
	free(naming);
}

static void add_from(struct module *module, int fd)
{
	struct elf_file file;
	if (fd < 0)
		return;
	if (elf_file_open_debug(&file, fd, NULL) == 0)
		functions_add_file(&module->functions, &file, NULL);
	close(fd);
}

/* As the process sees it: a container brings its own. */
static int open_in_root(const struct target *target, const char *id)
{
	char path[512];
	if (!debug_file_path(DEBUG_FOLDER, id, ".debug", path, sizeof path))
		return -1;
	int fd = root_open(target, path, NULL, 0, NULL);
	if (fd >= 0 && !debug_file_has_id(fd, id)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_debug_file(const struct naming *naming, const char *id)
{
	char path[4352];
	int fd = -1;
	for (const char *const *dir = naming->options.debug_dirs; dir && *dir && fd < 0; dir++)
		fd = debug_file_open(*dir, id, path, sizeof path);
	if (fd < 0)
		fd = open_in_root(naming->images->target, id);
	return fd < 0 ? debug_file_open(DEBUG_FOLDER, id, path, sizeof path) : fd;
}

/* What cannot be read names nothing; the others still do. */
static void load(struct naming *naming, struct module *module, struct image *image)
{
	struct functions *functions = &module->functions;
	if (naming->tables > TABLES_MAX)
		return;
	functions_add_dynamic(functions, &image->elf, NULL);
	if (!naming->options.no_files) {
		add_from(module, image_file(naming->images, image, NULL));
		if (!functions->whole && module->build_id[0])
			add_from(module, open_debug_file(naming, module->build_id));
	}
	naming->tables += functions->room * sizeof *functions->v + functions->names_room;
}

static bool is_same(const struct module *module, const struct image *image)
{
	return module->start == image->start && module->inode == image->inode &&
	       module->dev_major == image->dev_major && module->dev_minor == image->dev_minor &&
	       !strcmp(module->path, image->path);
}

static struct module *add_module(struct naming *naming, struct image *image)
{
	struct module *module = calloc(1, sizeof *module);
	if (!module)
		return NULL;
	*module = (struct module){ .start = image->start, .inode = image->inode, .dev_major = image->dev_major,
				   .dev_minor = image->dev_minor, .path = strdup(image->path) };
	if (!module->path) {
		free(module);
		return NULL;
	}
	elf_build_id_text(&image->elf, module->build_id, sizeof module->build_id);
	segments_read(&module->segments, &image->elf, naming->images->target->page, 0);
	load(naming, module, image);
	module->next = naming->modules;
	naming->modules = module;
	return module;
}

static bool make_slots(struct naming *naming)
{
	size_t n = naming->images->n;
	if (n <= naming->slots)
		return true;
	struct module **slot = realloc(naming->slot, n * sizeof *slot);
	if (!slot)
		return false;
	memset(slot + naming->slots, 0, (n - naming->slots) * sizeof *slot);
	naming->slot = slot;
	naming->slots = n;
	return true;
}

static struct module *module_of(struct naming *naming, struct image *image)
{
	if (!make_slots(naming))
		return NULL;
	struct module **slot = &naming->slot[image - naming->images->v];
	if (*slot && is_same(*slot, image))
		return *slot;
	struct module *module = naming->modules;
	while (module && !is_same(module, image))
		module = module->next;
	*slot = module ? module : add_module(naming, image);
	return *slot;
}

static void name_in_module(struct module *module, struct image *image, raddr addr, struct frame_name *name)
{
	name->vaddr = addr - image->elf.bias;
	name->function = functions_at(&module->functions, name->vaddr, &name->offset);
	name->module = libc_basename(module->path);
	name->path = module->path;
	name->build_id = module->build_id;
}

void naming_at(struct naming *naming, raddr pc, bool exact, struct frame_name *name)
{
	raddr addr = exact || !pc ? pc : pc - 1, start;
	struct image *image = images_at(naming->images, addr);
	struct module *module = image ? module_of(naming, image) : NULL;
	if (module && !segments_hold(&module->segments, addr - image->elf.bias))
		image = NULL;
	*name = (struct frame_name){ .module = "", .path = "", .build_id = "", .vaddr = addr };
	if (image && module) {
		name_in_module(module, image, addr, name);
	} else if (!image) {
		name->function = jit_at(&naming->jit, naming->images->target, addr, &start);
		name->offset = addr - start;
		if (name->function) {
			name->module = "[jit]";
			name->path = naming->jit.path;
		}
	}
	name->offset = name->function ? name->offset + (pc - addr) : name->vaddr;
}
