/* SPDX-License-Identifier: MIT */
/* roclatch threads: what does every thread do?  Two looks; nothing is stopped. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bin/watched.h"
#include "inject/thread.h"

#define BETWEEN_NS 200000000
#define LONG_LIST 2000          /* of more threads it is not asked how long they sleep: that takes a while */

const char threads_text[] =
	"Lists the threads of the process: state, CPU use between two looks a fifth of a second apart,\n"
	"the system call in which a blocked thread waits and for how long, what it waits for in the\n"
	"kernel (where the kernel shows this), and its innermost function.  No thread is stopped and\n"
	"nothing in the process changes.  For processes of other users only names, states and CPU use are\n"
	"shown.\n"
	"\n"
	"examples:\n"
	"  roclatch threads 4711\n";

/* What is said of one thread. */
struct line {
	const struct task *task;
	double cpu;             /* percent of one CPU */
	char call[32], channel[64], function[512];
	uint64_t blocked_ns;    /* 0: it runs */
};

static double cpu_percent(const struct task *task, uint64_t between_ns)
{
	if (task->is_new || !between_ns || task->run_ns < task->run_before_ns)
		return 0;
	return 100.0 * (double)(task->run_ns - task->run_before_ns) / (double)between_ns;
}

static void look_closer(struct watched *watched, const struct tasks *tasks, const struct task *task, struct line *line)
{
	char buf[32];
	if (task->state == TASK_RUNNING || task->state == TASK_GONE)
		return;
	line->blocked_ns = tasks->n > LONG_LIST ? tasks->tick_ns - task->since_ns : task_blocked_ns(task, now_ns());
	task_wait_channel(tasks->pid, task->tid, line->channel, sizeof line->channel);
	if (!task->call_known)
		return;
	if (task->call.nr >= 0)
		snprintf(line->call, sizeof line->call, "%s", task_syscall_name(task->call.nr, buf, sizeof buf));
	if (watched->readable && task->call.pc)
		watched_place(watched, task->call.pc, true, false, line->function, sizeof line->function);
}

/* Text from elsewhere in a column of so many letters. */
static void put_cell(int width, const char *text)
{
	char *safe = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&safe, &size);
	if (!stream)
		return;
	output_safe(stream, text);
	fclose(stream);
	printf(" %-*s", width, safe);
	free(safe);
}

static void put_line(const struct line *line)
{
	const char *blocked = line->blocked_ns ? duration_text(line->blocked_ns) : "";
	printf("%7d", (int)line->task->tid);
	put_cell(15, line->task->name);
	printf(" %-8s %5.1f  %-16s %9s", task_state_text(line->task->state), line->cpu, line->call, blocked);
	putchar(' ');
	put_cell(20, line->channel);
	putchar(' ');
	output_safe(stdout, line->function);
	putchar('\n');
}

static void json_line(struct json *json, const struct line *line)
{
	const struct task *task = line->task;
	json_object(json, NULL);
	json_signed(json, "tid", task->tid);
	json_text(json, "name", task->name);
	json_text(json, "state", task_state_text(task->state));
	json_number(json, "cpu_percent", line->cpu);
	json_unsigned(json, "run_ns", task->run_ns);
	json_text(json, "call", line->call[0] ? line->call : NULL);
	json_unsigned(json, "blocked_ns", line->blocked_ns);
	json_text(json, "wait_channel", line->channel[0] ? line->channel : NULL);
	json_text(json, "function", line->function[0] ? line->function : NULL);
	json_end(json);
}

static void put_head(const struct watched *watched, const struct tasks *tasks)
{
	char counts[160];
	task_count_text(tasks, counts, sizeof counts);
	printf("PID %d (", (int)tasks->pid);
	output_safe(stdout, watched->target.status.name);
	printf("): %zu thread%s, %s\n", tasks->n, tasks->n == 1 ? "" : "s", counts);
	printf("%7s %-15s %-8s %5s  %-16s %9s  %-20s  %s\n", "TID", "NAME", "STATE", "%CPU", "CALL", "FOR", "WAITS IN", "FUNCTION");
}

static void put_all(struct watched *watched, const struct tasks *tasks, uint64_t between_ns, struct output *out)
{
	if (out->json) {
		json_text(&out->writer, "name", watched->target.status.name);
		json_text(&out->writer, "unreadable", watched->readable ? NULL : watched->why.text);
		json_array(&out->writer, "threads");
	} else {
		put_head(watched, tasks);
	}
	for (size_t i = 0; i < tasks->n; i++) {
		struct line line = { .task = &tasks->v[i], .cpu = cpu_percent(&tasks->v[i], between_ns) };
		look_closer(watched, tasks, &tasks->v[i], &line);
		if (out->json)
			json_line(&out->writer, &line);
		else
			put_line(&line);
	}
	if (out->json)
		json_end(&out->writer);
	else if (!watched->readable)
		output_note(out, "system calls and functions are not to be seen: %s", watched->why.text);
}

static int look_twice(struct watched *watched, struct output *out, struct err *err)
{
	struct tasks tasks;
	if (tasks_open(&tasks, watched->target.pid, err) < 0)
		return -1;
	int rc = tasks_tick(&tasks, true, err);
	uint64_t first_ns = tasks.tick_ns;
	if (rc == 0) {
		nanosleep(&(struct timespec){ 0, BETWEEN_NS }, NULL);
		rc = tasks_tick(&tasks, true, err);
	}
	if (rc == 0)
		put_all(watched, &tasks, tasks.tick_ns - first_ns, out);
	tasks_close(&tasks);
	return rc;
}

int command_threads(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	struct watched watched;
	(void)operands;
	(void)n;
	if (watched_open(&watched, settings, false, out, err) < 0)
		return -1;
	int rc = look_twice(&watched, out, err);
	watched_close(&watched);
	return rc;
}
