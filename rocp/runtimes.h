/* SPDX-License-Identifier: MIT */
/* By what a process uses a GPU: told from outside, with as little reading as will do. */
#ifndef ROCLATCH_ROCP_RUNTIMES_H
#define ROCLATCH_ROCP_RUNTIMES_H

#include "rocp/pids.h"

#define KFD_SYSTEM "/sys/class/kfd/kfd"

enum runtime {
	RUNTIME_HIP = 1 << 0,           /* libamdhip64 is mapped */
	RUNTIME_HSA = 1 << 1,           /* libhsa-runtime64 is mapped */
	RUNTIME_KFD = 1 << 2,           /* /dev/kfd is open */
	RUNTIME_REGISTER = 1 << 3,      /* librocprofiler-register is mapped */
};
#define RUNTIME_GPU (RUNTIME_HIP | RUNTIME_HSA | RUNTIME_KFD)

struct runtimes {
	unsigned set;                   /* enum runtime */
	char register_version[32];      /* "0.6.0" by its file name, or "" */
};

/* The libraries among its mappings, which are read only as far as there is something to find.
 * 0, or -1 with errno: EACCES or EPERM if they may not be read, others if it is gone. */
int runtimes_mapped(struct runtimes *runtimes, const char *proc, pid_t pid);
/* "hip+hsa, register 0.6.0" */
void runtimes_text(const struct runtimes *runtimes, char *text, size_t size);

/* Who has /dev/kfd open.  The driver tells it, of others' processes too, but with the ids of the
 * initial pid namespace; elsewhere descriptors have to be looked at. */
struct kfd_users {
	enum { KFD_NOBODY, KFD_TOLD, KFD_LOOK } how;
	struct pids pids;
};
void kfd_users_list(struct kfd_users *users, const char *system, const char *proc);
bool kfd_users_have(const struct kfd_users *users, const char *proc, pid_t pid);
void kfd_users_free(struct kfd_users *users);

#endif
