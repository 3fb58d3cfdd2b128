/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "made_trace.h"
#include "pftrace_reader.h"

static struct trace trace;
static struct settings settings;
static struct err err;
static char folder[40], base[64], path[96];
static uint64_t wrote_bytes;
static struct conversion conversion;

static void wrote(void *ctx, const char *file, uint64_t bytes)
{
	TEST_ASSERT_EQUAL_PTR(&trace, ctx);
	TEST_ASSERT_EQUAL_STRING(path, file);
	wrote_bytes = bytes;
}

void setUp(void)
{
	memset(&err, 0, sizeof err);
	memset(&settings, 0, sizeof settings);
	strcpy(folder, "/tmp/pftrace-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(base, sizeof base, "%s/out", folder);
	snprintf(path, sizeof path, "%s_results.pftrace", base);
	made_trace(&trace);
	conversion = (struct conversion){ .trace = &trace, .settings = &settings, .base = base, .wrote = wrote, .ctx = &trace };
	wrote_bytes = 0;
}

void tearDown(void)
{
	free_pftrace();
	unlink(path);
	rmdir(folder);
}

static void write_and_read(void)
{
	int rc = pftrace_write(&conversion, &err);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	read_pftrace(path);
}

/* "track|category|name|start|length|depth", times from T0, a line for each. */
static char *slices(const char *track)
{
	static char out[4096];
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < read_trace.slices; i++) {
		const struct read_slice *s = &read_trace.slice[i];
		if (track && strcmp(track, s->track) != 0)
			continue;
		used += (size_t)snprintf(out + used, sizeof out - used, "%s%s|%s|%s|%d|%s%d|%zu", used ? "\n" : "", s->track, s->category,
					 s->name, (int)(s->start - T0), s->instant ? "!" : "", (int)(s->end - s->start), s->depth);
	}
	return out;
}

static char *values(const char *track)
{
	static char out[1024];
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < read_trace.values; i++)
		if (strcmp(track, read_trace.value[i].track) == 0)
			used += (size_t)snprintf(out + used, sizeof out - used, "%s%d:%g", used ? " " : "",
						 (int)(read_trace.value[i].time - T0), read_trace.value[i].value);
	return out;
}

static const struct read_slice *slice_named(const char *name)
{
	for (size_t i = 0; i < read_trace.slices; i++)
		if (strcmp(name, read_trace.slice[i].name) == 0)
			return &read_trace.slice[i];
	TEST_FAIL_MESSAGE(name);
	return NULL;
}

/* One without a name if there is none. */
static const struct read_track *track_named(const char *name)
{
	static const struct read_track none;
	for (size_t i = 0; i < read_trace.tracks; i++)
		if (read_trace.track[i].name && strcmp(name, read_trace.track[i].name) == 0)
			return &read_trace.track[i];
	return &none;
}

static void test_calls_nest_on_the_track_of_their_thread(void)
{
	write_and_read();
	TEST_ASSERT_EQUAL_STRING(
		"THREAD 0 (4711)|marker_api|step \"1\"\n\xef\xbf\xbd|0|9000|0\n"
		"THREAD 0 (4711)|hip_api|hipMalloc|100|800|1\n"
		"THREAD 0 (4711)|hsa_api|hsa_memory_allocate|200|600|2\n"
		"THREAD 0 (4711)|hip_api|hipGetDevice|960|0|1", slices("THREAD 0 (4711)"));
	TEST_ASSERT_EQUAL_STRING("THREAD 1 (4712)|marker_api|mark|950|!0|0", slices("THREAD 1 (4712)"));
}

