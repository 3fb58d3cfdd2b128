/* SPDX-License-Identifier: MIT */
/*
 * A rocpd database names kinds and operations, other formats also number them.
 * Kinds get the SDK's numbers, and so do the operations of those whose few
 * operations never changed; the others are numbered as they come.
 */
#include <stdlib.h>
#include <string.h>

#include "rocp/trace/rocpd_source.h"

#define UNKNOWN_KINDS 128       /* the SDK's are below it */

static const char *const kind_name[] = {
	"NONE", "HSA_CORE_API", "HSA_AMD_EXT_API", "HSA_IMAGE_EXT_API", "HSA_FINALIZE_EXT_API", "HIP_RUNTIME_API",
	"HIP_COMPILER_API", "MARKER_CORE_API", "MARKER_CONTROL_API", "MARKER_NAME_API", "MEMORY_COPY", "KERNEL_DISPATCH",
	"SCRATCH_MEMORY", "CORRELATION_ID_RETIREMENT", "RCCL_API", "OMPT", "MEMORY_ALLOCATION", "RUNTIME_INITIALIZATION",
	"ROCDECODE_API", "ROCJPEG_API", "HIP_STREAM", "HIP_RUNTIME_API_EXT", "HIP_COMPILER_API_EXT", "ROCDECODE_API_EXT",
	"KFD_EVENT_PAGE_MIGRATE", "KFD_EVENT_PAGE_FAULT", "KFD_EVENT_QUEUE", "KFD_EVENT_UNMAP_FROM_GPU",
	"KFD_EVENT_DROPPED_EVENTS", "KFD_PAGE_MIGRATE", "KFD_PAGE_FAULT", "KFD_QUEUE", "MARKER_CORE_RANGE_API", "HIP_GRAPH",
	"ROCSHMEM_API", "ROCSHMEM_API_EXT", "HIPFILE_API", "HIPFILE_API_EXT",
};

#define MOST 6
static const struct { const char *kind, *operation[MOST]; } known[] = {
	{ "MEMORY_COPY", { "MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE",
		"MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE" } },
	{ "MEMORY_ALLOCATION", { "MEMORY_ALLOCATION_NONE", "MEMORY_ALLOCATION_ALLOCATE", "MEMORY_ALLOCATION_VMEM_ALLOCATE",
		"MEMORY_ALLOCATION_FREE", "MEMORY_ALLOCATION_VMEM_FREE" } },
	{ "SCRATCH_MEMORY", { "SCRATCH_MEMORY_NONE", "SCRATCH_MEMORY_ALLOC", "SCRATCH_MEMORY_FREE", "SCRATCH_MEMORY_ASYNC_RECLAIM" } },
	{ "KERNEL_DISPATCH", { "KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE", "KERNEL_DISPATCH_COMPLETE" } },
	{ "MARKER_CORE_RANGE_API", { "roctxMarkA", "roctxThreadRangeA", "roctxProcessRangeA", "roctxGetThreadId" } },
};

static int32_t number_of(const struct trace *trace, const char *name)
{
	for (size_t i = 0; i < sizeof kind_name / sizeof kind_name[0]; i++)
		if (!strcmp(kind_name[i], name))
			return (int32_t)i;
	return UNKNOWN_KINDS + (int32_t)trace->kind_count;
}

static int changed(const struct trace *trace, struct err *err)
{
	return err_set(err, ERR_FAILED, 0, "%s was changed while it was read", trace->path);
}

static size_t add_kind(struct trace *trace, const char *name, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	size_t at = trace->kind_count;
	int32_t number = number_of(trace, name);
	if (number >= KINDS_MOST) {
		err_set(err, ERR_FAILED, 0, "%s has more than %d kinds of events", trace->path, KINDS_MOST - UNKNOWN_KINDS);
		return INDEX_NONE;
	}
	struct kind_names *kind = array_add(&trace->kinds, &trace->kind_count, sizeof *kind, err);
	enum domain *domain = kind ? array_add(&rocpd->domain, &rocpd->domains, sizeof *domain, err) : NULL;
	if (!domain || index_put(&rocpd->kinds, (uintptr_t)name, at, err) < 0)
		return INDEX_NONE;
	*kind = (struct kind_names){ .kind = number, .name = name };
	*domain = domain_of_kind(name);
	if (*domain == DOMAINS || !(DOMAINS_API & DOMAIN_BIT(*domain)))
		*domain = DOMAIN_OTHER_API;
	return at;
}

static int add_operation(struct trace *trace, size_t kind, uint64_t key, const char *name, struct err *err)
{
	struct kind_names *names = &trace->kinds[kind];
	const char **operation = array_add(&names->operation, &names->operations, sizeof *operation, err);
	if (!operation)
		return -1;
	*operation = name;
	return index_put(&rocpd_of(trace)->operations, key, names->operations - 1, err);
}

int rocpd_name_event(struct trace *trace, struct event *event, const char *kind_text, const char *operation, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	size_t kind = index_get(&rocpd->kinds, (uintptr_t)kind_text);
	if (kind == INDEX_NONE && rocpd->complete)
		return changed(trace, err);
	if (kind == INDEX_NONE && (kind = add_kind(trace, kind_text, err)) == INDEX_NONE)
		return -1;
	/* addresses have 48 bits */
	uint64_t key = (uint64_t)kind << 48 ^ (uintptr_t)operation;
	size_t number = index_get(&rocpd->operations, key);
	if (number == INDEX_NONE) {
		if (rocpd->complete)
			return changed(trace, err);
		if (add_operation(trace, kind, key, operation, err) < 0)
			return -1;
		number = trace->kinds[kind].operations - 1;
	}
	event->kind = trace->kinds[kind].kind;
	event->kind_name = kind_text;
	event->domain = rocpd->domain[kind];
	event->operation = (int32_t)number;
	event->operation_name = operation;
	return 0;
}

int rocpd_known_kinds(struct trace *trace, struct err *err)
{
	struct texts *texts = &names_of(trace)->texts;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const char *kind = texts_keep(texts, known[i].kind, strlen(known[i].kind), err);
		for (size_t k = 0; kind && k < MOST && known[i].operation[k]; k++) {
			struct event event;
			const char *operation = texts_keep(texts, known[i].operation[k], strlen(known[i].operation[k]), err);
			if (!operation || rocpd_name_event(trace, &event, kind, operation, err) < 0)
				return -1;
		}
		if (!kind)
			return -1;
	}
	return 0;
}
