/* SPDX-License-Identifier: MIT */
/* One recording after the other: from an open log to a closed one. */
#ifndef ROCLATCH_ROCP_TOOL_RECORDING_H
#define ROCLATCH_ROCP_TOOL_RECORDING_H

/* 0, or an errno; the status says why. */
int recording_start(void);
/* 0; what was wrong with the recording is in the status. */
int recording_stop(void);
/* The SDK ends: the same, and nothing is started after that.  Never waits for ever. */
void recording_finalize(void);
/* Around a fork; the last in the child. */
void recording_before_fork(void);
void recording_after_fork(void);
void recording_forked(void);

#endif
