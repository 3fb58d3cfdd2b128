/* SPDX-License-Identifier: MIT */
/* The versions of symbols that libraries need of each other; glibc's elf/dl-version.c is the judge. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "inject/libc.h"
#include "inject/root.h"
#include "rocp/loadable_parts.h"

static bool defines(const struct elf_needs *needs, const char *version)
{
	for (size_t i = 0; i < needs->definitions; i++)
		if (!strcmp(needs->defined[i], version))
			return true;
	return false;
}

/* The length of "GLIBC_" in GLIBC_2.38 and GLIBC_ABI_DT_RELR, of "CXXABI_" in CXXABI_1.3.15. */
static size_t prefix_of(const char *version)
{
	if (!strncmp(version, "GLIBC_", 6))
		return 6;
	size_t at = strcspn(version, "0123456789");
	return version[at] ? at : 0;
}

/* The highest version of that prefix; NULL if there is none. */
static const char *highest(const struct elf_needs *needs, const char *version)
{
	size_t prefix = prefix_of(version);
	const char *best = NULL;
	for (size_t i = 0; prefix && i < needs->definitions; i++) {
		const char *defined = needs->defined[i];
		if (strncmp(defined, version, prefix) != 0 || !isdigit((unsigned char)defined[prefix]))
			continue;
		if (!best || strverscmp(defined + prefix, best + prefix) > 0)
			best = defined;
	}
	return best ? best + prefix : NULL;
}

static int refuse_version(const struct closure *closure, const struct member *member,
			  const struct elf_version_need *need, const struct answer *answer,
			  const struct elf_needs *has, struct err *err)
{
	const char *best = highest(has, need->version), *libc = "libc.so.6";
	char by[160];
	const char *who = answer->image ? "the process" : closure->v[answer->member].path;
	err_set(err, ERR_NOT_POSSIBLE, 0, "%s%s needs %s of %s, %s has %s", libc_basename(member->path),
		closure_needed_by(closure, member->by, by, sizeof by), need->version, need->file, who,
		best ? best : "no such version");
	if (!strcmp(need->file, libc) && best)
		return err_remedy(err, "choose a tool built for glibc %s or older", best);
	if (answer->image)
		return err_remedy(err, "choose a tool built for the %.60s that the process has loaded: %.120s", need->file,
				  root_strip(closure->images->target, answer->image->path));
	return err_remedy(err, "install a newer %.60s where the process runs, or choose a tool built for %.120s",
			  need->file, who);
}

/* Who defines it: the answer for that name, else whoever has the soname. */
static bool provider(struct closure *closure, const char *file, struct answer *answer)
{
	const struct answer *given = closure_answer(closure, file);
	*answer = given ? *given : (struct answer){ .image = closure_loaded(closure, file), .member = NOBODY };
	for (size_t i = 0; i < closure->n && !given && !answer->image && answer->member == NOBODY; i++)
		if (!strcmp(closure->v[i].soname, file))
			answer->member = i;
	return answer->image || answer->member != NOBODY;
}

/* The parts of one glibc know each other's insides, which differ from build to build; a wrong one
 * ends the process.  They lie in or below one folder, once with and once without /usr. */
static bool is_same_glibc(const struct closure *closure, const struct member *member, const struct image *libc)
{
	char folder[PATH_MAX];
	const char *path = member->real;
	search_parent(root_strip(closure->images->target, libc->path), folder, sizeof folder);
	const char *home = strncmp(folder, "/usr/", 5) ? folder : folder + 4;
	path = strncmp(path, "/usr/", 5) ? path : path + 4;
	size_t length = strlen(home);
	return !strncmp(path, home, length) && (path[length] == '/' || home[length - 1] == '/');
}

static int refuse_other_glibc(const struct closure *closure, const struct member *member, const struct image *libc,
			      struct err *err)
{
	char by[160];
	err_set(err, ERR_NOT_POSSIBLE, 0, "%s%s is a part of another glibc than the process's %s", member->path,
		closure_needed_by(closure, member->by, by, sizeof by), root_strip(closure->images->target, libc->path));
	return err_remedy(err, "let the process find its own: give no path, and keep that folder out of LD_LIBRARY_PATH");
}

static int check_need(struct closure *closure, const struct member *member, const struct elf_version_need *need,
		      struct err *err)
{
	struct answer answer;
	if (!provider(closure, need->file, &answer)) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "%s needs %s of %s, but does not name that library among those it needs",
			member->path, need->version, need->file);
		return err_remedy(err, "link it again");
	}
	const struct image *libc = strcmp(need->version, "GLIBC_PRIVATE") ? NULL : closure_loaded(closure, "libc.so.6");
	if (libc && !is_same_glibc(closure, member, libc))
		return refuse_other_glibc(closure, member, libc, err);
	const struct elf_needs *has = answer.image ? closure_needs(closure, answer.image)
						   : &closure->v[answer.member].needs;
	if (answer.image && !has)
		return err_set(err, ERR_FAILED, 0, "the versions that %s defines cannot be read from process %d",
			       answer.image->path, (int)closure->images->target->pid);
	/* a library without any versions answers to all: the loader only warns, if asked to */
	if (has->definitions == 0 || defines(has, need->version))
		return 0;
	return refuse_version(closure, member, need, &answer, has, err);
}

/* musl knows no versions, and answers to libc.so.6 itself: what then fails is the call. */
static int refuse_glibc(const struct closure *closure, const struct member *member,
			const struct elf_version_need *need, struct err *err)
{
	char by[160];
	err_set(err, ERR_NOT_POSSIBLE, 0, "%s%s was built for glibc (it needs %s of %s), the process runs musl",
		libc_basename(member->path), closure_needed_by(closure, member->by, by, sizeof by), need->version,
		need->file);
	return err_remedy(err, "choose a tool built for musl");
}

int closure_versions(struct closure *closure, struct err *err)
{
	bool musl = closure->search.libc == LIBC_MUSL;
	for (size_t i = 0; i < closure->n; i++) {
		const struct member *member = &closure->v[i];
		for (size_t j = 0; j < member->needs.versions; j++) {
			const struct elf_version_need *need = &member->needs.version[j];
			if (musl && !strncmp(need->version, "GLIBC_", 6))
				return refuse_glibc(closure, member, need, err);
			if (!musl && !need->weak && check_need(closure, member, need, err) < 0)
				return -1;
		}
	}
	return 0;
}
