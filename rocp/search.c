/* SPDX-License-Identifier: MIT */
/* The order in which loaders look. */
#include "rocp/search.h"

#include <stdio.h>
#include <string.h>

#include "elf/file.h"

struct seeking {
	const struct search *search;
	const char *name;
	search_try *try;
	void *ctx;
	struct err *err;
};

static bool append(char *path, size_t size, size_t *used, const char *text, size_t length)
{
	if (length >= size - *used)
		return false;
	memcpy(path + *used, text, length);
	*used += length;
	path[*used] = '\0';
	return true;
}

/* The token behind a '$' that begins at text: its length with the braces, or 0. */
static size_t token(const char *text, size_t left, const char *name)
{
	size_t length = strlen(name);
	bool braces = left && text[0] == '{';
	if (left < length + 2 * braces || memcmp(text + braces, name, length) != 0)
		return 0;
	if (braces)
		return text[length + 1] == '}' ? length + 2 : 0;
	char next = (char)(left > length ? text[length] : '/');
	bool goes_on = (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z') ||
		       (next >= '0' && next <= '9') || next == '_';
	return goes_on ? 0 : length;
}

bool search_expand(const struct search *search, const char *origin, const char *element, size_t length,
		   char *path, size_t size)
{
	char machine[32];
	const struct { const char *name, *value; } known[] = {
		{ "ORIGIN", origin }, { "LIB", search->lib },
		{ "PLATFORM", elf_machine_name(search->machine, machine, sizeof machine) },
	};
	size_t used = 0;
	bool relative = length == 0 || (element[0] != '/' && element[0] != '$');
	path[0] = '\0';
	if (relative && (!append(path, size, &used, search->folder, strlen(search->folder)) ||
			 !append(path, size, &used, "/", 1)))
		return false;
	for (size_t i = 0; i < length;) {
		size_t cut = 0, which = 0;
		for (; element[i] == '$' && which < 3; which++)
			if ((cut = token(element + i + 1, length - i - 1, known[which].name)) > 0)
				break;
		/* A set-uid program trusts no place that its user may choose. */
		if (cut && search->secure)
			return false;
		const char *text = cut ? known[which].value : element + i;
		if (!text || !append(path, size, &used, text, cut ? strlen(text) : 1))
			return false;
		i += 1 + cut;
	}
	return path[0] == '/';
}

static int try_folder(const struct seeking *seeking, const char *folder)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") ? folder : "", seeking->name);
	if (length < 0 || (size_t)length >= sizeof path)
		return 0;
	return seeking->try(seeking->ctx, path, seeking->err);
}

/* 1 taken, 0 nowhere in the list, -1. */
static int try_list(const struct seeking *seeking, const char *list, const char *separators, bool skip_empty,
		    const char *origin)
{
	char folder[PATH_MAX];
	if (!list || !list[0])
		return 0;
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, separators);
		if ((length || !skip_empty) &&
		    search_expand(seeking->search, origin, at, length, folder, sizeof folder)) {
			int taken = try_folder(seeking, folder);
			if (taken)
				return taken;
		}
		at += length;
		if (!*at)
			return 0;
	}
}

/* dl-load.c: _dl_map_object */
static int glibc_rpaths(const struct seeking *seeking, const struct asker *asker, size_t askers)
{
	int taken = 0;
	if (askers && asker[0].runpath)
		return 0;
	for (size_t i = 0; i < askers && !taken; i++)
		if (!asker[i].runpath)
			taken = try_list(seeking, asker[i].rpath, ":", false, asker[i].origin);
	return taken;
}

static int glibc_cache(const struct seeking *seeking)
{
	const struct search *search = seeking->search;
	const char *path = ld_cache_find(&search->cache, seeking->name, search->machine);
	return path ? seeking->try(seeking->ctx, path, seeking->err) : 0;
}

static int glibc_search(const struct seeking *seeking, const struct asker *asker, size_t askers)
{
	const struct search *search = seeking->search;
	int taken = glibc_rpaths(seeking, asker, askers);
	if (!taken && !search->secure)
		taken = try_list(seeking, search->library_path, ":;", false, search->program_origin);
	if (!taken && askers)
		taken = try_list(seeking, asker[0].runpath, ":", false, asker[0].origin);
	if (askers && asker[0].no_default)
		return taken;
	if (!taken)
		taken = glibc_cache(seeking);
	if (!taken)
		taken = try_list(seeking, search->system, ":", true, NULL);
	return taken;
}

/* musl knows $ORIGIN alone, and drops a list with anything else behind a '$'. */
static bool musl_understands(const char *list)
{
	for (const char *at = strchr(list, '$'); at; at = strchr(at + 1, '$'))
		if (!token(at + 1, strlen(at + 1), "ORIGIN"))
			return false;
	return true;
}

/* dynlink.c: load_library */
static int musl_search(const struct seeking *seeking, const struct asker *asker, size_t askers)
{
	const struct search *search = seeking->search;
	int taken = 0;
	if (!search->secure)
		taken = try_list(seeking, search->library_path, ":\n", true, NULL);
	for (size_t i = 0; i < askers && !taken; i++) {
		const char *list = asker[i].runpath ? asker[i].runpath : asker[i].rpath;
		if (list && musl_understands(list))
			taken = try_list(seeking, list, ":\n", true, asker[i].origin);
	}
	return taken ? taken : try_list(seeking, search->system, ":\n", true, NULL);
}

int search_name(const struct search *search, const struct asker *asker, size_t askers, const char *name,
		search_try *try, void *ctx, struct err *err)
{
	struct seeking seeking = { .search = search, .name = name, .try = try, .ctx = ctx, .err = err };
	return search->libc == LIBC_MUSL ? musl_search(&seeking, asker, askers)
					 : glibc_search(&seeking, asker, askers);
}
