/* SPDX-License-Identifier: MIT */
/* What a recording says of its rank: how long its kernels took, its calls, and those of them that wait. */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/idmap.h"
#include "rocp/job/report.h"

struct measuring {
	struct job_rank *rank;
	int64_t shift;
	struct idmap kernels;   /* addresses of names to time */
	uint64_t hip, hip_wait, hip_calls, hsa, hsa_wait;
};

/* Kernels of collective operations run until the slowest rank has come: to the others that is waiting. */
static bool is_together(const char *kernel)
{
	return strstr(kernel, "ncclDevKernel") || strstr(kernel, "ncclKernel") || strstr(kernel, "mscclKernel");
}

static bool is_wait(const char *call)
{
	return strstr(call, "Synchronize") || !strncmp(call, "hsa_signal_wait", 15) || !strncmp(call, "hsa_amd_signal_wait", 19);
}

static int add_kernel(struct measuring *measuring, const struct event *event, uint64_t time, struct err *err)
{
	struct job_rank *rank = measuring->rank;
	const char *name = event->kernel->truncated;
	uint64_t before = 0;
	idmap_get(&measuring->kernels, (uintptr_t)name, &before);
	if (idmap_set(&measuring->kernels, (uintptr_t)name, before + time) < 0)
		return err_set(err, ERR_FAILED, 0, "out of memory");
	rank->kernel_ns += time;
	if (is_together(event->kernel->name)) {
		rank->together_ns += time;
		return 0;
	}
	rank->dispatches++;
	uint64_t start = event->start + (uint64_t)measuring->shift;
	rank->first_dispatch = rank->first_dispatch && rank->first_dispatch < start ? rank->first_dispatch : start;
	rank->last_dispatch = rank->last_dispatch > start ? rank->last_dispatch : start;
	return 0;
}

static int add(void *ctx, const struct event *event, struct err *err)
{
	struct measuring *measuring = ctx;
	struct job_rank *rank = measuring->rank;
	rank->records++;
	/* The SDK gives 0 for what it could not measure. */
	if (!event->start || event->end < event->start)
		return 0;
	uint64_t time = event->end - event->start, start = event->start + (uint64_t)measuring->shift;
	rank->first = rank->first && rank->first < start ? rank->first : start;
	rank->last = rank->last > start + time ? rank->last : start + time;
	if (event->domain == DOMAIN_KERNEL)
		return add_kernel(measuring, event, time, err);
	bool hip = event->domain == DOMAIN_HIP, hsa = event->domain == DOMAIN_HSA, waits = (hip || hsa) && is_wait(event->operation_name);
	measuring->hip_calls += hip;
	measuring->hip += hip ? time : 0;
	measuring->hsa += hsa ? time : 0;
	measuring->hip_wait += hip && waits ? time : 0;
	measuring->hsa_wait += hsa && waits ? time : 0;
	return 0;
}

static int take_busiest(struct job_report *report, struct measuring *measuring, struct err *err)
{
	struct job_rank *rank = measuring->rank;
	const char *busiest = NULL;
	for (size_t i = 0; i < measuring->kernels.room; i++) {
		const struct idmap_slot *slot = &measuring->kernels.slot[i];
		const char *name = (const char *)(uintptr_t)slot->key;
		if (slot->key == UINT64_MAX || slot->value < rank->busiest_ns || (busiest && slot->value == rank->busiest_ns && strcmp(name, busiest) > 0))
			continue;
		rank->busiest_ns = slot->value;
		busiest = name;
	}
	if (!busiest)
		return 0;
	rank->busiest = job_keep(report, busiest, err);
	return rank->busiest ? 0 : -1;
}

int job_measure_add(struct job_report *report, struct job_rank *rank, struct trace *trace, struct err *err)
{
	struct measuring measuring = { .rank = rank, .shift = report->clock[rank->clock].shift };
	int rc = trace_each(trace, DOMAINS_ALL & ~DOMAIN_BIT(DOMAIN_COUNTERS), add, &measuring, err) != 0 ? -1 : 0;
	/* What HIP calls below itself is in its own time already. */
	rank->api_ns += measuring.hip_calls ? measuring.hip : measuring.hsa;
	rank->wait_ns += measuring.hip_calls ? measuring.hip_wait : measuring.hsa_wait;
	if (rc == 0)
		rc = take_busiest(report, &measuring, err);
	idmap_free(&measuring.kernels);
	if (rank->first && (!report->first || rank->first < report->first))
		report->first = rank->first;
	return rc;
}
