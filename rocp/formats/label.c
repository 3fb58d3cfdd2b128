/* SPDX-License-Identifier: MIT */
#include "rocp/formats/label.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const enum domain domain_order[DOMAINS] = {
	DOMAIN_HSA, DOMAIN_HIP, DOMAIN_MARKER, DOMAIN_KERNEL, DOMAIN_COPY, DOMAIN_SCRATCH, DOMAIN_COUNTERS,
	DOMAIN_RCCL, DOMAIN_ALLOCATION, DOMAIN_ROCDECODE, DOMAIN_ROCJPEG, DOMAIN_HIPFILE, DOMAIN_ROCSHMEM,
	DOMAIN_OTHER_API,
};

void agent_label(const struct conversion *conversion, uint64_t id, char out[32])
{
	const struct agent *agent = id ? trace_agent(conversion->trace, id) : NULL;
	out[0] = '\0';
	if (!agent)
		return;
	if (conversion->trace->ranks) {
		snprintf(out, 32, "%.*s", (int)strcspn(agent->name, "("), agent->name);
		return;
	}
	switch (conversion->settings->agent_index) {
	case AGENT_RELATIVE:
		snprintf(out, 32, "Agent %d", agent->logical_node);
		break;
	case AGENT_ABSOLUTE:
		snprintf(out, 32, "Agent %u", agent->node);
		break;
	case AGENT_TYPE_RELATIVE:
		snprintf(out, 32, "%s %d", agent->is_gpu ? "GPU" : "CPU", agent->type_node);
		break;
	}
}

void domain_label(enum domain domain, char out[32])
{
	const char *key = domain_key(domain);
	size_t n = 0;
	for (; key[n] && n < 31; n++)
		out[n] = (char)toupper((unsigned char)key[n]);
	out[n] = '\0';
}
