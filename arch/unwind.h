/* SPDX-License-Identifier: MIT */
/*
 * What unwinding a stack needs to know of the CPU.  Registers go by their DWARF numbers here, as
 * unwind tables name them; unwind_regs.h of each CPU says how many there are and which are which.
 */
#ifndef ROCLATCH_ARCH_UNWIND_H
#define ROCLATCH_ARCH_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "regs.h"
/* UNWIND_REGS, UNWIND_SP, UNWIND_FP, UNWIND_PC, UNWIND_RA (where a function finds its return
 * address when it is entered: UNWIND_PC if that is on the stack), UNWIND_PERF_MASK (user registers
 * to be asked of perf_event_open), UNWIND_KEPT (registers that a called function leaves as they were),
 * UNWIND_CALL_MAX (bytes of the longest call, with what loads its target) */
#include "unwind_regs.h"

/* The registers of one frame.  A caller's are known as far as its callees saved them. */
struct frame_regs {
	uint64_t v[UNWIND_REGS];
	uint64_t known;         /* a bit for each register */
};
_Static_assert(UNWIND_REGS <= 64, "a bit for each register");

static inline bool frame_knows(const struct frame_regs *regs, unsigned number)
{
	return number < UNWIND_REGS && (regs->known >> number & 1);
}

static inline void frame_set(struct frame_regs *regs, unsigned number, uint64_t value)
{
	regs->v[number] = value;
	regs->known |= UINT64_C(1) << number;
}

/* All that a stopped thread shows. */
void arch_unwind_regs(const struct regs *regs, struct frame_regs *frame);
/* What perf gives: the registers of UNWIND_PERF_MASK in ascending order of the kernel's numbers. */
void arch_unwind_perf(const uint64_t *values, struct frame_regs *frame);

/* A return address without its signature (PAC), where the CPU has that. */
uint64_t arch_unwind_strip(uint64_t addr);

/* Do the bytes that end at `after` (size of them, at most UNWIND_CALL_MAX) end in a call?  Its target
 * in *target, 0 if that is in a register or in memory. */
bool arch_unwind_is_call(const uint8_t *bytes, size_t size, uint64_t after, uint64_t *target);

/* The same through a word of memory at a fixed place (call *slot(%rip), and what does that on other CPUs):
 * where that word is, else 0. */
uint64_t arch_unwind_call_slot(const uint8_t *bytes, size_t size, uint64_t after);
/* Does the code at `at` do nothing but jump on, as a PLT stub does?  To *target, or to what the word
 * at *slot says; the other is 0. */
bool arch_unwind_is_jump(const uint8_t *code, size_t size, uint64_t at, uint64_t *target, uint64_t *slot);
/* What one instruction does to sp, and where the next one is. */
enum unwind_flow {
	FLOW_ON,
	FLOW_BRANCH,            /* goes on, or jumps */
	FLOW_JUMP,
	FLOW_END,               /* returns, or goes nobody knows where */
};
struct unwind_insn {
	size_t length;
	enum unwind_flow flow;
	int64_t distance;       /* of the jump, from this instruction; 0: not known */
	int64_t depth;          /* what it takes off sp */
	bool lost, reset;       /* where sp is afterwards is not known; is as when the function was entered */
	int64_t ra_at, fp_at;   /* where from the new sp it stores the return address, the frame pointer; -1: not */
};
/* False: it is no instruction. */
bool arch_unwind_insn(const uint8_t *code, size_t size, struct unwind_insn *insn);
/* What a function has done since it was entered, all counted downwards from sp as it was then. */
struct unwind_entered {
	int64_t depth;          /* to where sp is now */
	int64_t ra_at, fp_at;   /* to where these are stored; -1: still in their registers */
};
/* Follow `code`, a function's from its start to where it is, with its jumps.  False: it cannot be
 * told. */
bool arch_unwind_follow(const uint8_t *code, size_t size, struct unwind_entered *entered);

/* Is this the end of a thread (what follows the call of its function): the system call exit? */
bool arch_unwind_is_exit(const uint8_t code[16]);
/* Is this the code that returns from a signal handler?  `code` is 16 bytes at pc. */
bool arch_unwind_is_sigreturn(const uint8_t code[16]);
/* Where in the memory at sp the interrupted registers are then: byte offset of DWARF register
 * `number`, or -1. */
int arch_unwind_sigcontext(unsigned number);

#endif
