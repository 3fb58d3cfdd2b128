/* SPDX-License-Identifier: MIT */
/*
 * The file behind an image.  Its path says little: it may have been deleted or
 * replaced, be seen from another root, or be a layer of an overlay.  What is
 * found is taken only if it proves to be the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/beneath.h"
#include "inject/images.h"
#include "inject/root.h"

/* Open a plain file.  O_PATH first: opening a device or a pipe has effects. */
static int open_plain(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC), error = errno;
	int opened = fd < 0 ? -1 : beneath_file(fd, &error);
	if (fd >= 0)
		close(fd);
	errno = error ? error : EINVAL;
	return opened;
}

/* A device's numbers as the kernel packs them (include/linux/kdev_t.h): glibc has functions for that, musl has not. */
bool image_is_file(const struct image *image, const struct stat *file)
{
	uint64_t dev = file->st_dev, major = (dev >> 8 & 0xfff) | (dev >> 32 & 0xfffff000);
	uint64_t minor = (dev & 0xff) | (dev >> 12 & 0xffffff00);
	return file->st_ino == image->inode && major == image->dev_major && minor == image->dev_minor;
}

static bool same_inode(int fd, const struct image *image)
{
	struct stat file;
	return fstat(fd, &file) == 0 && image_is_file(image, &file);
}

/* overlayfs and btrfs show other numbers in maps than in stat */
static bool same_build_id(struct images *images, struct image *image, int fd)
{
	struct elf_file file;
	return image_open(images, image, NULL) == 0 && image->elf.build_id_size &&
	       elf_file_open(&file, fd, NULL) == 0 && file.image.build_id_size == image->elf.build_id_size &&
	       memcmp(file.image.build_id, image->elf.build_id, image->elf.build_id_size) == 0;
}

/* Takes the fd over.  -1: there is none (errno), -2: it is another file. */
static int check_file(struct images *images, struct image *image, int fd)
{
	if (fd < 0 || same_inode(fd, image) || same_build_id(images, image, fd))
		return fd;
	close(fd);
	return -2;
}

static int try_exe(struct images *images, struct image *image)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/exe", (int)images->target->live_tid);
	return check_file(images, image, open_plain(path));
}

static int try_root(struct images *images, struct image *image)
{
	struct err err = { 0 };
	int fd = root_open(images->target, root_strip(images->target, image->path), NULL, 0, &err);
	errno = err.sys ? err.sys : EINVAL;
	return check_file(images, image, fd);
}

/* What was mapped before the target changed its root lies outside of it.  The path is the target's word: a file of
 * ours that it names is not opened, let alone read, unless it is the one that is mapped. */
static int try_ours(struct image *image)
{
	int fd = open(image->path, O_PATH | O_CLOEXEC), error = errno;
	bool same = fd >= 0 && same_inode(fd, image);
	int opened = same ? beneath_file(fd, &error) : -1;
	if (fd >= 0)
		close(fd);
	errno = error;
	return fd >= 0 && !same ? -2 : opened;
}

/* By the mapping itself: exact, but for CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE only. */
static int try_map_files(struct images *images, struct image *image)
{
	char path[128];
	for (size_t i = 0; i < images->maps.n; i++) {
		const struct mapping *m = &images->maps.v[i];
		if (m->end <= image->start || m->inode != image->inode ||
		    m->dev_major != image->dev_major || m->dev_minor != image->dev_minor)
			continue;
		snprintf(path, sizeof path, "/proc/%d/map_files/%llx-%llx", (int)images->target->live_tid,
			 (unsigned long long)m->start, (unsigned long long)m->end);
		int fd = open_plain(path);
		struct stat file;
		if (fd >= 0 && fstat(fd, &file) == 0 && (file.st_ino == image->inode || same_build_id(images, image, fd)))
			return fd;
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return -1;
}

int image_file(struct images *images, struct image *image, struct err *err)
{
	if (!image->inode)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "%s has no file", image->path);
	int fd = try_map_files(images, image);
	if (fd >= 0)
		return fd;

	fd = try_exe(images, image);
	if (fd >= 0)
		return fd;

	int failure = ENOENT;
	bool another = false;
	for (int ours = 0; ours < 2; ours++) {
		fd = ours ? try_ours(image) : try_root(images, image);
		if (fd >= 0)
			return fd;
		another = another || fd == -2;
		failure = fd == -2 ? failure : errno;
	}
	if (another)
		err_set(err, ERR_NOT_POSSIBLE, 0, "the file %s is not the one that is mapped (replaced since it was loaded)",
			image->path);
	else
		err_set(err, ERR_NOT_POSSIBLE, failure, "the file %s of process %d", image->path,
			(int)images->target->pid);
	return err_remedy(err, "run roclatch as root, which can open files that were deleted or replaced");
}
