/* SPDX-License-Identifier: MIT */
#include "rocp/select.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocp/advice.h"
#include "rocp/matching.h"
#include "rocp/runtimes.h"
#include "rocp/select_family.h"
#include "rocp/select_job.h"
#include "rocp/select_more.h"

#define ANCESTORS_MAX 64

struct search {
	struct selection *selection;
	const char *proc;
	struct select_scope *scope;     /* NULL: everybody, and nobody is a failure */
	pid_t ours[ANCESTORS_MAX];      /* our process, and each roclatch that it descends from */
	size_t n_ours;
	char us[PATH_MAX];              /* our program, or "" */
};

bool family_status(const char *proc, pid_t pid, struct proc_status *status)
{
	size_t size;
	char *text = proc_read(&size, NULL, "%s/%d/status", proc, (int)pid);
	bool ok = text && status_parse(status, text, size, NULL) == 0;
	free(text);
	return ok;
}

static bool lives(const struct proc_status *status)
{
	return status->state != 'Z' && status->state != 'X' && status->state != 'x';
}

/* The program behind a process, or "". */
static void program(const char *proc, pid_t pid, char *path, size_t size)
{
	char link[PATH_MAX];
	path[0] = '\0';
	if (snprintf(link, sizeof link, "%s/%d/exe", proc, (int)pid) >= (int)sizeof link)
		return;
	ssize_t length = readlink(link, path, size - 1);
	path[length > 0 ? length : 0] = '\0';
}

static void find_ours(struct search *search)
{
	char other[PATH_MAX];
	const char *us = search->us;
	struct proc_status status;
	pid_t pid = getpid();
	program(search->proc, pid, search->us, sizeof search->us);
	for (int i = 0; i < ANCESTORS_MAX && pid > 0; i++) {
		program(search->proc, pid, other, sizeof other);
		if (pid == getpid() || (us[0] && !strcmp(us, other)))
			search->ours[search->n_ours++] = pid;
		if (!family_status(search->proc, pid, &status))
			break;
		pid = status.ppid;
	}
}

static bool is_ours(const struct search *search, pid_t pid)
{
	for (size_t i = 0; i < search->n_ours; i++)
		if (search->ours[i] == pid)
			return true;
	return false;
}

static int add(struct search *search, pid_t pid, pid_t root, bool required, struct err *err)
{
	struct selection *selection = search->selection;
	for (size_t i = 0; i < selection->n; i++)
		if (selection->v[i].pid == pid)
			return 0;
	if (selection->n == SELECT_MAX) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "more than %d processes are meant", SELECT_MAX);
		return err_remedy(err, "name fewer: -p PID, a narrower --name, --attach-children=false");
	}
	selection->v[selection->n++] = (struct selected){ pid, root, required };
	return 0;
}

static int add_given(struct search *search, const struct request *request, struct err *err)
{
	for (size_t i = 0; i < request->pids; i++) {
		struct proc_status status;
		pid_t pid = request->pid[i];
		if (family_status(search->proc, pid, &status))
			pid = status.tgid;
		if (add(search, pid, pid, true, err) < 0)
			return -1;
	}
	return 0;
}

static bool matches(const regex_t *expression, const char *proc, pid_t pid)
{
	size_t size;
	char *comm = proc_read(&size, NULL, "%s/%d/comm", proc, (int)pid);
	if (comm)
		comm[strcspn(comm, "\n")] = '\0';
	bool found = comm && regexec(expression, comm, 0, NULL, 0) == 0;
	free(comm);
	/* threads of the kernel and zombies have no arguments, and nothing to attach to */
	char *words = proc_read(&size, NULL, "%s/%d/cmdline", proc, (int)pid);
	if (words && size) {
		const char *slash = strrchr(words, '/');
		found = found || regexec(expression, slash ? slash + 1 : words, 0, NULL, 0) == 0;
	} else {
		found = false;
	}
	free(words);
	return found;
}

