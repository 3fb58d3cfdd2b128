/* SPDX-License-Identifier: MIT */
/* The GPU of this machine, as the kernel driver lists it. */
#ifndef ROCLATCH_ROCP_KFD_H
#define ROCLATCH_ROCP_KFD_H

#include "elf/err.h"

#define KFD_TOPOLOGY "/sys/class/kfd/kfd/topology"

/* Its name for compilers, "gfx942".  -1 with ERR_NOT_POSSIBLE if there is none, or several that differ. */
int kfd_arch(const char *topology_folder, char arch[16], struct err *err);

#endif
