/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "elf/cover.h"
#include "elf/table.h"

enum elf_rank elf_bind_rank(const Elf64_Sym *sym)
{
	switch (ELF64_ST_BIND(sym->st_info)) {
	case STB_LOCAL: return ELF_RANK_LOCAL;
	case STB_WEAK: return ELF_RANK_WEAK;
	default: return ELF_RANK_GLOBAL;
	}
}

bool elf_cover_offer(struct elf_cover *best, const Elf64_Sym *sym, uint64_t vaddr)
{
	uint8_t type = ELF64_ST_TYPE(sym->st_info);
	uint64_t size = sym->st_size ? sym->st_size : 1;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym->st_shndx == SHN_UNDEF ||
	    vaddr < sym->st_value || vaddr - sym->st_value >= size)
		return false;
	if (best->found && sym->st_value < best->sym.st_value)
		return false;
	if (best->found && sym->st_value == best->sym.st_value &&
	    elf_bind_rank(sym) <= elf_bind_rank(&best->sym))
		return false;
	best->found = true;
	best->sym = *sym;
	return true;
}

int elf_symbol_at(struct elf_image *image, uint64_t addr, char *name, size_t name_size,
		  uint64_t *offset, struct err *err)
{
	struct elf_view view;
	struct elf_cover best = { .found = false };
	uint64_t count;
	bool guessed;

	if (name_size)
		name[0] = '\0';
	*offset = 0;
	if (!image->symtab || !image->strtab || addr < image->low || addr >= image->high)
		return 0;
	elf_view_init(&view, image->source, &image->bytes_read);
	if (elf_table_count(image, &view, &count, &guessed, err))
		return -1;
	for (uint64_t i = 1; i < count; i++) {
		Elf64_Sym sym;
		if (elf_table_read(&view, image->symtab, i, &sym, sizeof sym, "symbol", err)) {
			if (guessed)
				break;
			return -1;
		}
		if (sym.st_name < image->strtab_size)
			elf_cover_offer(&best, &sym, addr - image->bias);
		else if (guessed)
			break;
	}
	if (!best.found)
		return 0;
	*offset = addr - image->bias - best.sym.st_value;
	if (elf_view_text(&view, image->strtab + best.sym.st_name,
			  image->strtab_size - best.sym.st_name, name, name_size))
		return err_set(err, ERR_FAILED, 0, "the string table cannot be read");
	return 1;
}
