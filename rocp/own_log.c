/* SPDX-License-Identifier: MIT */
/* Where the log of roclatch's own tool is to be: worked out outside, as the target sees it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "inject/root.h"
#include "rocp/output_name.h"
#include "rocp/own_tool.h"
#include "rocp/search.h"

#define HOST_MAX 256
#define ARGUMENTS_MAX 1024

/* What is known of the target, and what that lies in. */
struct known {
	const struct rocm_view *view;
	const struct env *sent;
	char host[HOST_MAX], folder[PATH_MAX];
	char *start;            /* its environment at its start */
	size_t start_size;
	char *command;
	const char *argument[ARGUMENTS_MAX];
};

/* A process in another UTS namespace has another name for its machine.  Whoever may not enter that
 * namespace takes the name from the process's own files. */
static void read_host(const struct target *target, char host[HOST_MAX])
{
	char theirs[64];
	struct stat a, b;
	snprintf(theirs, sizeof theirs, "/proc/%d/ns/uts", (int)target->live_tid);
	bool same = stat("/proc/self/ns/uts", &a) < 0 || stat(theirs, &b) < 0 || (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
	bool done = false;
	if (!same) {
		int own = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC), its = open(theirs, O_RDONLY | O_CLOEXEC);
		if (own >= 0 && its >= 0 && setns(its, CLONE_NEWUTS) == 0) {
			done = gethostname(host, HOST_MAX) == 0;
			while (setns(own, CLONE_NEWUTS) < 0 && errno == EINTR)
				;
		}
		if (own >= 0)
			close(own);
		if (its >= 0)
			close(its);
	}
	int fd = same || done ? -1 : root_open(target, "/etc/hostname", NULL, 0, NULL);
	if (fd >= 0) {
		ssize_t n = read(fd, host, HOST_MAX - 1);
		host[n > 0 ? n : 0] = '\0';
		host[strcspn(host, " \t\r\n/")] = '\0';
		done = host[0] != '\0';
		close(fd);
	}
	if (!done && gethostname(host, HOST_MAX) < 0)
		strcpy(host, "localhost");
	host[HOST_MAX - 1] = '\0';
}

static const char *variable(void *ctx, const char *name)
{
	const struct known *known = ctx;
	const char *value = env_get(known->sent, name);
	size_t length = strlen(name);
	if (!value)
		value = env_get(&known->view->environment, name);
	for (size_t at = 0; !value && at < known->start_size; at += strlen(known->start + at) + 1)
		if (!strncmp(known->start + at, name, length) && known->start[at + length] == '=')
			value = known->start + at + length + 1;
	return value;
}

/* The last number of a line of /proc/PID/status: the one that the process itself sees. */
static long innermost(const char *status, const char *line)
{
	const char *at = strstr(status, line), *last = NULL;
	for (at = at ? at + strlen(line) : NULL; at && *at && *at != '\n'; at += strcspn(at, "\t\n"), at += *at == '\t')
		last = at;
	return last ? strtol(last, NULL, 10) : 0;
}

static void read_known(struct known *known, const struct target *target, struct output_facts *facts)
{
	const struct proc_status *status = &target->status;
	struct proc_status parent;
	size_t size = 0;
	char *text = proc_read(&size, NULL, "/proc/%d/status", (int)target->pid);
	unsigned depth = status->nspid_count;
	read_host(target, known->host);
	if (search_current(target, known->folder, sizeof known->folder - 1) < 0)
		known->folder[0] = '\0';
	if (!known->folder[0])
		strcpy(known->folder, "/");
	known->start = proc_read(&known->start_size, NULL, "/proc/%d/environ", (int)target->live_tid);
	if (!known->start)
		known->start_size = 0;
	known->command = proc_read(&size, NULL, "/proc/%d/cmdline", (int)target->live_tid);
	for (size_t at = 0; known->command && at < size && facts->arguments < ARGUMENTS_MAX; at += strlen(known->command + at) + 1)
		known->argument[facts->arguments++] = known->command + at;
	facts->argument = known->argument;
	facts->hostname = known->host;
	facts->folder = known->folder;
	facts->pid = target_self(target);
	if (status->ppid > 0 && depth && proc_status(status->ppid, 0, &parent, NULL) == 0 && parent.nspid_count >= depth)
		facts->ppid = parent.nspid[depth - 1];
	facts->pgid = text ? innermost(text, "\nNSpgid:\t") : 0;
	facts->psid = text ? innermost(text, "\nNSsid:\t") : 0;
	facts->launched = time(NULL);
	facts->variable = variable;
	facts->ctx = known;
	free(text);
}

static int make_path(const struct known *known, const struct output_facts *facts, char *path, size_t size, struct err *err)
{
	char folder[PATH_MAX], name[PATH_MAX];
	const char *in = variable((void *)(uintptr_t)known, "ROCPROF_OUTPUT_PATH"), *called = env_get(known->sent, "ROCPROF_OUTPUT_FILE_NAME");
	if (output_name_expand(in && *in ? in : ".", facts, folder, sizeof folder, err) < 0 ||
	    output_name_expand(called && *called ? called : OUTPUT_NAME_DEFAULT, facts, name, sizeof name, err) < 0)
		return -1;
	int n = name[0] == '/' ? snprintf(path, size, "%s", name) :
		folder[0] == '/' ? snprintf(path, size, "%s/%s", strcmp(folder, "/") ? folder : "", name) :
		snprintf(path, size, "%s/%s/%s", strcmp(known->folder, "/") ? known->folder : "", folder, name);
	if (n < (int)size)
		return 0;
	err_set(err, ERR_USAGE, 0, "the path of the output is longer than %zu bytes", size - 1);
	return err_remedy(err, "choose a shorter one with -d or -o");
}

int own_tool_formats(const struct request *request, struct env *env, struct err *err)
{
	const char *sent = env_get(&request->env, "ROCPROF_OUTPUT_FORMAT");
	if (sent && env_set(env, OWN_FORMATS_VARIABLE, sent, err) < 0)
		return -1;
	if (!sent && !request->html)
		return env_set(env, OWN_FORMATS_VARIABLE, "rocpd", err);
	if (!request->html)
		return 0;
	return sent ? env_append(env, OWN_FORMATS_VARIABLE, "html", ",", err) : env_set(env, OWN_FORMATS_VARIABLE, "html", err);
}

int own_tool_output(const struct target *target, const struct rocm_view *view, const struct env *sent, char *path, size_t size,
		    struct err *err)
{
	struct known known = { .view = view, .sent = sent };
	struct output_facts facts = { .pid = target->pid };
	read_known(&known, target, &facts);
	int rc = make_path(&known, &facts, path, size, err);
	free(known.start);
	free(known.command);
	return rc;
}

int own_tool_environment(const struct target *target, const struct rocm_view *view, const struct request *request,
			 struct env *env, struct err *err)
{
	char path[sizeof((struct tool_status *)0)->log];
	if (own_tool_output(target, view, env, path, sizeof path - strlen(LOG_ENDING), err) < 0)
		return -1;
	/* its files would have an ending alone, and be hidden */
	if (path[strlen(path) - 1] == '/') {
		err_set(err, ERR_USAGE, 0, "the output has a folder and no name: %.300s", path);
		return err_remedy(err, "give the folder by -d and a name by -o; a variable in it (%%env{NAME}%%) is one of the process");
	}
	strcat(path, LOG_ENDING);
	return env_set(env, TOOL_LOG_VARIABLE, path, err) < 0 ? -1 : own_tool_formats(request, env, err);
}
