/* SPDX-License-Identifier: MIT */
/* Checksums as .xz uses them. */
#ifndef ROCLATCH_ELF_CRC_H
#define ROCLATCH_ELF_CRC_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32(const void *data, size_t size);  /* that of Ethernet and zip */
uint64_t crc64(const void *data, size_t size);  /* that of ECMA-182 */

#endif
