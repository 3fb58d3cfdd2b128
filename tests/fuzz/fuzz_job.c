/* SPDX-License-Identifier: MIT */
/* Any bytes as the status of an attachment: it is refused with a sentence, or what is in it can be used. */
#include <stdlib.h>
#include <string.h>

#include "rocp/job/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ENDED(text) (strnlen(text, sizeof(text)) < sizeof(text))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct job_status status;
	struct err err = { .code = ERR_NONE };
	if (job_status_parse(&status, (const char *)data, size, &err) < 0) {
		if (err.code != ERR_FAILED || !err.text[0])
			abort();
		return 0;
	}
	if (!ENDED(status.host) || !ENDED(status.name) || !ENDED(status.boot_id) || !ENDED(status.job) || !ENDED(status.why) ||
	    !ENDED(status.remedy) || status.n_files > JOB_FILES_MAX || status.rank < -1 || status.pid < 0)
		abort();
	if (status.ranks >= 0 && status.rank >= status.ranks)
		abort();
	for (size_t i = 0; i < status.n_files; i++)
		if (!ENDED(status.files[i]) || status.files[i][0] == '/' || !strncmp(status.files[i], "../", 3) ||
		    strstr(status.files[i], "/../") || status.file_size[i] < -1)
			abort();
	return 0;
}
