/* SPDX-License-Identifier: MIT */
/*
 * The log that the tool library writes in the target and roclatch reads outside.
 *
 *   head, block, block, ...          append-only; every block is whole or the last
 *   block = struct log_block + payload; payload = records, none across two blocks
 *   record = struct log_frame + what its type says, a multiple of 8 bytes
 *
 * Most records are the SDK's own, as they came, with the frame in place of their
 * first word (the SDK's `size`): nothing is formatted in the target.  Words are
 * little-endian (both CPUs are).  Times are CLOCK_BOOTTIME in ns, as the SDK's.
 * A text is UTF-8 as found, ends with a NUL and is padded with NULs to 8 bytes.
 * Of several texts each begins right behind the NUL of the one before; the padding is at the end.
 */
#ifndef ROCLATCH_ROCP_LOG_H
#define ROCLATCH_ROCP_LOG_H

#include <stddef.h>
#include <stdint.h>

#define LOG_MAGIC "rlatchLG"
#define LOG_VERSION 1u
#define LOG_ENDING ".rlog"
#define LOG_BLOCK_MAGIC 0x4b4c4252u     /* "RBLK" */
#define LOG_BLOCK_MOST (1u << 20)       /* of payload; more is damage */
#define LOG_RECORD_MOST (1u << 17)

struct log_head {
	char magic[8];
	uint32_t version;
	uint32_t size;          /* of the head; the first block follows */
	uint64_t id[2];         /* random, different for every log */
	uint64_t start;         /* when recording began */
	uint64_t start_realtime;        /* the same instant as CLOCK_REALTIME */
	uint32_t pid, ppid;     /* as the process sees them */
	uint32_t sdk;           /* 10000 * major + 100 * minor + patch */
	uint32_t session;       /* 0 at the first attach, 1 at the second, ... */
	uint64_t check;         /* log_check of the head with 0 here */
};
_Static_assert(sizeof(struct log_head) == 72 && offsetof(struct log_head, check) == 64, "log_head");

struct log_block {
	uint32_t magic;
	uint32_t size;          /* of the payload */
	uint64_t number;        /* 0, 1, 2, ... */
	uint64_t time;          /* when it was handed to the kernel */
	uint64_t check;         /* log_check of the payload */
};
_Static_assert(sizeof(struct log_block) == 32, "log_block");

enum log_type {
	/* names and circumstances */
	LOG_FACT = 1,           /* part = enum log_fact: text */
	LOG_NAME,               /* struct log_name: a kind or an operation of it */
	LOG_TEXT,               /* struct log_text: numbered, for markers */
	LOG_AGENT,              /* struct log_agent */
	LOG_CODE_OBJECT,        /* struct log_code_object */
	LOG_KERNEL,             /* struct log_kernel: a kernel symbol */
	LOG_COUNTER,            /* struct log_counter: what a counter is */
	LOG_THREAD,             /* struct log_thread; the last of a tid counts */
	LOG_STREAM,             /* struct log_stream */
	LOG_NOTE,               /* text: a sentence for the user */
	/* records */
	LOG_API = 32,           /* the SDK's api record, 64 bytes; kind and operation in it */
	LOG_DISPATCH,           /* kernel dispatch up to grid_size, 128 bytes, and 8 with pipe_id if the SDK has it */
	LOG_COPY,               /* 96 bytes */
	LOG_ALLOCATION,         /* 88 bytes */
	LOG_SCRATCH,            /* 88 bytes, or 96 with allocation_size */
	LOG_COUNTERS,           /* struct log_counters: the counters of one dispatch */
	LOG_MARKER,             /* struct log_marker: the text of a marker's api record */
	/* the end */
	LOG_LOST = 64,          /* struct log_lost */
	LOG_END,                /* struct log_end: the last record of a log that was closed */
};

enum log_fact {
	FACT_HOSTNAME = 1, FACT_MACHINE_ID, FACT_SYSTEM, FACT_RELEASE, FACT_VERSION, FACT_HARDWARE, FACT_DOMAIN,
	FACT_ARGUMENT,          /* one for each of argv, in order */
	FACT_FOLDER,            /* current folder */
	FACT_OUTPUT,            /* the log's path as the process sees it */
	FACT_SETTING,           /* NAME=VALUE, each ROCP* variable that is known */
	FACT_TOOL_VERSION,
};

struct log_frame {
	uint32_t size;          /* of the record with this frame, a multiple of 8 */
	uint16_t type;          /* enum log_type */
	uint16_t part;          /* as the type says, else 0 */
};
_Static_assert(sizeof(struct log_frame) == 8, "log_frame");

struct log_name { struct log_frame frame; int32_t kind, operation /* -1: the kind itself */; char text[]; };
struct log_text { struct log_frame frame; uint64_t number /* from 1 */; char text[]; };

/* The SDK's agent up to runtime_visibility; its pointers are 0. */
#define LOG_AGENT_SIZE 296
struct log_agent { struct log_frame frame; unsigned char agent[LOG_AGENT_SIZE]; char texts[] /* name, vendor, product, model */; };

struct log_code_object {
	struct log_frame frame;
	uint64_t id, agent, load_base, load_size;
	int64_t load_delta;
	uint64_t storage;       /* 1 file, 2 memory, as the SDK says */
	uint64_t memory_base, memory_size;
	char uri[];
};
_Static_assert(sizeof(struct log_code_object) == 72, "log_code_object");