static void test_work_of_a_stream_that_overlaps_has_lanes(void)
{
	write_and_read();
	TEST_ASSERT_EQUAL_STRING(
		"STREAM [3]|kernel_dispatch|add(float*, float*)|2000|2000|0\n"
		"STREAM [3]|memory_copy|MEMORY_COPY_HOST_TO_DEVICE|5000|1000|0", slices("STREAM [3]"));
	TEST_ASSERT_EQUAL_STRING("STREAM [3] (2)|kernel_dispatch|mul|3000|2000|0", slices("STREAM [3] (2)"));
	TEST_ASSERT_EQUAL_STRING("STREAM [9]|kernel_dispatch|kernel 99|3100|100|0", slices("STREAM [9]"));
}

static void test_tracks_belong_to_the_process(void)
{
	write_and_read();
	const struct read_track *process = NULL;
	for (size_t i = 0; i < read_trace.tracks; i++)
		if (read_trace.track[i].is_process) {
			TEST_ASSERT_NULL(process);
			process = &read_trace.track[i];
		}
	TEST_ASSERT_NOT_NULL(process);
	TEST_ASSERT_EQUAL(4711, process->pid);
	TEST_ASSERT_EQUAL_STRING("app", process->process);
	for (size_t i = 0; i < read_trace.tracks; i++) {
		if (&read_trace.track[i] != process)
			TEST_ASSERT_EQUAL_UINT64(process->uuid, read_trace.track[i].parent);
		for (size_t k = 0; k < i; k++)
			TEST_ASSERT_TRUE(read_trace.track[i].uuid != read_trace.track[k].uuid);
	}
	const struct read_track *thread = track_named("THREAD 0 (4711)");
	TEST_ASSERT_TRUE(thread->is_thread);
	TEST_ASSERT_EQUAL(4711, thread->tid);
	TEST_ASSERT_EQUAL_STRING("worker", thread->thread);
	TEST_ASSERT_FALSE(track_named("STREAM [3]")->is_thread);
}

static void test_annotations_and_flows(void)
{
	write_and_read();
	TEST_ASSERT_EQUAL_STRING("begin_ns=1000000200 end_ns=1000000800 delta_ns=600 tid=4711 kind=1 operation=7 corr_id=3 ancestor_id=2",
				 annotations_of(slice_named("hsa_memory_allocate")));
	TEST_ASSERT_EQUAL_STRING(
		"begin_ns=1000002000 end_ns=1000004000 delta_ns=2000 tid=4711 kind=11 operation=2 corr_id=6 agent=Agent-1 agent_type=GPU queue=2 "
		"kernel_id=5 Scratch_Size=32 LDS_Block_Size=1024 VGPR_Count=24 Accum_VGPR_Count=4 SGPR_Count=32 workgroup_size=128 "
		"grid_size=12800 stream_ID=3", annotations_of(slice_named("add(float*, float*)")));
	TEST_ASSERT_EQUAL_STRING(
		"begin_ns=1000005000 end_ns=1000006000 delta_ns=1000 tid=4711 kind=10 operation=2 corr_id=9 src_agent=Agent-0 "
		"dst_agent=Agent-1 copy_bytes=4096 stream_ID=3", annotations_of(slice_named("MEMORY_COPY_HOST_TO_DEVICE")));
	TEST_ASSERT_EQUAL_UINT64(6, slice_named("add(float*, float*)")->flow);
	TEST_ASSERT_EQUAL_UINT64(2, slice_named("hipMalloc")->flow);
}

static void test_counter_tracks(void)
{
	write_and_read();
	TEST_ASSERT_EQUAL_STRING("5000:4096 6000:0", values("COPY BYTES to Agent [1] (GPU)"));
	TEST_ASSERT_EQUAL_STRING("700:4096 7100:0 7300:1.04858e+06", values("ALLOCATE BYTES on Agent [1] (GPU)"));
	TEST_ASSERT_EQUAL_STRING("1600:65536 7600:0", values("SCRATCH BYTES on Agent [1] (GPU)"));
	TEST_ASSERT_EQUAL_STRING("2000:64.5 4000:0", values("SQ_WAVES on Agent [1] (GPU)"));
	TEST_ASSERT_EQUAL_STRING("2000:7.25 4000:0", values("MEAN on Agent [1] (GPU)"));
	TEST_ASSERT_EQUAL_STRING("8000:1 8500:0", values("counter 999 on Agent [1] (GPU)"));
	TEST_ASSERT_EQUAL(3, track_named("COPY BYTES to Agent [1] (GPU)")->unit);
	TEST_ASSERT_EQUAL(2, track_named("SQ_WAVES on Agent [1] (GPU)")->unit);
}

