/* SPDX-License-Identifier: MIT */
#include "rocp/loadable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject/libc.h"
#include "inject/root.h"
#include "rocp/loadable_parts.h"

const struct elf_needs *closure_needs(struct closure *closure, const struct image *image)
{
	size_t i = (size_t)(image - closure->images->v);
	struct image *writable = &closure->images->v[i];
	if (!closure->loaded_read[i]) {
		if (image_open(closure->images, writable, NULL) < 0 ||
		    elf_needs_read(&writable->elf, &closure->loaded[i], NULL) < 0)
			return NULL;
		closure->loaded_read[i] = true;
	}
	return &closure->loaded[i];
}

/* Has anything that is loaded asked for it by this name? */
static bool is_asked_for(struct closure *closure, const char *name)
{
	for (size_t i = 0; i < closure->images->n; i++) {
		const struct elf_needs *needs = closure_needs(closure, &closure->images->v[i]);
		for (size_t j = 0; needs && j < needs->libraries; j++)
			if (!strcmp(needs->library[j], name))
				return true;
	}
	return false;
}

/* musl answers to these names itself, whatever stands behind the dot (dynlink.c: load_library). */
static bool is_musl_itself(const char *name)
{
	static const char *const own[] = { "c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet." };
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!strncmp(name, "lib", 3) && !strncmp(name + 3, own[i], strlen(own[i])))
			return true;
	return false;
}

struct image *closure_loaded(struct closure *closure, const char *name)
{
	struct images *images = closure->images;
	bool musl = closure->search.libc == LIBC_MUSL;
	struct image *by_file = NULL;
	if (musl && is_musl_itself(name))
		return images_interpreter(images);
	for (size_t i = 0; i < images->n; i++) {
		struct image *image = &images->v[i];
		if (image_open(images, image, NULL) < 0)
			continue;
		if (!musl && !strcmp(image->elf.soname, name))
			return image;
		/* without a soname it is known by the name that asked for it */
		if ((musl || !image->elf.soname[0]) && !strcmp(image->name, name))
			by_file = image;
	}
	return by_file && is_asked_for(closure, name) ? by_file : NULL;
}

const struct answer *closure_answer(const struct closure *closure, const char *name)
{
	for (size_t i = 0; i < closure->answers; i++)
		if (!strcmp(closure->answer[i].name, name))
			return &closure->answer[i];
	return NULL;
}

static int keep_answer(struct closure *closure, const char *name, struct answer *answer, struct err *err)
{
	answer->name = strdup(name);
	if (answer->name && closure->answers < ANSWERS_MAX) {
		closure->answer[closure->answers++] = *answer;
		return 0;
	}
	free(answer->name);
	return err_set(err, ERR_FAILED, ENOMEM, "the names of what %s needs", name);
}

const char *closure_needed_by(const struct closure *closure, size_t by, char *text, size_t size)
{
	text[0] = '\0';
	if (by != NOBODY)
		snprintf(text, size, " (needed by %s)", libc_basename(closure->v[by].path));
	return text;
}

static struct asker image_asker(struct closure *closure, struct image *image, const char *origin)
{
	const struct elf_needs *needs = closure_needs(closure, image);
	return (struct asker){ needs ? needs->rpath : NULL, needs ? needs->runpath : NULL, origin,
		image->elf.flags_1 & DF_1_NODEFLIB };
}

/* The member, who needed it, ...; then the caller of dlopen and the program. */
static size_t list_askers(struct closure *closure, size_t by, struct asker *asker)
{
	size_t n = 0;
	for (; by != NOBODY; by = closure->v[by].by) {
		const struct member *member = &closure->v[by];
		asker[n++] = (struct asker){ member->needs.rpath, member->needs.runpath, member->origin, member->no_default };
	}
	if (closure->from != closure->program)
		asker[n++] = image_asker(closure, closure->from, closure->from_origin);
	asker[n++] = image_asker(closure, closure->program, closure->search.program_origin);
	return n;
}

struct attempt {
	struct closure *closure;
	size_t by;
	struct answer *answer;
};

static int attempt(void *ctx, const char *path, struct err *err)
{
	struct attempt *attempt = ctx;
	return closure_try(attempt->closure, path, false, attempt->by, attempt->answer, err);
}

static int refuse_missing(const struct closure *closure, const char *name, size_t by, struct err *err)
{
	char needed_by[160];
	err_set(err, ERR_NOT_POSSIBLE, ENOENT, "%s%s is nowhere where process %d looks for libraries%s", name,
		closure_needed_by(closure, by, needed_by, sizeof needed_by), (int)closure->images->target->pid,
		closure->passed_over);
	return err_remedy(err, "install it where the process runs (in its container)%s, or start the process with its "
			  "folder in LD_LIBRARY_PATH", by == NOBODY ? ", give its whole path" : "");
}

static int find(struct closure *closure, const char *name, size_t by, struct answer *answer, struct err *err)
{
	char path[PATH_MAX];
	struct attempt attempted = { closure, by, answer };
	struct asker *asker = calloc(MEMBERS_MAX + 2, sizeof *asker);
	if (!asker)
		return err_set(err, ERR_FAILED, ENOMEM, "look for %s", name);
	int found;
	size_t askers = list_askers(closure, by, asker);
	closure->passed_over[0] = '\0';
	if (!strchr(name, '/'))
		found = search_name(&closure->search, asker, askers, name, attempt, &attempted, err);
	else if (search_expand(&closure->search, asker[0].origin, name, strlen(name), path, sizeof path))
		found = closure_try(closure, path, true, by, answer, err);
	else
		found = 0;
	free(asker);
	return found == 0 ? refuse_missing(closure, name, by, err) : found < 0 ? -1 : 0;
}

