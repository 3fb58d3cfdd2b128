/* SPDX-License-Identifier: MIT */
/* Words of an agent that are made of parts with names: those that the SDK's serialisation gives them. */
#ifndef ROCLATCH_ROCP_TRACE_AGENT_BITS_H
#define ROCLATCH_ROCP_TRACE_AGENT_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* From the lowest bit on, all 32; the last has no name. */
struct agent_bits {
	const char *name;
	unsigned width;
	bool rarely;            /* the SDK does not write it: to be written only where it is not 0 */
};

/* The parts of "fw_version", "sdma_fw_version", "capability", "runtime_visibility"; NULL: it has none. */
const struct agent_bits *agent_bits(const char *word);
/* The lowest part's value; the word has the next one there then. */
uint64_t agent_bits_take(const struct agent_bits *part, uint64_t *word);
/* The word in which the part has this value, and all others 0; 0 if there is no such part. */
uint64_t agent_bits_put(const struct agent_bits *bits, const char *name, uint64_t value);

#endif
