/* SPDX-License-Identifier: MIT */
#include "rocp/container.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject/cursor.h"
#include "inject/proc.h"

#define ID_SHOWN 12

struct word { const char *at; size_t length; };

static bool begins(struct word word, const char *with)
{
	return word.length >= strlen(with) && !memcmp(word.at, with, strlen(with));
}

static bool is(struct word word, const char *text)
{
	return word.length == strlen(text) && begins(word, text);
}

static bool ends(struct word word, const char *with)
{
	size_t length = strlen(with);
	return word.length >= length && !memcmp(word.at + word.length - length, with, length);
}

static struct word without(struct word word, const char *first, const char *last)
{
	size_t front = strlen(first), back = ends(word, last) ? strlen(last) : 0;
	return (struct word){ word.at + front, word.length > front + back ? word.length - front - back : 0 };
}

static bool is_id(struct word word)
{
	for (size_t i = 0; i < word.length; i++)
		if (!isxdigit((unsigned char)word.at[i]))
			return false;
	return word.length == 64;
}

static bool found(struct container *container, const char *kind, struct word id)
{
	if (!id.length)
		return false;
	container->kind = kind;
	snprintf(container->id, sizeof container->id, "%.*s", (int)(id.length < 79 ? id.length : 79), id.at);
	return true;
}

/* systemd's scopes: "docker-0123....scope"; libpod-conmon-, crio-conmon- and lxc.monitor. are the
 * watchers outside of the container, and machine- is also that of a virtual machine. */
static bool of_word(struct container *container, struct word word, struct word before, bool pod)
{
	static const struct { const char *first, *last, *kind; bool named; } scopes[] = {
		{ "docker-", ".scope", "docker", false }, { "libpod-", ".scope", "podman", false }, { "libpod-", "", "podman", false },
		{ "cri-containerd-", ".scope", "containerd", false }, { "nerdctl-", ".scope", "containerd", false },
		{ "crio-", ".scope", "crio", false }, { "crio-", "", "crio", false },
		{ "lxc.payload.", "", "lxc", true }, { "systemd-nspawn@", ".service", "nspawn", true },
		{ "apptainer-", ".scope", "apptainer", true }, { "singularity-", ".scope", "apptainer", true },
	};
	for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
		struct word id = without(word, scopes[i].first, scopes[i].last);
		if (begins(word, scopes[i].first) && ends(word, scopes[i].last) && (scopes[i].named || is_id(id)))
			return found(container, pod ? "k8s" : scopes[i].kind, id);
	}
	if (is(before, "lxc") || is(before, "lxc.payload"))
		return found(container, "lxc", word);
	if (!is_id(word))
		return false;
	if (pod)
		return found(container, "k8s", word);
	if (is(before, "docker"))
		return found(container, "docker", word);
	bool theirs = is(before, "default") || is(before, "k8s.io") || is(before, "moby");
	return found(container, theirs ? "containerd" : "container", word);
}

/* The innermost one that a path of a cgroup names. */
static bool of_path(struct container *container, struct cursor path)
{
	struct word before = { "", 0 };
	bool any = false, pod = false;
	while (cursor_more(&path)) {
		const char *slash = memchr(path.at, '/', (size_t)(path.end - path.at));
		struct word word = { path.at, (size_t)((slash ? slash : path.end) - path.at) };
		pod |= begins(word, "kubepods");
		any |= of_word(container, word, before, pod);
		if (word.length)
			before = word;
		path.at = slash ? slash + 1 : path.end;
	}
	return any;
}

/* "4:memory:/docker/0123...", "0::/system.slice/docker-0123....scope" */
bool container_of_cgroup(struct container *container, const char *text, size_t size)
{
	struct cursor rest = { text, text + size };
	*container = (struct container){ 0 };
	while (cursor_more(&rest)) {
		struct cursor line = cursor_line(&rest);
		const char *path = memchr(line.at, '/', (size_t)(line.end - line.at));
		if (path && of_path(container, (struct cursor){ path, line.end }))
			return true;
	}
	return false;
}

static struct word next_word(struct cursor *line)
{
	cursor_blanks(line);
	const char *blank = memchr(line->at, ' ', (size_t)(line->end - line->at));
	struct word word = { line->at, (size_t)((blank ? blank : line->end) - line->at) };
	line->at += word.length;
	return word;
}

/* A line of mountinfo: what of a file system is mounted where; rest: its options and the file system's. */
struct mounted { struct word root, point; struct cursor rest; };

static struct mounted next_mount(struct cursor *text)
{
	struct cursor line = cursor_line(text);
	for (int i = 0; i < 3; i++)
		next_word(&line);
	struct mounted mounted = { .root = next_word(&line) };
	mounted.point = next_word(&line);
	mounted.rest = line;
	return mounted;
}

static const char *find(const char *from, const struct mounted *mounted, const char *part)
{
	return memmem(from, (size_t)(mounted->rest.end - from), part, strlen(part));
}

