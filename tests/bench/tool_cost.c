/* SPDX-License-Identifier: MIT */
/*
 * What a record costs in the target: the tool library is loaded behind an SDK in
 * this program and given records of HIP calls, as the SDK's thread would.  Beside
 * it: the same bytes merely copied, and the same rows written as CSV text.
 *   tool_cost libroclatch-tool.so FOLDER
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"
#include "rocp/log.h"
#include "rocp/tool_abi.h"
#include "tool_sdk.h"

#define BATCH 960u              /* records in a buffer of the SDK */
#define BURST 20u               /* batches that the ring takes without waiting for the disk */
#define ROUNDS 100u
#define FLOW 2000u              /* batches in a row, for the rate */
#define RING (2u << 20)

static struct log_api record[BATCH];
static struct sdk_header header[BATCH], *headers[BATCH];
static unsigned char ring[RING];
static FILE *csv;

static uint64_t now_by(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void make_records(void)
{
	for (unsigned i = 0; i < BATCH; i++) {
		uint64_t size = sizeof record[i], at = 1000000000000u + i * 1700u;
		record[i] = (struct log_api){ .kind = BENCH_KIND_HIP, .correlation = i + 1, .ancestor = i / 16 * 16 + 1, .start = at,
			.end = at + 900 + i % 64, .thread = (uint64_t)getpid() };
		memcpy(&record[i], &size, sizeof size);
		header[i] = (struct sdk_header){ .category = CATEGORY_TRACING, .kind = BENCH_KIND_HIP, .payload = &record[i] };
		headers[i] = &header[i];
	}
}

static void by_tool(void)
{
	bench_callback((struct sdk_handle){ 2 }, (struct sdk_handle){ 4 }, headers, BATCH, NULL, 0);
}

static void by_memcpy(void)
{
	static size_t at;
	for (unsigned i = 0; i < BATCH; i++) {
		memcpy(ring + at, headers[i]->payload, sizeof record[0]);
		at = (at + sizeof record[0]) % RING;
	}
	__asm__ volatile("" ::: "memory");
}

static void by_text(void)
{
	char line[256];
	for (unsigned i = 0; i < BATCH; i++) {
		const struct log_api *api = headers[i]->payload;
		int n = snprintf(line, sizeof line, "\"%s\",\"%s\",%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			"HIP_RUNTIME_API", "hipLaunchKernel", (int)getpid(), api->thread, api->correlation, api->start, api->end);
		fwrite(line, 1, (size_t)n, csv);
	}
}

/* ns for a record: the middle of the bursts; between two the writer has time. */
static struct figure cost(void (*take)(void))
{
	double round[ROUNDS];
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t begin = clock_ns();
		for (unsigned k = 0; k < BURST; k++)
			take();
		round[i] = (double)(clock_ns() - begin) / (BURST * BATCH);
		usleep(10000);
	}
	return middle(round, ROUNDS);
}

static void configure(void *tool)
{
	struct sdk_configured *(*start)(uint32_t, const char *, uint32_t, struct sdk_client *);
	struct sdk_client client = { .size = sizeof client };
	*(void **)&start = dlsym(tool, "rocprofiler_configure");
	struct sdk_configured *configured = start ? start(10300, "1.3.0", 0, &client) : NULL;
	if (!configured || configured->initialize(NULL, configured->data) || !bench_callback) {
		fprintf(stderr, "tool_cost: the tool library would not be configured\n");
		exit(1);
	}
}

/* As fast as it goes, with the disk: records for a second, and CPU time for one with the writer's. */
static void flow(int (*stop)(void), const struct tool_status *status)
{
	uint64_t before = status->records, begin = clock_ns(), cpu = now_by(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned i = 0; i < FLOW; i++)
		by_tool();
	stop();
	double records = (double)(status->records - before), took = (double)(clock_ns() - begin);
	double used = (double)(now_by(CLOCK_PROCESS_CPUTIME_ID) - cpu);
	printf("%-34s %12.1f million a second, %" PRIu64 " lost%s%s\n", "records with the disk", records / took * 1e3,
		status->lost, status->why[0] ? ": " : "", status->why);
	printf("%-34s %12.1f ns of CPU time a record, with the writer's\n", "", used / records);
	figure_say("roclatch", exactly(took / records), "record.flow");
	figure_say("roclatch", exactly(used / records), "record.cpu");
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: tool_cost libroclatch-tool.so FOLDER\n");
		return 2;
	}
	char path[4096];
	snprintf(path, sizeof path, "%s/cost" LOG_ENDING, argv[2]);
	unlink(path);
	setenv(TOOL_LOG_VARIABLE, path, 1);
	setenv("ROCPROF_HIP_RUNTIME_API_TRACE", "1", 1);
	void *tool = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!tool) {
		fprintf(stderr, "tool_cost: %s\n", dlerror());
		return 1;
	}
	make_records();
	configure(tool);
	struct tool_status *status = dlsym(tool, TOOL_STATUS);
	int (*stop)(void);
	*(void **)&stop = dlsym(tool, TOOL_STOP);

	char text[4096];
	snprintf(text, sizeof text, "%s/cost.csv", argv[2]);
	csv = fopen(text, "w");
	if (!csv) {
		perror(text);
		return 1;
	}
	struct figure copied = cost(by_memcpy), recorded = cost(by_tool), written = cost(by_text);
	fclose(csv);
	struct stat log_file, csv_file;
	stat(text, &csv_file);
	printf("%-34s %12s %12s\n", "a record of an API call", "ns", "bytes");
	printf("%-34s %12.1f %12zu\n", "copied by memcpy", copied.value, sizeof record[0]);
	uint64_t bytes = status->records ? status->bytes : 0, records = status->records;
	printf("%-34s %12.1f %12.1f   %.1f times memcpy\n", "taken by libroclatch-tool.so", recorded.value,
		(double)bytes / (double)records, recorded.value / copied.value);
	printf("%-34s %12.1f %12.1f   %.1f times the tool\n", "written as CSV text", written.value,
		(double)csv_file.st_size / (ROUNDS * BURST * BATCH), written.value / recorded.value);
	flow(stop, status);
	figure_say("roclatch", recorded, "record.cost");
	figure_say("floor", copied, "record.cost");
	figure_say("text", written, "record.cost");
	figure_say("roclatch", exactly((double)bytes / (double)records), "record.bytes");
	figure_say("floor", exactly((double)sizeof record[0]), "record.bytes");
	figure_say("text", exactly((double)csv_file.st_size / (ROUNDS * BURST * BATCH)), "record.bytes");
	figure_say("roclatch", exactly((double)status->lost), "record.lost");
	int bad = status->lost || status->why[0] || stat(path, &log_file) < 0 || (uint64_t)log_file.st_size != status->bytes;
	if (bad)
		fprintf(stderr, "tool_cost: the log is not whole: %s\n", status->why);
	unlink(path);
	unlink(text);
	return bad;
}
