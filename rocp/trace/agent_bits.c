/* SPDX-License-Identifier: MIT */
#include "rocp/trace/agent_bits.h"

#include <stddef.h>
#include <string.h>

/* The thunk's HSA_ENGINE_ID, HSA_ENGINE_VERSION and HSA_CAPABILITY; the SDK's own of the last. */
static const struct agent_bits engine[] = { { "uCode", 10, false }, { "Major", 6, false }, { "Minor", 8, false }, { "Stepping", 8, false }, { NULL, 0, false } };
static const struct agent_bits sdma[] = { { "uCodeSDMA", 10, false }, { "uCodeRes", 10, false }, { "Reserved", 12, true }, { NULL, 0, false } };
static const struct agent_bits capability[] = {
	{ "HotPluggable", 1, false }, { "HSAMMUPresent", 1, false }, { "SharedWithGraphics", 1, false },
	{ "QueueSizePowerOfTwo", 1, false }, { "QueueSize32bit", 1, false }, { "QueueIdleEvent", 1, false },
	{ "VALimit", 1, false }, { "WatchPointsSupported", 1, false }, { "WatchPointsTotalBits", 4, false },
	{ "DoorbellType", 2, false }, { "AQLQueueDoubleMap", 1, false }, { "DebugTrapSupported", 1, false },
	{ "WaveLaunchTrapOverrideSupported", 1, false }, { "WaveLaunchModeSupported", 1, false },
	{ "PreciseMemoryOperationsSupported", 1, false }, { "DEPRECATED_SRAM_EDCSupport", 1, false },
	{ "Mem_EDCSupport", 1, false }, { "RASEventNotify", 1, false }, { "ASICRevision", 4, false },
	{ "SRAM_EDCSupport", 1, false }, { "SVMAPISupported", 1, false }, { "CoherentHostAccess", 1, false },
	{ "DebugSupportedFirmware", 1, false }, { "PreciseALUOperationsSupported", 1, true },
	{ "PerQueueResetSupported", 1, true }, { NULL, 0, false },
};
static const struct agent_bits visibility[] = {
	{ "hsa", 1, false }, { "hip", 1, false }, { "rccl", 1, false }, { "rocdecode", 1, false }, { "reserved", 28, true }, { NULL, 0, false },
};

const struct agent_bits *agent_bits(const char *word)
{
	return !strcmp(word, "fw_version") ? engine : !strcmp(word, "sdma_fw_version") ? sdma :
		!strcmp(word, "capability") ? capability : !strcmp(word, "runtime_visibility") ? visibility : NULL;
}

uint64_t agent_bits_take(const struct agent_bits *part, uint64_t *word)
{
	uint64_t value = *word & (((uint64_t)1 << part->width) - 1);
	*word >>= part->width;
	return value;
}

uint64_t agent_bits_put(const struct agent_bits *bits, const char *name, uint64_t value)
{
	unsigned shift = 0;
	for (; bits && bits->name; shift += bits++->width)
		if (!strcmp(bits->name, name))
			return (value & (((uint64_t)1 << bits->width) - 1)) << shift;
	return 0;
}
