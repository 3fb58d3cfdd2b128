/* SPDX-License-Identifier: MIT */
/* How a trace begins: the clock, the names that never change, the process. */
#include <string.h>

#include "rocp/formats/pftrace_parts.h"

static void put_interned(struct pb *pb, unsigned table, uint64_t id, const char *text)
{
	size_t entry = pb_open(pb, table);
	pb_number(pb, INTERNED_ID, id);
	pb_text(pb, INTERNED_TEXT, text);
	pb_close(pb, entry);
}

static void put_constant_names(struct pb *pb)
{
#define ANNOTATION_TEXT_OF(name) [NOTE_##name] = #name,
	static const char *const annotation[NOTES] = { ANNOTATIONS(ANNOTATION_TEXT_OF) };
	size_t interned = pb_open(pb, PACKET_INTERNED);
	for (unsigned i = 0; i < DOMAINS; i++)
		put_interned(pb, INTERNED_CATEGORY, i + 1, domain_key((enum domain)i));
	for (unsigned i = 1; i < NOTES; i++)
		put_interned(pb, INTERNED_ANNOTATION, i, annotation[i]);
	pb_close(pb, interned);
}

static void put_clock(struct pb *pb, unsigned id, uint64_t time)
{
	size_t clock = pb_open(pb, CLOCKS_CLOCK);
	pb_number(pb, CLOCK_ID, id);
	pb_number(pb, CLOCK_TIME, time);
	pb_close(pb, clock);
}

/* Times are the kernel's boot time, which is Perfetto's own; one snapshot says when that was. */
static void put_clocks(struct pftrace *pf)
{
	struct pb *pb = &pf->pb;
	size_t packet = pb_open(pb, TRACE_PACKET);
	pb_number(pb, PACKET_SEQUENCE, 1);
	pb_number(pb, PACKET_FLAGS, FLAG_STATE_CLEARED | FLAG_NEEDS_STATE);
	pb_number(pb, PACKET_FIRST, 1);
	put_constant_names(pb);
	size_t defaults = pb_open(pb, PACKET_DEFAULTS);
	pb_number(pb, PACKET_CLOCK, CLOCK_IS_BOOTTIME);
	pb_close(pb, defaults);
	size_t clocks = pb_open(pb, PACKET_CLOCKS);
	put_clock(pb, CLOCK_IS_BOOTTIME, pf->trace->start);
	if (pf->trace->start_realtime)
		put_clock(pb, CLOCK_IS_REALTIME, pf->trace->start_realtime);
	pb_number(pb, CLOCKS_PRIMARY, CLOCK_IS_BOOTTIME);
	pb_close(pb, clocks);
	pf_packet_end(pf, packet);
}

static void put_process(struct pftrace *pf)
{
	const struct trace *trace = pf->trace;
	struct pb *pb = &pf->pb;
	size_t packet = pf_packet(pf, 0), track = pb_open(pb, PACKET_TRACK);
	pb_number(pb, TRACK_UUID, pf->process);
	size_t process = pb_open(pb, TRACK_PROCESS);
	pb_number(pb, PROCESS_PID, trace->pid);
	for (size_t i = 0; i < trace->arguments; i++)
		pb_text(pb, PROCESS_ARGUMENT, trace->argument[i]);
	const char *program = trace->arguments ? trace->argument[0] : "process";
	const char *slash = strrchr(program, '/');
	pb_text(pb, PROCESS_NAME, slash && slash[1] ? slash + 1 : program);
	pb_close(pb, process);
	pb_close(pb, track);
	pf_packet_end(pf, packet);
}

int pf_start(struct pftrace *pf, struct err *err)
{
	const struct trace *trace = pf->trace;
	if (idmap_set(&pf->thread_numbers, trace->pid, 0) < 0)
		return pf_no_memory(err);
	pf->process = pf_uuid(pf, 0, trace->pid, 0);
	put_clocks(pf);
	put_process(pf);
	return 0;
}
