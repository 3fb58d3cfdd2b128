/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "rocp/trace/names.h"

int rocpd_open(struct trace *trace, int fd, struct err *err)
{
	close(fd);
	return err_set(err, ERR_FAILED, 0, "%s is a rocpd database: reading those is not there yet", trace->path);
}
