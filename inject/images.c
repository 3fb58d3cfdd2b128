/* SPDX-License-Identifier: MIT */
/* Which mappings are images, and where each one lies. */
#include "inject/images.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inject/libc.h"

#define PHDRS_MAX 64
/* How many other images may lie in the gap of one (the vdso and data files do). */
#define GAP_IMAGES 8
/* A part of a file that is mapped further away than so many images is not part of its image. */
#define FAR_IMAGES 256

static bool same_file(const struct mapping *a, const struct mapping *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}

static bool is_anonymous(const struct mapping *m)
{
	return m->inode == 0 && m->path[0] == '\0';
}

/* Would the image whose header is at `header` have its code where code of that
 * file (or code copied to anonymous huge pages) is?  No for a file that is
 * mapped as data, and for a second mapping of the file's first page. */
static bool is_loaded(struct images *images, raddr header, const struct mapping *file)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr[PHDRS_MAX];
	struct memory *memory = &images->target->memory;
	if (memory_read(memory, header, &ehdr, sizeof ehdr, NULL) < 0 ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) != 0 || ehdr.e_phentsize != sizeof *phdr ||
	    ehdr.e_phnum == 0 || ehdr.e_phnum > PHDRS_MAX || ehdr.e_phoff > 1 << 20 ||
	    memory_read(memory, header + ehdr.e_phoff, phdr, ehdr.e_phnum * sizeof *phdr, NULL) < 0)
		return false;

	const Elf64_Phdr *first = NULL;
	uint64_t mask = ~(uint64_t)(images->target->page - 1);
	for (int i = 0; i < ehdr.e_phnum; i++) {
		const Elf64_Phdr *p = &phdr[i];
		if (p->p_type != PT_LOAD)
			continue;
		if (!first)
			first = p;
		if (!(p->p_flags & PF_X))
			continue;
		raddr code = header + ((p->p_vaddr & mask) - (first->p_vaddr - first->p_offset));
		const struct mapping *m = maps_at(&images->maps, code & mask);
		return m && m->x && (is_anonymous(m) ||
			(same_file(m, file) && m->offset + ((code & mask) - m->start) == (p->p_offset & mask)));
	}
	return false;
}

/* Text that was copied to anonymous huge pages, right beside what is left of its file. */
static bool has_anonymous_code_beside(const struct maps *maps, const struct mapping *m)
{
	const struct mapping *before = m > maps->v ? m - 1 : NULL;
	const struct mapping *behind = m + 1 < maps->v + maps->n ? m + 1 : NULL;
	return (before && before->x && is_anonymous(before) && before->end == m->start) ||
	       (behind && behind->x && is_anonymous(behind) && behind->start == m->end);
}

/* A file that begins in the middle, behind anonymous memory that was put over
 * its header and code.  Where that header is, or 0. */
static raddr anonymous_header(struct images *images, const struct mapping *file)
{
	const struct mapping *m = file;
	for (int i = 0; i < 4 && m > images->maps.v; i++) {
		m--;
		if (!is_anonymous(m) || m->end != m[1].start)
			return 0;
		if (m->r && is_loaded(images, m->start, file))
			return m->start;
	}
	return 0;
}

/* The next mapping of the same file, if no other file comes between; or NULL. */
static const struct mapping *next_in_run(const struct maps *maps, const struct mapping *m)
{
	const struct mapping *next = m + 1, *end = maps->v + maps->n;
	while (next < end && next->inode == 0)
		next++;
	return next < end && same_file(next, m) ? next : NULL;
}

/* All mappings of one file, as runs in order of address: which of them begin an
 * image?  start[i] becomes where the header of the image is that mapping i begins. */
static void collect_file(struct images *images, const struct mapping **run, size_t runs, raddr *start)
{
	const struct maps *maps = &images->maps;
	size_t first_pages = 0;
	bool code = false, found = false;
	for (size_t i = 0; i < runs; i++) {
		for (const struct mapping *m = run[i]; m; m = next_in_run(maps, m)) {
			first_pages += m->offset == 0;
			code = code || m->x || has_anonymous_code_beside(maps, m);
		}
	}
	for (size_t i = 0; code && i < runs; i++) {
		for (const struct mapping *m = run[i]; m; m = next_in_run(maps, m)) {
			raddr *here = &start[m - maps->v];
			if (m->offset == 0 && (first_pages == 1 || is_loaded(images, m->start, m)))
				*here = m->start;
			else if (m->offset != 0 && !found)
				*here = anonymous_header(images, m);
			found = found || *here;
		}
	}
}

