/* SPDX-License-Identifier: MIT */
/* The tables: of all events, drawn or not. */
#include <math.h>
#include <stdlib.h>

#include "rocp/formats/html_parts.h"

#define ROWS_MOST 5000u
#define NAME_MOST 8192u

static void put_double(struct file *out, double value)
{
	if (isfinite(value))
		file_format(out, "%.17g", value);
	else
		file_text(out, "null");
}

static const char *title(enum domain domain)
{
	static const char *const titles[DOMAINS] = {
		[DOMAIN_HIP] = "HIP", [DOMAIN_HSA] = "HSA", [DOMAIN_MARKER] = "Markers", [DOMAIN_RCCL] = "RCCL",
		[DOMAIN_ROCDECODE] = "rocDecode", [DOMAIN_ROCJPEG] = "rocJPEG", [DOMAIN_ROCSHMEM] = "rocSHMEM",
		[DOMAIN_HIPFILE] = "hipFile", [DOMAIN_OTHER_API] = "Other API", [DOMAIN_KERNEL] = "Kernels",
		[DOMAIN_COPY] = "Copies", [DOMAIN_ALLOCATION] = "Allocations", [DOMAIN_SCRATCH] = "Scratch",
	};
	return titles[domain];
}

static void rows(const struct stats *stats, enum domain domain, struct file *out)
{
	for (size_t i = 0; i < stats->rows[domain] && i < ROWS_MOST; i++) {
		const struct stat_row *row = &stats->row[domain][i];
		file_text(out, i ? ",\n[" : "[");
		html_string(out, row->name, NAME_MOST);
		file_format(out, ",%llu,%llu,%llu,%llu,", (unsigned long long)row->calls, (unsigned long long)row->total,
			    (unsigned long long)row->least, (unsigned long long)row->most);
		put_double(out, row->mean);
		file_text(out, ",");
		put_double(out, stat_deviation(row));
		file_text(out, "]");
	}
}

static void domains(const struct stats *stats, struct file *out)
{
	static const enum domain order[] = {
		DOMAIN_KERNEL, DOMAIN_HIP, DOMAIN_HSA, DOMAIN_MARKER, DOMAIN_COPY, DOMAIN_ALLOCATION, DOMAIN_SCRATCH, DOMAIN_RCCL,
		DOMAIN_ROCDECODE, DOMAIN_ROCJPEG, DOMAIN_ROCSHMEM, DOMAIN_HIPFILE, DOMAIN_OTHER_API,
	};
	const char *before = "";
	file_text(out, ",\n\"tables\":[");
	for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
		enum domain domain = order[i];
		if (!stats->rows[domain])
			continue;
		file_format(out, "%s[\"%s\",\"%s\",%d,%llu,%llu,%zu,[", before, domain_key(domain), title(domain), (int)domain,
			    (unsigned long long)stats->calls[domain], (unsigned long long)stats->total[domain], stats->rows[domain]);
		rows(stats, domain, out);
		file_text(out, "]]");
		before = ",\n";
	}
	file_text(out, "]");
}

static void counters(const struct page *page, struct file *out)
{
	const struct trace *trace = page->conversion->trace;
	const struct counter_key *key = (const struct counter_key *)(const void *)page->counters.keys.item;
	file_text(out, ",\n\"counters\":[");
	for (size_t i = 0; i < page->counters.keys.n && i < ROWS_MOST; i++) {
		const struct counter_row *row = &page->counters.row[i];
		const struct counter_info *counter = trace_counter(trace, key[i].counter);
		char agent[32] = "";
		if (counter)
			agent_label(page->conversion, counter->agent, agent);
		file_text(out, i ? ",\n[" : "[");
		html_string(out, key[i].kernel->formatted, NAME_MOST);
		file_text(out, ",");
		html_string(out, counter ? counter->name : "unknown", NAME_MOST);
		file_text(out, ",");
		html_string(out, agent, sizeof agent);
		file_format(out, ",%llu", (unsigned long long)row->dispatches);
		for (int k = 0; k < 3; k++) {
			file_text(out, ",");
			put_double(out, k == 0 ? row->sum : k == 1 ? row->least : row->most);
		}
		file_text(out, "]");
	}
	file_text(out, "]");
	file_format(out, ",\n\"counterRows\":%zu", page->counters.keys.n);
}

void page_tables(const struct page *page, struct file *out)
{
	domains(page->conversion->stats, out);
	counters(page, out);
}
