/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_BIN_ATTACH_H
#define ROCLATCH_BIN_ATTACH_H

#include "bin/output.h"
#include "rocp/request.h"

/* The command with its arguments, without its name.  0, or -1 with err. */
int attach_main(enum request_style style, int argc, char **argv, struct output *out, struct err *err);

#endif
