/* SPDX-License-Identifier: MIT */
/* The sections of rocprofv3's JSON output. */
#ifndef ROCLATCH_ROCP_FORMATS_JSON_PARTS_H
#define ROCLATCH_ROCP_FORMATS_JSON_PARTS_H

#include "rocp/formats/formats.h"
#include "rocp/formats/idmap.h"
#include "rocp/formats/json_text.h"

struct json_output {
	struct json_text json;
	const struct conversion *conversion;
	/* --kernel-rename: each text that kernels are called by has a number, which stands as the external
	 * correlation id of their records and in strings.correlation_id.external. */
	struct textmap renames;
	uint64_t seen, all;     /* events, for the progress */
};

void json_config(struct json_text *json, const struct conversion *conversion);
void json_agents(struct json_text *json, const struct trace *trace);
void json_counters(struct json_text *json, const struct trace *trace);
int json_code(struct json_text *json, const struct trace *trace, struct err *err);
void json_summary(struct json_text *json, const struct conversion *conversion);
int json_strings(struct json_output *output, struct err *err);
/* callback_records and buffer_records: all events */
int json_records(struct json_output *output, struct err *err);
/* Events of these domains, with progress. */
int json_each(struct json_output *output, unsigned domains, event_visit *visit, struct err *err);

#endif