static void test_grouped_by_queue_and_agents_by_type(void)
{
	settings.group_by_queue = true;
	settings.agent_index = AGENT_TYPE_RELATIVE;
	settings.kernel_rename = true;
	write_and_read();
	TEST_ASSERT_NULL(track_named("STREAM [3]")->name);
	TEST_ASSERT_EQUAL_STRING("COMPUTE GPU [0] QUEUE [0] GPU|kernel_dispatch|step one|2000|2000|0", slices("COMPUTE GPU [0] QUEUE [0] GPU"));
	TEST_ASSERT_EQUAL_STRING("COMPUTE GPU [0] QUEUE [0] GPU (2)|kernel_dispatch|mul|3000|2000|0",
				 slices("COMPUTE GPU [0] QUEUE [0] GPU (2)"));
	TEST_ASSERT_NOT_NULL(track_named("COPY to AGENT [0] THREAD [0] (GPU)")->name);
	TEST_ASSERT_NOT_NULL(track_named("COMPUTE Agent [-1] QUEUE [0] UNK")->name);
	TEST_ASSERT_NOT_NULL(strstr(annotations_of(slice_named("mul")), "agent=GPU-0 agent_type=GPU"));
}

/* ---- recordings of other shapes ---- */

static struct event *shape;
static size_t shapes;

static int shape_each(struct trace *t, unsigned domains, event_visit *visit, void *ctx, struct err *why)
{
	int rc = 0;
	(void)t;
	for (size_t i = 0; i < shapes && rc == 0; i++)
		if (domains & DOMAIN_BIT(shape[i].domain))
			rc = visit(ctx, &shape[i], why);
	return rc;
}

static void shaped(struct event *event, size_t n)
{
	static const struct trace_source source = { .each = shape_each };
	shape = event;
	shapes = n;
	trace.source = &source;
}

#define HIP(name, t0, t1) { API(DOMAIN_HIP, 5, "HIP_RUNTIME_API", 1, name, T0 + (t0), T0 + (t1), 4711, 1, 0) }

static void test_what_encloses_may_come_after_and_begin_together(void)
{
	struct event event[] = { HIP("inner", 10, 14), HIP("second", 14, 20), HIP("zero", 20, 20), HIP("outer", 10, 20), HIP("next", 20, 21) };
	shaped(event, 5);
	write_and_read();
	TEST_ASSERT_EQUAL_STRING(
		"THREAD 0 (4711)|hip_api|outer|10|10|0\nTHREAD 0 (4711)|hip_api|inner|10|4|1\nTHREAD 0 (4711)|hip_api|second|14|6|1\n"
		"THREAD 0 (4711)|hip_api|next|20|1|0\nTHREAD 0 (4711)|hip_api|zero|20|0|1", slices(NULL));
}

static void test_calls_that_cross_have_lanes_and_ranges_of_the_process_their_own(void)
{
	struct event event[] = {
		HIP("a", 0, 10), HIP("b", 5, 15), HIP("c", 6, 9),
		{ API(DOMAIN_MARKER, 32, "MARKER_CORE_RANGE_API", 2, "roctxProcessRangeA", T0 + 3, T0 + 30, 4711, 2, 0), .text = "range" },
	};
	shaped(event, 4);
	write_and_read();
	TEST_ASSERT_EQUAL_STRING(
		"THREAD 0 (4711)|hip_api|a|0|10|0\nRANGES THREAD 0 (4711)|marker_api|range|3|27|0\nTHREAD 0 (4711) (2)|hip_api|b|5|10|0\n"
		"THREAD 0 (4711)|hip_api|c|6|3|1", slices(NULL));
}

