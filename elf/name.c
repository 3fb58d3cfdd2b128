/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "elf/image.h"

/* ".0.6.0": what stands behind ".so", each part beginning with a digit. */
static bool is_version(const char *text)
{
	if (!*text)
		return false;
	while (*text) {
		if (text[0] != '.' || text[1] < '0' || text[1] > '9')
			return false;
		text += 1 + strcspn(text + 1, ".");
	}
	return true;
}

/* Does the name end by ".so" or ".so." and a version? */
static bool is_library_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	for (const char *so = strstr(slash ? slash : name, ".so"); so; so = strstr(so + 1, ".so"))
		if (so[3] == '\0' || is_version(so + 3))
			return true;
	return false;
}

/* The same name, or the same with (more of) the version behind ".so". */
static bool is_same(const char *asked, const char *name)
{
	size_t length = strlen(asked);

	if (strncmp(asked, name, length) != 0)
		return false;
	if (name[length] == '\0')
		return true;
	return is_version(name + length) && is_library_name(asked);
}

bool elf_name_matches(const char *asked, const char *path, const char *soname)
{
	if (!asked || !*asked)
		return false;
	if (soname && *soname && is_same(asked, soname))
		return true;
	if (!path || !*path)
		return false;
	const char *slash = strrchr(path, '/');
	return is_same(asked, path) || (slash && is_same(asked, slash + 1));
}
