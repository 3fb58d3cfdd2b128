/* SPDX-License-Identifier: MIT */
/* One file that a loader comes to: is it taken, passed over, or the end of the matter? */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "inject/libc.h"
#include "inject/root.h"
#include "rocp/loadable_parts.h"

#ifndef ST_NOEXEC
#define ST_NOEXEC 8
#endif

struct trial {
	struct closure *closure;
	const struct given *given;      /* not NULL: it is this one */
	const char *path;
	bool named;
	size_t by;
	char real[PATH_MAX];
	struct stat st;
	struct err *err;
};

static int pass_over(const struct trial *trial, const char *why)
{
	snprintf(trial->closure->passed_over, sizeof trial->closure->passed_over, "; %.120s is passed over: %s",
		 trial->path, why);
	return 0;
}

static int refuse(const struct trial *trial, const char *why, const char *remedy)
{
	char by[160];
	err_set(trial->err, ERR_NOT_POSSIBLE, 0, "%s%s: %s", trial->path,
		closure_needed_by(trial->closure, trial->by, by, sizeof by), why);
	return err_remedy(trial->err, "%s", remedy);
}

/* What is wrong with it stands in err already. */
static int refuse_file(const struct trial *trial, const char *remedy)
{
	char by[160];
	if (trial->err) {
		trial->err->code = ERR_NOT_POSSIBLE;
		err_wrap(trial->err, "%s%s", trial->path, closure_needed_by(trial->closure, trial->by, by, sizeof by));
		if (remedy)
			err_remedy(trial->err, "%s", remedy);
	}
	return -1;
}

static int refuse_absent(const struct trial *trial, const struct err *why)
{
	int pid = (int)trial->closure->images->target->pid;
	char by[160];
	err_set(trial->err, ERR_NOT_POSSIBLE, 0, "%s%s", why->text,
		closure_needed_by(trial->closure, trial->by, by, sizeof by));
	if (trial->err)
		trial->err->sys = why->sys;
	if (why->sys != ENOENT)
		return err_remedy(trial->err, "give the path of a shared library, as the process sees it");
	if (access(trial->path, R_OK) < 0)
		return err_remedy(trial->err, "check the path, or install it where the process runs (in its container)");
	return err_remedy(trial->err, "copy it to where the process sees it: cp %.90s /proc/%d/root/tmp/",
			  trial->path, pid);
}

static int open_file(struct trial *trial, int *fd)
{
	struct err why = { .sys = 0 };
	const struct target *target = trial->closure->images->target;
	if (trial->given) {
		snprintf(trial->real, sizeof trial->real, "%s", trial->path);
		*fd = fcntl(trial->given->fd, F_DUPFD_CLOEXEC, 0);
		return *fd >= 0 ? 1 : err_set(trial->err, ERR_FAILED, errno, "%s", trial->path);
	}
	*fd = root_open(target, trial->path, trial->real, sizeof trial->real, &why);
	if (*fd >= 0)
		return 1;
	if (trial->named)
		return refuse_absent(trial, &why);
	if (why.sys == 0 && !target_alive(target))
		return refuse_absent(trial, &why);
	if (why.sys == 0)       /* a folder, a pipe: loaders fail at it, or hang */
		return refuse(trial, "it is not a regular file", "take it away, or name the library by its path");
	return why.sys == ENOENT || why.sys == ENOTDIR ? 0 : pass_over(trial, strerror(why.sys));
}

static int check_rights(struct trial *trial)
{
	char where[PATH_MAX], why[300];
	const struct closure *closure = trial->closure;
	int error = rights_open(&closure->rights, closure->images->target, trial->real, R_OK, where, sizeof where);
	if (!error)
		return 1;
	snprintf(why, sizeof why, "user %u (group %u) of the process may not %s %.120s: %s", closure->rights.uid,
		 closure->rights.gid, strcmp(where, trial->real) ? "enter" : "read", where, strerror(error));
	return trial->named ? refuse(trial, why, "make it readable for that user: chmod a+r the file, a+x its folders")
			    : pass_over(trial, why);
}

/* What glibc passes over in a search: files for another CPU or word size.  musl takes what it can open. */
static int check_ident(struct trial *trial, int fd)
{
	unsigned char ident[EI_NIDENT + 4];
	uint16_t machine;
	char name[32], why[64];
	if (trial->named || trial->closure->search.libc == LIBC_MUSL || pread(fd, ident, sizeof ident, 0) != sizeof ident ||
	    memcmp(ident, ELFMAG, SELFMAG) != 0)
		return 1;
	memcpy(&machine, ident + EI_NIDENT + 2, sizeof machine);
	if (ident[EI_CLASS] == ELFCLASS64 && machine == trial->closure->search.machine)
		return 1;
	snprintf(why, sizeof why, "it is for %s%s", ident[EI_CLASS] == ELFCLASS64 ? "" : "32-bit ",
		 elf_machine_name(machine, name, sizeof name));
	return pass_over(trial, why);
}

