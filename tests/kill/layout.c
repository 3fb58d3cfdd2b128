/* SPDX-License-Identifier: MIT */
#include "layout.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ARENA_SIZE (64ull << 20)        /* glibc's HEAP_MAX_SIZE on 64-bit CPUs, also the alignment */

static unsigned count_entries(pid_t pid, const char *folder)
{
	struct dirent *entry;
	unsigned n = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, folder);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

bool layout_read(struct layout *l, pid_t pid)
{
	char path[64], line[1024];
	FILE *f;

	memset(l, 0, sizeof *l);
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (l->mappings < LAYOUT_MAPPINGS && fgets(line, sizeof line, f)) {
		struct layout_mapping *m = &l->mapping[l->mappings];
		char flags[8] = "", name[512] = "";

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %511[^\n]",
			   &m->start, &m->end, flags, name) < 3)
			continue;
		m->write = flags[1] == 'w';
		m->exec = flags[2] == 'x';
		m->grows = strcmp(name, "[heap]") == 0 || strcmp(name, "[stack]") == 0;
		m->named = name[0] != '\0';
		l->mappings++;
	}
	fclose(f);
	l->threads = count_entries(pid, "task");
	l->descriptors = count_entries(pid, "fd");
	return l->mappings > 0 && l->threads > 0;
}

/* The unnamed mappings at i fill one aligned window of an arena's size. */
static bool in_arena(const struct layout *l, unsigned i)
{
	uint64_t base = l->mapping[i].start & ~(ARENA_SIZE - 1), at = base;

	for (unsigned k = 0; k < l->mappings; k++) {
		const struct layout_mapping *m = &l->mapping[k];

		if (m->end <= base || m->start >= base + ARENA_SIZE)
			continue;
		if (m->start > at || m->named || m->exec)
			return false;
		at = m->end;
	}
	return at >= base + ARENA_SIZE;
}

/* Is [start, end) mapped in l, executable if and only if asked? */
static bool covered(const struct layout *l, uint64_t start, uint64_t end, bool exec)
{
	for (unsigned i = 0; i < l->mappings && start < end; i++) {
		const struct layout_mapping *m = &l->mapping[i];

		if (m->start <= start && m->end > start && m->exec == exec)
			start = m->end;
	}
	return start >= end;
}

static bool all_in(const struct layout *these, const struct layout *in, const char *word, char *why, size_t size)
{
	for (unsigned i = 0; i < these->mappings; i++) {
		const struct layout_mapping *m = &these->mapping[i];

		if (m->grows || covered(in, m->start, m->end, m->exec) || in_arena(these, i))
			continue;
		snprintf(why, size, "%s mapping %" PRIx64 "-%" PRIx64 "%s%s%s", word, m->start, m->end,
			 m->write ? " writable" : "", m->exec ? " executable" : "", m->named ? " named" : "");
		return false;
	}
	return true;
}

bool layout_same(const struct layout *before, const struct layout *now, char *why, size_t size)
{
	for (unsigned i = 0; i < now->mappings; i++)
		if (now->mapping[i].exec && now->mapping[i].write) {
			snprintf(why, size, "a mapping is writable and executable");
			return false;
		}
	if (before->threads != now->threads) {
		snprintf(why, size, "%u threads, before %u", now->threads, before->threads);
		return false;
	}
	if (before->descriptors != now->descriptors) {
		snprintf(why, size, "%u descriptors, before %u", now->descriptors, before->descriptors);
		return false;
	}
	return all_in(now, before, "left-over", why, size) && all_in(before, now, "missing", why, size);
}