static void test_times_that_go_backwards_are_told_and_take_no_time(void)
{
	struct event event[] = { HIP("a", 100, 90), HIP("b", 100, 110) };
	shaped(event, 2);
	write_and_read();
	TEST_ASSERT_EQUAL_STRING("THREAD 0 (4711)|hip_api|b|100|10|0\nTHREAD 0 (4711)|hip_api|a|100|0|1", slices(NULL));
	TEST_ASSERT_NOT_NULL(strstr(annotations_of(slice_named("a")), "end_ns=1000000090 delta_ns=-10"));
}

static void test_lanes_are_bounded(void)
{
	enum { N = 100 };
	static struct event event[N];
	for (size_t i = 0; i < N; i++) {
		event[i] = made_event[6];
		event[i].start = T0 + i;
		event[i].end = T0 + 1000 - i;
	}
	shaped(event, N);
	write_and_read();
	TEST_ASSERT_EQUAL(N, read_trace.slices);
	TEST_ASSERT_EQUAL(1 + 32, read_trace.tracks);
	for (size_t i = 0; i < N; i++)
		TEST_ASSERT_EQUAL(0, read_trace.slice[i].depth);
	TEST_ASSERT_NOT_NULL(track_named("STREAM [3] (32)")->name);
}

#define MEMORY(name, where, size, t0, t1) \
	{ API(DOMAIN_ALLOCATION, 16, "MEMORY_ALLOCATION", 1, name, T0 + (t0), T0 + (t1), 4711, 1, 0), .agent = (size) ? GPU_AGENT : 0, \
	  .address = where, .bytes = size }

static void test_memory_is_counted_when_calls_end_and_what_was_freed_unseen_is_gone(void)
{
	struct event event[] = {
		MEMORY("ALLOCATE", 0x1000, 100, 0, 50), MEMORY("ALLOCATE", 0x2000, 10, 5, 20),  /* begins later and ends before */
		MEMORY("FREE", 0x1000, 0, 60, 80), MEMORY("ALLOCATE", 0x2000, 30, 90, 95), MEMORY("FREE", 0x9000, 0, 100, 110),
	};
	shaped(event, 5);
	write_and_read();
	TEST_ASSERT_EQUAL_STRING("20:10 50:110 80:10 90:0 95:30", values("ALLOCATE BYTES on Agent [1] (GPU)"));
}

/* More slowly than one step per value, this would take minutes. */
static void test_very_many_values_of_one_dispatch(void)
{
	enum { N = 300000 };
	struct counter_value *value = calloc(N, sizeof *value);
	for (uint64_t i = 0; i < N; i++)
		value[i] = (struct counter_value){ .instance = i, .counter = 300 + i % 2, .value = 1 };
	struct event event = made_event[14];
	event.value = value;
	event.values = N;
	shaped(&event, 1);
	write_and_read();
	TEST_ASSERT_EQUAL_STRING("2000:150000 4000:0", values("SQ_WAVES on Agent [1] (GPU)"));
	free(value);
}

static double parts;
static size_t told;

static void progress(void *ctx, const char *what, double part)
{
	TEST_ASSERT_EQUAL_PTR(&trace, ctx);
	TEST_ASSERT_EQUAL_STRING("pftrace", what);
	TEST_ASSERT_TRUE(part > parts && part <= 1);
	parts = part;
	told++;
}

