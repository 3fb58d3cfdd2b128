/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_BIN_REMEDY_H
#define ROCLATCH_BIN_REMEDY_H

#include "elf/err.h"

/* What can be done about causes that everybody can meet, where whoever met one had nothing better to say.
 * command may be NULL: it was not understood. */
void remedy_by_cause(const char *command, struct err *err);

#endif
