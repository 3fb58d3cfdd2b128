/* SPDX-License-Identifier: MIT */
/* What the page tells beside its events, as one JSON value. */
#include <string.h>

#include "rocp/formats/html_parts.h"

#define TEXT_MOST 4096u
#define NAME_MOST 8192u
#define NAMES_MOST (32u << 20)  /* bytes of all names; behind that they are cut short */
#define NAME_SHORT 64u

static void key(struct file *out, const char *name)
{
	file_format(out, ",\n\"%s\":", name);
}

static void text(struct file *out, const char *name, const char *value)
{
	key(out, name);
	html_string(out, value, TEXT_MOST);
}

static void number(struct file *out, const char *name, uint64_t value)
{
	key(out, name);
	file_unsigned(out, value);
}

static void run(const struct page *page, struct file *out)
{
	const struct trace *trace = page->conversion->trace;
	text(out, "path", trace->path);
	text(out, "source", trace->is_rocpd ? "rocpd" : "log");
	number(out, "pid", trace->pid);
	number(out, "ppid", trace->ppid);
	number(out, "ranks", trace->ranks);
	number(out, "session", trace->session);
	number(out, "sdk", trace->sdk);
	text(out, "hostname", trace->hostname);
	text(out, "system", trace->system);
	text(out, "release", trace->release);
	text(out, "hardware", trace->hardware);
	text(out, "folder", trace->folder);
	text(out, "output", trace->output);
	text(out, "toolVersion", trace->tool_version);
	file_format(out, ",\n\"id\":\"%016llx%016llx\"", (unsigned long long)trace->id[0], (unsigned long long)trace->id[1]);
	/* In ms, so that a number of the script holds it. */
	number(out, "realtime", trace->start_realtime / 1000000);
	number(out, "length", trace->end > trace->start ? trace->end - trace->start : 0);
	key(out, "command");
	for (size_t i = 0; i < trace->arguments; i++) {
		file_text(out, i ? "," : "[");
		html_string(out, trace->argument[i], TEXT_MOST);
	}
	file_text(out, trace->arguments ? "]" : "[]");
	key(out, "settings");
	file_text(out, "[");
	for (size_t i = 0; i < trace->settings.n; i++) {
		file_text(out, i ? ",[" : "[");
		html_string(out, trace->settings.v[i].name, TEXT_MOST);
		file_text(out, ",");
		html_string(out, trace->settings.v[i].value, TEXT_MOST);
		file_text(out, "]");
	}
	file_text(out, "]");
}

static void ending(const struct page *page, struct file *out)
{
	const struct trace *trace = page->conversion->trace;
	number(out, "lost", trace->lost);
	number(out, "missing", trace->missing);
	text(out, "why", trace->why);
	text(out, "damage", trace->damage);
	key(out, "closed");
	file_text(out, trace->closed ? "true" : "false");
	key(out, "saysHowItEnded");
	file_text(out, trace->says_how_it_ended ? "true" : "false");
	key(out, "notes");
	file_text(out, "[");
	for (size_t i = 0; i < trace->notes; i++) {
		file_text(out, i ? "," : "");
		html_string(out, trace->note[i], TEXT_MOST);
	}
	file_text(out, "]");
	number(out, "all", page->all);
	number(out, "odd", page->odd);
	number(out, "drawn", page->kept_n);
	number(out, "crowded", page->crowded);
	number(out, "sizeless", page->sizeless);
	number(out, "extent", page->extent);
	/* How long before the recording's start the page's time begins. */
	number(out, "before", trace->start > page->origin ? trace->start - page->origin : 0);
	number(out, "freedUnknown", page->memory.unknown);
	number(out, "liveLeftOut", page->memory.left_out);
	number(out, "seriesLeftOut", page->series.left_out);
}

static void agents(const struct page *page, struct file *out)
{
	const struct trace *trace = page->conversion->trace;
	key(out, "agents");
	file_text(out, "[");
	for (size_t i = 0; i < trace->agents; i++) {
		const struct agent *agent = &trace->agent[i];
		char label[32];
		agent_label(page->conversion, agent->id, label);
		file_text(out, i ? ",\n[" : "[");
		html_string(out, label, sizeof label);
		file_text(out, ",");
		html_string(out, agent->name, TEXT_MOST);
		file_text(out, ",");
		html_string(out, agent->product, TEXT_MOST);
		file_format(out, ",%s,%llu,%llu]", agent->is_gpu ? "true" : "false", (unsigned long long)agent->cu_count,
			    (unsigned long long)agent->cpu_cores_count);
	}
	file_text(out, "]");
}

