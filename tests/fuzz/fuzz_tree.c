/* SPDX-License-Identifier: MIT */
/*
 * The files of a machine in which processes are looked for: /proc of one process and of our own, /etc/passwd, the
 * driver's topology.  The input is their texts, each ended by a byte 0xff, in the order of the list below.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/births.h"
#include "rocp/job/status.h"
#include "rocp/kfd.h"
#include "rocp/processes.h"
#include "rocp/select.h"
#include "rocp/surroundings.h"

#define PID 7
#define INPUT_MAX 16384

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const files[] = {
	"proc/7/stat", "proc/7/status", "proc/7/cgroup", "proc/7/mountinfo", "proc/7/environ", "proc/7/maps", "proc/7/comm",
	"proc/7/cmdline", "proc/7/task/7/children", "proc/loadavg", "proc/self/mounts", "etc/passwd", "pid-file",
	"kfd/topology/nodes/1/properties", "var/run/secrets/kubernetes.io/serviceaccount/namespace",
	"var/run/secrets/kubernetes.io/serviceaccount/token", "etc/hosts",
};
#define FILES (sizeof files / sizeof *files)
#define ENVIRON 4

static char root[40], proc[48];
static int fd[FILES];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st;
	(void)kind;
	(void)place;
	return remove(path);
}

static void remove_tree(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *under(const char *name)
{
	static char path[4][160];
	static unsigned next;
	char *at = path[next++ % 4];
	snprintf(at, sizeof path[0], "%s/%s", root, name);
	return at;
}

static int make_file(const char *name)
{
	char path[160];
	snprintf(path, sizeof path, "%s", under(name));
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(path, 0700);
	}
	int made = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (made < 0)
		abort();
	return made;
}

static void make_tree(void)
{
	snprintf(root, sizeof root, "%s/fuzz-tree-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(root) || atexit(remove_tree))
		abort();
	snprintf(proc, sizeof proc, "%s/proc", root);
	for (size_t i = 0; i < FILES; i++)
		fd[i] = make_file(files[i]);
	/* ours is in the same place as the other, and not in its mount namespace */
	if (link(under("proc/7/cgroup"), under("proc/self/cgroup")) ||
	    link(under("proc/7/mountinfo"), under("proc/self/mountinfo")) ||
	    mkdir(under("proc/self/ns"), 0700) || mkdir(under("proc/7/ns"), 0700) ||
	    symlink("/dev/null", under("proc/self/ns/mnt")) || symlink("/dev/zero", under("proc/7/ns/mnt")) ||
	    symlink("/", under("proc/self/root")) || symlink("/", under("proc/7/root")) ||
	    symlink("pid:[1]", under("proc/self/ns/pid")) || symlink("/bin/sh", under("proc/7/exe")))
		abort();
}

#define ENDED(text) (strnlen(text, sizeof(text)) < sizeof(text))

static void look_at_processes(void)
{
	char kfd[64], passwd[64];
	struct processes processes = { .proc = proc, .kfd = kfd, .passwd = passwd, .all = true };
	snprintf(kfd, sizeof kfd, "%s", under("kfd"));
	snprintf(passwd, sizeof passwd, "%s", under("etc/passwd"));
	for (int i = 0; i < 2; i++) {
		if (processes_look(&processes, NULL) < 0 || processes.rows > 1)
			abort();
		for (size_t k = 0; k < processes.rows; k++) {
			const struct process *process = processes.row[k];
			char text[96];
			container_text(&process->container, text, sizeof text);
			if (!ENDED(process->stat.name) || !ENDED(process->runtimes.register_version) || !ENDED(process->container.id) ||
			    (process->container.id[0] && !process->container.kind) || (process->user && !*process->user))
				abort();
		}
	}
	processes_free(&processes);
}

static void select_by(const struct request *request)
{
	struct selection selection;
	struct err err = { .code = ERR_NONE };
	int rc = select_processes(&selection, request, proc, &err);
	if (rc < 0 && (err.code == ERR_NONE || !err.text[0]))
		abort();
	if (rc == 0 && (!selection.n || selection.n > SELECT_MAX))
		abort();
	if (rc == 0)
		selection_free(&selection);
}

static void look_around(const char *text, size_t size)
{
	char *environment[16] = { NULL }, said[512], arch[16];
	struct surroundings found;
	size_t n = 0;
	for (const char *at = text; at < text + size && n < 15; at += strlen(at) + 1)
		environment[n++] = (char *)(uintptr_t)at;
	surroundings_look(&found, proc, root, environment);
	surroundings_text(&found, said, sizeof said);
	/* what is shown to be pasted into a shell is nothing but a word */
	for (const char *at = found.pod; *at; at++)
		if (strchr(" ;$`'\"\\|&<>()\n", *at))
			abort();
	if (found.kind > IN_SLURM || !ENDED(found.job) || !ENDED(found.step) || !ENDED(found.space))
		abort();
	if (kfd_arch(under("kfd/topology"), arch, NULL) == 0 && strncmp(arch, "gfx", 3))
		abort();
}

static void read_job(void)
{
	static struct job_status status;
	job_rank_read(&status, proc, PID, NULL, NULL);
	if (status.rank < -1 || (status.ranks != -1 && status.rank >= status.ranks) || !ENDED(status.job))
		abort();
	job_rank_read(&status, proc, PID, "A", "B");
}

static void follow(void)
{
	struct births births = { .proc = proc };
	if (births_add(&births, PID, PID, NULL) < 0 || births_look(&births, NULL) < 0 || births_look(&births, NULL) < 0)
		abort();
	births_free(&births);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *at = data, *end = data + size;
	char variables[4096];
	size_t length = 0;
	if (size > INPUT_MAX)
		return 0;
	if (!root[0])
		make_tree();
	for (size_t i = 0; i < FILES; i++) {
		const uint8_t *mark = at < end ? memchr(at, 0xff, (size_t)(end - at)) : NULL;
		size_t part = (size_t)((mark ? mark : end) - at);
		if (ftruncate(fd[i], 0) || pwrite(fd[i], at, part, 0) != (ssize_t)part)
			abort();
		if (i == ENVIRON) {
			length = part < sizeof variables - 1 ? part : sizeof variables - 1;
			memcpy(variables, at, length);
			variables[length] = '\0';
		}
		at = mark ? mark + 1 : end;
	}
	pid_t pid = PID;
	look_at_processes();
	look_around(variables, length);
	read_job();
	follow();
	select_by(&(struct request){ .pid = &pid, .pids = 1, .children = true });
	select_by(&(struct request){ .name = "^a.*b$", .children = true });
	select_by(&(struct request){ .pid_file = under("pid-file"), .with_env = "A=b" });
	select_by(&(struct request){ .cgroup = "/sys/fs/cgroup/cpu/a", .slurm_job = "42.0" });
	select_by(&(struct request){ .cgroup = "/a/b", .slurm_job = "42" });
	return 0;
}
