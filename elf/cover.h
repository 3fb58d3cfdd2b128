/* SPDX-License-Identifier: MIT */
/* Which of many symbols covers an address. */
#ifndef ROCLATCH_ELF_COVER_H
#define ROCLATCH_ELF_COVER_H

#include "elf/image.h"

/* Global before weak before local: of aliases the global one is what people know. */
enum elf_rank { ELF_RANK_LOCAL, ELF_RANK_WEAK, ELF_RANK_GLOBAL };
enum elf_rank elf_bind_rank(const Elf64_Sym *sym);

struct elf_cover {
	bool found;
	Elf64_Sym sym;
};

/* Take sym if it is a function that covers vaddr and a better answer than the
 * one so far: the nearest start, then the higher rank. */
bool elf_cover_offer(struct elf_cover *best, const Elf64_Sym *sym, uint64_t vaddr);

#endif
