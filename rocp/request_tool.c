/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <string.h>

#include "rocp/request.h"

static int bad_entry(const char *entry, size_t length, const char *why, struct err *err)
{
	err_set(err, ERR_USAGE, 0, "'%.*s' in the list of tool libraries %s", (int)(length < 200 ? length : 200), entry, why);
	return err_remedy(err, "':' stands between libraries; a path with a ':' in it cannot be given");
}

/* What a split path would look like is refused: half of "/a:b/libt.so" is no library. */
static int check_entry(const char *entry, size_t length, struct err *err)
{
	char name[256];
	size_t base = length;
	while (base && entry[base - 1] != '/')
		base--;
	if (entry[0] != '/' && base)
		return bad_entry(entry, length, "is neither an absolute path nor a bare name", err);
	if (length - base >= sizeof name)
		return bad_entry(entry, length, "is too long", err);
	memcpy(name, entry + base, length - base);
	name[length - base] = '\0';
	return strstr(name, ".so") ? 0 : bad_entry(entry, length, "is not called like a shared library (.so)", err);
}

static bool is_in(const char *list, const char *entry, size_t length)
{
	for (const char *at = list; *at;) {
		size_t size = strcspn(at, ":");
		if (size == length && !memcmp(at, entry, length))
			return true;
		at += size + (at[size] == ':');
	}
	return false;
}

/*
 * The SDK cuts ROCP_TOOL_LIBRARIES at each ':' and forgets what follows the
 * last one, so that of "a:b" only a is loaded.  With a ':' behind the last
 * library, what is forgotten is empty.  A string without any ':' is taken whole.
 */
int request_tool_string(const char *list, char *out, size_t size, struct err *err)
{
	size_t entries = 0, used = 0;
	if (!size)
		return err_set(err, ERR_USAGE, 0, "the list of tool libraries is too long");
	out[0] = '\0';
	if (!strchr(list, ':')) {
		if (!*list)
			return err_set(err, ERR_USAGE, 0, "no tool library is named");
		if (strlen(list) >= size)
			return err_set(err, ERR_USAGE, 0, "the path of the tool library is too long");
		strcpy(out, list);
		return 0;
	}
	for (const char *at = list; *at;) {
		size_t length = strcspn(at, ":");
		if (length && !is_in(out, at, length)) {
			if (check_entry(at, length, err) < 0)
				return -1;
			if (used + length + 2 > size)
				return err_set(err, ERR_USAGE, 0, "the list of tool libraries is too long");
			memcpy(out + used, at, length);
			used += length;
			out[used++] = ':';
			out[used] = '\0';
			entries++;
		}
		at += length + (at[length] == ':');
	}
	if (!entries)
		return err_set(err, ERR_USAGE, 0, "no tool library is named");
	if (entries == 1)
		out[used - 1] = '\0';
	return 0;
}
