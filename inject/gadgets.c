/* SPDX-License-Identifier: MIT */
#include "inject/gadgets.h"

#include <string.h>

#define CHUNK 65536u
#define OVERLAP 16u     /* a gadget may lie across two chunks */

static bool complete(const struct gadgets *gadgets)
{
	return gadgets->syscall && gadgets->restore;
}

static void scan(struct memory *memory, struct gadgets *gadgets, raddr from, raddr to)
{
	uint8_t buf[CHUNK + OVERLAP];
	for (raddr at = from; at < to && !complete(gadgets); at += CHUNK) {
		size_t size = to - at < sizeof buf ? (size_t)(to - at) : sizeof buf;
		if (memory_read(memory, at, buf, size, NULL) < 0)
			return;
		arch_gadgets_scan(gadgets, buf, size, at);
	}
}

static void scan_image(struct images *images, struct gadgets *gadgets, const char *name)
{
	struct image *image = images_find(images, name, NULL);
	if (!image || image_open(images, image, NULL) < 0)
		return;

	/* __restore_rt is not exported, but stands beside sigaction in glibc; getpid is a system call and a return. */
	static const char neighbours[][24] = { "__libc_current_sigrtmin", "getpid" };
	struct elf_symbol near;
	for (size_t i = 0; i < 2 && !complete(gadgets); i++) {
		if (elf_symbol_find(&image->elf, neighbours[i], &near, NULL) != 1)
			continue;
		const struct mapping *m = maps_at(&images->maps, near.addr);
		raddr from = m && m->x && near.addr - m->start > 4096 ? near.addr - 4096 : near.addr;
		if (m && m->x)
			scan(&images->target->memory, gadgets, from, from + 8192 < m->end ? from + 8192 : m->end);
	}
	for (size_t i = 0; i < images->maps.n && !complete(gadgets); i++) {
		const struct mapping *m = &images->maps.v[i];
		if (m->x && m->r && m->start >= image->elf.low && m->end <= image->elf.high + images->target->page)
			scan(&images->target->memory, gadgets, m->start, m->end);
	}
}

static int verify(struct memory *memory, const struct gadgets *gadgets, struct err *err)
{
	uint8_t code[16];
	if (memory_read(memory, gadgets->syscall, code, sizeof code, err) < 0)
		return -1;
	if (!arch_gadget_is_syscall(code))
		return err_set(err, ERR_FAILED, 0, "what stands at 0x%lx is not a system call",
			       (unsigned long)gadgets->syscall);
	if (memory_read(memory, gadgets->restore, code, sizeof code, err) < 0)
		return -1;
	if (!arch_gadget_is_restore(code))
		return err_set(err, ERR_FAILED, 0, "what stands at 0x%lx is not rt_sigreturn",
			       (unsigned long)gadgets->restore);
	return 0;
}

int gadgets_find(struct images *images, struct gadgets *gadgets, struct err *err)
{
	static const char *const places[] = { "vdso", "libc", "exe", "ld.so" };
	memset(gadgets, 0, sizeof *gadgets);
	for (size_t i = 0; i < sizeof places / sizeof places[0] && !complete(gadgets); i++)
		scan_image(images, gadgets, places[i]);
	for (size_t i = 0; i < images->maps.n && !complete(gadgets); i++) {
		const struct mapping *m = &images->maps.v[i];
		if (m->x && m->r && m->inode)
			scan(&images->target->memory, gadgets, m->start, m->end);
	}
	if (!complete(gadgets))
		return err_set(err, ERR_NOT_POSSIBLE, 0,
			       "there is no %s in the target's code, through which a borrowed thread could %s",
			       gadgets->syscall ? "rt_sigreturn" : "system call instruction",
			       gadgets->syscall ? "return by itself" : "work for us");
	return verify(&images->target->memory, gadgets, err);
}
