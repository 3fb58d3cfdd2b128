/* SPDX-License-Identifier: MIT */
#include "rocp/kfd.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Digits of a number, 0 if there are none. */
static unsigned long leading_number(const char *text)
{
	unsigned long sum = 0;
	for (; *text >= '0' && *text <= '9' && sum < 100000000; text++)
		sum = sum * 10 + (unsigned long)(*text - '0');
	return sum;
}

/* gfx_target_version of a node's properties; 0 for a CPU, and if it is not there. */
static unsigned long node_version(const char *path)
{
	static const char key[] = "gfx_target_version ";
	unsigned long version = 0;
	char line[256];
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file))
		if (!strncmp(line, key, sizeof key - 1))
			version = leading_number(line + sizeof key - 1);
	if (file)
		fclose(file);
	return version;
}

/* major * 10000 + minor * 100 + stepping; in the name minor and stepping are hexadecimal digits
 * (drivers/gpu/drm/amd/amdkfd/kfd_device.c): 90402 is gfx942, 90010 is gfx90a. */
static void name(unsigned long version, char arch[16])
{
	snprintf(arch, 16, "gfx%lu%lx%lx", version / 10000 % 1000, version / 100 % 100, version % 100);
}

int kfd_arch(const char *topology_folder, char arch[16], struct err *err)
{
	char nodes[PATH_MAX], path[PATH_MAX + NAME_MAX + 32], other[16];
	bool differ = false;
	arch[0] = '\0';
	snprintf(nodes, sizeof nodes, "%s/nodes", topology_folder);
	DIR *folder = opendir(nodes);
	if (!folder) {
		err_set(err, ERR_NOT_POSSIBLE, errno, "the GPU is not known, %s", nodes);
		return err_remedy(err, "name it with --arch, as in --arch gfx942");
	}
	for (struct dirent *entry; !differ && (entry = readdir(folder));) {
		snprintf(path, sizeof path, "%s/%s/properties", nodes, entry->d_name);
		unsigned long version = entry->d_name[0] == '.' ? 0 : node_version(path);
		if (!version)
			continue;
		name(version, other);
		differ = arch[0] && strcmp(arch, other);
		if (!differ)
			strcpy(arch, other);
	}
	closedir(folder);
	if (arch[0] && !differ)
		return 0;
	err_set(err, ERR_NOT_POSSIBLE, 0, differ ? "there are different GPUs here, %s and %s" : "there is no GPU in %s",
		differ ? arch : nodes, other);
	return err_remedy(err, "name the one that is meant with --arch, as in --arch gfx942");
}
