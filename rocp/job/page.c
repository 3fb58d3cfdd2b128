/* SPDX-License-Identifier: MIT */
#include "rocp/job/report.h"
int job_report_page(struct job_report *report, const char *base, struct err *err) { (void)report; (void)base; (void)err; return 0; }
