/* SPDX-License-Identifier: MIT */
/*
 * A recording, wherever it was read from: a log of our tool or a rocpd database.
 * Names and circumstances are read whole when it is opened and stay in memory;
 * events are read in a stream, as often as wanted, in the order of the file, so
 * that a recording of any length converts in bounded memory.
 */
#ifndef ROCLATCH_ROCP_TRACE_TRACE_H
#define ROCLATCH_ROCP_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/err.h"
#include "rocp/env.h"

/* What an event is about: upstream's files and sections. */
enum domain {
	DOMAIN_HIP, DOMAIN_HSA, DOMAIN_MARKER, DOMAIN_RCCL, DOMAIN_ROCDECODE, DOMAIN_ROCJPEG,
	DOMAIN_ROCSHMEM, DOMAIN_HIPFILE, DOMAIN_OTHER_API,
	DOMAIN_KERNEL, DOMAIN_COPY, DOMAIN_ALLOCATION, DOMAIN_SCRATCH,
	DOMAIN_COUNTERS,
	DOMAINS
};
#define DOMAIN_BIT(domain) (1u << (domain))
#define DOMAINS_API (DOMAIN_BIT(DOMAIN_KERNEL) - 1)
#define DOMAINS_ALL (DOMAIN_BIT(DOMAINS) - 1)
const char *domain_key(enum domain domain);     /* "hip_api", "kernel_dispatch", "memory_copy", ...: as in JSON */

/* Numbers of kinds that have names are below it: more than any SDK has by far. */
#define KINDS_MOST 512

struct dim { uint32_t x, y, z; };

struct kernel_symbol {
	uint64_t id, code_object, object, address;
	int64_t entry_offset;
	uint32_t kernarg_size, kernarg_alignment, group_segment, private_segment, sgprs, arch_vgprs, accum_vgprs;
	const char *name;       /* as in the ELF file, with .kd if it has it */
	const char *demangled;  /* without .kd; the name itself if it is no C++ name */
	const char *truncated;  /* without arguments, templates and namespaces, as upstream's -T */
	const char *formatted;  /* one of those, by trace_naming */
};

struct code_object {
	uint64_t id, agent, load_base, load_size, memory_base, memory_size;
	int64_t load_delta;
	uint32_t storage;       /* 1 file, 2 memory */
	const char *uri;
};

/* The fields of the SDK's agent by their upstream names in the order of agent_info.csv: see AGENT_FIELDS. */
#define AGENT_FIELDS(F) \
	F(cpu_cores_count) F(simd_count) F(cpu_core_id_base) F(simd_id_base) F(max_waves_per_simd) \
	F(lds_size_in_kb) F(gds_size_in_kb) F(num_gws) F(wave_front_size) F(num_xcc) F(cu_count) F(array_count) \
	F(num_shader_banks) F(simd_arrays_per_engine) F(cu_per_simd_array) F(simd_per_cu) F(max_slots_scratch_cu) \
	F(gfx_target_version) F(vendor_id) F(device_id) F(location_id) F(domain) F(drm_render_minor) \
	F(num_sdma_engines) F(num_sdma_xgmi_engines) F(num_sdma_queues_per_engine) F(num_cp_queues) \
	F(max_engine_clk_ccompute) F(max_engine_clk_fcompute) F(sdma_fw_version) F(fw_version) F(capability) \
	F(cu_per_engine) F(max_waves_per_cu) F(family_id) F(workgroup_max_size) F(grid_max_size) F(local_mem_size) \
	F(hive_id) F(gpu_id)
struct agent {
	uint64_t id;            /* the SDK's handle */
	bool is_gpu;
	uint32_t node, runtime_visibility, mem_banks_count, caches_count, io_links_count;
	int32_t logical_node, type_node;        /* logical_node_id, logical_node_type_id */
#define AGENT_MEMBER(name) uint64_t name;
	AGENT_FIELDS(AGENT_MEMBER)
#undef AGENT_MEMBER
	struct dim workgroup_max_dim, grid_max_dim;
	const char *name, *vendor, *product, *model;
};

struct counter_info {
	uint64_t id, agent;
	bool is_constant, is_derived;
	const char *name, *description, *block, *expression;
};

struct trace_thread { uint64_t tid; const char *name; };
struct trace_stream { uint64_t id, value; };

struct kind_names {
	int32_t kind;
	const char *name;       /* "HIP_RUNTIME_API" */
	const char **operation; /* by number; NULL where there is none */
	size_t operations;
};

