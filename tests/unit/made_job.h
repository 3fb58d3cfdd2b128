/* SPDX-License-Identifier: MIT */
/*
 * What an attachment of a job leaves, without the job: a status and a rocpd database as roclatch
 * writes them.  A step of a rank is a call that starts a kernel, the kernel, and a call that waits until
 * the step is over for all.
 */
#ifndef ROCLATCH_TESTS_MADE_JOB_H
#define ROCLATCH_TESTS_MADE_JOB_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "rocp/formats/formats.h"
#include "rocp/job/status.h"
#include "rocp/trace/names.h"

struct made_rank {
	const char *host;
	int64_t rank, ranks, pid;
	int64_t booted;                 /* when its host was, on a clock that is right */
	int64_t clock_ahead;            /* its wall clock, of that */
	unsigned steps;
	uint64_t step_ns, kernel_ns;
	bool collective;                /* the step ends in a kernel of RCCL instead of a call that waits */
	int status;
	const char *why;
	bool no_database;
};

#define MADE_JOB_NOW 1763200000000000000        /* when the job was attached, on a clock that is right */

static struct agent made_job_agent[] = {
	{ .id = 1, .node = 0, .name = "AMD EPYC", .vendor = "CPU", .product = "EPYC", .model = "" },
	{ .id = 2, .is_gpu = true, .node = 1, .logical_node = 1, .cu_count = 304, .name = "gfx942", .vendor = "AMD", .product = "MI300X", .model = "" },
};
static struct code_object made_job_object[] = { { .id = 1, .agent = 2, .storage = 1, .uri = "file:///app" } };
static struct kernel_symbol made_job_kernel[] = {
	{ .id = 5, .code_object = 1, .name = "_Z4gemmPfi.kd", .demangled = "gemm(float*, int)", .truncated = "gemm", .formatted = "gemm(float*, int)" },
	{ .id = 6, .code_object = 1, .name = "ncclDevKernel_Sum.kd", .demangled = "ncclDevKernel_Sum", .truncated = "ncclDevKernel_Sum",
	  .formatted = "ncclDevKernel_Sum" },
};
static struct trace_thread made_job_thread[] = { { 100, "solver" } };
static struct trace_stream made_job_stream[] = { { 0, 0 } };
static const char *made_job_argument[] = { "solver", "--size", "3" };

struct made_job_trace { struct trace trace; const struct made_rank *of; struct names names; };

static inline int made_job_each(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err)
{
	const struct made_rank *of = ((const struct made_job_trace *)(const void *)trace)->of;
	int rc = 0;
	for (unsigned i = 0; i < of->steps && rc == 0; i++) {
		uint64_t begin = trace->start + 1000 + i * of->step_ns, correlation = 3 * i + 1;
		struct event call = { .domain = DOMAIN_HIP, .kind = 5, .kind_name = "HIP_RUNTIME_API", .operation = 1,
			.operation_name = "hipLaunchKernel", .start = begin, .end = begin + 500, .thread = 100, .correlation = correlation };
		struct event kernel = { .domain = DOMAIN_KERNEL, .kind = 11, .kind_name = "KERNEL_DISPATCH", .operation = 2,
			.operation_name = "KERNEL_DISPATCH_COMPLETE", .start = begin + 1000, .end = begin + 1000 + of->kernel_ns, .thread = 100,
			.correlation = correlation, .agent = 2, .queue = 1, .kernel = &made_job_kernel[0], .dispatch = 2 * i + 1,
			.workgroup = { 64, 1, 1 }, .grid = { 6400, 1, 1 } };
		struct event wait = call, together = kernel;
		wait.operation = 2;
		wait.operation_name = "hipStreamSynchronize";
		wait.correlation = correlation + 1;
		wait.start = begin + 1000 + of->kernel_ns;
		wait.end = begin + of->step_ns - 100;
		together.start = wait.start;
		together.end = wait.end;
		together.kernel = &made_job_kernel[1];
		together.dispatch++;
		if (domains & DOMAIN_BIT(DOMAIN_HIP))
			rc = visit(ctx, &call, err);
		if (!rc && domains & DOMAIN_BIT(DOMAIN_KERNEL))
			rc = visit(ctx, &kernel, err);
		if (!rc && domains & DOMAIN_BIT(of->collective ? DOMAIN_KERNEL : DOMAIN_HIP))
			rc = visit(ctx, of->collective ? &together : &wait, err);
	}
	return rc;
}

/* base_results.db */
static inline int made_job_database(const struct made_rank *of, const char *base, struct err *err)
{
	static const struct trace_source source = { .each = made_job_each };
	static struct made_job_trace made;
	static const struct settings settings = { .formats = FORMAT_ROCPD };
	uint64_t start = (uint64_t)(MADE_JOB_NOW - of->booted);
	made.of = of;
	made.trace = (struct trace){
		.path = "made", .id = { (uint64_t)of->rank * 77777, (uint64_t)of->pid }, .pid = (uint32_t)of->pid, .ppid = 1, .sdk = 10100,
		.start = start, .end = start + 1000 + of->steps * of->step_ns, .start_realtime = MADE_JOB_NOW, .hostname = of->host,
		.machine_id = "the same on all", .system = "Linux", .release = "6.1", .version = "#1", .hardware = "x86_64", .domain = "",
		.folder = "/", .output = "", .tool_version = "1", .why = "", .closed = true, .says_how_it_ended = true,
		.argument = made_job_argument, .arguments = 3, .agent = made_job_agent, .agents = 2, .code_object = made_job_object,
		.code_objects = 1, .kernel = made_job_kernel, .kernels = 2, .thread = made_job_thread, .threads = 1,
		.stream = made_job_stream, .streams = 1, .source = &source, .reading = &made.names,
	};
	if (!made.names.agents.n)
		for (size_t i = 0; i < 2; i++)
			if (index_put(&made.names.agents, made_job_agent[i].id, i, err) < 0)
				return -1;
	made.trace.events[DOMAIN_HIP] = of->steps * (of->collective ? 1 : 2);
	made.trace.events[DOMAIN_KERNEL] = of->steps * (of->collective ? 2 : 1);
	struct conversion conversion = { .trace = &made.trace, .settings = &settings, .base = base };
	return rocpd_write(&conversion, err);
}

static inline int made_job_rank(const struct made_rank *of, const char *folder, struct err *err)
{
	static struct job_status status;
	char base[512];
	snprintf(base, sizeof base, "%s/%s-%lld", folder, of->host, (long long)of->pid);
	status = (struct job_status){ .name = "solver", .job = "42.0", .pid = of->pid, .pid_inside = of->pid, .rank = of->rank, .ranks = of->ranks,
		.status = of->status, .attached = !of->status, .detached = !of->status,
		.clock = { .realtime_ns = MADE_JOB_NOW + of->clock_ahead, .boottime_ns = MADE_JOB_NOW - of->booted, .synchronised = !of->clock_ahead,
			   .max_error_us = 500, .folder_offset_ns = of->clock_ahead },
		.attached_at_ns = MADE_JOB_NOW + of->clock_ahead, .records = of->steps * 3, .n_files = !of->no_database };
	snprintf(status.host, sizeof status.host, "%s", of->host);
	snprintf(status.boot_id, sizeof status.boot_id, "boot of %.30s", of->host);
	snprintf(status.why, sizeof status.why, "%s", of->why ? of->why : "");
	snprintf(status.files[0], sizeof status.files[0], "%s-%lld_results.db", of->host, (long long)of->pid);
	if (!of->no_database && made_job_database(of, base, err) < 0)
		return -1;
	return job_status_write(&status, folder, err);
}

#endif
