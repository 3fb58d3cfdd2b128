/* SPDX-License-Identifier: MIT */
/* roclatch selftest: the GPU and what of ROCm is installed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bin/selftest.h"
#include "elf/file.h"
#include "rocp/kfd.h"

#define KFD_DEVICE "/dev/kfd"

bool newest(const char *folder, const char *begin, const char *ending, char *path, size_t size)
{
	char best[NAME_MAX + 1] = "";
	DIR *open = opendir(folder);
	for (struct dirent *entry; open && (entry = readdir(open));) {
		const char *name = entry->d_name;
		size_t length = strlen(name), end = strlen(ending);
		if (!strncmp(name, begin, strlen(begin)) && length > end && !strcmp(name + length - end, ending) &&
		    (!best[0] || strverscmp(name, best) > 0))
			snprintf(best, sizeof best, "%s", name);
	}
	if (open)
		closedir(open);
	return best[0] && snprintf(path, size, "%s/%s", folder, best) < (int)size;
}

static void rocm_root(char *path, size_t size)
{
	const char *named = getenv("ROCM_PATH");
	if (named && named[0] == '/')
		snprintf(path, size, "%s", named);
	else if (access("/opt/rocm", F_OK) == 0 || !newest("/opt", "rocm-", "", path, size))
		snprintf(path, size, "/opt/rocm");
}

bool rocm_program(const char *name, char *path, size_t size)
{
	const char *folders = getenv("PATH");
	char root[PATH_MAX];
	rocm_root(root, sizeof root);
	if (snprintf(path, size, "%s/bin/%s", root, name) < (int)size && access(path, X_OK) == 0)
		return true;
	for (const char *at = folders ? folders : "/usr/bin:/bin"; *at; at += strspn(at, ":")) {
		size_t length = strcspn(at, ":");
		if (length && at[0] == '/' && snprintf(path, size, "%.*s/%s", (int)length, at, name) < (int)size &&
		    access(path, X_OK) == 0)
			return true;
		at += length;
	}
	return false;
}

/* Its file with all links followed, as that has the version in its name, and what the file says of itself. */
static void tell_library(struct step *step, const char *name, const char *path)
{
	char link[32], real[PATH_MAX], id[2 * ELF_BUILD_ID_MAX + 1];
	struct elf_file file;
	struct err err = { .text = "cannot be read" };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, real, sizeof real - 1);
	if (length < 0 || elf_file_open(&file, fd, &err) < 0) {
		step_fact(step, "%s: %s, %s", name, path, err.text);
	} else {
		real[length] = '\0';
		elf_build_id_text(&file.image, id, sizeof id);
		step_fact(step, "%s: %s (%s, build id %s)", name, real, file.image.soname, id);
	}
	close(fd);
}

static bool library(struct step *step, const char *root, const char *name)
{
	char begin[64], folder[PATH_MAX + 64], path[PATH_MAX + NAME_MAX + 64];
	struct utsname system;
	uname(&system);
	snprintf(begin, sizeof begin, "%s.so", name);
	for (unsigned i = 0; i < 5; i++) {
		static const char places[][24] = { "lib", "lib64", "lib/rocprofiler-sdk", "lib64", "" };
		snprintf(folder, sizeof folder, "%s/%s", i < 3 ? root : "/usr", places[i]);
		if (i == 4)     /* of Debian */
			snprintf(folder, sizeof folder, "/usr/lib/%s-linux-gnu", system.machine);
		if (newest(folder, begin, "", path, sizeof path)) {
			tell_library(step, name, path);
			return true;
		}
	}
	step_fact(step, "%s: not found", name);
	return false;
}

static void tell_version(struct step *step, const char *root)
{
	char version[64] = "";
	if (proc_read_into(version, sizeof version, "%s/.info/version", root) > 0)
		version[strcspn(version, "\n")] = '\0';
	step_fact(step, "ROCm: %s, version %s", access(root, F_OK) == 0 ? root : "no folder of its own",
		  version[0] ? version : "unknown");
}

void step_rocm(struct selftest *selftest, struct step *step)
{
	char root[PATH_MAX], gpus[64];
	struct err *err = &step->err;
	rocm_root(root, sizeof root);
	tell_version(step, root);
	bool registers = library(step, root, "librocprofiler-register"), hip = library(step, root, "libamdhip64");
	library(step, root, "libhsa-runtime64");
	library(step, root, "librocprofiler-sdk");
	library(step, root, "librocprofiler-sdk-tool");
	library(step, root, "librocprofiler-sdk-attach");
	unsigned n = kfd_gpus(KFD_TOPOLOGY, gpus, sizeof gpus);
	bool device = access(KFD_DEVICE, F_OK) == 0, ours = access(KFD_DEVICE, R_OK | W_OK) == 0;
	step_fact(step, "GPUs: %u%s%s; " KFD_DEVICE " %s", n, n ? ", " : "", gpus,
		  ours ? "can be used" : device ? "may not be used" : "is not there");
	selftest->gpu = n && ours;
	if (!strchr(gpus, ','))
		snprintf(selftest->gfx, sizeof selftest->gfx, "%s", gpus);
	if (device && !ours) {
		err_set(err, ERR_NOT_POSSIBLE, EACCES, KFD_DEVICE);
		err_remedy(err, "add this user to the groups render and video, and log in again; for a container: --device " KFD_DEVICE
			   " --device /dev/dri");
		step_no(step);
	} else if (!n || !ours) {
		step_not_here(step, "there is no AMD GPU that ROCm could use",
			      "run it on a machine with an AMD GPU and its driver; for a container: --device " KFD_DEVICE " --device /dev/dri");
	} else if (!registers || !hip) {
		step_not_here(step, "ROCm is not installed, or not where it was looked for",
			      "install ROCm 7.1 or newer with rocprofiler-sdk, or name its folder by ROCM_PATH");
	} else {
		step_yes(step, "%u GPU%s (%s), and ROCm", n, n > 1 ? "s" : "", gpus);
	}
}