struct event {
	enum domain domain;
	int32_t kind, operation;        /* the SDK's numbers */
	const char *kind_name;          /* "HIP_RUNTIME_API", "KERNEL_DISPATCH", ... */
	const char *operation_name;     /* "hipMalloc", "MEMORY_COPY_HOST_TO_DEVICE", ...; never NULL */
	const char *text;               /* of a marker that has one, else NULL */
	uint32_t size;                  /* of the SDK's record, as its `size` member said */
	uint64_t start, end, thread;
	uint64_t correlation, external, ancestor;       /* external: 0 where it is our own stream */
	uint64_t stream;
	uint64_t agent, queue;          /* handles; 0: none */
	/* kernels and counters */
	const struct kernel_symbol *kernel;     /* never NULL for those */
	const char *rename;             /* the text of the enclosing marker, or NULL; by trace_naming */
	uint64_t dispatch;
	uint32_t private_segment, group_segment;
	struct dim workgroup, grid;
	/* copies: from agent2 to agent.  Allocations and scratch have address and bytes. */
	uint64_t agent2, address, address2, bytes;
	int32_t flags;                  /* scratch */
	/* counters */
	const struct counter_value *value;
	size_t values;
};
struct counter_value { uint64_t instance, counter; double value; };

struct trace {
	/* where and what */
	char path[4096];
	bool is_rocpd;
	uint64_t id[2];
	uint32_t pid, ppid, sdk, session;
	uint32_t ranks;                 /* of a job, whose agents and threads have names that say whose they are; 0: one process */
	uint64_t start, end;            /* of the recording; end: of the last event if it was not closed */
	uint64_t start_realtime;
	const char *hostname, *machine_id, *system, *release, *version, *hardware, *domain, *folder, *output, *tool_version;
	const char **argument;
	size_t arguments;
	struct env settings;            /* the ROCP* variables that were in effect */

	struct agent *agent;            size_t agents;
	struct code_object *code_object; size_t code_objects;
	struct kernel_symbol *kernel;   size_t kernels;         /* sorted by id */
	struct counter_info *counter;   size_t counters;
	struct trace_thread *thread;    size_t threads;
	struct trace_stream *stream;    size_t streams;
	struct kind_names *kinds;       size_t kind_count;
	const char **note;              size_t notes;

	/* how it ended */
	uint64_t events[DOMAINS];       /* how many of each there are */
	uint64_t lost;                  /* by the tool's own word */
	uint64_t missing;               /* that should be here by the recording's own word and are not, or could not be read */
	const char *why;                /* what stopped the recording early, or "" */
	bool closed;                    /* it was ended in order */
	bool says_how_it_ended;         /* other tools' databases do not: then .closed is true and means nothing */
	char damage[256];               /* where reading had to end and why, a sentence; "" */

	bool renames;                   /* by trace_naming */
	const struct trace_source *source;
	void *reading;                  /* the source's own */
};

/* Opens either kind, by its first bytes.  -1: not such a file, or nothing of it can be used.  A log that is
 * truncated or damaged opens with what is before the damage, and says so in .damage. */
int trace_open(struct trace *trace, const char *path, struct err *err);
/* The same of a file that is open: path is only what it is called.  The fd is taken over, also on failure. */
int trace_open_fd(struct trace *trace, int fd, const char *path, struct err *err);
void trace_close(struct trace *trace);

/* How kernels are to be called from now on (kernel_symbol.formatted: -M, -T), and whether by the marker around them
 * where there is one (event.rename: --kernel-rename).  At first they are demangled, and by the marker. */
enum naming { NAMING_DEMANGLED, NAMING_MANGLED, NAMING_TRUNCATED };
void trace_naming(struct trace *trace, enum naming naming, bool rename);

/* Every event of these domains, in the order of the file, until visit answers other than 0 (that is
 * returned).  The event is valid during the visit alone; its names live as long as the trace.  One reading at a
 * time: a visit does not begin another. */
typedef int event_visit(void *ctx, const struct event *event, struct err *err);
int trace_each(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err);

const struct agent *trace_agent(const struct trace *trace, uint64_t id);        /* or NULL */
const struct counter_info *trace_counter(const struct trace *trace, uint64_t id);       /* or NULL */
const char *trace_thread_name(const struct trace *trace, uint64_t tid);        /* or NULL */
const char *trace_kind_name(const struct trace *trace, int32_t kind);          /* or NULL */
enum domain domain_of_kind(const char *kind_name);      /* DOMAINS: none */

/* For sources alone. */
struct trace_source {
	int (*each)(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err);
	void (*close)(struct trace *trace);
};

#endif
