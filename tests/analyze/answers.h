/* SPDX-License-Identifier: MIT */
/* Included before each file that is analyzed: analyzers see one file at a time, and cannot know that these always answer -1. */
#include "elf/err.h"

#define err_set(...) (err_set(__VA_ARGS__), -1)
#define err_wrap(...) (err_wrap(__VA_ARGS__), -1)
#define err_remedy(...) (err_remedy(__VA_ARGS__), -1)
