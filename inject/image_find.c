/* SPDX-License-Identifier: MIT */
/* Which image does the user mean by a name? */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/cursor.h"
#include "inject/images.h"
#include "inject/libc.h"
#include "inject/root.h"

#define NEAREST 5
#define NAME_COMPARED 63

struct image *images_exe(struct images *images)
{
	struct image *image = images_at(images, images->target->auxv.entry);
	/* "ld.so PROGRAM": the kernel started the loader, which mapped the program */
	if (image && images->target->auxv.base == 0) {
		struct image *program = libc_first_linked(images, image);
		if (program)
			return program;
	}
	return image;
}

struct image *images_interpreter(struct images *images)
{
	raddr base = images->target->auxv.base;
	if (base)
		return images_at(images, base);
	struct image *image = images_at(images, images->target->auxv.entry);
	return image && libc_first_linked(images, image) ? image : NULL;
}

/* How many single characters must change to make b of a. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[NAME_COMPARED + 1];
	size_t a_size = strnlen(a, NAME_COMPARED), b_size = strnlen(b, NAME_COMPARED);
	for (size_t j = 0; j <= b_size; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= a_size; i++) {
		unsigned diagonal = row[0];
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_size; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[b_size];
}

static unsigned unlikeness(const char *asked, const struct image *image)
{
	unsigned d = distance(libc_basename(asked), image->name);
	return strstr(image->name, libc_basename(asked)) ? d / 8 : d;
}

static int refuse_unknown(const struct images *images, const char *asked, struct err *err)
{
	char names[400];
	size_t used = 0;
	bool *told = calloc(images->n + 1, sizeof *told);
	for (int k = 0; told && k < NEAREST; k++) {
		size_t best = images->n;
		for (size_t i = 0; i < images->n; i++)
			if (!told[i] && images->v[i].path[0] == '/' &&
			    (best == images->n || unlikeness(asked, &images->v[i]) < unlikeness(asked, &images->v[best])))
				best = i;
		if (best == images->n)
			break;
		told[best] = true;
		int n = snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
				 images->v[best].name);
		if (n < 0 || (size_t)n >= sizeof names - used)
			break;
		used += (size_t)n;
	}
	free(told);
	names[used] = '\0';
	err_set(err, ERR_NOT_POSSIBLE, 0, "process %d has no library %s loaded; nearest: %s",
		(int)images->target->pid, asked, used ? names : "none");
	return err_remedy(err, "give a library that is loaded: grep '\\.so' /proc/%d/maps",
			  (int)images->target->pid);
}

static int refuse_several(struct images *images, const char *asked, struct image *const *found, size_t n,
			  struct err *err)
{
	char list[420];
	size_t used = 0;
	bool same_path = true;
	for (size_t i = 0; i < n; i++) {
		same_path = same_path && strcmp(found[0]->path, found[i]->path) == 0;
		int size = snprintf(list + used, sizeof list - used, "%s%s at 0x%llx", i ? ", " : "",
				    found[i]->path, (unsigned long long)found[i]->start);
		if (size < 0 || (size_t)size >= sizeof list - used) {
			snprintf(list + used, sizeof list - used, "...");
			break;
		}
		used += (size_t)size;
	}
	err_set(err, ERR_NOT_POSSIBLE, 0, "%s is ambiguous in process %d: %s", asked, (int)images->target->pid, list);
	return err_remedy(err, same_path ? "give the start address in place of the name" :
			  "give the whole path, or the start address");
}

/* The path that the user sees may be a link, or be seen from another root. */
static bool is_same_file(const struct images *images, const char *asked, const struct image *image)
{
	struct stat file;
	bool same = false;
	for (int rooted = 0; rooted < 2 && !same; rooted++) {
		int fd = rooted ? root_look(images->target, asked) : open(asked, O_PATH | O_CLOEXEC);
		same = fd >= 0 && fstat(fd, &file) == 0 && image_is_file(image, &file);
		if (fd >= 0)
			close(fd);
	}
	return same;
}

enum way { BY_ADDRESS, BY_WHOLE_PATH, BY_PATH, BY_SONAME, BY_FILE, WAYS };

static bool answers(struct images *images, struct image *image, const char *asked, enum way way)
{
	struct cursor c = {asked + 2, asked + strlen(asked)};
	uint64_t start;
	switch (way) {
	case BY_ADDRESS:
		return strncmp(asked, "0x", 2) == 0 && cursor_number(&c, 16, &start) && !cursor_more(&c) &&
		       start == image->start;
	case BY_WHOLE_PATH:
		return strcmp(asked, image->path) == 0;
	case BY_PATH:
		return elf_name_matches(asked, image->path, NULL);
	case BY_SONAME:
		return image_open(images, image, NULL) == 0 && image->elf.soname[0] &&
		       elf_name_matches(asked, image->path, image->elf.soname);
	default:
		return asked[0] == '/' && image->inode && is_same_file(images, asked, image);
	}
}

static struct image *find_by(struct images *images, const char *asked, enum way way, bool *failed, struct err *err)
{
	struct image *found[16];
	size_t n = 0;
	for (size_t i = 0; i < images->n && n < 16; i++)
		if (answers(images, &images->v[i], asked, way))
			found[n++] = &images->v[i];
	if (n > 1) {
		refuse_several(images, asked, found, n, err);
		*failed = true;
	}
	return n == 1 ? found[0] : NULL;
}

static struct image *find_role(struct images *images, const char *asked, bool *is_role)
{
	*is_role = true;
	if (strcmp(asked, "exe") == 0)
		return images_exe(images);
	if (strcmp(asked, "ld.so") == 0)
		return images_interpreter(images);
	if (strcmp(asked, "libc") == 0)
		return images_libc_image(images);
	if (strcmp(asked, "vdso") == 0)
		return images_at(images, images->target->auxv.vdso);
	*is_role = false;
	return NULL;
}

struct image *images_find(struct images *images, const char *asked, struct err *err)
{
	bool is_role, failed = false;
	struct image *found = find_role(images, asked, &is_role);
	if (is_role && !found)
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d has no %s (a static program?)",
			(int)images->target->pid, asked);
	for (int way = 0; way < WAYS && !is_role && !found && !failed; way++)
		found = find_by(images, asked, (enum way)way, &failed, err);
	if (!found && !is_role && !failed)
		refuse_unknown(images, asked, err);
	if (!found || image_open(images, found, err) < 0)
		return NULL;
	return found;
}
