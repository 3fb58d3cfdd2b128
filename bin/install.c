/* SPDX-License-Identifier: MIT */
/* roclatch install: from an image that holds nothing but this program into a folder that others see. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bin/command.h"
#include "rocp/folder.h"
#include "rocp/own_tool.h"

#define MODE 0755

const char install_text[] =
	"Copies this program, as roclatch, and its tool library into the folder, which is created if\n"
	"needed.  No other file is needed: an init container whose image holds this program alone can\n"
	"pass it to other containers through a shared volume.  Existing copies are replaced in one step,\n"
	"even while they run.\n"
	"\n"
	"examples:\n"
	"  roclatch install /shared/bin\n";

static int stopped(struct err *err)
{
	return err_set(err, (enum err_code)(ERR_SIGNAL + call_stop_signal), 0, "stopped by a signal");
}

static int copy(int from, int to, uint64_t *bytes, struct err *err)
{
	static char text[65536];
	for (ssize_t n; (n = read(from, text, sizeof text)) != 0;) {
		if (call_stop_signal)
			return stopped(err);
		if (n < 0 && errno == EINTR)
			continue;
		for (ssize_t done = 0, m; n > 0 && done < n; done += m)
			if ((m = write(to, text + done, (size_t)(n - done))) <= 0)
				return err_set(err, ERR_FAILED, errno, "write");
		if (n < 0)
			return err_set(err, ERR_FAILED, errno, "read");
		*bytes += (uint64_t)n;
	}
	/* the mode as it is said, whatever the umask; on the disk before it has its name */
	return fchmod(to, MODE) < 0 || fsync(to) < 0 ? err_set(err, ERR_FAILED, errno, "write") : 0;
}

/* Written beside and renamed: whoever runs the old one keeps it, and nobody sees half of a file. */
static int put(int folder, const char *name, int from, uint64_t *bytes, struct err *err)
{
	char beside[64];
	int to = -1;
	for (unsigned i = 0; to < 0 && i < 100; i++) {
		snprintf(beside, sizeof beside, ".%.40s.%d.%u", name, (int)getpid(), i);
		to = openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (to < 0 && errno != EEXIST)
			break;
	}
	if (to < 0)
		return err_set(err, ERR_FAILED, errno, "make a file");
	int rc = copy(from, to, bytes, err);
	close(to);
	if (rc == 0 && renameat(folder, beside, folder, name) < 0)
		rc = err_set(err, ERR_FAILED, errno, "put it in its place");
	if (rc < 0)
		unlinkat(folder, beside, 0);
	return rc;
}

static int make_folder(const char *path, struct err *err)
{
	int folder = folder_make(path, MODE);
	if (folder >= 0)
		return folder;
	err_set(err, ERR_FAILED, errno, "the folder %.300s", path);
	return err_remedy(err, "name one that this user (%u) may make, or write to", (unsigned)geteuid());
}

static int open_self(struct err *err)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const char *called = (const char *)getauxval(AT_EXECFN);        /* where there is no /proc */
	if (fd < 0 && called)
		fd = open(called, O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fd : err_set(err, ERR_FAILED, errno, "open this program's own file");
}

/* The length of a path without its last part. */
static size_t above(const char *path, size_t n)
{
	while (n && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	return n;
}

/* How much of a path is there. */
static size_t part_there(const char *path)
{
	char part[PATH_MAX];
	size_t n = (size_t)snprintf(part, sizeof part, "%s", path);
	for (; n && n < sizeof part && access(part, F_OK) < 0; part[n] = '\0')
		n = above(part, n);
	return n;
}

static const struct { const char *name; int (*open)(struct err *); } files[] = {
	{ "roclatch", open_self }, { OWN_TOOL_NAME, own_tool_bytes } };
#define FILES (sizeof files / sizeof *files)

/* Folders that were not there before, and what was put into them: true if there were such.  One that somebody else uses
 * meanwhile stays. */
static bool take_back(int folder, const char *path, size_t there)
{
	char part[PATH_MAX];
	size_t n = (size_t)snprintf(part, sizeof part, "%s", path);
	if (n <= there)
		return false;
	for (size_t i = 0; folder >= 0 && i < FILES; i++)
		unlinkat(folder, files[i].name, 0);
	for (; n > there && n < sizeof part && rmdir(part) == 0; part[n] = '\0')
		n = above(part, n);
	return true;
}

static void whole_path(char *whole, size_t size, const char *path, size_t i)
{
	snprintf(whole, size, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", files[i].name);
}

/* bytes: of each that is in its place. */
static int install(int folder, const char *path, uint64_t *bytes, struct err *err)
{
	char whole[PATH_MAX + NAME_MAX];
	for (size_t i = 0; i < FILES; i++) {
		uint64_t copied = 0;
		int from = files[i].open(err);
		if (from < 0)
			return -1;
		int rc = put(folder, files[i].name, from, &copied, err);
		close(from);
		whole_path(whole, sizeof whole, path, i);
		if (rc < 0)
			return err_wrap(err, "%.300s", whole);
		bytes[i] = copied;
	}
	return 0;
}

static void tell(const char *path, const uint64_t *bytes, struct output *out)
{
	char whole[PATH_MAX + NAME_MAX];
	if (out->json)
		json_array(&out->writer, "files");
	for (size_t i = 0; i < FILES && bytes[i]; i++) {
		whole_path(whole, sizeof whole, path, i);
		if (out->json) {
			json_object(&out->writer, NULL);
			json_text(&out->writer, "path", whole);
			json_unsigned(&out->writer, "bytes", bytes[i]);
			json_end(&out->writer);
		} else {
			output_safe(stdout, whole);
			putchar('\n');
		}
	}
	if (out->json)
		json_end(&out->writer);
}

int command_install(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	(void)settings;
	(void)n;
	if (!operands[0][0])
		return err_set(err, ERR_USAGE, 0, "install: no folder is named");
	size_t there = part_there(operands[0]);
	int folder = make_folder(operands[0], err);
	if (folder < 0) {
		take_back(folder, operands[0], there);
		return -1;
	}
	uint64_t bytes[FILES] = { 0 };
	int rc = install(folder, operands[0], bytes, err);
	if (rc < 0 && take_back(folder, operands[0], there))
		bytes[0] = 0;
	tell(operands[0], bytes, out);
	close(folder);
	return rc;
}
