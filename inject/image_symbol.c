/* SPDX-License-Identifier: MIT */
/* Symbols in the images of a target. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inject/images.h"
#include "inject/libc.h"

/* .symtab of the file; its addresses are moved to where the image lies. */
static int find_in_file(struct images *images, struct image *image, const char *symbol, struct elf_symbol *out,
			struct err *err)
{
	struct elf_file file;
	int fd = image_file(images, image, err);
	if (fd < 0)
		return -1;
	int found = elf_file_open(&file, fd, err);
	if (found == 0)
		found = elf_file_symbol_find(&file, symbol, out, err);
	close(fd);
	if (found == 1)
		out->addr += image->elf.bias;
	return found;
}

static int refuse_data(const struct image *image, const char *symbol, struct err *err)
{
	return err_set(err, ERR_NOT_POSSIBLE, 0, "%s in %s is data, not a function", symbol, image->path);
}

int images_symbol(struct images *images, struct image *image, const char *symbol, struct elf_symbol *out,
		  struct err *err)
{
	struct err why = {0};
	if (image_open(images, image, err) < 0)
		return -1;
	int found = elf_symbol_find(&image->elf, symbol, out, err);
	if (found == 0) {
		found = find_in_file(images, image, symbol, out, &why);
		if (found < 0 && why.code == ERR_FAILED && err)
			*err = why;
	}
	if (found == 1)
		return out->type == STT_OBJECT || out->type == STT_TLS ? refuse_data(image, symbol, err) : 0;
	if (found < 0 && why.code != ERR_NOT_POSSIBLE)
		return err_wrap(err, "find %s in %s", symbol, image->path);
	err_set(err, ERR_NOT_POSSIBLE, 0, "%s defines no symbol %s%s%s", image->path, symbol,
		found < 0 ? " among its dynamic ones; others cannot be seen: " : "", found < 0 ? why.text : "");
	return err_remedy(err, "look what it defines: nm -D %s", image->path);
}

static bool symbol_name_at(struct images *images, struct image *image, raddr addr, char *name, size_t size,
			   uint64_t *offset)
{
	struct elf_file file;
	if (elf_symbol_at(&image->elf, addr, name, size, offset, NULL) == 1)
		return true;
	int fd = image_file(images, image, NULL);
	if (fd < 0)
		return false;
	bool found = elf_file_open(&file, fd, NULL) == 0 &&
		     elf_file_symbol_at(&file, addr - image->elf.bias, name, size, offset, NULL) == 1;
	close(fd);
	return found;
}

void images_describe(struct images *images, raddr addr, char *buf, size_t size)
{
	char name[ELF_NAME_MAX];
	uint64_t offset;
	const struct mapping *m = maps_at(&images->maps, addr);
	struct image *image = images_at(images, addr);
	unsigned long long at = addr;
	if (!m)
		snprintf(buf, size, "0x%llx (not mapped)", at);
	else if (image && symbol_name_at(images, image, addr, name, sizeof name, &offset))
		snprintf(buf, size, "%s!%s+0x%llx", image->name, name, (unsigned long long)offset);
	else if (image)
		snprintf(buf, size, "%s+0x%llx", image->name, at - (unsigned long long)image->elf.bias);
	else
		snprintf(buf, size, "0x%llx (%s, %c%c%c)", at, m->path[0] ? m->path : "anonymous",
			 m->r ? 'r' : '-', m->w ? 'w' : '-', m->x ? 'x' : '-');
}