static bool has_register(const char *proc, pid_t pid, const char *unused)
{
	struct runtimes runtimes;
	(void)unused;
	return runtimes_mapped(&runtimes, proc, pid) == 0 && runtimes.set & RUNTIME_REGISTER;
}

/* Slurm's own processes, and a roclatch of the same job, belong to it and are not its work. */
static bool is_work(const struct search *search, pid_t pid)
{
	char other[PATH_MAX];
	program(search->proc, pid, other, sizeof other);
	return !select_is_helper(search->proc, pid) && (!search->us[0] || strcmp(search->us, other));
}

/* One way to name processes, and what is said if nobody answers. */
struct way {
	const char *word;
	bool (*is)(const char *proc, pid_t pid, const char *word);      /* NULL: by name */
	bool work;              /* of a job: not what belongs to the job itself */
	const char *none, *end, *remedy;        /* the word stands between the first two */
};

static bool answers(const struct search *search, const struct way *way, const regex_t *expression, pid_t pid)
{
	if (expression)
		return matches(expression, search->proc, pid);
	return way->is(search->proc, pid, way->word) && (!way->work || is_work(search, pid));
}

/* Nobody answers: whoever waits for them is only told. */
static int nobody(struct search *search, struct err *err, const struct err *why)
{
	if (search->scope)
		search->scope->missing = *why;
	if (search->scope || !err)
		return search->scope ? 0 : -1;
	*err = *why;
	err->lack = LACK_SIGHT;
	return surroundings_advise(0, err);
}

static int add_found(struct search *search, const struct everybody *all, const struct way *way, const regex_t *expression,
		     struct err *err)
{
	bool found = false;
	struct err none;
	for (size_t i = 0; i < all->among.n; i++) {
		pid_t pid = all->among.v[i];
		struct proc_status status;
		if (is_ours(search, pid) || !answers(search, way, expression, pid) ||
		    !family_status(search->proc, pid, &status) || !lives(&status))
			continue;
		if (add(search, pid, pid, expression != NULL, err) < 0)
			return -1;
		found = true;   /* also one that another way has found already */
	}
	if (found || (way->is == has_register && search->selection->n))
		return 0;
	err_set(&none, ERR_NOT_POSSIBLE, 0, "%s%.300s%s", way->none, way->word, way->end);
	err_remedy(&none, "%s", way->remedy);
	return nobody(search, err, &none);
}

static int add_named(struct search *search, const struct everybody *all, const struct way *way, struct err *err)
{
	regex_t expression;
	char why[128];
	if (matching_compile(&expression, way->word, why, sizeof why) < 0) {
		err_set(err, ERR_USAGE, 0, "--name '%s': %s", way->word, why);
		return err_remedy(err, "give an extended regular expression (regex(7)), such as '^python3$'");
	}
	int rc = add_found(search, all, way, &expression, err);
	regfree(&expression);
	return rc;
}

static int add_by_looks(struct search *search, const struct everybody *all, const struct request *request, struct err *err)
{
	const struct way ways[] = {
		{ request->name, NULL, false, "no process has a name that matches '", "'",
		  "the name is what ps -e shows, or the last part of the program's path" },
		{ request->with_env, select_has_variable, false, "no process that may be read was started with ", "",
		  "a variable counts as it was when the program started; run roclatch as its user or as root" },
		{ request->all ? "librocprofiler-register" : NULL, has_register, false, "no process that may be read has ", " loaded",
		  "start the ROCm program first, or run roclatch as its user or as root" },
		{ request->cgroup, select_in_cgroup, true, "no process is in the control group ", "",
		  "name it as /proc/PID/cgroup of such a process shows it, or below /sys/fs/cgroup" },
		{ request->slurm_job, select_in_slurm_job, true, "no process of Slurm job ", " is on this node",
		  "squeue -s shows jobs and steps; run roclatch on the job's nodes (srun --overlap --jobid=JOB) and as its user or "
		  "as root" },
	};
	int rc = 0;
	for (size_t i = 0; i < sizeof ways / sizeof *ways && rc == 0; i++)
		if (ways[i].word)
			rc = ways[i].is ? add_found(search, all, &ways[i], NULL, err) : add_named(search, all, &ways[i], err);
	return rc;
}

