/* SPDX-License-Identifier: MIT */
/*
 * What differs by CPU.  arch/x86_64 and arch/aarch64 hold files of the same
 * names that implement this; the include path chooses.  Target and injector
 * have the same CPU, so system call numbers are our own __NR_*.
 */
#ifndef ROCLATCH_ARCH_ARCH_H
#define ROCLATCH_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch/mailbox.h"
#include "elf/err.h"
#include "regs.h"       /* struct regs, struct vector_state, ARCH_NAME, ARCH_MACHINE, ARCH_AUDIT, ARCH_RED_ZONE */

/* --- registers (regs.c) --- */

/* General registers of a thread that is stopped for us. 0, or -1 with errno. */
int arch_regs_get(pid_t tid, struct regs *regs);
int arch_regs_set(pid_t tid, const struct regs *regs);
/* FP and vector registers.  get refuses (ERR_NOT_POSSIBLE) what could not be put
 * back: SME streaming mode, an active shadow stack. */
int arch_vector_get(pid_t tid, struct vector_state *state, struct err *err);
int arch_vector_set(pid_t tid, const struct vector_state *state);

uint64_t arch_pc(const struct regs *regs);
uint64_t arch_sp(const struct regs *regs);
uint64_t arch_result(const struct regs *regs);
/* Argument 0 to 5 of the system call in progress, or about to be made. */
uint64_t arch_arg(const struct regs *regs, unsigned number);
void arch_arg_set(struct regs *regs, unsigned number, uint64_t value);
/* The number of the system call at whose entry the thread is stopped. */
int arch_entry_nr(pid_t tid, const struct regs *regs, long *nr);
/* At a system call's entry: make it another one, of two arguments. */
int arch_entry_replace(pid_t tid, struct regs *regs, long nr, uint64_t arg0, uint64_t arg1);
/* Registers after such a call has succeeded. */
void arch_after_syscall(struct regs *regs, uint64_t arg0, uint64_t arg1);

/* --- a system call in progress (restart.c) --- */

enum arch_interrupted {
	ARCH_NOT_IN_CALL,       /* running its own code, or about to enter a call */
	ARCH_RESTARTS,          /* the kernel restarts it with its own arguments */
	ARCH_RESTART_BLOCK,     /* continues through restart_syscall */
	ARCH_EINTR,             /* it was cut short with EINTR, because we stopped it */
};

#define ARCH_CODE_BEFORE 32     /* bytes of text before pc, and behind it, */
#define ARCH_CODE_BEHIND 16     /* that the functions below look at */

/* What /proc/TID/syscall said right before the stop, and the call that the thread
 * was in when it had to be walked to its entry (0: it was not). */
struct arch_seen {
	bool blocked;
	long nr;
	uint64_t arg0, sp;
	long settled;
};

/* What the thread was doing when PTRACE_INTERRUPT stopped it.  `code` points at
 * the bytes at pc.  *nr is the call's number where there is one. */
enum arch_interrupted arch_interrupted(const struct regs *regs, const uint8_t *code,
				       const struct arch_seen *seen, long *nr);
/* aarch64 hides whether a call that was stopped goes on through the restart block.
 * Its number if it must be walked to its entry to find out, else 0. */
long arch_must_settle(const struct regs *regs, const uint8_t *code);
/* Registers that issue the interrupted call anew. */
void arch_reissue(struct regs *regs, enum arch_interrupted how, long nr, uint64_t arg0);
/* From registers that issue a call anew to those that returned EINTR from it. */
void arch_answer_eintr(struct regs *regs);
/* Does restoring the registers at a ptrace stop make the kernel restart the
 * call by itself (x86: rax and orig_rax carry that)? */
bool arch_kernel_restarts(enum arch_interrupted how);

/* --- diverting a thread (divert.c) --- */

/* Instructions that are already in the target's text. */
struct gadgets {
	uint64_t syscall;       /* system call instruction, then return */
	uint64_t restore;       /* rt_sigreturn(), as signal handlers return to it */
};
/* Look for what is still 0 in `gadgets` in `size` bytes of text at `base`. */
void arch_gadgets_scan(struct gadgets *gadgets, const uint8_t *text, size_t size, uint64_t base);
/* Decode what stands at a gadget (16 bytes).  The last look before the jump. */
bool arch_gadget_is_syscall(const uint8_t code[16]);
bool arch_gadget_is_restore(const uint8_t code[16]);

/* Bytes that a signal frame for this state needs, alignment included. */
size_t arch_frame_size(const struct vector_state *state);
/* Build, for address `at` (16-byte aligned plus what arch_frame_at demands), the frame on which
 * rt_sigreturn gives `resume`, `state` and `mask` back.  buf has arch_frame_size bytes. */
void arch_frame_build(uint8_t *buf, uint64_t at, const struct regs *resume,
		      const struct vector_state *state, uint64_t mask, uint64_t restore);
/* The highest address at or below `limit - size` at which a frame may start. */
uint64_t arch_frame_at(uint64_t limit, size_t size);

/* Registers that make a system call through the gadget and then return through
 * the frame. */
void arch_divert_syscall(struct regs *regs, const struct gadgets *gadgets, uint64_t frame,
			 long nr, const uint64_t args[6]);
/* Registers that start the trampoline with a stack and the mailbox. */
void arch_divert_call(struct regs *regs, uint64_t entry, uint64_t stack, uint64_t mailbox);
/* Registers that resume the trampoline after a contained crash. */
void arch_divert_recover(struct regs *regs, uint64_t recover, uint64_t saved_sp, uint64_t mailbox);

/* --- code that is about to run (check.c) --- */

extern const uint8_t trampoline_start[], trampoline_end[];
extern const uint8_t trampoline_fresh[], trampoline_borrowed[];
extern const uint8_t trampoline_marker[], trampoline_recover[];

/* Decode the trampoline (ours, or read back from the target): every instruction
 * is one of the few that it is made of, and every jump stays inside. */
int arch_trampoline_check(const uint8_t *code, size_t size, struct err *err);
/* Do the first bytes of a function decode as sane instructions?  `guarded`: its
 * image marks branch targets (BTI), so it must begin with one. */
int arch_function_check(const uint8_t *code, size_t size, bool guarded, struct err *err);
/* Follow `regs` through `size` bytes of text at `base`: does it come to the system
 * call exit() through registers alone, so that it may run without a stack? */
bool arch_leads_to_exit(const struct regs *regs, const uint8_t *text, size_t size, uint64_t base);

#endif
