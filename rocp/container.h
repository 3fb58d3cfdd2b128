/* SPDX-License-Identifier: MIT */
/* In which container a process runs, as the kernel shows it from outside. */
#ifndef ROCLATCH_ROCP_CONTAINER_H
#define ROCLATCH_ROCP_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct container {
	/* "docker", "podman", "containerd", "crio", "k8s", "container" (by whom is not to be seen), "lxc",
	 * "nspawn", "apptainer", "enroot", "bwrap", "mount namespace" (another than ours, of nobody that is
	 * known), "chroot"; "?" if it may not be seen; NULL for none */
	const char *kind;
	char id[80];            /* its whole id or its name; "" if it has none */
};

/* Where roclatch itself is. */
struct place { struct stat mounts, root; bool known; };
void place_ours(struct place *ours, const char *proc);

/* Looks at PROC/PID/cgroup and, where that names none, at the mounts. */
void container_of(struct container *container, const struct place *ours, const char *proc, pid_t pid);
/* "docker 0123456789ab", "lxc web", "apptainer", "-" */
void container_text(const struct container *container, char *text, size_t size);

/* The parts of it: false if the text names no container. */
bool container_of_cgroup(struct container *container, const char *text, size_t size);
bool container_of_mounts(struct container *container, const char *text, size_t size);
/* By the files that an engine mounts into a container; also those of the container that this one is in. */
bool container_of_engine(struct container *container, const char *text, size_t size);

#endif
