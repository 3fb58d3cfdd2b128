/* SPDX-License-Identifier: MIT */
/* What is told of a recording that was converted. */
#include <inttypes.h>
#include <string.h>

#include "bin/converting.h"

uint64_t converted_records(const struct converted *converted)
{
	uint64_t sum = 0;
	for (int domain = 0; domain < DOMAINS; domain++)
		sum += converted->events[domain];
	return sum;
}

void plain_text(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < 0x20 || *c == 0x7f)
			*c = '?';
}

void converted_note(struct converted *converted, const char *text)
{
	size_t used = strlen(converted->notes), room = sizeof converted->notes - used;
	if (room < 2)
		return;
	char *at = converted->notes + used + (used != 0);
	snprintf(at, room - (used != 0), "%s", text);
	plain_text(at);
	if (used)
		converted->notes[used] = '\n';
}

const char *missing_text(const struct converted *converted)
{
	static char text[128];
	text[0] = '\0';
	if (converted->missing)
		snprintf(text, sizeof text, "%s records are not there that should be, or could not be read", count_text(converted->missing));
	return text;
}

void json_converted(struct json *json, const struct converted *converted)
{
	json_text(json, "kind", converted->is_rocpd ? "rocpd" : "log");
	json_bool(json, "closed", converted->closed);
	json_unsigned(json, "recorded_pid", converted->pid);
	json_unsigned(json, "session", converted->session);
	json_unsigned(json, "recorded_ns", converted->recorded_ns);
	json_unsigned(json, "records", converted_records(converted));
	json_object(json, "events");
	for (int domain = 0; domain < DOMAINS; domain++)
		if (converted->events[domain])
			json_unsigned(json, domain_key((enum domain)domain), converted->events[domain]);
	json_end(json);
	json_unsigned(json, "lost", converted->lost);
	json_unsigned(json, "missing", converted->missing);
	json_bool(json, "too_small", converted->too_small);
	json_lines(json, "notes", converted->notes);
	json_text(json, "stopped_early", converted->why[0] ? converted->why : NULL);
	json_text(json, "damage", converted->damage[0] ? converted->damage : NULL);
	json_array(json, "files");
	for (size_t i = 0; i < converted->files && i < MADE_MAX; i++) {
		json_object(json, NULL);
		json_text(json, "path", converted->file[i].path);
		json_unsigned(json, "bytes", converted->file[i].bytes);
		json_end(json);
	}
	json_end(json);
}
