/* SPDX-License-Identifier: MIT */
#include "inject/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* No CPU has smaller pages: what lies in one of these never crosses a page. */
#define SMALLEST_PAGE 4096

int memory_open(struct memory *memory, pid_t tid, struct err *err)
{
	char path[64];
	*memory = (struct memory){.tid = tid, .fd = -1};
	snprintf(path, sizeof path, "/proc/%d/mem", (int)tid);
	memory->fd = open(path, O_RDWR | O_CLOEXEC);
	if (memory->fd < 0 && (errno == EACCES || errno == EPERM))      /* hardened: no writing by this file */
		memory->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (memory->fd >= 0)
		return 0;
	if (errno == ENOENT || errno == ESRCH)
		return err_set(err, ERR_TARGET_EXITED, errno, "open %s", path);
	return err_set(err, ERR_FAILED, errno, "open %s", path);
}

void memory_close(struct memory *memory)
{
	if (memory->fd >= 0)
		close(memory->fd);
	memory->fd = -1;
}

static int gone(const struct memory *memory, struct err *err)
{
	return err_set(err, ERR_TARGET_EXITED, 0,
		       "the memory of thread %d is gone: the process has ended or runs another program",
		       (int)memory->tid);
}

/* What process_vm_readv gives of the range; 0 when another way must be tried. */
static size_t read_by_call(struct memory *memory, raddr addr, void *buf, size_t size)
{
	if (memory->no_vm_readv || memory->by_file)
		return 0;
	struct iovec local = {buf, size};
	struct iovec remote = {(void *)(uintptr_t)addr, size};
	long n = syscall(SYS_process_vm_readv, (long)memory->tid, &local, 1L, &remote, 1L, 0L);
	if (n >= 0)
		return (size_t)n;
	if (errno == ENOSYS || errno == EPERM)
		memory->no_vm_readv = true;
	/* EFAULT: /proc/PID/mem also reads pages without read permission.
	 * ESRCH: a thread that has ended while others live, or all have. */
	return 0;
}

int memory_read(struct memory *memory, raddr addr, void *buf, size_t size, struct err *err)
{
	size_t done = read_by_call(memory, addr, buf, size);
	bool again = memory->by_file;   /* there is no other way then: a refusal is not believed at once */
	while (done < size) {
		ssize_t n = pread(memory->fd, (char *)buf + done, size - done, (off_t)(addr + done));
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		if (n == 0)
			return gone(memory, err);
		if (errno == EINTR)
			continue;
		if (again) {
			again = false;
			continue;
		}
		return err_set(err, ERR_FAILED, errno, "read %zu bytes at 0x%llx of thread %d",
			       size, (unsigned long long)addr, (int)memory->tid);
	}
	return 0;
}

static int poke_word(const struct memory *memory, raddr word, const unsigned char *bytes,
		     size_t first, size_t count)
{
	unsigned long value = 0;
	/* the raw call stores the word, see ptrace(2), "C library/kernel differences" */
	if (count < sizeof value &&
	    syscall(SYS_ptrace, PTRACE_PEEKDATA, (long)memory->held, word, &value) < 0)
		return -1;
	memcpy((unsigned char *)&value + first, bytes, count);
	return syscall(SYS_ptrace, PTRACE_POKEDATA, (long)memory->held, word, value) < 0 ? -1 : 0;
}

static int write_by_poke(const struct memory *memory, raddr addr, const unsigned char *bytes,
			 size_t size, struct err *err)
{
	const size_t word_size = sizeof(unsigned long);
	while (size) {
		size_t first = addr % word_size;
		size_t count = word_size - first < size ? word_size - first : size;
		if (poke_word(memory, addr - first, bytes, first, count) < 0) {
			if (errno == ESRCH)
				return gone(memory, err);
			return err_set(err, ERR_FAILED, errno, "write a word at 0x%llx of thread %d",
				       (unsigned long long)addr, (int)memory->held);
		}
		addr += count;
		bytes += count;
		size -= count;
	}
	return 0;
}

/* Where no thread is held: into pages that the process itself may write. */
static int write_by_call(const struct memory *memory, raddr addr, const unsigned char *bytes, size_t size)
{
	while (size) {
		struct iovec local = {(void *)(uintptr_t)bytes, size};
		struct iovec remote = {(void *)(uintptr_t)addr, size};
		long n = syscall(SYS_process_vm_writev, (long)memory->tid, &local, 1L, &remote, 1L, 0L);
		if (n <= 0)
			return -1;
		addr += (raddr)n;
		bytes += n;
		size -= (size_t)n;
	}
	return 0;
}

int memory_write(struct memory *memory, raddr addr, const void *buf, size_t size, struct err *err)
{
	const unsigned char *bytes = buf;
	size_t done = 0;
	while (done < size) {
		ssize_t n = pwrite(memory->fd, bytes + done, size - done, (off_t)(addr + done));
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		if (n == 0)
			return gone(memory, err);
		if (errno == EINTR)
			continue;
		/* A kernel may forbid writing read-only pages through this file
		 * (fs/proc/base.c, proc_mem.force_override), or it at all. */
		int failure = errno;
		bool forbidden = failure == EIO || failure == EACCES || failure == EPERM || failure == EBADF;
		if (memory->held && forbidden)
			return write_by_poke(memory, addr + done, bytes + done, size - done, err);
		if (forbidden && write_by_call(memory, addr + done, bytes + done, size - done) == 0)
			return 0;
		return err_set(err, ERR_FAILED, failure, "write %zu bytes at 0x%llx of thread %d",
			       size, (unsigned long long)addr, (int)memory->tid);
	}
	return 0;
}

int memory_read_text(struct memory *memory, raddr addr, char *buf, size_t size, struct err *err)
{
	size_t used = 0;
	while (used + 1 < size) {
		size_t step = SMALLEST_PAGE - (addr + used) % SMALLEST_PAGE;
		if (step > size - 1 - used)
			step = size - 1 - used;
		if (memory_read(memory, addr + used, buf + used, step, err) < 0)
			return -1;
		if (memchr(buf + used, '\0', step))
			return 0;
		used += step;
	}
	if (size)
		buf[used] = '\0';
	return 0;
}

static int source_read(void *ctx, uint64_t addr, void *buf, size_t size)
{
	return memory_read(ctx, addr, buf, size, NULL);
}

struct elf_source memory_source(struct memory *memory)
{
	return (struct elf_source){source_read, memory};
}

/* The descriptor stays with the memory that it was opened on (fs/proc/base.c,
 * mem_open), and reads nothing once that is gone. */
bool memory_is_current(const struct memory *memory, raddr probe)
{
	uint8_t byte;
	return memory->fd < 0 || pread(memory->fd, &byte, 1, (off_t)probe) == 1;
}

/* What is not mapped is EIO; nothing at all is read where there is no memory (fs/proc/base.c, mem_rw). */
bool memory_is_gone(const struct memory *memory)
{
	uint8_t byte;
	return memory->fd >= 0 && pread(memory->fd, &byte, 1, 0) == 0;
}
