/* SPDX-License-Identifier: MIT */
/* roclatch's own tool as it is built into the program: rocp/tool/packed.S, which libraries are linked without. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "elf/xz.h"
#include "rocp/own_tool.h"

#define UNPACKED_MAX (16u << 20)

#define MAYBE __attribute__((weak, visibility("hidden")))
extern const char own_tool_packed[] MAYBE, own_tool_packed_end[] MAYBE;

bool own_tool_is_built_in(void)
{
	return own_tool_packed_end != NULL;
}

/* Without a name, and gone with the fd. */
static int nameless(struct err *err)
{
	static const char *const folders[] = { "/dev/shm", "/tmp", "/var/tmp", "." };
	int fd = (int)syscall(SYS_memfd_create, OWN_TOOL_NAME, MFD_CLOEXEC);
	for (size_t i = 0; fd < 0 && i < sizeof folders / sizeof *folders; i++)
		fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd >= 0 ? fd : err_set(err, ERR_FAILED, errno, "a file for roclatch's own tool cannot be made");
}

static int fill(int fd, const char *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, bytes + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return lseek(fd, 0, SEEK_SET) < 0 ? -1 : 0;
}

int own_tool_bytes(struct err *err)
{
	void *bytes = NULL;
	size_t size = 0;
	if (!own_tool_is_built_in())
		return err_set(err, ERR_NOT_POSSIBLE, 0, "roclatch's own tool, " OWN_TOOL_NAME ", is not built in here");
	if (xz_unpack(own_tool_packed, (size_t)(own_tool_packed_end - own_tool_packed), UNPACKED_MAX, &bytes, &size, err) < 0)
		return err_wrap(err, "roclatch's own tool");
	int fd = nameless(err);
	if (fd >= 0 && fill(fd, bytes, size) < 0) {
		err_set(err, ERR_FAILED, errno, "roclatch's own tool cannot be unpacked");
		close(fd);
		fd = -1;
	}
	free(bytes);
	return fd;
}
