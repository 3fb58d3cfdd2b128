/* SPDX-License-Identifier: MIT */
/* One recording after the other: from an open log to a closed one. */
#ifndef ROCLATCH_ROCP_TOOL_RECORDING_H
#define ROCLATCH_ROCP_TOOL_RECORDING_H

/* 0, or an errno; the status says why. */
int recording_start(void);
/* 0; what was wrong with the recording is in the status. */
int recording_stop(void);
/* In a forked child. */
void recording_forked(void);

#endif
