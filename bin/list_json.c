/* SPDX-License-Identifier: MIT */
/* A look of roclatch list, as members of a JSON object. */
#include "bin/list.h"

static void runtimes_json(struct json *json, const struct runtimes *runtimes)
{
	static const struct { unsigned runtime; const char *name; } names[] = {
		{ RUNTIME_HIP, "hip" }, { RUNTIME_HSA, "hsa" }, { RUNTIME_KFD, "kfd" } };
	json_array(json, "uses");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (runtimes->set & names[i].runtime)
			json_text(json, NULL, names[i].name);
	json_end(json);
	json_bool(json, "register", runtimes->set & RUNTIME_REGISTER);
	json_text(json, "register_version", runtimes->register_version[0] ? runtimes->register_version : NULL);
}

static void container_json(struct json *json, const struct container *container)
{
	if (!container->kind) {
		json_null(json, "container");
		return;
	}
	json_object(json, "container");
	json_text(json, "kind", container->kind);
	json_text(json, "id", container->id[0] ? container->id : NULL);
	json_end(json);
}

static void attachable_json(struct json *json, const struct attachable *attachable)
{
	if (!attachable) {
		json_null(json, "attach");
		return;
	}
	json_object(json, "attach");
	json_text(json, "how", attachable_how_name(attachable->how));
	json_text(json, "brief", attachable->brief);
	json_text(json, "summary", attachable->summary);
	json_text(json, "remedy", attachable->remedy[0] ? attachable->remedy : NULL);
	json_text(json, "why_not_late", attachable->why_not_late[0] ? attachable->why_not_late : NULL);
	json_end(json);
}

static void json_process(struct json *json, const struct process *process)
{
	const struct proc_stat *stat = &process->stat;
	char state[2] = { stat->state, '\0' };
	json_object(json, NULL);
	json_signed(json, "pid", stat->pid);
	json_signed(json, "pid_inside", process->inside);
	json_signed(json, "parent", stat->ppid);
	json_unsigned(json, "depth", process->depth);
	json_unsigned(json, "uid", process->uid);
	json_text(json, "user", process->user);
	json_text(json, "name", stat->name);
	json_text(json, "state", state);
	container_json(json, &process->container);
	json_unsigned(json, "threads", stat->threads);
	json_number(json, "cpu_percent", process->cpu_percent);
	json_text(json, "cpu_since", process->since_look ? "look" : "start");
	json_bool(json, "readable", !process->unread);
	runtimes_json(json, &process->runtimes);
	attachable_json(json, process->attachable);
	json_end(json);
}

void list_json(struct json *json, const struct processes *processes)
{
	json_array(json, "processes");
	for (size_t i = 0; i < processes->rows; i++)
		json_process(json, processes->row[i]);
	json_end(json);
	json_unsigned(json, "unreadable", processes->unread);
	json_bool(json, "hidden", processes->hidden);
}
