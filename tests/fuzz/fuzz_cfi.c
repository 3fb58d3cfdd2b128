/* SPDX-License-Identifier: MIT */
/*
 * The input is four bytes of choice and then unwind tables, which are put behind the headers of an
 * image: as .eh_frame_hdr, as .eh_frame alone, or as .debug_frame of its file.  Rows are asked for several
 * addresses, and what they hold is evaluated in a world that knows some registers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/cfi.h"

#define BASE 0x7f0000000000
#define TABLES 0x400
#define NAMES 0x300
#define INPUT_MAX 65536

struct memory { uint8_t data[TABLES + INPUT_MAX]; size_t size; };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_memory(void *ctx, uint64_t addr, void *buf, size_t size)
{
	const struct memory *memory = ctx;

	if (addr < BASE || addr - BASE > memory->size || size > memory->size - (addr - BASE))
		return -1;
	memcpy(buf, memory->data + (addr - BASE), size);
	return 0;
}

static int ask_register(void *ctx, unsigned number, uint64_t *value)
{
	(void)ctx;
	*value = BASE + number * 8;
	return number == 13 ? -1 : 0;
}

static int ask_memory(void *ctx, uint64_t addr, void *buf, size_t size)
{
	return read_memory(ctx, addr, buf, size);
}

/* What a caller may rely on. */
static void check(int rc, const struct err *err)
{
	if (rc < 0 && (err->code == ERR_NONE || !err->text[0]))
		abort();
}

static void evaluate(struct cfi *cfi, const struct cfi_rule *rule, struct memory *memory)
{
	struct cfi_world world = { ask_register, ask_memory, memory };
	struct err err = { .code = ERR_NONE };
	uint64_t value;

	if (rule->kind > CFI_IS_EXPRESSION || (rule->kind == CFI_IN_REGISTER && rule->reg >= CFI_REGS))
		abort();
	if (rule->kind == CFI_AT_EXPRESSION || rule->kind == CFI_IS_EXPRESSION)
		check(cfi_expression(cfi, rule, true, BASE + 64, &world, &value, &err), &err);
}

static void ask(struct cfi *cfi, uint64_t pc, struct memory *memory)
{
	struct cfi_row row;
	struct err err = { .code = ERR_NONE };
	int found = cfi_row(cfi, pc, &row, &err);

	check(found, &err);
	if (found != 1)
		return;
	if (pc < row.start || pc >= row.end || row.return_register >= CFI_REGS || row.cfa.reg >= CFI_REGS ||
	    (row.cfa.kind != CFI_IS_OFFSET && row.cfa.kind != CFI_IS_EXPRESSION))
		abort();
	evaluate(cfi, &row.cfa, memory);
	for (size_t i = 0; i < CFI_REGS; i++)
		evaluate(cfi, &row.reg[i], memory);
}

static void make_headers(struct memory *memory, const uint8_t *choice, size_t size)
{
	Elf64_Ehdr ehdr = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
		.e_machine = choice[0] & 1 ? EM_AARCH64 : EM_X86_64, .e_phoff = sizeof ehdr, .e_phnum = 2,
		.e_phentsize = sizeof(Elf64_Phdr), .e_shoff = 0x200, .e_shnum = 3, .e_shstrndx = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	Elf64_Phdr phdr[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = TABLES + size, .p_memsz = TABLES + size + 4096 },
		{ .p_type = choice[0] & 2 ? PT_NULL : PT_GNU_EH_FRAME, .p_vaddr = TABLES, .p_offset = TABLES, .p_filesz = size },
	};
	Elf64_Shdr section[3] = {
		{ .sh_type = SHT_NULL },
		{ .sh_type = SHT_PROGBITS, .sh_name = choice[0] & 4 ? 1 : 14, .sh_addr = TABLES, .sh_offset = TABLES, .sh_size = size },
		{ .sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = 24 },
	};

	memset(memory->data, 0, TABLES);
	memcpy(memory->data, &ehdr, sizeof ehdr);
	memcpy(memory->data + sizeof ehdr, phdr, sizeof phdr);
	memcpy(memory->data + 0x200, section, sizeof section);
	memcpy(memory->data + NAMES, "\0.debug_frame\0.eh_frame", 24);
}

static int as_file(const struct memory *memory)
{
	static int fd = -1;
	if (fd < 0)
		fd = memfd_create("cfi", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, memory->data, memory->size, 0) != (ssize_t)memory->size)
		abort();
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct memory memory;
	struct elf_source source = { .read = read_memory, .ctx = &memory };
	struct elf_image image;
	struct elf_file file;
	struct cfi cfi;
	struct err err = { .code = ERR_NONE };
	bool with_file;

	if (size < 4 || size - 4 > INPUT_MAX)
		return 0;
	make_headers(&memory, data, size - 4);
	memcpy(memory.data + TABLES, data + 4, size - 4);
	memory.size = TABLES + size - 4;
	with_file = data[0] & 6;
	if (elf_image_open(&image, source, BASE, &err) || (with_file && elf_file_open(&file, as_file(&memory), &err)))
		abort();
	if (cfi_open(&cfi, &image, with_file ? &file : NULL, &err)) {
		check(-1, &err);
		return 0;
	}
	for (uint64_t at = 0; at < 4; at++)
		ask(&cfi, BASE + 0x1000 * at + data[1 + at % 3], &memory);
	ask(&cfi, BASE + TABLES, &memory);
	cfi_close(&cfi);
	return 0;
}
