/* SPDX-License-Identifier: MIT */
/* Nothing is ever written over: a name for which no file is there yet. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bin/converting.h"
#include "rocp/folder.h"
#include "rocp/formats/formats.h"

#define SUFFIX_MOST 100000u

static int make_folders(const char *path, struct err *err)
{
	int failure = folders_above(path, 0777);
	if (!failure)
		return 0;
	err_set(err, ERR_FAILED, failure, "cannot make the folder of %s", path);
	return err_remedy(err, "choose another one with -d");
}

static bool ends_with(const char *text, const char *ending)
{
	size_t n = strlen(text), m = strlen(ending);
	return n >= m && !strcmp(text + n - m, ending);
}

/* Is what stands behind the name one of the files that these formats could make?  "_1_results.db" belongs
 * to the name with that suffix. */
static bool is_taken(const char *rest, unsigned formats)
{
	if (rest[0] == '_' && isdigit((unsigned char)rest[1])) {
		const char *at = rest + 1 + strspn(rest + 1, "0123456789");
		if (*at == '_' || *at == '.')
			return false;
	}
	return (rest[0] == '_' || rest[0] == '.') &&
	       (((formats & FORMAT_CSV) && ends_with(rest, ".csv")) || ((formats & FORMAT_JSON) && ends_with(rest, ".json")) ||
		((formats & FORMAT_PFTRACE) && ends_with(rest, ".pftrace")) || ((formats & FORMAT_ROCPD) && ends_with(rest, ".db")) ||
		((formats & FORMAT_HTML) && ends_with(rest, ".html")) || ends_with(rest, ".txt"));
}

static bool is_free(const char *base, unsigned formats)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(base, '/'), *name = slash ? slash + 1 : base;
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - base) + (slash == base) : 1, slash ? base : ".");
	DIR *list = opendir(folder);
	bool free_name = true;
	size_t n = strlen(name);
	for (struct dirent *entry; free_name && list && (entry = readdir(list));)
		free_name = strncmp(entry->d_name, name, n) || !is_taken(entry->d_name + n, formats);
	if (list)
		closedir(list);
	return free_name;
}

int free_base(const char *folder, const char *name, unsigned formats, unsigned *suffix, char *base, size_t size, struct err *err)
{
	char plain[PATH_MAX];
	int n = name[0] == '/' ? snprintf(plain, sizeof plain, "%s", name) :
		snprintf(plain, sizeof plain, "%s%s%s", folder, ends_with(folder, "/") ? "" : "/", name);
	if (n >= (int)sizeof plain || (size_t)n + 16 > size)
		return err_set(err, ERR_USAGE, 0, "the path of the output is too long: %.100s", name);
	if (make_folders(plain, err) < 0)
		return -1;
	for (; *suffix < SUFFIX_MOST; ++*suffix) {
		if (*suffix)
			snprintf(base, size, "%.*s_%u", (int)size - 16, plain, *suffix);
		else
			snprintf(base, size, "%s", plain);
		if (is_free(base, formats))
			return 0;
	}
	return err_set(err, ERR_FAILED, 0, "there are already %u outputs called %s", SUFFIX_MOST, plain);
}

void remove_made(struct converted *converted)
{
	for (size_t i = 0; i < converted->files && i < MADE_MAX; i++)
		if (converted->file[i].path[0])
			unlink(converted->file[i].path);
	converted->files = 0;
}
