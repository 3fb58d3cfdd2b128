/* SPDX-License-Identifier: MIT */
/* Versions of dynamic symbols: DT_VERSYM and DT_VERDEF. */
#ifndef ROCLATCH_ELF_VERSION_H
#define ROCLATCH_ELF_VERSION_H

#include "elf/view.h"

#define ELF_VERSION_HIDDEN 0x8000
#define ELF_VERSION_INDEX 0x7fff

/* The entry in DT_VERSYM of symbol `index`; VER_NDX_GLOBAL without versions.
 * 0, or -1 with err. */
int elf_version_entry(struct elf_image *image, struct elf_view *view, uint64_t index,
		      uint16_t *entry, struct err *err);

/* Where the name of the version is in the string table.  1, 0 if it has none
 * (the base version, or one that another image defines), -1 with err. */
int elf_version_name(struct elf_image *image, struct elf_view *view, uint16_t entry,
		     uint64_t *offset, struct err *err);

#endif
