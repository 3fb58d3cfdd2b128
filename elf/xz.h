/* SPDX-License-Identifier: MIT */
/* Unpacking .xz (LZMA2, checked by CRC32, CRC64 or none), as .gnu_debugdata is packed. */
#ifndef ROCLATCH_ELF_XZ_H
#define ROCLATCH_ELF_XZ_H

#include <stddef.h>

#include "elf/err.h"

/* Unpack `size` bytes; *out is malloced, of *out_size bytes, at most `limit`.  0, or -1 with err. */
int xz_unpack(const void *data, size_t size, size_t limit, void **out, size_t *out_size, struct err *err);

#endif
