/* SPDX-License-Identifier: MIT */
#include "elf_builder_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct built the_one;

/* Where a byte of data[] is in the image. */
uint64_t built_place(const struct built *b, size_t at)
{
	return at < BUILT_HEAD ? at : at + b->plan.gap;
}

uint64_t built_vaddr(const struct built *b, size_t at)
{
	return b->plan.vaddr + built_place(b, at);
}

size_t built_put(struct built *b, const void *bytes, size_t size)
{
	size_t at = b->size;

	if (size > BUILT_MAX - at)
		abort();
	if (bytes)
		memcpy(b->data + at, bytes, size);
	b->size += size;
	return at;
}

void built_align(struct built *b, size_t to)
{
	b->size = (b->size + to - 1) / to * to;
}

size_t built_put_text(struct built *b, size_t table, const char *text)
{
	return built_put(b, text, strlen(text) + 1) - table;
}

Elf64_Sym built_make_symbol(const struct built *b, const struct built_symbol *symbol, size_t name)
{
	uint8_t type = symbol->type ? symbol->type : STT_FUNC;
	uint8_t bind = symbol->local ? STB_LOCAL : symbol->bind ? symbol->bind : STB_GLOBAL;
	bool raw = symbol->absolute || type == STT_TLS || symbol->value == 0;

	return (Elf64_Sym){
		.st_name = (uint32_t)name,
		.st_info = ELF64_ST_INFO(bind, type),
		.st_shndx = symbol->value == 0 ? SHN_UNDEF : symbol->absolute ? SHN_ABS : 1,
		.st_value = raw ? symbol->value : b->plan.vaddr + symbol->value,
		.st_size = symbol->size,
	};
}

static void put_symtab_section(struct built *b)
{
	Elf64_Sym none = { 0 };

	built_align(b, 8);
	size_t symbols = built_put(b, &none, sizeof none);
	built_put(b, NULL, b->plan.locals * sizeof none);
	size_t strings = built_put(b, "", 1);
	for (size_t i = 0; i < b->plan.locals; i++) {
		const char *name = b->plan.local[i].name;
		const uint8_t *tail = memmem(b->data + strings, b->size - strings, name, strlen(name) + 1);
		size_t at = tail ? (size_t)(tail - b->data) - strings : built_put_text(b, strings, name);
		Elf64_Sym sym = built_make_symbol(b, &b->plan.local[i], at);
		memcpy(b->data + symbols + (1 + i) * sizeof sym, &sym, sizeof sym);
	}
	Elf64_Shdr section[3] = {
		{ .sh_type = SHT_NULL },
		{ .sh_type = SHT_SYMTAB, .sh_link = 2, .sh_entsize = sizeof none,
		  .sh_offset = built_place(b, symbols), .sh_size = strings - symbols },
		{ .sh_type = SHT_STRTAB, .sh_offset = built_place(b, strings), .sh_size = b->size - strings },
	};
	built_align(b, 8);
	b->sections = built_put(b, section, sizeof section);
}

static size_t put_notes(struct built *b)
{
	built_align(b, 8);
	size_t start = b->size;
	if (b->plan.property) {
		uint32_t type = b->plan.machine == EM_AARCH64 ? 0xc0000000 : 0xc0000002;
		uint32_t words[] = { 4, 16, NT_GNU_PROPERTY_TYPE_0, 0x554e47, type, 4,
				     b->plan.property, 0 };
		built_put(b, words, sizeof words);
	}
	if (b->plan.build_id) {
		uint32_t size = (uint32_t)strlen(b->plan.build_id);
		uint32_t words[] = { 4, size, NT_GNU_BUILD_ID, 0x554e47 };
		built_put(b, words, sizeof words);
		built_put(b, b->plan.build_id, size);
		built_align(b, 8);
	}
	return b->size - start;
}

static void add_header(struct built *b, Elf64_Phdr *phdr, uint32_t type, size_t at, size_t size)
{
	phdr[b->phdrs++] = (Elf64_Phdr){
		.p_type = type, .p_flags = PF_R, .p_offset = built_place(b, at), .p_vaddr = built_vaddr(b, at),
		.p_filesz = size, .p_memsz = size, .p_align = 8,
	};
}

