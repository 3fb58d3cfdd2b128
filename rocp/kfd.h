/* SPDX-License-Identifier: MIT */
/* The GPUs of this machine, as the kernel driver lists them. */
#ifndef ROCLATCH_ROCP_KFD_H
#define ROCLATCH_ROCP_KFD_H

#include <stddef.h>

#include "elf/err.h"

#define KFD_TOPOLOGY "/sys/class/kfd/kfd/topology"

/* How many there are, and the names of their kinds: "gfx942, gfx90a". */
unsigned kfd_gpus(const char *topology_folder, char *names, size_t size);

/* The name for compilers, "gfx942".  -1 with ERR_NOT_POSSIBLE if there is none, or several that differ. */
int kfd_arch(const char *topology_folder, char arch[16], struct err *err);

#endif
