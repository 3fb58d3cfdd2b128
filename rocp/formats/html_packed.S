/* SPDX-License-Identifier: MIT */
/* What rocp/formats/build.mk makes of rocp/formats/page. */
#include "elf/packed.h"
	packed pages_packed, pages.xz