static int add_of_file(struct search *search, const char *path, struct err *err)
{
	struct proc_status status;
	struct err why;
	pid_t pid;
	int rc = select_pid_file(path, &pid, &why);
	if (rc < 0 && why.code == ERR_FAILED) { /* nothing there yet */
		why.code = ERR_NOT_POSSIBLE;
		return nobody(search, err, &why);
	}
	if (rc < 0) {
		*err = why;
		return -1;
	}
	if (family_status(search->proc, pid, &status))
		pid = status.tgid;
	else if (search->scope)
		err_set(&search->scope->missing, ERR_NOT_POSSIBLE, 0, "there is no process %d, which %.200s names", (int)pid, path);
	return add(search, pid, pid, true, err);
}

/* The selection is the queue: what is added behind is looked at in its turn. */
static int add_descendants(struct search *search, struct everybody *all, struct err *err)
{
	struct selection *selection = search->selection;
	struct pids children = { 0 };
	int rc = 0;
	for (size_t i = 0; i < selection->n && rc == 0; i++) {
		struct selected parent = selection->v[i];
		if (parent.pid == parent.root && !parent.required)
			continue;       /* by --env, --all or a job, for which every process was asked already */
		rc = family_children(&children, search->proc, parent.pid, all, err);
		for (size_t k = 0; k < children.n && rc == 0; k++) {
			struct proc_status status;
			if (!is_ours(search, children.v[k]) &&
			    family_status(search->proc, children.v[k], &status) && lives(&status))
				rc = add(search, children.v[k], parent.root, false, err);
		}
		pids_free(&children);
	}
	return rc;
}

static int list_everybody(const struct search *search, struct everybody *all, struct err *err)
{
	const struct select_scope *scope = search->scope;
	if (pids_list(&all->pids, search->proc, err) < 0)
		return -1;
	for (size_t i = 0; i < all->pids.n; i++)
		if ((!scope || scope->due(scope->ctx, all->pids.v[i])) && pids_add(&all->among, all->pids.v[i], err) < 0)
			return -1;
	return 0;
}

int select_among(struct selection *selection, const struct request *request, const char *proc, struct select_scope *scope,
		 struct err *err)
{
	struct search search = { .selection = selection, .proc = proc, .scope = scope };
	struct everybody all = { 0 };
	bool by_looks = request->name || request->with_env || request->all || request->cgroup || request->slurm_job;
	*selection = (struct selection){ 0 };
	if (!request->pids && !request->pid_file && !by_looks) {
		err_set(err, ERR_USAGE, 0, "no process is named");
		return err_remedy(err, "give -p PID, --name REGEX or --all");
	}
	selection->v = calloc(SELECT_MAX, sizeof *selection->v);
	if (!selection->v)
		return err_set(err, ERR_FAILED, ENOMEM, "list the processes");
	find_ours(&search);
	int rc = add_given(&search, request, err);
	if (rc == 0 && request->pid_file)
		rc = add_of_file(&search, request->pid_file, err);
	if (rc == 0 && (by_looks || request->children))
		rc = list_everybody(&search, &all, err);
	if (rc == 0)
		rc = add_by_looks(&search, &all, request, err);
	if (rc == 0 && request->children)
		rc = add_descendants(&search, &all, err);
	everybody_free(&all);
	if (rc == 0)
		return 0;
	selection_free(selection);
	return -1;
}

int select_processes(struct selection *selection, const struct request *request, const char *proc, struct err *err)
{
	return select_among(selection, request, proc, NULL, err);
}

void selection_free(struct selection *selection)
{
	free(selection->v);
	*selection = (struct selection){ 0 };
}