/* glibc knows again the path that it was given, though another file lies there by now. */
static struct image *replaced(const struct closure *closure, const char *path)
{
	struct images *images = closure->images;
	for (size_t i = 0; i < images->n && closure->search.libc != LIBC_MUSL; i++)
		if (images->v[i].deleted && !strcmp(root_strip(images->target, images->v[i].path), path))
			return &images->v[i];
	return NULL;
}

int closure_resolve(struct closure *closure, const char *name, size_t by, struct answer *answer, struct err *err)
{
	const struct answer *before = closure_answer(closure, name);
	if (before) {
		*answer = *before;
		return 0;
	}
	*answer = (struct answer){ .member = NOBODY };
	if (strchr(name, '/')) {
		answer->image = replaced(closure, name);
	} else {
		answer->image = closure_loaded(closure, name);
		for (size_t i = 0; i < closure->n && !answer->image && answer->member == NOBODY; i++)
			if (closure->search.libc != LIBC_MUSL && !strcmp(closure->v[i].soname, name))
				answer->member = i;
	}
	if (!answer->image && answer->member == NOBODY && find(closure, name, by, answer, err) < 0)
		return -1;
	return keep_answer(closure, name, answer, err);
}

static int closure_open(struct closure *closure, struct images *images, struct image *from, struct err *err)
{
	*closure = (struct closure){ .images = images };
	if (search_open(&closure->search, images, err) < 0)
		return -1;
	if (rights_read(&closure->rights, images->target, err) < 0)
		return -1;
	closure->program = images_exe(images);
	closure->from = from ? from : closure->program;
	closure->v = calloc(MEMBERS_MAX, sizeof *closure->v);
	closure->answer = calloc(ANSWERS_MAX, sizeof *closure->answer);
	closure->loaded = calloc(images->n + 1, sizeof *closure->loaded);
	closure->loaded_read = calloc(images->n + 1, sizeof *closure->loaded_read);
	if (!closure->v || !closure->answer || !closure->loaded || !closure->loaded_read)
		return err_set(err, ERR_FAILED, ENOMEM, "what a library needs");
	search_parent(root_strip(images->target, closure->from->path), closure->from_origin, sizeof closure->from_origin);
	return image_open(images, closure->from, err);
}

static void closure_close(struct closure *closure)
{
	for (size_t i = 0; i < closure->n; i++) {
		free(closure->v[i].path);
		free(closure->v[i].origin);
		free(closure->v[i].real);
		elf_needs_free(&closure->v[i].needs);
	}
	for (size_t i = 0; i < closure->answers; i++)
		free(closure->answer[i].name);
	for (size_t i = 0; closure->loaded_read && i < closure->images->n; i++)
		if (closure->loaded_read[i])
			elf_needs_free(&closure->loaded[i]);
	free(closure->v);
	free(closure->answer);
	free(closure->loaded);
	free(closure->loaded_read);
	rights_free(&closure->rights);
	search_close(&closure->search);
}

/* Breadth first: members are added behind while they are walked. */
static int walk(struct closure *closure, struct err *err)
{
	struct answer answer;
	for (size_t i = 0; i < closure->n; i++)
		for (size_t j = 0; j < closure->v[i].needs.libraries; j++)
			if (closure_resolve(closure, closure->v[i].needs.library[j], i, &answer, err) < 0)
				return -1;
	return closure_versions(closure, err);
}

static int check(struct closure *closure, const char *name, struct loadable *found, struct err *err)
{
	struct answer answer = { .member = NOBODY };
	if (!name[0])
		return err_set(err, ERR_NOT_POSSIBLE, 0, "the name of the library is empty");
	if (closure->given)
		return closure_try(closure, name, true, NOBODY, &answer, err) < 0 ? -1 : walk(closure, err);
	if (closure_resolve(closure, name, NOBODY, &answer, err) < 0)
		return -1;
	found->loaded = answer.image != NULL;
	snprintf(found->path, sizeof found->path, "%s",
		 answer.image ? root_strip(closure->images->target, answer.image->path) : closure->v[answer.member].real);
	return walk(closure, err);
}

static int check_whole(struct images *images, struct image *from, const char *name, const struct given *given,
		       struct loadable *found, struct err *err)
{
	struct closure closure;
	*found = (struct loadable){ .loaded = false };
	int answer = closure_open(&closure, images, from, err);
	closure.given = given;
	if (answer == 0)
		answer = check(&closure, name, found, err);
	closure_close(&closure);
	if (answer < 0 && !target_alive(images->target))
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended", (int)images->target->pid);
	return answer;
}

int loadable_check_from(struct images *images, struct image *from, const char *name, struct loadable *found,
			struct err *err)
{
	return check_whole(images, from, name, NULL, found, err);
}

int loadable_check_given(struct images *images, struct image *from, const struct given *given, struct err *err)
{
	struct loadable found;
	return check_whole(images, from, given->path, given, &found, err);
}

int loadable_check(struct images *images, const char *name, struct loadable *found, struct err *err)
{
	return loadable_check_from(images, NULL, name, found, err);
}