/* By "/": bubblewrap's is its folder "newroot" in a tmpfs; others are known by where they keep their trees.  Enroot, which may
 * have mounted an image, covers its lock with itself. */
bool container_of_mounts(struct container *container, const char *text, size_t size)
{
	static const struct { const char *part, *kind; } places[] = {
		{ "/apptainer/", "apptainer" }, { "/singularity/", "apptainer" }, { "/enroot", "enroot" },
	};
	struct cursor rest = { text, text + size };
	bool locked = false;
	*container = (struct container){ 0 };
	while (cursor_more(&rest)) {
		struct mounted mounted = next_mount(&rest);
		locked |= is(mounted.point, "/.lock") && ends(mounted.root, "/.lock");
		if (!is(mounted.point, "/"))
			continue;
		container->kind = is(mounted.root, "/newroot") && find(mounted.rest.at, &mounted, " - tmpfs ") ? "bwrap" : NULL;
		for (size_t i = 0; i < sizeof places / sizeof *places && !container->kind; i++)
			if (find(mounted.root.at, &mounted, places[i].part))
				container->kind = places[i].kind;
	}
	if (!container->kind && locked)
		container->kind = "enroot";
	return container->kind != NULL;
}

/* Such files lie in a folder of the engine's that has the container's id.  A machine that has containers mounts their folders
 * elsewhere: "/", if that is all of a file system, and files of /etc are a container's own. */
bool container_of_engine(struct container *container, const char *text, size_t size)
{
	static const struct { const char *folder, *kind; bool id; } engines[] = {
		{ "/docker/containers/", "docker", true }, { "/overlay-containers/", "podman", true },
		{ "/nerdctl/", "containerd", false }, { "/io.containerd.", "containerd", false },
		{ "/kubelet/pods/", "k8s", false }, { "/kubelet/", "k8s", false },
		{ "/docker/overlay2/", "docker", false }, { "/containers/storage/", "podman", false },
	};
	*container = (struct container){ 0 };
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
		struct cursor rest = { text, text + size };
		while (cursor_more(&rest)) {
			struct mounted mounted = next_mount(&rest);
			if (!begins(mounted.point, "/etc/") && !(is(mounted.point, "/") && is(mounted.root, "/")))
				continue;
			const char *at = find(mounted.root.at, &mounted, engines[i].folder);
			if (!at)
				continue;
			struct word id = { at + strlen(engines[i].folder), 64 };
			container->kind = engines[i].kind;
			if (engines[i].id && mounted.rest.end - id.at > 64 && is_id(id) && id.at[64] == '/')
				snprintf(container->id, sizeof container->id, "%.64s", id.at);
			return true;
		}
	}
	return false;
}

static int look(struct stat *st, const char *proc, const char *who, const char *name)
{
	char path[4200];
	snprintf(path, sizeof path, "%s/%s/%s", proc, who, name);
	return stat(path, st);
}

void place_ours(struct place *ours, const char *proc)
{
	ours->known = look(&ours->mounts, proc, "self", "ns/mnt") == 0 && look(&ours->root, proc, "self", "root/.") == 0;
}

/* 1 the same as ours, 0 another, -1 not to be seen. */
static int same(const struct stat *ours, const char *proc, pid_t pid, const char *name)
{
	char who[16];
	struct stat theirs;
	snprintf(who, sizeof who, "%d", (int)pid);
	if (look(&theirs, proc, who, name) < 0)
		return -1;
	return ours->st_dev == theirs.st_dev && ours->st_ino == theirs.st_ino;
}

void container_of(struct container *container, const struct place *ours, const char *proc, pid_t pid)
{
	char cgroup[8192];
	ssize_t n = proc_read_into(cgroup, sizeof cgroup, "%s/%d/cgroup", proc, (int)pid);
	if (n > 0 && container_of_cgroup(container, cgroup, (size_t)n))
		return;
	*container = (struct container){ 0 };
	int mounts = ours->known ? same(&ours->mounts, proc, pid, "ns/mnt") : -1;
	if (mounts < 0) {
		container->kind = "?";
	} else if (mounts > 0) {
		if (same(&ours->root, proc, pid, "root/.") == 0)
			container->kind = "chroot";
	} else {
		size_t size;
		char *text = proc_read(&size, NULL, "%s/%d/mountinfo", proc, (int)pid);
		/* with our own root, files of /etc are those of the container that both are in */
		bool known = text && (container_of_mounts(container, text, size) ||
				      (same(&ours->root, proc, pid, "root/.") == 0 && container_of_engine(container, text, size)));
		if (!known)
			container->kind = "mount namespace";
		free(text);
	}
}

void container_text(const struct container *container, char *text, size_t size)
{
	struct word id = { container->id, strlen(container->id) };
	snprintf(text, size, "%s%s%.*s", container->kind ? container->kind : "-", id.length ? " " : "",
		 is_id(id) ? ID_SHOWN : (int)id.length, container->id);
}
