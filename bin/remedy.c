/* SPDX-License-Identifier: MIT */
#include "bin/remedy.h"

#include <errno.h>
#include <string.h>

static const char *by_system(int sys)
{
	static const struct { int sys; char text[72]; } all[] = {
		{ ENOSPC, "make room there (df shows how much there is), or name another place" },
		{ EDQUOT, "make room within the quota, or name another place" },
		{ EROFS, "name a place that can be written to" },
		{ EACCES, "run roclatch as a user who may do that, or as root" },
		{ EPERM, "run roclatch as a user who may do that, or as root" },
		{ ENOENT, "check the name; ls shows what is there" },
		{ ENOTDIR, "check the name; ls shows what is there" },
		{ EISDIR, "name a file, not a folder" },
		{ ELOOP, "name what the links lead to" },
		{ ENAMETOOLONG, "name something shorter" },
		{ ENOMEM, "free some memory, or allow more (ulimit -v, limits of a container)" },
		{ EMFILE, "allow more open files: ulimit -n" },
		{ ENFILE, "allow more open files: sysctl fs.file-max" },
		{ EAGAIN, "allow more processes (ulimit -u, limits of a container)" },
		{ EFBIG, "allow larger files (ulimit -f), or name another place" },
		{ EIO, "look into dmesg for what is wrong with the device" },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].sys == sys)
			return all[i].text;
	return NULL;
}

void remedy_by_cause(const char *command, struct err *err)
{
	if (!err->code || err->remedy[0] || err->code >= ERR_SIGNAL)
		return;
	const char *text = by_system(strncmp(err->text, "out of memory", 13) ? err->sys : ENOMEM);
	if (text)
		err_remedy(err, "%s", text);
	else if (err->code == ERR_USAGE)
		err_remedy(err, "roclatch help%s%s explains what can be given", command ? " " : "", command ? command : "");
	else if (err->code == ERR_TIMEOUT)
		err_remedy(err, "allow more time with --timeout-msec");
	else if (err->code == ERR_TARGET_EXITED)
		err_remedy(err, "start it again if it is needed; roclatch list --all shows what runs");
	else
		err_remedy(err, "--verbose tells what was done and why");
}
