/* SPDX-License-Identifier: MIT */
/* The parts of the writer of Perfetto's traces: one trace while it is written. */
#ifndef ROCLATCH_ROCP_FORMATS_PFTRACE_PARTS_H
#define ROCLATCH_ROCP_FORMATS_PFTRACE_PARTS_H

#include "rocp/formats/counter_sums.h"
#include "rocp/formats/file.h"
#include "rocp/formats/formats.h"
#include "rocp/formats/idmap.h"
#include "rocp/formats/pftrace_fields.h"
#include "rocp/formats/pftrace_pb.h"

#define ANNOTATIONS(A) \
	A(begin_ns) A(end_ns) A(delta_ns) A(tid) A(kind) A(operation) A(corr_id) A(ancestor_id) A(agent) A(agent_type) A(queue) \
	A(kernel_id) A(Scratch_Size) A(LDS_Block_Size) A(VGPR_Count) A(Accum_VGPR_Count) A(SGPR_Count) A(workgroup_size) \
	A(grid_size) A(stream_ID) A(src_agent) A(dst_agent) A(copy_bytes)
#define ANNOTATION_ID(name) NOTE_##name,
enum annotation { NOTE_NONE, ANNOTATIONS(ANNOTATION_ID) NOTES };
_Static_assert(NOTES < 128, "pb_pair");

/* Slices of one track are nested or apart; what is neither goes to a further lane, a track of its own. */
#define LANES_MOST 32
#define NESTED_MOST 64
struct lane {
	uint64_t uuid;
	uint64_t newest;                /* begin of the last slice */
	uint64_t end[NESTED_MOST];      /* of the slices that are open, the innermost last */
	size_t open;
};
struct track {
	uint64_t uuid;
	bool nests;                     /* calls do; work of a device does not */
	char name[128];
	struct lane *lane;
	size_t lanes;
};

/* Events on their way to the file, the earliest first, as far as a window of them shows. */
#define WINDOW (1u << 16)
struct window {
	struct event *event;
	struct waiting { uint64_t start, end; uint32_t at; } *heap;
	uint32_t *free_slot;
	size_t used, frees;
};

/* A change of a counter track's level, until all that is earlier has been told. */
struct later { uint64_t time, order, track, more, less; };

struct pftrace {
	const struct conversion *conversion;
	struct trace *trace;
	struct file file;
	struct pb pb;
	struct textmap names;
	struct idmap queue_numbers, thread_numbers;     /* as tracks call them */
	struct idmap queues_of;         /* agent -> how many queues so far */
	uint64_t threads;
	struct idmap track_of;          /* uuid -> index */
	struct track **track;
	size_t tracks, track_room;
	struct idmap level;             /* counter track -> its bytes now */
	struct idmap counters_there;    /* counter tracks that were told */
	struct idmap size_at, agent_at; /* living allocations by address */
	struct idmap scratch;           /* queue -> bytes */
	struct counter_sums sums;       /* of one dispatch */
	struct later *later;            /* a heap, the earliest first */
	size_t laters, later_room;
	uint64_t changes;
	struct window window;
	uint64_t process;               /* uuid of the process's track */
	uint64_t seen, all;
};

/* pftrace.c: packets.  A packet is begun, filled and ended. */
size_t pf_packet(struct pftrace *pf, uint64_t time);    /* time 0: none */
void pf_packet_end(struct pftrace *pf, size_t packet);
int pf_no_memory(struct err *err);

/* pftrace_start.c */
int pf_start(struct pftrace *pf, struct err *err);

/* pftrace_tracks.c */
uint64_t pf_uuid(const struct pftrace *pf, unsigned kind, uint64_t a, uint64_t b);
struct agent_words { char label[16], name[40]; const char *type; int64_t index; };
struct agent_words pf_agent(const struct pftrace *pf, uint64_t handle);
struct track *pf_track(struct pftrace *pf, const struct event *event, struct err *err);        /* where its slice goes */
/* The lane for these times, which are changed if there is none free. */
struct lane *pf_lane(struct pftrace *pf, struct track *track, uint64_t *start, uint64_t *end, struct err *err);

/* pftrace_counters.c */
int pf_count(struct pftrace *pf, const struct event *event, struct err *err);
int pf_count_values(struct pftrace *pf, const struct event *event, struct err *err);
int pf_count_rest(struct pftrace *pf, struct err *err);
void pf_counters_free(struct pftrace *pf);

/* pftrace_window.c */
int window_open(struct window *window, struct err *err);
void window_add(struct window *window, const struct event *event);     /* there must be room: window_full */
bool window_full(const struct window *window);
bool window_take(struct window *window, struct event *event);  /* the earliest; false: none is left */
void window_close(struct window *window);

#endif
