/* SPDX-License-Identifier: MIT */
/*
 * The target's memory.  Reads go by process_vm_readv, else /proc/PID/mem (the
 * fallback is remembered), and by that alone while threads are traced.  Writes
 * go by /proc/PID/mem, which writes pages that are not writable (copy on write;
 * the kernel keeps the instruction cache coherent), else by PTRACE_POKEDATA on a
 * thread that we hold.
 */
#ifndef ROCLATCH_INJECT_MEMORY_H
#define ROCLATCH_INJECT_MEMORY_H

#include "elf/image.h"
#include "inject/proc.h"

struct memory {
	pid_t tid;              /* a live thread: a zombie leader has no memory */
	int fd;                 /* /proc/TID/mem, or -1 */
	bool no_vm_readv;       /* process_vm_readv does not work here */
	/* Before 5.7 process_vm_readv waits for an exec (mm/process_vm_access.c, mm_access: cred_guard_mutex), and that for
	 * threads that we trace; and after an exec it reads another program.  The file, once open, does neither. */
	bool by_file;
	pid_t held;             /* a thread in ptrace-stop, for the last fallback; 0 if none */
};

int memory_open(struct memory *memory, pid_t tid, struct err *err);
void memory_close(struct memory *memory);

/* All of it, or -1 (ERR_TARGET_EXITED if the process is gone). */
int memory_read(struct memory *memory, raddr addr, void *buf, size_t size, struct err *err);
int memory_write(struct memory *memory, raddr addr, const void *buf, size_t size, struct err *err);
/* A NUL-terminated text, cut to size - 1; reads no page behind the NUL's. */
int memory_read_text(struct memory *memory, raddr addr, char *buf, size_t size, struct err *err);
/* False when the process has replaced its memory by exec since it was opened:
 * what was learned of it is void.  `probe` is any address that was readable. */
bool memory_is_current(const struct memory *memory, raddr probe);
/* True only when nobody has the memory any more that was opened: the process has ended, or become another program. */
bool memory_is_gone(const struct memory *memory);
struct elf_source memory_source(struct memory *memory);

#endif