static void test_more_than_the_window_holds(void)
{
	conversion.progress = progress;
	enum { N = 200000 };
	struct event *event = calloc(N + 1, sizeof *event);
	for (size_t i = 0; i < N; i++) {
		event[i] = made_event[1];
		event[i].start = T0 + 10 * (i ^ 1);     /* neighbours change places */
		event[i].end = event[i].start + 9;
	}
	event[N] = made_event[2];       /* around all, and comes last */
	event[N].start = T0 - 1;
	event[N].end = T0 + 10 * N;
	shaped(event, N + 1);
	memset(trace.events, 0, sizeof trace.events);
	trace.events[DOMAIN_HIP] = N + 1;
	TEST_ASSERT_EQUAL(0, pftrace_write(&conversion, &err));
	TEST_ASSERT_EQUAL(3, told);
	struct stat st;
	TEST_ASSERT_EQUAL(0, stat(path, &st));
	TEST_ASSERT_EQUAL_UINT64(st.st_size, wrote_bytes);
	/* Each begin is followed by its end, in the order of their times: all but the last. */
	int fd = open(path, O_RDONLY);
	unsigned char *data = malloc((size_t)st.st_size);
	TEST_ASSERT_EQUAL(st.st_size, read(fd, data, (size_t)st.st_size));
	close(fd);
	struct span in = { data, data + st.st_size };
	struct field packet, field;
	uint64_t last = 0, begins = 0, ends = 0, late = 0;
	while (next_field(&in, &packet))
		if (get_field(packet.in, 11, &field)) {
			uint64_t time = get_number(packet.in, 8), type = get_number(field.in, 9);
			begins += type == 1;
			ends += type == 2;
			TEST_ASSERT_TRUE(ends == begins || ends + 1 == begins);
			late += time < last;
			last = time;
		}
	TEST_ASSERT_EQUAL(N + 1, begins);
	TEST_ASSERT_EQUAL(N + 1, ends);
	TEST_ASSERT_TRUE(late <= 2);
	free(data);
	free(event);
}

static void test_a_file_that_is_there_is_not_touched(void)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);
	TEST_ASSERT_EQUAL(5, write(fd, "mine!", 5));
	close(fd);
	TEST_ASSERT_EQUAL(-1, pftrace_write(&conversion, &err));
	TEST_ASSERT_EQUAL(EEXIST, err.sys);
	struct stat st;
	TEST_ASSERT_EQUAL(0, stat(path, &st));
	TEST_ASSERT_EQUAL(5, st.st_size);
}

static void test_what_cannot_be_finished_is_removed(void)
{
	struct rlimit before, small;
	signal(SIGXFSZ, SIG_IGN);
	TEST_ASSERT_EQUAL(0, getrlimit(RLIMIT_FSIZE, &before));
	small = (struct rlimit){ 1000, before.rlim_max };
	TEST_ASSERT_EQUAL(0, setrlimit(RLIMIT_FSIZE, &small));
	int rc = pftrace_write(&conversion, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	TEST_ASSERT_EQUAL(-1, rc);
	TEST_ASSERT_EQUAL(EFBIG, err.sys);
	TEST_ASSERT_NOT_NULL(strstr(err.text, path));
	TEST_ASSERT_EQUAL(-1, access(path, F_OK));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_calls_nest_on_the_track_of_their_thread);
	RUN_TEST(test_work_of_a_stream_that_overlaps_has_lanes);
	RUN_TEST(test_tracks_belong_to_the_process);
	RUN_TEST(test_annotations_and_flows);
	RUN_TEST(test_counter_tracks);
	RUN_TEST(test_grouped_by_queue_and_agents_by_type);
	RUN_TEST(test_what_encloses_may_come_after_and_begin_together);
	RUN_TEST(test_calls_that_cross_have_lanes_and_ranges_of_the_process_their_own);
	RUN_TEST(test_times_that_go_backwards_are_told_and_take_no_time);
	RUN_TEST(test_lanes_are_bounded);
	RUN_TEST(test_very_many_values_of_one_dispatch);
	RUN_TEST(test_memory_is_counted_when_calls_end_and_what_was_freed_unseen_is_gone);
	RUN_TEST(test_more_than_the_window_holds);
	RUN_TEST(test_a_file_that_is_there_is_not_touched);
	RUN_TEST(test_what_cannot_be_finished_is_removed);
	return UNITY_END();
}
