/* SPDX-License-Identifier: MIT */
#include "inject/watch/jit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "inject/cursor.h"
#include "inject/root.h"

#define MAP_MAX (64u << 20)
#define FUNCTIONS_MAX (1u << 21)
#define LOOK_AGAIN_NS UINT64_C(1000000000)
/* A map that is written all the time is not read all the time: a tenth of it at most. */
#define PAUSE 10

struct jit_kept {
	struct jit_kept *next;
	char text[];
};

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void jit_init(struct jit *jit)
{
	*jit = (struct jit){ .fd = -1, .functions.last_counts = true };
}

static void forget(struct jit *jit)
{
	functions_free(&jit->functions);
	jit->functions.last_counts = true;
	jit->size = 0;
	jit->mtime_ns = 0;
}

void jit_free(struct jit *jit)
{
	if (jit->fd >= 0)
		close(jit->fd);
	for (size_t i = 0; i < JIT_KEPT; i++)
		while (jit->kept[i]) {
			struct jit_kept *kept = jit->kept[i];
			jit->kept[i] = kept->next;
			free(kept);
		}
	forget(jit);
	jit->fd = -1;
}

static bool number(struct cursor *c, uint64_t *value)
{
	if (c->end - c->at > 2 && c->at[0] == '0' && c->at[1] == 'x')
		c->at += 2;
	return cursor_number(c, 16, value);
}

/* "START SIZE name" of which the name becomes a text of its own, in place. */
static void parse_line(struct functions *functions, struct cursor c)
{
	struct function function = { .rank = FUNCTION_SIZED };
	if (!number(&c, &function.start) || !cursor_take(&c, ' ') || !number(&c, &function.size) ||
	    !cursor_take(&c, ' ') || !function.size || function.size > UINT64_MAX - function.start)
		return;
	cursor_blanks(&c);
	size_t length = (size_t)(c.end - c.at);
	if (length && c.end[-1] == '\r')
		length--;
	if (length > JIT_NAME_MAX)
		length = JIT_NAME_MAX;
	if (!length || !*c.at)
		return;
	function.name = (uint32_t)(c.at - functions->names);
	functions->names[function.name + length] = '\0';
	functions_add(functions, &function, NULL);
}

void jit_parse(struct functions *functions, uint32_t text, size_t size)
{
	struct cursor rest = { functions->names + text, functions->names + text + size };
	while (cursor_more(&rest) && functions->n < FUNCTIONS_MAX)
		parse_line(functions, cursor_line(&rest));
}

/* Up to `size` bytes; how many there were. */
static size_t read_at_most(int fd, char *text, size_t size)
{
	size_t done = 0;
	while (done < size) {
		ssize_t n = pread(fd, text + done, size - done, (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

static void read_map(struct jit *jit, const struct stat *file)
{
	uint64_t began = now_ns();
	uint32_t text;
	forget(jit);
	jit->size = (uint64_t)file->st_size;
	jit->mtime_ns = file->st_mtim.tv_sec * INT64_C(1000000000) + file->st_mtim.tv_nsec;
	char *into = file->st_size <= MAP_MAX ? functions_names(&jit->functions, (size_t)file->st_size, &text, NULL) : NULL;
	if (into)
		jit_parse(&jit->functions, text, read_at_most(jit->fd, into, (size_t)file->st_size));
	jit->read_ns = now_ns();
	jit->took_ns = jit->read_ns - began;
}

static bool has_changed(const struct jit *jit, const struct stat *file)
{
	return (uint64_t)file->st_size != jit->size ||
	       file->st_mtim.tv_sec * INT64_C(1000000000) + file->st_mtim.tv_nsec != jit->mtime_ns;
}

/* Others may write to /tmp too: only what the process itself or root wrote is believed. */
static bool is_trusted(const struct target *target, const struct stat *file)
{
	return file->st_uid == 0 || file->st_uid == target->status.uid[0] || file->st_uid == target->status.uid[1];
}

static void open_map(struct jit *jit, const struct target *target)
{
	struct stat file;
	jit->looked_ns = now_ns();
	snprintf(jit->path, sizeof jit->path, "/tmp/perf-%d.map", (int)target_self(target));
	int fd = root_open(target, jit->path, NULL, 0, NULL);
	if (fd >= 0 && (fstat(fd, &file) < 0 || !is_trusted(target, &file))) {
		close(fd);
		fd = -1;
	}
	if (jit->fd >= 0)
		close(jit->fd);
	jit->fd = fd;
	if (fd < 0)
		forget(jit);
	else if (has_changed(jit, &file))
		read_map(jit, &file);
}

static void renew(struct jit *jit, const struct target *target)
{
	struct stat file;
	if (jit->fd < 0) {
		if (!jit->path[0] || now_ns() - jit->looked_ns >= LOOK_AGAIN_NS)
			open_map(jit, target);
	} else if (fstat(jit->fd, &file) == 0 && has_changed(jit, &file) &&
		   now_ns() - jit->read_ns >= PAUSE * jit->took_ns) {
		read_map(jit, &file);
	}
}

static const char *keep(struct jit *jit, const char *name)
{
	size_t length = strlen(name);
	uint32_t hash = 5381;
	for (size_t i = 0; i < length; i++)
		hash = hash * 33 ^ (uint8_t)name[i];
	struct jit_kept **list = &jit->kept[(hash ^ hash >> 8) % JIT_KEPT];
	for (struct jit_kept *kept = *list; kept; kept = kept->next)
		if (!strcmp(kept->text, name))
			return kept->text;
	struct jit_kept *kept = malloc(sizeof *kept + length + 1);
	if (!kept)
		return NULL;
	memcpy(kept->text, name, length + 1);
	kept->next = *list;
	*list = kept;
	return kept->text;
}

const char *jit_at(struct jit *jit, const struct target *target, raddr addr, raddr *start)
{
	uint64_t offset;
	renew(jit, target);
	const char *name = functions_at(&jit->functions, addr, &offset);
	/* Not there: perhaps it is another file by now. */
	if (!name && jit->fd >= 0 && now_ns() - jit->looked_ns >= LOOK_AGAIN_NS) {
		open_map(jit, target);
		name = functions_at(&jit->functions, addr, &offset);
	}
	*start = addr - offset;
	return name ? keep(jit, name) : NULL;
}
