/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_BIN_CONVERT_H
#define ROCLATCH_BIN_CONVERT_H

#include "bin/options.h"
#include "bin/output.h"

extern const struct option_group options_convert[];
extern const char convert_text[];

/* The command with its arguments, without its name.  0, or -1 with err. */
int convert_main(int argc, char **argv, struct output *out, struct err *err);

#endif
