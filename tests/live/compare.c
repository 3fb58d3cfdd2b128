// SPDX-License-Identifier: MIT
/* Two snapshots line by line.  What is allowed to differ is allowed by name. */
#include <stdlib.h>
#include <string.h>

#include "live.h"

#define ARENA (UINT64_C(64) << 20)
#define SHOWN 24

static bool is_map(const char *line, unsigned long long *begin, unsigned long long *end, char *perms, char *name)
{
	unsigned long inode;

	name[0] = 0;
	return sscanf(line, "map %llx-%llx %7s %*s %*s %lu %255[^\n]", begin, end, perms, &inode, name) >= 4;
}

/*
 * glibc's heap, and parts of one 64 MiB malloc arena, which lie next to each
 * other and fill one aligned block.
 */
static unsigned long long arena;

static bool is_arena(const char *line)
{
	unsigned long long begin, end;
	char perms[8], name[256];

	if (!is_map(line, &begin, &end, perms, name))
		return false;
	if (!strcmp(name, "[heap]"))
		return true;
	if (name[0] || perms[2] == 'x' || begin / ARENA != (end - 1) / ARENA || (begin % ARENA && end % ARENA))
		return false;
	if (!arena)
		arena = begin / ARENA;
	return arena == begin / ARENA;
}

/* A file that the called code loaded: its mappings and their bytes. */
static bool is_library(const char *line)
{
	unsigned long long begin, end;
	char perms[8], name[256];

	if (is_map(line, &begin, &end, perms, name))
		return name[0] == '/';
	return !strncmp(line, "bytes ", 6) || !strncmp(line, "own pages of code", 17);
}

static bool is_memory(const char *line)
{
	unsigned long long begin, end;
	char perms[8], name[256];

	return is_map(line, &begin, &end, perms, name) && (!name[0] || !strcmp(name, "[heap]")) && perms[2] != 'x';
}

/* SIGSETXID or SIGCANCEL, or both or none of them. */
static bool is_first_thread(const char *line)
{
	const char *caught = strstr(line, "SigCgt:\t");

	return caught && !(strtoull(caught + 8, NULL, 16) & ~UINT64_C(0x180000000));
}

static bool allowed(const char *line, unsigned how)
{
	if ((how & WITH_FIRST_THREAD) && is_first_thread(line))
		return true;
	if ((how & WITH_MEMORY) && is_memory(line))
		return true;
	return ((how & WITH_ARENA) && is_arena(line)) || ((how & WITH_LIBRARY) && is_library(line));
}

static unsigned differences(const struct snapshot *before, const struct snapshot *after, unsigned how, bool tell)
{
	unsigned a = 0, b = 0, found = 0;

	arena = 0;
	while (a < before->lines || b < after->lines) {
		int order = a == before->lines ? 1 : b == after->lines ? -1 : strcmp(before->line[a], after->line[b]);
		const char *line = order > 0 ? after->line[b] : before->line[a];

		if (order <= 0)
			a++;
		if (order >= 0)
			b++;
		if (order && !allowed(line, how) && found++ < SHOWN && tell)
			harm("%s %s", order < 0 ? "before the call only:" : "after the call only: ", line);
	}
	return found;
}

void compare(const struct snapshot *before, const struct snapshot *after, unsigned how)
{
	unsigned found = differences(before, after, how, true);

	if (found > SHOWN)
		harm("and %u more differences", found - SHOWN);
}

bool same(const struct snapshot *before, const struct snapshot *after, unsigned how)
{
	return !differences(before, after, how, false);
}
