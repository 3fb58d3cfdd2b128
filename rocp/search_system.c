/* SPDX-License-Identifier: MIT */
/*
 * What a loader knows without being told by a library: its environment, its own
 * folders, its cache.  The folders differ by distribution (/lib64, the multiarch
 * ones, a store) and are compiled into glibc's loader, so they are read there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/file.h"
#include "inject/root.h"
#include "rocp/search.h"

#define LOADER_TEXT_MAX ((size_t)4 << 20)
#define CACHE_MAX ((size_t)32 << 20)
#define MUSL_FOLDERS "/lib:/usr/local/lib:/usr/lib"
#ifndef AT_SECURE
#define AT_SECURE 23
#endif

/* "/lib64/", "/usr/lib/x86_64-linux-gnu/": where a text of that kind that begins at `at` ends, or 0. */
static size_t folder_text(const char *text, size_t size, size_t at)
{
	size_t end = at;
	if (text[at] != '/')
		return 0;
	while (end < size && text[end] > ' ' && text[end] < 0x7f && text[end] != ':')
		end++;
	return end < size && text[end] == '\0' && end - at > 2 && text[end - 1] == '/' ? end : 0;
}

static bool begins_text(const char *text, size_t at)
{
	return at == 0 || text[at - 1] == '\0';
}

/* Texts one behind the other, each a folder; the first is one for libraries. */
static bool folders_at(const char *text, size_t size, size_t at, char *list, size_t list_size)
{
	size_t used = 0, end;
	while (at < size && (end = folder_text(text, size, at)) > 0) {
		size_t length = end - 1 - at;
		if (used + length + 2 > list_size || (used == 0 && !memmem(text + at, length, "/lib", 4)))
			return false;
		if (used)
			list[used++] = ':';
		memcpy(list + used, text + at, length);
		used += length;
		list[used] = '\0';
		at = end + 1;
	}
	return used > 0;
}

static bool cache_at(const char *text, size_t size, size_t at, char *cache, size_t cache_size)
{
	static const char tail[] = "/ld.so.cache";
	size_t length = strnlen(text + at, size - at);
	if (length < sizeof tail - 1 || length >= cache_size || length == size - at || memchr(text + at, ' ', length) ||
	    memcmp(text + at + length - (sizeof tail - 1), tail, sizeof tail - 1) != 0)
		return false;
	memcpy(cache, text + at, length + 1);
	return true;
}

bool search_system_in(const char *text, size_t size, char *folders, size_t folders_size,
		      char *cache, size_t cache_size)
{
	bool have_folders = false, have_cache = false;
	for (size_t at = 0; at < size && !(have_folders && have_cache); at++) {
		const char *slash = memchr(text + at, '/', size - at);
		if (!slash)
			break;
		at = (size_t)(slash - text);
		if (!begins_text(text, at))
			continue;
		if (!have_folders)
			have_folders = folders_at(text, size, at, folders, folders_size);
		if (!have_cache)
			have_cache = cache_at(text, size, at, cache, cache_size);
	}
	if (!have_folders)
		folders[0] = '\0';
	if (!have_cache)
		cache[0] = '\0';
	return have_folders;
}

/* The constants of the loader, from memory: its file may have been replaced. */
static void ask_loader(struct search *search, struct images *images, char *folders, size_t size)
{
	const struct image *loader = images_interpreter(images);
	folders[0] = '\0';
	for (size_t i = 0; loader && i < images->maps.n && !folders[0]; i++) {
		const struct mapping *m = &images->maps.v[i];
		size_t length = m->end - m->start;
		if (!m->r || m->inode != loader->inode || m->dev_major != loader->dev_major ||
		    m->dev_minor != loader->dev_minor || length > LOADER_TEXT_MAX)
			continue;
		char *text = malloc(length);
		if (text && memory_read(&images->target->memory, m->start, text, length, NULL) == 0)
			search_system_in(text, length, folders, size, search->cache_path, sizeof search->cache_path);
		free(text);
	}
}

static int glibc_system(struct search *search, struct images *images)
{
	char folders[PATH_MAX], machine[32];
	const char *cpu = elf_machine_name(search->machine, machine, sizeof machine);
	ask_loader(search, images, folders, sizeof folders);
	if (!folders[0])
		snprintf(folders, sizeof folders, "/lib/%s-linux-gnu:/usr/lib/%s-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib",
			 cpu, cpu);
	if (!search->cache_path[0])
		snprintf(search->cache_path, sizeof search->cache_path, "/etc/ld.so.cache");
	snprintf(search->lib, sizeof search->lib, "%.*s", (int)strcspn(folders + 1, ":"), folders + 1);
	search->system = strdup(folders);
	return search->system ? 0 : -1;
}

