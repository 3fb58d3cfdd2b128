/* SPDX-License-Identifier: MIT */
/* libroclatch-tool.so itself: for a program that is alone in its image. */
#include "elf/packed.h"
	packed own_tool_packed, libroclatch-tool.so.xz
