/* SPDX-License-Identifier: MIT */
/*
 * One job on many nodes: each attachment writes how it went into the shared folder, as
 * one small JSON object in HOST-PID.roclatch.json; roclatch report reads them all.
 */
#ifndef ROCLATCH_ROCP_JOB_STATUS_H
#define ROCLATCH_ROCP_JOB_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/err.h"

#define JOB_STATUS_FORMAT 1
#define JOB_STATUS_SUFFIX ".roclatch.json"
#define JOB_FILES_MAX 64

/* A host's clocks at one moment, and what is known of the wall clock. */
struct job_clock {
	int64_t realtime_ns, boottime_ns, monotonic_ns;
	bool synchronised;              /* as the kernel is told (adjtimex) */
	int64_t max_error_us;           /* as above; -1: not known */
	int64_t folder_offset_ns;       /* our wall clock less that of the shared folder, by the time of a new file */
};

struct job_status {
	char host[256], name[64], boot_id[40];
	char job[64];                   /* "42.0", or "" */
	int64_t pid, pid_inside;
	int64_t rank, ranks;            /* -1: not known */
	int status;                     /* exit status of this one */
	bool attached, detached;
	char why[512], remedy[256];     /* "" */
	struct job_clock clock;
	int64_t asked_at_ns;            /* --at; 0: at once.  These are CLOCK_REALTIME: */
	int64_t attached_at_ns, detached_at_ns;
	uint64_t records, bytes, lost;
	char files[JOB_FILES_MAX][256]; /* that were made, below the folder */
	int64_t file_size[JOB_FILES_MAX];       /* as they were when the status was written; -1: not there.  By parse alone */
	size_t n_files;
};

/* The clocks now; folder_fd: where files are made (-1: folder_offset_ns is 0). */
void job_clock_read(struct job_clock *clock, int folder_fd);
/* Rank and number of ranks by the variables of the process (Open MPI, PMIx, PMI, MVAPICH, torchrun, Slurm; rank_name and
 * size_name come first if they are not NULL), Slurm's job and step. */
void job_rank_read(struct job_status *status, const char *proc, int64_t pid, const char *rank_name, const char *size_name);
/* Written beside and renamed: it is there as a whole or not at all, and one of the same process before is replaced.  The sizes
 * of the files that it names are looked up in the folder and go into it, so all of them must be there before. */
int job_status_write(const struct job_status *status, const char *folder, struct err *err);
/* Text of such a file, whatever is in it.  0, or -1 with what is wrong. */
int job_status_parse(struct job_status *status, const char *text, size_t size, struct err *err);

#endif
