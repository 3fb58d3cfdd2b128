/* SPDX-License-Identifier: MIT */
/* Any bytes as the database of one rank of a job, merged with that of another and shown. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/job/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[32];

static void put(const char *name, const void *data, size_t size)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd))
		abort();
}

static void clean(void)
{
	static const char *const names[] = { "a-1.roclatch.json", "b-2.roclatch.json", "x.db", "" };
	char path[128];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		remove(path);
	}
}

static void begin(void)
{
	static const char one[] = "{\"format\":1,\"host\":\"a\",\"pid\":1,\"rank\":0,\"ranks\":2,\"status\":0,\"attached\":true,"
		"\"files\":[{\"name\":\"x.db\",\"size\":1}],\"clock\":{\"realtime_ns\":900000,\"boottime_ns\":5}}";
	static const char two[] = "{\"format\":1,\"host\":\"b\",\"pid\":2,\"rank\":1,\"ranks\":2,\"status\":0,\"attached\":true,"
		"\"files\":[{\"name\":\"x.db\",\"size\":1}],\"clock\":{\"realtime_ns\":900000,\"boottime_ns\":777}}";
	strcpy(folder, "/tmp/fuzz-merge-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	atexit(clean);
	put("a-1.roclatch.json", one, sizeof one - 1);
	put("b-2.roclatch.json", two, sizeof two - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct job_report report;
	struct err err = { .code = ERR_NONE };
	char base[64];
	if (!folder[0])
		begin();
	put("x.db", data, size);
	snprintf(base, sizeof base, "%s/all", folder);
	if (job_report_open(&report, folder, 0, &err) < 0)
		abort();
	int rc = job_report_merge(&report, base, NULL, NULL, &err);
	if (rc == 0)
		rc = job_report_page(&report, base, &err);
	/* No input of others makes it fail: what is wrong with it is told. */
	if (rc < 0 || !report.verdict)
		abort();
	remove(report.database);
	remove(report.page);
	job_report_close(&report);
	return 0;
}
