// SPDX-License-Identifier: MIT
/* A root for a target, as rocm_world.h says. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm_world.h"

#define WORLD "../root-static/"

static const struct world *world;

static int bind_part(const char *name, bool folder)
{
	char to[64];

	snprintf(to, sizeof(to), WORLD "%s", name);
	return (folder ? mkdir(to, 0755) : mknod(to, S_IFREG | 0755, 0)) || mount(name, to, NULL, MS_BIND, NULL);
}

static int make_folder(const char *name, mode_t mode)
{
	return mkdir(name, mode) || chmod(name, mode);
}

/* A call that would be the end of the process. */
static int forbid_memfd(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0x80000000u /* kill the process */),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Of all files in memory of a pid namespace, where the kernel knows that (since 6.3). */
static int forbid_exec(void)
{
	int fd = open(WORLD "proc/sys/vm/memfd_noexec", O_WRONLY | O_CLOEXEC);
	int rc = fd < 0 ? errno != ENOENT : write(fd, "2", 1) != 1;

	if (fd >= 0)
		close(fd);
	return rc;
}

static int build(void)
{
	static const char *const folders[] = { "lib", "nolistener", "sdk-1.0" };
	const unsigned long exec = world->noexec ? MS_NOEXEC : 0;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", WORLD, "tmpfs", 0, "mode=0755"))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (bind_part(folders[i], true))
			return -1;
	if (bind_part("rocm-app", false) || make_folder(WORLD "proc", 0755) || make_folder(WORLD "tmp", 01777) ||
	    make_folder(WORLD "out", 0777))
		return -1;
	if (!world->no_proc && mount("proc", WORLD "proc", "proc", 0, NULL))
		return -1;
	if (world->own_pids && forbid_exec())
		return -1;
	if (mount("none", WORLD "out", "tmpfs", exec, "mode=0777") ||
	    (!world->read_only && mount("none", WORLD "tmp", "tmpfs", exec, "mode=1777")))
		return -1;
	if (mount(NULL, WORLD, NULL, MS_REMOUNT | MS_BIND | (world->read_only ? MS_RDONLY : exec), NULL))
		return -1;
	if (world->without_memfd && forbid_memfd())
		return -1;
	return chdir(WORLD);
}

struct app world_start(const struct world *with)
{
	struct app app;

	if (geteuid())
		skip("needs root");
	world = with;
	app = app_start_as(&(struct start){ .state = "ready", .settings = "threads=2", .arrange = build, .change_root = true,
		.environment = with->late ? OLD_SDK : ATTACHABLE, .uid = with->uid, .new_namespaces = with->own_pids });
	app_forget(&app);
	snprintf(app.output, sizeof(app.output), "/proc/%s/root/out", app.pid);
	return app;
}

/* ---- what is there of ours ---- */

char *world_descriptors(const struct app *app)
{
	static char text[2][16384];
	static unsigned next;
	char *into = text[next++ % 2], path[300], link[4096];
	struct dirent *entry;
	size_t used = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", app->pid);
	dir = opendir(path);
	require(dir, "the target is gone");
	into[0] = 0;
	while ((entry = readdir(dir)) && used < sizeof(text[0]) - 8) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		if (n > 0)
			used += (size_t)snprintf(into + used, sizeof(text[0]) - used, "%s -> %.*s\n", entry->d_name, (int)n, link);
	}
	closedir(dir);
	return into;
}

const char *world_folder(const struct app *app, const char *place)
{
	static char found[600];
	char path[512];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/root%s", app->pid, place);
	dir = opendir(path);
	found[0] = 0;
	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, ".roclatch", 9))
			snprintf(found, sizeof(found), "%s/%.80s", path, entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

void world_as_before(const struct app *app, const char *before, const char *when)
{
	const char *after = world_descriptors(app);

	check(!strcmp(before, after), "%s the descriptors were\n%sand are\n%s", when, before, after);
	check(!world_folder(app, "/tmp")[0], "%s %s is there", when, world_folder(app, "/tmp"));
	check(!world_folder(app, "")[0], "%s %s is there", when, world_folder(app, ""));
	check(!app_traced(app), "%s a thread is traced", when);
}
