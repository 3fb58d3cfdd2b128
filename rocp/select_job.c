/* SPDX-License-Identifier: MIT */
#include "rocp/select_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject/cursor.h"
#include "inject/proc.h"

#define MOUNT "/sys/fs/cgroup"

static bool word_is(const char *at, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(at, word, length);
}

/* Is `path` the group `group`, or below it? */
static bool is_below(struct cursor path, const char *group, size_t length)
{
	size_t n = (size_t)(path.end - path.at);
	return n >= length && !memcmp(path.at, group, length) && (n == length || path.at[length] == '/');
}

/* Is `name` a folder of the mounted hierarchy with these controllers: "cpu,cpuacct", "cpu", "systemd" of "name=systemd"? */
static bool is_hierarchy(struct cursor controllers, const char *name, size_t length)
{
	if (controllers.at == controllers.end)
		return word_is(name, length, "unified");
	if ((size_t)(controllers.end - controllers.at) == length && !memcmp(controllers.at, name, length))
		return true;
	while (cursor_more(&controllers)) {
		const char *comma = memchr(controllers.at, ',', (size_t)(controllers.end - controllers.at));
		const char *end = comma ? comma : controllers.end, *at = controllers.at;
		if (end - at > 5 && !memcmp(at, "name=", 5))
			at += 5;
		if ((size_t)(end - at) == length && !memcmp(at, name, length))
			return true;
		controllers.at = comma ? comma + 1 : end;
	}
	return false;
}

/* One line: "4:cpu,cpuacct:/slurm/job_42", "0::/system.slice/x". */
static bool line_matches(struct cursor line, const char *group, size_t length, bool mounted)
{
	const char *first = memchr(line.at, ':', (size_t)(line.end - line.at));
	const char *second = first ? memchr(first + 1, ':', (size_t)(line.end - first - 1)) : NULL;
	if (!second)
		return false;
	struct cursor path = { second + 1, line.end }, controllers = { first + 1, second };
	if ((!mounted || first + 1 == second) && is_below(path, group, length))
		return true;
	const char *slash = memchr(group + 1, '/', length - 1);
	if (!mounted || !slash || !is_hierarchy(controllers, group + 1, (size_t)(slash - group) - 1))
		return false;
	return is_below(path, slash, length - (size_t)(slash - group));
}

bool select_in_cgroup(const char *proc, pid_t pid, const char *path)
{
	bool mounted = !strncmp(path, MOUNT "/", sizeof MOUNT), found = false;
	char group[4096];
	size_t size;
	path += mounted ? sizeof MOUNT - 1 : 0;
	snprintf(group, sizeof group, "/%s", path + strspn(path, "/"));
	size_t length = strlen(group);
	while (length > 1 && group[length - 1] == '/')
		length--;
	char *text = proc_read(&size, NULL, "%s/%d/cgroup", proc, (int)pid);
	struct cursor rest = { text, text ? text + size : text };
	while (text && !found && cursor_more(&rest))
		found = line_matches(cursor_line(&rest), group, length, mounted);
	free(text);
	return found;
}

/* ".../job_42/step_0/...": step NULL for any. */
static bool names_job(struct cursor path, const char *job, const char *step)
{
	bool in_job = false;
	while (cursor_more(&path)) {
		const char *slash = memchr(path.at, '/', (size_t)(path.end - path.at));
		size_t length = (size_t)((slash ? slash : path.end) - path.at);
		if (in_job && step && word_is(path.at, length, step))
			return true;
		in_job |= word_is(path.at, length, job);
		path.at = slash ? slash + 1 : path.end;
	}
	return in_job && !step;
}

static bool cgroup_names_job(const char *proc, pid_t pid, const char *job, const char *step)
{
	bool found = false;
	size_t size;
	char *text = proc_read(&size, NULL, "%s/%d/cgroup", proc, (int)pid);
	struct cursor rest = { text, text ? text + size : text };
	while (text && !found && cursor_more(&rest))
		found = names_job(cursor_line(&rest), job, step);
	free(text);
	return found;
}

/* Two nodes of Slurm can be one machine (several slurmd).  Who is a task of Slurm takes the tasks of its own node alone. */
static bool on_another_node(const char *text, size_t size)
{
	const char *ours = getenv("SLURMD_NODENAME");
	for (const char *at = text; ours && at < text + size; at += strlen(at) + 1)
		if (!strncmp(at, "SLURMD_NODENAME=", 16))
			return strcmp(at + 16, ours) != 0;
	return false;
}

/* Has one of these variables this value? */
static bool has_variable(const char *text, size_t size, const char *name, const char *second, const char *value)
{
	for (const char *at = text; at < text + size; at += strlen(at) + 1) {
		const char *equals = strchr(at, '=');
		size_t length = equals ? (size_t)(equals - at) : 0;
		if (equals && (word_is(at, length, name) || word_is(at, length, second)) && !strcmp(equals + 1, value))
			return true;
	}
	return false;
}

bool select_in_slurm_job(const char *proc, pid_t pid, const char *job)
{
	char number[64], in_job[80], in_step[80];
	size_t size, length = strcspn(job, ".");
	const char *step = job[length] ? job + length + 1 : NULL;
	snprintf(number, sizeof number, "%.*s", (int)(length < 63 ? length : 63), job);
	char *text = proc_read(&size, NULL, "%s/%d/environ", proc, (int)pid);
	bool found = text && has_variable(text, size, "SLURM_JOB_ID", "SLURM_JOBID", number) &&
		     (!step || has_variable(text, size, "SLURM_STEP_ID", "SLURM_STEPID", step));
	bool elsewhere = text && on_another_node(text, size);
	free(text);
	snprintf(in_job, sizeof in_job, "job_%s", number);
	snprintf(in_step, sizeof in_step, "step_%.64s", step ? step : "");
	return !elsewhere && (found || cgroup_names_job(proc, pid, in_job, step ? in_step : NULL));
}

bool select_is_helper(const char *proc, pid_t pid)
{
	static const char *const names[] = { "slurmd", "slurmstepd", "srun", "salloc", "sbatch", "roclatch" };
	char name[64];
	if (proc_read_into(name, sizeof name, "%s/%d/comm", proc, (int)pid) < 0)
		return false;
	name[strcspn(name, "\n")] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}
