/* SPDX-License-Identifier: MIT */
#include "rocp/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/log.h"
#include "rocp/trace/names.h"

static const char sqlite_magic[16] = "SQLite format 3";

const char *domain_key(enum domain domain)
{
	static const char *const key[DOMAINS] = {
		[DOMAIN_HIP] = "hip_api", [DOMAIN_HSA] = "hsa_api", [DOMAIN_MARKER] = "marker_api",
		[DOMAIN_RCCL] = "rccl_api", [DOMAIN_ROCDECODE] = "rocdecode_api", [DOMAIN_ROCJPEG] = "rocjpeg_api",
		[DOMAIN_ROCSHMEM] = "rocshmem_api", [DOMAIN_HIPFILE] = "hipfile_api", [DOMAIN_OTHER_API] = "other_api",
		[DOMAIN_KERNEL] = "kernel_dispatch", [DOMAIN_COPY] = "memory_copy",
		[DOMAIN_ALLOCATION] = "memory_allocation", [DOMAIN_SCRATCH] = "scratch_memory",
		[DOMAIN_COUNTERS] = "counter_collection",
	};
	return domain < DOMAINS ? key[domain] : "";
}

enum domain domain_of_kind(const char *kind_name)
{
	static const struct { const char *begin; enum domain domain; } table[] = {
		{ "HIP_", DOMAIN_HIP }, { "HSA_", DOMAIN_HSA }, { "MARKER_", DOMAIN_MARKER }, { "RCCL_", DOMAIN_RCCL },
		{ "ROCDECODE_", DOMAIN_ROCDECODE }, { "ROCJPEG_", DOMAIN_ROCJPEG }, { "ROCSHMEM_", DOMAIN_ROCSHMEM },
		{ "HIPFILE_", DOMAIN_HIPFILE }, { "KERNEL_DISPATCH", DOMAIN_KERNEL }, { "MEMORY_COPY", DOMAIN_COPY },
		{ "MEMORY_ALLOCATION", DOMAIN_ALLOCATION }, { "SCRATCH_MEMORY", DOMAIN_SCRATCH },
		{ "COUNTER_COLLECTION", DOMAIN_COUNTERS },
	};
	for (size_t i = 0; kind_name && i < sizeof table / sizeof table[0]; i++)
		if (!strncmp(kind_name, table[i].begin, strlen(table[i].begin)))
			return table[i].domain;
	return DOMAINS;
}

/* Regular files alone: a pipe or a device has no end, and cannot be read twice. */
static int check_file(int fd, const char *path, struct err *err)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return err_set(err, ERR_FAILED, errno, "cannot look at the recording %s", path);
	if (S_ISREG(st.st_mode) && st.st_size)
		return 0;
	bool empty = S_ISREG(st.st_mode), folder = S_ISDIR(st.st_mode);
	err_set(err, ERR_FAILED, 0, "%s is %s, not a recording", path, empty ? "empty" : folder ? "a folder" : "no ordinary file");
	if (empty)
		return err_remedy(err, "the recording did not begin, or the disk was full: record again");
	return err_remedy(err, "name the recording%s: a file that ends with %s", folder ? " in it" : "", LOG_ENDING);
}

int trace_open(struct trace *trace, const char *path, struct err *err)
{
	*trace = (struct trace){ .renames = true };
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_FAILED, errno, "cannot open the recording %s", path);
	return trace_open_fd(trace, fd, path, err);
}

int trace_open_fd(struct trace *trace, int fd, const char *path, struct err *err)
{
	char magic[16] = "";
	*trace = (struct trace){ .renames = true };
	bool fits = snprintf(trace->path, sizeof trace->path, "%s", path) < (int)sizeof trace->path;
	if (!fits || check_file(fd, path, err) < 0) {
		close(fd);
		return fits ? -1 : err_set(err, ERR_USAGE, 0, "the path %.200s... is too long", path);
	}
	ssize_t n = pread(fd, magic, sizeof magic, 0);
	int rc = -1;
	if (n >= 8 && !memcmp(magic, LOG_MAGIC, 8))
		rc = log_open(trace, fd, err);
	else if (n == sizeof magic && !memcmp(magic, sqlite_magic, sizeof magic))
		rc = rocpd_open(trace, fd, err);
	else {
		close(fd);
		err_set(err, ERR_FAILED, n < 0 ? errno : 0, "%s is no recording of roclatch and no rocpd database", path);
		err_remedy(err, "a recording ends with %s, a rocpd database of rocprofv3 with .db", LOG_ENDING);
	}
	if (rc < 0)
		trace_close(trace);
	return rc;
}

void trace_close(struct trace *trace)
{
	if (trace->source)
		trace->source->close(trace);
	trace->source = NULL;
	names_free(trace);
	free(trace->reading);
	*trace = (struct trace){ .reading = NULL };
}

int trace_each(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err)
{
	return trace->source->each(trace, domains, visit, ctx, err);
}

void trace_naming(struct trace *trace, enum naming naming, bool rename)
{
	trace->renames = rename;
	for (size_t i = 0; i < trace->kernels; i++) {
		struct kernel_symbol *kernel = &trace->kernel[i];
		kernel->formatted = naming == NAMING_MANGLED ? kernel->name :
			naming == NAMING_TRUNCATED ? kernel->truncated : kernel->demangled;
	}
}

const struct agent *trace_agent(const struct trace *trace, uint64_t id)
{
	size_t at = index_get(&names_of(trace)->agents, id);
	return at == INDEX_NONE ? NULL : &trace->agent[at];
}

const struct counter_info *trace_counter(const struct trace *trace, uint64_t id)
{
	size_t at = index_get(&names_of(trace)->counters, id);
	return at == INDEX_NONE ? NULL : &trace->counter[at];
}

const char *trace_thread_name(const struct trace *trace, uint64_t tid)
{
	size_t at = index_get(&names_of(trace)->threads, tid);
	return at == INDEX_NONE ? NULL : trace->thread[at].name;
}

const char *trace_kind_name(const struct trace *trace, int32_t kind)
{
	for (size_t i = 0; i < trace->kind_count; i++)
		if (trace->kinds[i].kind == kind)
			return trace->kinds[i].name;
	return NULL;
}