static struct image *same_image(const struct trial *trial)
{
	struct images *images = trial->closure->images;
	for (size_t i = 0; i < images->n; i++) {
		struct image *image = &images->v[i];
		if (image->inode == 0)
			continue;
		/* Overlay and btrfs show one device in maps and another in stat: there the path decides. */
		if (image_is_file(image, &trial->st) || (!image->deleted && !strcmp(root_strip(images->target, image->path), trial->real)))
			return image;
	}
	return NULL;
}

static size_t same_member(const struct trial *trial)
{
	const struct closure *closure = trial->closure;
	for (size_t i = 0; i < closure->n; i++)
		if (closure->v[i].dev == trial->st.st_dev && closure->v[i].ino == trial->st.st_ino)
			return i;
	return NOBODY;
}

/* Two C libraries in one process do not know of each other's threads and heap. */
static bool is_c_library(const char *name)
{
	return !strcmp(name, "libc.so.6") || !strcmp(name, "libc.so") || !strncmp(name, "libc.musl-", 10) ||
	       !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-musl-", 8);
}

static int check_file(const struct trial *trial, struct elf_file *file, int fd)
{
	struct statvfs vfs;
	if (elf_file_open(file, fd, trial->err) < 0)
		return refuse_file(trial, "give a shared library that is whole: readelf -a says what is wrong with it");
	if (elf_file_loadable(file, trial->closure->search.machine, trial->err) < 0)
		return refuse_file(trial, NULL);
	const char *name = file->image.soname[0] ? file->image.soname : libc_basename(trial->real);
	if (is_c_library(name))
		return refuse(trial, "it would be a second C library in the process",
			      "choose a tool that was built for the process's own C library");
	if (!trial->given && fstatvfs(fd, &vfs) == 0 && vfs.f_flag & ST_NOEXEC)
		return refuse(trial, "it lies on a file system that is mounted noexec",
			      "copy it to a file system from which programs may run");
	return 0;
}

static int no_memory(const struct trial *trial)
{
	return err_set(trial->err, ERR_FAILED, ENOMEM, "what %s needs", trial->path);
}

/* A file is mapped by whole pages: one that was linked for smaller pages than these cannot be. */
static int check_pages(const struct trial *trial, const struct elf_needs *needs)
{
	size_t page = trial->closure->images->target->page;
	char why[96];
	if ((needs->skew & (page - 1)) == 0)
		return 0;
	snprintf(why, sizeof why, "it was linked for smaller pages than those of %zu bytes here", page);
	return refuse(trial, why, "link it with -z max-page-size=65536");
}

static int add_member(struct trial *trial, struct elf_file *file)
{
	struct closure *closure = trial->closure;
	struct member *member = &closure->v[closure->n];
	if (closure->n == MEMBERS_MAX)
		return refuse(trial, "more than 512 libraries would be loaded", "choose a tool that needs fewer");
	*member = (struct member){ .by = trial->by, .dev = trial->st.st_dev, .ino = trial->st.st_ino,
		.no_default = file->image.flags_1 & DF_1_NODEFLIB };
	if (elf_needs_read(&file->image, &member->needs, trial->err) < 0)
		return refuse_file(trial, "build or copy it again");
	if (check_pages(trial, &member->needs) < 0) {
		elf_needs_free(&member->needs);
		return -1;
	}
	memcpy(member->soname, file->image.soname, sizeof member->soname);
	member->path = strdup(trial->path);
	member->origin = strdup(trial->path);
	member->real = strdup(trial->real);
	closure->n++;
	if (!member->path || !member->origin || !member->real)
		return no_memory(trial);
	search_parent(trial->path, member->origin, strlen(member->origin) + 1);
	if (!trial->given)
		return 1;
	free(member->origin);
	member->origin = strdup(trial->given->origin);
	return member->origin ? 1 : no_memory(trial);
}

static int judge(struct trial *trial, int fd, struct answer *answer)
{
	struct elf_file file;
	if (fstat(fd, &trial->st) < 0)
		return err_set(trial->err, ERR_FAILED, errno, "fstat %s", trial->path);
	answer->image = trial->given ? NULL : same_image(trial);
	answer->member = answer->image ? NOBODY : same_member(trial);
	if (answer->image || answer->member != NOBODY)
		return 1;
	int takes = trial->given ? 1 : check_rights(trial);
	if (takes == 1)
		takes = check_ident(trial, fd);
	if (takes != 1)
		return takes;
	answer->member = trial->closure->n;
	return check_file(trial, &file, fd) < 0 ? -1 : add_member(trial, &file);
}

int closure_try(struct closure *closure, const char *path, bool named, size_t by, struct answer *answer,
		struct err *err)
{
	struct trial trial = { .closure = closure, .given = by == NOBODY ? closure->given : NULL, .path = path, .named = named,
		.by = by, .err = err };
	int fd, found = open_file(&trial, &fd);
	if (found == 1) {
		found = judge(&trial, fd, answer);
		close(fd);
	}
	return found;
}