struct log_kernel {
	struct log_frame frame;
	uint64_t id, code_object, object;
	uint32_t kernarg_size, kernarg_alignment, group_segment, private_segment;
	uint32_t sgprs, arch_vgprs, accum_vgprs, unused;
	int64_t entry_offset;
	uint64_t address;
	char name[];            /* as in the ELF file, mangled, perhaps with .kd */
};
_Static_assert(sizeof(struct log_kernel) == 80, "log_kernel");

struct log_counter {
	struct log_frame frame;
	uint64_t id, agent;
	uint32_t is_constant, is_derived;
	char texts[];           /* name, description, block, expression */
};
_Static_assert(sizeof(struct log_counter) == 32, "log_counter");

struct log_thread { struct log_frame frame; uint64_t tid; char name[]; };
struct log_stream { struct log_frame frame; uint64_t id, value; };
_Static_assert(sizeof(struct log_stream) == 24, "log_stream");

/* rocprofiler_kernel_dispatch_info_t without what is reserved */
struct log_dispatch_info {
	uint64_t size, agent, queue, kernel, dispatch;
	uint32_t private_segment, group_segment;
	uint32_t workgroup[3], grid[3];
};
_Static_assert(sizeof(struct log_dispatch_info) == 72, "log_dispatch_info");

/* The external correlation id of dispatches, copies and counters is ours: which stream, and which
 * marker's text the kernel is to be called by (--kernel-rename; 0: none). */
#define LOG_EXTERNAL(stream, text) ((uint64_t)(uint32_t)(stream) | (uint64_t)(uint32_t)(text) << 32)
#define LOG_EXTERNAL_STREAM(external) ((uint32_t)(external))
#define LOG_EXTERNAL_TEXT(external) ((uint32_t)((external) >> 32))

struct log_api {
	struct log_frame frame;
	int32_t kind, operation;
	uint64_t correlation, external, ancestor;
	uint64_t start, end, thread;
};
_Static_assert(sizeof(struct log_api) == 64, "log_api");

struct log_dispatch {
	struct log_frame frame;
	int32_t kind, operation;
	uint64_t correlation, external;
	uint64_t thread, start, end;
	struct log_dispatch_info info;
	/* int32_t pipe, int32_t 0: if frame.size says so */
};
_Static_assert(sizeof(struct log_dispatch) == 128, "log_dispatch");

struct log_copy {
	struct log_frame frame;
	int32_t kind, operation;
	uint64_t correlation, external;
	uint64_t thread, start, end;
	uint64_t to_agent, from_agent, bytes, to_address, from_address;
};
_Static_assert(sizeof(struct log_copy) == 96, "log_copy");

struct log_allocation {
	struct log_frame frame;
	int32_t kind, operation;
	uint64_t correlation, external, ancestor;
	uint64_t thread, start, end;
	uint64_t agent, address, bytes;
};
_Static_assert(sizeof(struct log_allocation) == 88, "log_allocation");

struct log_scratch {
	struct log_frame frame;
	int32_t kind, operation;
	uint64_t correlation, external, ancestor;
	uint64_t agent, queue, thread, start, end;
	int32_t flags, unused;
	uint64_t bytes;         /* if frame.size says so */
};
_Static_assert(sizeof(struct log_scratch) == 96 && offsetof(struct log_scratch, bytes) == 88, "log_scratch");

struct log_value { uint64_t instance, counter /* its id in LOG_COUNTER */; double value; };
struct log_counters {
	struct log_frame frame;
	uint64_t correlation, external;
	uint64_t thread, start, end;
	struct log_dispatch_info info;
	struct log_value value[];       /* as many as the size leaves; very many come in several records */
};
_Static_assert(sizeof(struct log_counters) == 120 && sizeof(struct log_value) == 24, "log_counters");

struct log_marker { struct log_frame frame; uint64_t correlation, text /* its number */; };
_Static_assert(sizeof(struct log_marker) == 24, "log_marker");

struct log_lost { struct log_frame frame; uint64_t records; char why[]; };
struct log_end {
	struct log_frame frame;
	uint64_t time;
	uint64_t records;       /* with types from LOG_API to LOG_MARKER in this log */
	uint64_t lost;
	char why[];             /* "" when all is well: what stopped the recording */
};
_Static_assert(sizeof(struct log_end) == 32, "log_end");

/* Position-dependent sum of words; n is a multiple of 8.  Fast rather than strong: it is to find
 * what a full disk, a lost page or a bad copy leaves. */
static inline uint64_t log_check(const void *data, size_t n)
{
	const uint64_t *word = data;
	uint64_t a[4] = { 1, 2, 3, 4 }, b = n;
	size_t i = 0, words = n / 8;
	for (; i + 4 <= words; i += 4)
		for (size_t k = 0; k < 4; k++)
			a[k] = (a[k] << 7 | a[k] >> 57) ^ word[i + k];
	for (; i < words; i++)
		b = (b << 7 | b >> 57) ^ word[i];
	for (size_t k = 0; k < 4; k++)
		b = (b ^ a[k]) * 0x9e3779b97f4a7c15u;
	return b ^ b >> 32;
}

#endif
