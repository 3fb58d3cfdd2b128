/* SPDX-License-Identifier: MIT */
/* summary: what --stats and --summary count, as numbers. */
#include "rocp/formats/json_parts.h"
#include "rocp/formats/label.h"
#include "rocp/formats/totals.h"

static void numbers(struct json_text *json, const struct stat_row *stat)
{
	double calls = (double)stat->calls, deviation = stat_deviation(stat);
	double mean = stat->calls ? (double)stat->total / calls : 0;
	member_unsigned(json, "count", stat->calls);
	member_unsigned(json, "sum", stat->total);
	member_real(json, "sqr", stat->m2 + stat->mean * stat->mean * calls);
	member_unsigned(json, "min", stat->least);
	member_unsigned(json, "max", stat->most);
	member_real(json, "mean", mean);
	member_real(json, "stddev", deviation);
	member_real(json, "variance", deviation * deviation);
}

static void one_domain(struct json_text *json, const struct stats *stats, enum domain domain)
{
	char label[32];
	struct stat_row total = stat_total(stats, domain);
	domain_label(domain, label);
	member_object(json, NULL);
	member_text(json, "domain", label);
	member_object(json, "stats");
	numbers(json, &total);
	member_array(json, "operations");
	for (size_t i = 0; i < stats->rows[domain]; i++) {
		member_object(json, NULL);
		member_text(json, "key", stats->row[domain][i].name);
		member_object(json, "value");
		numbers(json, &stats->row[domain][i]);
		member_end(json);
		member_end(json);
	}
	member_end(json);
	member_end(json);
	member_end(json);
}

void json_summary(struct json_text *json, const struct conversion *conversion)
{
	const struct settings *settings = conversion->settings;
	bool wanted = settings->stats || settings->summary || settings->summary_per_domain || settings->summary_groups;
	member_array(json, "summary");
	for (size_t i = 0; wanted && i < DOMAINS; i++)
		if (stat_shown(conversion->stats, domain_order[i]))
			one_domain(json, conversion->stats, domain_order[i]);
	member_end(json);
}
