/* SPDX-License-Identifier: MIT */
#include "rocp/kfd.h"

#include <dirent.h>
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

unsigned kfd_gpus(const char *topology_folder, char *names, size_t size)
{
	char nodes[PATH_MAX], path[PATH_MAX + NAME_MAX + 32], arch[16];
	unsigned n = 0;
	names[0] = '\0';
	snprintf(nodes, sizeof nodes, "%s/nodes", topology_folder);
	DIR *folder = opendir(nodes);
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		snprintf(path, sizeof path, "%s/%s/properties", nodes, entry->d_name);
		unsigned long version = entry->d_name[0] == '.' ? 0 : node_version(path);
		if (!version)
			continue;
		name(version, arch);
		size_t used = strlen(names);
		if (!strstr(names, arch))       /* none is the beginning of another */
			snprintf(names + used, size - used, "%s%s", used ? ", " : "", arch);
		n++;
	}
	if (folder)
		closedir(folder);
	return n;
}

int kfd_arch(const char *topology_folder, char arch[16], struct err *err)
{
	char names[128];
	bool any = kfd_gpus(topology_folder, names, sizeof names) > 0, differ = strchr(names, ',');
	snprintf(arch, 16, "%.15s", names);
	if (any && !differ)
		return 0;
	if (differ)
		err_set(err, ERR_NOT_POSSIBLE, 0, "there are different GPUs here: %s", names);
	else
		err_set(err, ERR_NOT_POSSIBLE, 0, "there is no GPU in %s/nodes", topology_folder);
	return err_remedy(err, "name the one that is meant with --arch, as in --arch gfx942");
}