static void texts(const struct page *page, struct file *out)
{
	const char *const *name = (const char *const *)(const void *)page->names.item;
	uint64_t before = out->written;
	key(out, "names");
	file_text(out, "[");
	for (size_t i = 0; i < page->names.n; i++) {
		file_text(out, i ? ",\n" : "");
		html_string(out, name[i], out->written - before < NAMES_MOST ? NAME_MOST : NAME_SHORT);
	}
	file_text(out, "]");
}

static void kernels(const struct page *page, struct file *out)
{
	const struct kernel_symbol *const *kernel = (const struct kernel_symbol *const *)(const void *)page->kernels.item;
	key(out, "kernels");
	file_text(out, "[");
	for (size_t i = 0; i < page->kernels.n; i++) {
		file_text(out, i ? ",\n[" : "[");
		html_string(out, kernel[i]->name, NAME_MOST);
		file_format(out, ",%llu,%u,%u,%u,%u,%u]", (unsigned long long)kernel[i]->id, kernel[i]->arch_vgprs, kernel[i]->accum_vgprs,
			    kernel[i]->sgprs, kernel[i]->group_segment, kernel[i]->private_segment);
	}
	file_text(out, "]");
}

static long agent_index(const struct page *page, uint64_t id)
{
	const struct agent *agent = id ? trace_agent(page->conversion->trace, id) : NULL;
	return agent ? (long)(agent - page->conversion->trace->agent) : -1;
}

static void shapes(const struct page *page, struct file *out)
{
	const struct shape *shape = (const struct shape *)(const void *)page->shapes.item;
	key(out, "shapes");
	file_text(out, "[");
	for (size_t i = 0; i < page->shapes.n; i++, shape++) {
		file_format(out, "%s[%u,%u,%u,%llu,%llu,%ld,%ld,\"%llx\"", i ? ",\n" : "", shape->domain, shape->kind, shape->operation,
			    (unsigned long long)shape->thread, (unsigned long long)shape->stream, agent_index(page, shape->agent),
			    agent_index(page, shape->agent2), (unsigned long long)shape->queue);
		if (shape->kernel)
			file_format(out, ",%u,%u,%u,%u,%u,%u,%u,%u,%u", shape->kernel - 1, shape->workgroup.x, shape->workgroup.y,
				    shape->workgroup.z, shape->grid.x, shape->grid.y, shape->grid.z, shape->group_segment,
				    shape->private_segment);
		else if (shape->domain == DOMAIN_SCRATCH)
			file_format(out, ",%d", shape->flags);
		file_text(out, "]");
	}
	file_text(out, "]");
}

static void lanes(const struct page *page, struct file *out)
{
	static const char *const kinds[] = { "kernels", "copies", "scratch", "allocations", "markers", "calls" };
	key(out, "lanes");
	file_text(out, "[");
	for (size_t i = 0; i < page->lane_keys.n; i++) {
		const struct lane *lane = page->shown[i];
		char group[256], label[256];
		page_lane_label(page, lane, group, label);
		file_format(out, "%s[\"%s\",", i ? ",\n" : "", kinds[lane->key.kind]);
		html_string(out, group, sizeof group);
		file_text(out, ",");
		html_string(out, label, sizeof label);
		file_text(out, ",");
		file_unsigned(out, lane->all);
		for (uint32_t row = 0; row < lane->rows; row++) {
			file_text(out, ",");
			file_unsigned(out, lane->row[row]);
		}
		file_text(out, "]");
	}
	file_text(out, "]");
}

static void series(const struct page *page, struct file *out)
{
	const struct series_key *keys = (const struct series_key *)(const void *)page->series.keys.item;
	const struct point *point = page->series.point;
	key(out, "series");
	file_text(out, "[");
	for (size_t i = 0, n; i < page->series.n; i += n) {
		const struct series_key *of = &keys[point[i].series];
		const struct counter_info *counter = of->is_counter ? trace_counter(page->conversion->trace, of->counter) : NULL;
		for (n = 1; i + n < page->series.n && point[i + n].series == point[i].series;)
			n++;
		file_format(out, "%s[\"%s\",%ld,", i ? ",\n" : "", of->is_counter ? "counter" : "memory", agent_index(page, of->agent));
		html_string(out, counter ? counter->name : of->is_counter ? "counter" : "", TEXT_MOST);
		file_format(out, ",%zu]", n);
	}
	file_text(out, "]");
}

void page_facts(const struct page *page, struct file *out)
{
	file_text(out, "<script type=\"application/json\" id=\"facts\">\n{\"version\":1");
	run(page, out);
	ending(page, out);
	agents(page, out);
	texts(page, out);
	kernels(page, out);
	shapes(page, out);
	lanes(page, out);
	series(page, out);
	page_tables(page, out);
	file_text(out, "}\n</script>\n");
}
