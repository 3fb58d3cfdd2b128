/* SPDX-License-Identifier: MIT */
/*
 * Records that every log of the process is to have: kinds, agents, code objects,
 * kernels, counters, notes.  They are kept for the life of the process, so that
 * what the SDK tells once is in the log of each later attach, too.
 */
#ifndef ROCLATCH_ROCP_TOOL_REMEMBERED_H
#define ROCLATCH_ROCP_TOOL_REMEMBERED_H

#include <stddef.h>
#include <stdint.h>

#include "rocp/log.h"

/* A record of `head` (frame.type and frame.part set, size bytes of it) and texts behind it, each cut where it
 * would not fit; NULL counts as "".  Kept, and written if a log is open. */
void remember(const void *head, size_t size, const char *const *text, size_t texts);
void remember_name(int32_t kind, int32_t operation, const char *text);
void remember_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Writes all to the log that was just opened; from now on what comes is written, too, until remembered_close. */
void remembered_open(void);
void remembered_close(void);
void remembered_forked(void);

/* A record of the log alone, not kept. */
void log_text(uint16_t type, uint16_t part, const char *text);

#endif
