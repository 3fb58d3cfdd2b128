/* SPDX-License-Identifier: MIT */
/*
 * librocprofiler-sdk-rocattach: attach ROCprofiler-SDK to a running process, and
 * detach it.  Between the two nobody traces the process.
 *
 * The tool is what ROCPROF_ATTACH_TOOL_LIBRARY names (a path as the process sees
 * it), else the process's own.  Variables of the caller whose names begin with
 * ROCP are sent to it.  Both are left alone in set-user-id programs.
 *
 * All functions may be called from several threads at once.  The library prints
 * nothing unless ROCATTACH_LOG_LEVEL is error, warning, info or trace; then it
 * says on stderr why a call failed.
 */
#ifndef ROCATTACH_ROCATTACH_H
#define ROCATTACH_ROCATTACH_H

#include "defines.h"
#include "types.h"
#include "version.h"

ROCATTACH_EXTERN_C_INIT

/* The version of the library that is loaded.  Any pointer may be NULL. */
rocattach_status_t rocattach_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch) ROCATTACH_API;
rocattach_status_t rocattach_get_version_triplet(rocattach_version_triplet_t *info) ROCATTACH_API;

/* "ROCATTACH_STATUS_SUCCESS", and a few words for people; NULL for what is no status. */
const char *rocattach_get_status_name(rocattach_status_t status) ROCATTACH_API;
const char *rocattach_get_status_string(rocattach_status_t status) ROCATTACH_API;

/* After a failure the process is as it was, and the call may be tried again. */
rocattach_status_t rocattach_attach(int pid) ROCATTACH_API;

/* Only what this program attached; 0 stands for all of it.  Returns when the tool has
 * finished, which can take minutes. */
rocattach_status_t rocattach_detach(int pid) ROCATTACH_API;

/* The process first, then its children, their children and so on, as they are at this
 * moment.  Nothing is attached if the process itself cannot be.  Descendants that do not
 * support attachment are left out; the last failure of another is answered, and the rest
 * stays attached. */
rocattach_status_t rocattach_attach_tree(int pid) ROCATTACH_API;
/* All that attach_tree(pid) attached. */
rocattach_status_t rocattach_detach_tree(int pid) ROCATTACH_API;

ROCATTACH_EXTERN_C_FINI

#endif
