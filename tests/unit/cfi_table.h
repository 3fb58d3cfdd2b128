/* SPDX-License-Identifier: MIT */
/* Unwind tables made by hand, in memory that is an image: headers, then what a test puts there. */
#ifndef ROCLATCH_TESTS_CFI_TABLE_H
#define ROCLATCH_TESTS_CFI_TABLE_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/cfi.h"
#include "unity.h"

#define BASE 0x7f1234560000
#define CODE (BASE + 0x4000)    /* where functions are */
#define TABLE 0x400             /* where tables begin */
#define TABLE_MAX 0x3000

static uint8_t made[0x8000];
static size_t made_size;
static struct elf_image image;
static struct elf_file file;
static struct cfi cfi;
static struct cfi_row row;
static struct err err;

static int read_made(void *ctx, uint64_t addr, void *buf, size_t size)
{
	(void)ctx;
	if (addr < BASE || addr - BASE > sizeof made || size > sizeof made - (addr - BASE))
		return -1;
	memcpy(buf, made + (addr - BASE), size);
	return 0;
}

static inline void table_start(void)
{
	memset(made, 0, sizeof made);
	memset(&err, 0, sizeof err);
	made_size = TABLE;
}

static inline size_t put(const void *bytes, size_t size)
{
	size_t at = made_size;
	TEST_ASSERT_TRUE(size <= TABLE + TABLE_MAX - at);
	memcpy(made + at, bytes, size);
	made_size += size;
	return at;
}

static inline size_t put32(uint32_t value) { return put(&value, 4); }
static inline size_t put64(uint64_t value) { return put(&value, 8); }
static inline size_t put8(uint8_t value) { return put(&value, 1); }

/* An entry's length is known when it is complete. */
static inline size_t entry_begin(uint32_t id)
{
	size_t at = put32(0);
	put32(id);
	return at;
}

static inline void entry_end(size_t at)
{
	while ((made_size - at) % 4)
		put8(0);
	uint32_t length = (uint32_t)(made_size - at - 4);
	memcpy(made + at, &length, 4);
}

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

/* CFA is r7 + 8, return address r16 at CFA - 8: as every function on x86_64 begins. */
#define USUAL 0x0c, 7, 8, 0x90, 1

/* Augmentation "zR" with this encoding of pointers. */
static inline size_t put_cie(uint8_t encoding, const uint8_t *program, size_t size)
{
	size_t at = entry_begin(0);
	put(BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, encoding));
	put(program, size);
	entry_end(at);
	return at;
}

/* Of CODE + offset, with an absolute pointer (encoding 0). */
static inline size_t put_fde(size_t cie, uint64_t offset, uint64_t length, const uint8_t *program, size_t size)
{
	size_t at = entry_begin((uint32_t)(made_size + 4 - cie));
	put64(CODE + offset);
	put64(length);
	put8(0);
	put(program, size);
	entry_end(at);
	return at;
}

struct parts { size_t header, eh_frame, eh_size, debug_frame, debug_size; uint16_t machine; };

static inline void put_headers(struct parts parts)
{
	Elf64_Ehdr ehdr = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
		.e_machine = parts.machine ? parts.machine : EM_X86_64, .e_phoff = sizeof ehdr, .e_phnum = 2,
		.e_phentsize = sizeof(Elf64_Phdr), .e_shoff = 0x200, .e_shnum = 4, .e_shstrndx = 3,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	Elf64_Phdr phdr[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = sizeof made, .p_memsz = sizeof made },
		{ .p_type = parts.header ? PT_GNU_EH_FRAME : PT_NULL, .p_vaddr = parts.header, .p_filesz = made_size - parts.header },
	};
	Elf64_Shdr section[4] = {
		{ .sh_type = SHT_NULL },
		{ .sh_type = parts.eh_frame ? SHT_PROGBITS : SHT_NOBITS, .sh_name = 14, .sh_addr = parts.eh_frame,
		  .sh_offset = parts.eh_frame, .sh_size = parts.eh_size },
		{ .sh_type = parts.debug_frame ? SHT_PROGBITS : SHT_NOBITS, .sh_name = 1, .sh_offset = parts.debug_frame,
		  .sh_size = parts.debug_size },
		{ .sh_type = SHT_STRTAB, .sh_offset = 0x380, .sh_size = 24 },
	};
	memcpy(made, &ehdr, sizeof ehdr);
	memcpy(made + sizeof ehdr, phdr, sizeof phdr);
	memcpy(made + 0x200, section, sizeof section);
	memcpy(made + 0x380, "\0.debug_frame\0.eh_frame", 24);
}

static inline void table_open(struct parts parts, bool with_file)
{
	struct elf_source source = { .read = read_made };
	put_headers(parts);
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_image_open(&image, source, BASE, &err), err.text);
	if (with_file) {
		int fd = memfd_create("made", MFD_CLOEXEC);
		TEST_ASSERT_EQUAL((ssize_t)sizeof made, pwrite(fd, made, sizeof made, 0));
		TEST_ASSERT_EQUAL_MESSAGE(0, elf_file_open(&file, fd, &err), err.text);
	}
	TEST_ASSERT_EQUAL_MESSAGE(0, cfi_open(&cfi, &image, with_file ? &file : NULL, &err), err.text);
}

static inline void table_close(void)
{
	cfi_close(&cfi);
	if (cfi.file)
		close(cfi.file->fd);
	cfi.file = NULL;
}

/* .eh_frame without a header: one CIE, one FDE of 0x100 bytes with this program. */
static inline void one_function(const uint8_t *program, size_t size)
{
	table_start();
	size_t cie = put_cie(0, BYTES(USUAL));
	put_fde(cie, 0, 0x100, program, size);
	put32(0);
	table_open((struct parts){ .eh_frame = cie, .eh_size = made_size - cie }, true);
}

static inline int ask(uint64_t offset)
{
	memset(&row, 0, sizeof row);
	return cfi_row(&cfi, CODE + offset, &row, &err);
}

static inline void expect_broken(uint64_t offset)
{
	memset(&err, 0, sizeof err);
	TEST_ASSERT_EQUAL(-1, ask(offset));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_NOT_EQUAL(0, err.text[0]);
}

static inline void expect_rule(unsigned reg, enum cfi_kind kind, int64_t offset)
{
	TEST_ASSERT_EQUAL(kind, row.reg[reg].kind);
	TEST_ASSERT_EQUAL_INT64(offset, row.reg[reg].offset);
}

static inline void expect_cfa(unsigned reg, int64_t offset)
{
	TEST_ASSERT_EQUAL(CFI_IS_OFFSET, row.cfa.kind);
	TEST_ASSERT_EQUAL(reg, row.cfa.reg);
	TEST_ASSERT_EQUAL_INT64(offset, row.cfa.offset);
}

#endif
