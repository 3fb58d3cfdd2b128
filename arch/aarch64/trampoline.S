/* SPDX-License-Identifier: MIT */
/*
 * What runs in the target.  Position-independent, no data, no writes but to the
 * mailbox (x19) and the stack.  It lives in .rodata here and is never executed
 * in this program; arch_trampoline_check() decodes every word of it.
 *
 * arch/x86_64/trampoline.S is the same program: change both.
 */
#include <asm/unistd.h>
#include "arch/mailbox.h"

	.section .rodata
	.balign 16
	.globl trampoline_start, trampoline_end
	.globl trampoline_fresh, trampoline_borrowed, trampoline_marker, trampoline_recover
	.hidden trampoline_start, trampoline_end
	.hidden trampoline_fresh, trampoline_borrowed, trampoline_marker, trampoline_recover

trampoline_start:

/* void *fresh(struct mailbox *): start routine of the fresh thread.  Without our
 * go (we died before it was born) it returns at once. */
trampoline_fresh:
	stp	x29, x30, [sp, #-48]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	mov	x19, x0
	mov	x8, #__NR_gettid
	svc	#0
	str	w0, [x19, #MB_TID]              /* from now on the region is known to be in use */
	ldr	w9, [x19, #MB_GO]
	cbz	w9, .Lleave
	mov	x0, #2                          /* SIG_SETMASK */
	add	x1, x19, #MB_MASK
	mov	x2, #0
	mov	x3, #8
	mov	x8, #__NR_rt_sigprocmask
	svc	#0
.Lround:
	bl	.Lrun
	mov	w9, #1
	add	x10, x19, #MB_DONE
	stlr	w9, [x10]

	/* Hold: thread-local results (dlerror) must outlive the round.
	 * rt_sigtimedwait sleeps without touching a restart block. */
	mov	w20, #MB_HOLD_NAPS
.Lhold:
	ldr	w9, [x19, #MB_ACK]
	cmp	w9, #MB_ACK_END
	b.eq	.Lleave
	cmp	w9, #MB_ACK_AGAIN
	b.eq	.Lagain
	mov	x9, #0
	str	x9, [sp, #-16]!
	mov	x0, sp                          /* an empty set */
	mov	x1, #0
	add	x2, x19, #MB_NAP_SEC
	mov	x3, #8
	mov	x8, #__NR_rt_sigtimedwait
	svc	#0
	add	sp, sp, #16
	sub	w20, w20, #1
	cbnz	w20, .Lhold
.Lleave:
	mov	x0, #0
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #48
	ret
.Lagain:
	mov	w9, #0
	str	w9, [x19, #MB_ACK]
	str	w9, [x19, #MB_DONE]
	b	.Lround

/* borrowed(struct mailbox *): does not return; ends in rt_sigreturn on the frame
 * that holds the thread's own state.  We catch it at the marker and restore it
 * ourselves; if we are gone, it restores itself. */
trampoline_borrowed:
	mov	x19, x0
	mov	x8, #__NR_gettid
	svc	#0
	str	w0, [x19, #MB_TID]
	bl	.Lrun
	mov	w9, #1
	str	w9, [x19, #MB_DONE]
.Lmark:
	mov	x8, #__NR_getpid
	svc	#0
trampoline_marker:
	ldr	x9, [x19, #MB_FRAME]
	mov	sp, x9
	mov	x8, #__NR_rt_sigreturn
	svc	#0
	b	.Lmark

/* Run the steps.  What we need after a call is kept on the stack: functions that are
 * not C (assembly, Go) do not all keep the registers that a C function would. */
.Lrun:
	stp	x29, x30, [sp, #-48]!
	mov	x29, sp
	msr	fpcr, xzr
	msr	fpsr, xzr
	mov	x9, sp
	str	x9, [x19, #MB_SAVED_SP]
	add	x21, x19, #MB_STEPS
	ldr	w22, [x19, #MB_COUNT]
	cbz	w22, trampoline_recover
.Lnext:
	ldp	x0, x1, [x21, #ST_ARGS]
	ldp	x2, x3, [x21, #ST_ARGS + 16]
	ldp	x4, x5, [x21, #ST_ARGS + 32]
	ldr	x16, [x21, #ST_FN]
	stp	x19, x21, [sp, #16]
	str	x22, [sp, #32]
	blr	x16
	ldp	x19, x21, [sp, #16]
	ldr	x22, [sp, #32]
	str	x0, [x21, #ST_RESULT]
	mov	w9, #1
	str	w9, [x21, #ST_RETURNED]
	mov	x8, #__NR_gettid
	svc	#0
	ldr	w9, [x19, #MB_TID]
	cmp	w0, w9
	b.ne	.Lchild
	ldr	x0, [x21, #ST_RESULT]
	ldr	w9, [x21, #ST_FLAGS]
	cbnz	w0, .Lnonzero
	cbnz	x0, .Lproceed
	tbnz	w9, #1, trampoline_recover
	b	.Lproceed
.Lnonzero:
	tbnz	w9, #0, trampoline_recover
.Lproceed:
	add	x21, x21, #ST_SIZE
	sub	w22, w22, #1
	cbnz	w22, .Lnext
/* After a contained crash we resume here with x19 = mailbox, sp = saved_sp. */
trampoline_recover:
	ldp	x29, x30, [sp], #48
	ret

/* The called code forked and this is the child: it must not go on as the target. */
.Lchild:
	mov	x0, #0
	mov	x8, #__NR_exit_group
	svc	#0
	b	.Lchild
trampoline_end:

	.section .note.GNU-stack, "", %progbits