/* A file of the target, whole; NULL if it cannot be had.  *error: why, or 0. */
static char *read_file(const struct target *target, const char *path, size_t *size, int *error)
{
	struct err err = { .sys = 0 };
	struct stat st;
	int fd = root_open(target, path, NULL, 0, &err);
	*error = err.sys;
	*size = 0;
	if (fd < 0)
		return NULL;
	size_t room = fstat(fd, &st) == 0 && st.st_size > 0 && (uint64_t)st.st_size < CACHE_MAX ? (size_t)st.st_size : 0;
	char *bytes = malloc(room + 1);
	while (bytes && *size < room) {
		ssize_t n = read(fd, bytes + *size, room - *size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		*size += (size_t)n;
	}
	if (bytes)
		bytes[*size] = '\0';
	close(fd);
	return bytes;
}

static int musl_system(struct search *search)
{
	char path[64], machine[32];
	size_t size;
	int error;
	snprintf(path, sizeof path, "/etc/ld-musl-%s.path", elf_machine_name(search->machine, machine, sizeof machine));
	search->system = read_file(search->target, path, &size, &error);
	/* musl takes its own folders only where there is no such file */
	if (!search->system)
		search->system = strdup(error == ENOENT || error == ENOTDIR ? MUSL_FOLDERS : "");
	return search->system ? 0 : -1;
}

static void read_cache(struct search *search)
{
	size_t size;
	int error;
	search->cache_bytes = read_file(search->target, search->cache_path, &size, &error);
	if (search->cache_bytes)
		ld_cache_open(&search->cache, search->cache_bytes, size, NULL);
}

/* As it was started with; a later setenv is nothing that a loader sees. */
static int read_library_path(struct search *search, struct err *err)
{
	static const char key[] = "LD_LIBRARY_PATH=";
	size_t size;
	char *text = proc_read(&size, err, "/proc/%d/environ", (int)search->target->live_tid);
	if (!text)
		return -1;
	for (size_t at = 0; at < size; at += strlen(text + at) + 1) {
		if (strncmp(text + at, key, sizeof key - 1) != 0)
			continue;
		free(search->library_path);
		search->library_path = strdup(text + at + sizeof key - 1);
		/* of two, musl's getenv sees the first, glibc's loader the last */
		if (search->libc == LIBC_MUSL)
			break;
	}
	free(text);
	return 0;
}

static int read_secure(struct search *search, struct err *err)
{
	size_t size;
	char *data = proc_read(&size, err, "/proc/%d/auxv", (int)search->target->live_tid);
	if (!data)
		return -1;
	for (size_t at = 0; at + 2 * sizeof(uint64_t) <= size; at += 2 * sizeof(uint64_t)) {
		uint64_t pair[2];
		memcpy(pair, data + at, sizeof pair);
		if (pair[0] == AT_SECURE)
			search->secure = pair[1] != 0;
	}
	free(data);
	return 0;
}

int search_current(const struct target *target, char *path, size_t size)
{
	char link[64], seen[PATH_MAX];
	snprintf(link, sizeof link, "/proc/%d/cwd", (int)target->live_tid);
	ssize_t length = readlink(link, seen, sizeof seen - 2);
	if (length < 0)
		return -1;
	/* with a slash behind it the root itself is recognised, too */
	memcpy(seen + length, "/", 2);
	snprintf(path, size, "%s", root_strip(target, seen));
	size_t used = strlen(path);
	while (used && path[used - 1] == '/')
		path[--used] = '\0';
	return 0;
}

void search_parent(const char *path, char *folder, size_t size)
{
	snprintf(folder, size, "%s", path);
	char *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
}

static int read_origin(struct search *search, const struct image *program)
{
	char path[PATH_MAX];
	struct stat st;
	int proc = root_look(search->target, "/proc");
	bool there = proc >= 0 && fstatat(proc, "self", &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (proc >= 0)
		close(proc);
	if (!there)
		return 0;
	search_parent(root_strip(search->target, program->path), path, sizeof path);
	search->program_origin = strdup(path);
	return search->program_origin ? 0 : -1;
}

int search_open(struct search *search, struct images *images, struct err *err)
{
	struct target *target = images->target;
	struct image *program = images_exe(images);
	memset(search, 0, sizeof *search);
	if (!program || target->libc == LIBC_NONE || target->libc == LIBC_BIONIC) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d has no loader that is known: it is statically linked, or "
			"its C library is neither glibc nor musl", (int)target->pid);
		return err_remedy(err, "none: libraries can only be loaded into dynamically linked programs");
	}
	if (image_open(images, program, err) < 0)
		return -1;
	search->target = target;
	search->libc = target->libc;
	search->machine = program->elf.machine;
	if (search_current(target, search->folder, sizeof search->folder) < 0)
		return err_set(err, ERR_NOT_POSSIBLE, errno, "the current folder of process %d", (int)target->pid);
	if (read_library_path(search, err) < 0 || read_secure(search, err) < 0) {
		search_close(search);
		return -1;
	}
	bool musl = search->libc == LIBC_MUSL;
	if (read_origin(search, program) < 0 || (musl ? musl_system(search) : glibc_system(search, images)) < 0) {
		search_close(search);
		return err_set(err, ERR_FAILED, ENOMEM, "where process %d looks for libraries", (int)target->pid);
	}
	if (!musl)
		read_cache(search);
	return 0;
}

void search_close(struct search *search)
{
	free(search->library_path);
	free(search->system);
	free(search->cache_bytes);
	free(search->program_origin);
	memset(search, 0, sizeof *search);
}