static void finish_headers(struct built *b, size_t notes, size_t dynamic_size)
{
	Elf64_Phdr phdr[8];
	Elf64_Ehdr ehdr = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = b->plan.type, .e_machine = b->plan.machine, .e_version = EV_CURRENT,
		.e_ehsize = sizeof ehdr, .e_phentsize = sizeof phdr[0], .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = b->sections ? 3 : 0, .e_shoff = b->sections ? built_place(b, b->sections) : 0,
	};

	built_align(b, 8);
	b->ehdr_phdrs = b->plan.far_headers ? built_put(b, NULL, sizeof phdr) : sizeof ehdr;
	add_header(b, phdr, PT_LOAD, 0, built_place(b, b->size));
	if (b->plan.interp)
		add_header(b, phdr, PT_INTERP, BUILT_HEAD, 1);
	if (!b->plan.no_dynamic)
		add_header(b, phdr, PT_DYNAMIC, b->dynamic, dynamic_size);
	if (notes)
		add_header(b, phdr, PT_NOTE, BUILT_HEAD, notes);
	if (b->plan.stack != STACK_UNSAID) {
		add_header(b, phdr, PT_GNU_STACK, 0, 0);
		phdr[b->phdrs - 1].p_flags = PF_R | PF_W | (b->plan.stack == STACK_EXEC ? PF_X : 0);
	}
	ehdr.e_phnum = (uint16_t)b->phdrs;
	ehdr.e_phoff = built_place(b, b->ehdr_phdrs);
	memcpy(b->data, &ehdr, sizeof ehdr);
	memcpy(b->data + b->ehdr_phdrs, phdr, b->phdrs * sizeof phdr[0]);
}

struct built *build(struct built_plan plan)
{
	struct built *b = &the_one;

	memset(b, 0, sizeof *b);
	b->plan = plan;
	if (!plan.machine)
		b->plan.machine = EM_X86_64;
	if (!plan.type)
		b->plan.type = ET_DYN;
	b->size = BUILT_HEAD;
	size_t notes = put_notes(b);
	built_put_tables(b);
	size_t dynamic_size = b->size - b->dynamic;
	if (plan.locals)
		put_symtab_section(b);
	finish_headers(b, notes, dynamic_size);
	/* A process has whole pages. */
	b->readable = (built_place(b, b->size) + 4095) & ~4095ULL;
	return b;
}

static int read_built(void *ctx, uint64_t addr, void *buf, size_t size)
{
	struct built *b = ctx;
	uint64_t at = addr - b->plan.base;

	b->reads++;
	if (addr < b->plan.base || at > b->readable || size > b->readable - at)
		return -1;
	/* A read that crosses the gap, or is in it, has zeros. */
	memset(buf, 0, size);
	for (size_t i = 0; i < size; i++, at++) {
		if (at >= BUILT_HEAD + b->plan.gap) {
			memcpy((uint8_t *)buf + i, b->data + (at - b->plan.gap), size - i);
			break;
		}
		if (at < BUILT_HEAD)
			((uint8_t *)buf)[i] = b->data[at];
	}
	return 0;
}

struct elf_source built_source(struct built *b)
{
	return (struct elf_source){ .read = read_built, .ctx = b };
}

int built_open(struct built *b, struct elf_image *image, struct err *err)
{
	return elf_image_open(image, built_source(b), b->plan.base, err);
}

int built_file(const struct built *b)
{
	int fd = memfd_create("built", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)built_place(b, b->size)) ||
	    pwrite(fd, b->data, BUILT_HEAD, 0) != BUILT_HEAD ||
	    pwrite(fd, b->data + BUILT_HEAD, b->size - BUILT_HEAD, (off_t)(BUILT_HEAD + b->plan.gap)) !=
		    (ssize_t)(b->size - BUILT_HEAD))
		abort();
	return fd;
}
