/* SPDX-License-Identifier: MIT */
/* The stand-in for a GPU, for hip.c. */
#ifndef ROCLATCH_TESTS_DEVICE_H
#define ROCLATCH_TESTS_DEVICE_H

#include <stdbool.h>

#include "runtime.h"

void device_launch(void (*run)(void **), void **arguments, struct dim3 grid, struct dim3 block, void *stream);
void device_copy(void *to, const void *from, size_t size, void *stream);
void *device_stream(void);              /* a new one, or NULL */
void device_stream_end(void *stream);
void device_wait(void *stream);         /* NULL: for all */

#endif