static int compare_files(const void *a, const void *b)
{
	const struct mapping *x = *(const struct mapping *const *)a, *y = *(const struct mapping *const *)b;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->dev_major != y->dev_major)
		return x->dev_major < y->dev_major ? -1 : 1;
	if (x->dev_minor != y->dev_minor)
		return x->dev_minor < y->dev_minor ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* A file's mappings mostly follow one another, so that runs are few to sort. */
static void collect_files(struct images *images, const struct mapping **run, raddr *start)
{
	const struct mapping *last = NULL;
	size_t n = 0;
	for (size_t i = 0; i < images->maps.n; i++) {
		const struct mapping *m = &images->maps.v[i];
		if (m->inode == 0) {
			start[i] = strcmp(m->path, "[vdso]") == 0 ? m->start : 0;
			continue;
		}
		if (!last || !same_file(last, m))
			run[n++] = m;
		last = m;
	}
	if (n)
		qsort(run, n, sizeof *run, compare_files);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && same_file(run[i], run[next]);)
			next++;
		collect_file(images, run + i, next - i, start);
	}
}

static int collect(struct images *images)
{
	size_t n = images->maps.n, found = 0;
	const struct mapping **run;
	raddr *start = calloc(n + 1, sizeof *start + sizeof *run);
	if (start) {
		run = (const struct mapping **)(void *)(start + n);
		collect_files(images, run, start);
	}
	for (size_t i = 0; start && i < n; i++)
		found += start[i] != 0;
	images->v = start ? calloc(found + 1, sizeof *images->v) : NULL;
	for (size_t i = 0; images->v && i < n; i++) {
		const struct mapping *m = &images->maps.v[i];
		if (start[i])
			images->v[images->n++] = (struct image){
				.path = m->path, .name = libc_basename(m->path), .start = start[i], .inode = m->inode, .deleted = m->deleted,
				.dev_major = m->dev_major, .dev_minor = m->dev_minor,
			};
	}
	free(start);
	return images->v ? 0 : -1;
}

int images_open(struct images *images, struct target *target, struct err *err)
{
	*images = (struct images){.target = target};
	if (target_maps(target, &images->maps, err) < 0)
		return -1;
	if (collect(images) < 0) {
		images_close(images);
		return err_set(err, ERR_FAILED, ENOMEM, "list the images of process %d", (int)target->pid);
	}
	if (target->libc == LIBC_NONE)
		target->libc = libc_kind_by_names(images);
	return 0;
}

void images_close(struct images *images)
{
	free(images->v);
	maps_free(&images->maps);
	images->v = NULL;
	images->n = 0;
}

int image_open(struct images *images, struct image *image, struct err *err)
{
	if (image->opened)
		return 0;
	if (elf_image_open(&image->elf, memory_source(&images->target->memory), image->start, err) < 0) {
		/* most likely the loader is at work on it, as in a program that has only just begun */
		if (err && err->code == ERR_FAILED) {
			err->code = ERR_NOT_POSSIBLE;
			err_remedy(err, "if it is only being loaded, run roclatch again");
		}
		return err_wrap(err, "%s at 0x%llx", image->path, (unsigned long long)image->start);
	}
	image->opened = true;
	return 0;
}

/* Does it cover the address by its own program headers? */
static bool covers(struct images *images, struct image *image, raddr addr)
{
	return image_open(images, image, NULL) == 0 && addr >= image->elf.low && addr < image->elf.high;
}

/* How many start at the address or below. */
static size_t count_up_to(const struct images *images, raddr addr)
{
	size_t low = 0, high = images->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (images->v[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct image *images_at(struct images *images, raddr addr)
{
	const struct mapping *m = maps_at(&images->maps, addr);
	if (!m)
		return NULL;
	size_t below = count_up_to(images, addr);
	int others = 0;
	for (size_t i = below; i-- > 0 && below - i <= FAR_IMAGES && others < GAP_IMAGES;) {
		struct image *image = &images->v[i];
		/* Anonymous memory is .bss or text on huge pages, by extent only. */
		if (m->inode && (m->inode != image->inode || m->dev_major != image->dev_major ||
				 m->dev_minor != image->dev_minor))
			continue;
		if (covers(images, image, addr))
			return image;
		others++;
	}
	return NULL;
}
