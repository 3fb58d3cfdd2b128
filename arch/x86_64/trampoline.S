/* SPDX-License-Identifier: MIT */
/*
 * What runs in the target.  Position-independent, no data, no writes but to the
 * mailbox (rbx) and the stack.  It lives in .rodata here and is never executed
 * in this program; arch_trampoline_check() decodes every instruction of it.
 *
 * arch/aarch64/trampoline.S is the same program: change both.
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
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	mov	%rdi, %rbx
	mov	$__NR_gettid, %eax
	syscall
	mov	%eax, MB_TID(%rbx)              /* from now on the region is known to be in use */
	cmpl	$0, MB_GO(%rbx)
	je	.Lleave
	mov	$2, %edi                        /* SIG_SETMASK */
	lea	MB_MASK(%rbx), %rsi
	xor	%edx, %edx
	mov	$8, %r10d
	mov	$__NR_rt_sigprocmask, %eax
	syscall
.Lround:
	call	.Lrun
	movl	$1, MB_DONE(%rbx)

	/* Hold: thread-local results (dlerror) must outlive the round.
	 * rt_sigtimedwait sleeps without touching a restart block. */
	mov	$MB_HOLD_NAPS, %r14d
.Lhold:
	cmpl	$MB_ACK_END, MB_ACK(%rbx)
	je	.Lleave
	cmpl	$MB_ACK_AGAIN, MB_ACK(%rbx)
	je	.Lagain
	push	$0
	mov	%rsp, %rdi                      /* an empty set */
	xor	%esi, %esi
	lea	MB_NAP_SEC(%rbx), %rdx
	mov	$8, %r10d
	mov	$__NR_rt_sigtimedwait, %eax
	syscall
	pop	%rcx
	sub	$1, %r14d
	jne	.Lhold
.Lleave:
	xor	%eax, %eax
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	ret
.Lagain:
	movl	$0, MB_ACK(%rbx)
	movl	$0, MB_DONE(%rbx)
	jmp	.Lround

/* borrowed(struct mailbox *): does not return; ends in rt_sigreturn on the frame
 * that holds the thread's own state.  We catch it at the marker and restore it
 * ourselves; if we are gone, it restores itself. */
trampoline_borrowed:
	mov	%rdi, %rbx
	mov	$__NR_gettid, %eax
	syscall
	mov	%eax, MB_TID(%rbx)
	call	.Lrun
	movl	$1, MB_DONE(%rbx)
.Lmark:
	mov	$__NR_getpid, %eax
	syscall
trampoline_marker:
	mov	MB_FRAME(%rbx), %rsp
	add	$8, %rsp                        /* rt_sigreturn finds its frame at rsp - 8 */
	mov	$__NR_rt_sigreturn, %eax
	syscall
	jmp	.Lmark

/* Run the steps.  What we need after a call is kept on the stack: functions that are
 * not C (assembly, Go) do not all keep the registers that a C function would. */
.Lrun:
	push	%rbp
	mov	%rsp, %rbp
	fninit
	push	$0x1f80                         /* mxcsr of a new thread */
	ldmxcsr	(%rsp)
	pop	%rcx
	cld
	sub	$32, %rsp
	mov	%rsp, MB_SAVED_SP(%rbx)
	lea	MB_STEPS(%rbx), %r12
	mov	MB_COUNT(%rbx), %r13d
	test	%r13d, %r13d
	je	trampoline_recover
.Lnext:
	mov	ST_ARGS(%r12), %rdi
	mov	ST_ARGS+8(%r12), %rsi
	mov	ST_ARGS+16(%r12), %rdx
	mov	ST_ARGS+24(%r12), %rcx
	mov	ST_ARGS+32(%r12), %r8
	mov	ST_ARGS+40(%r12), %r9
	xor	%eax, %eax
	mov	%rbx, (%rsp)
	mov	%r12, 8(%rsp)
	mov	%r13, 16(%rsp)
	call	*ST_FN(%r12)
	mov	(%rsp), %rbx
	mov	8(%rsp), %r12
	mov	16(%rsp), %r13
	mov	%rax, ST_RESULT(%r12)
	movl	$1, ST_RETURNED(%r12)
	mov	$__NR_gettid, %eax
	syscall
	cmp	%eax, MB_TID(%rbx)
	jne	.Lchild
	mov	ST_RESULT(%r12), %rax
	mov	ST_FLAGS(%r12), %ecx
	test	%eax, %eax
	jne	.Lnonzero
	test	%rax, %rax
	jne	.Lproceed
	test	$ST_STOP_IF_ZERO, %ecx
	jne	trampoline_recover
	jmp	.Lproceed
.Lnonzero:
	test	$ST_STOP_IF_NONZERO, %ecx
	jne	trampoline_recover
.Lproceed:
	add	$ST_SIZE, %r12
	sub	$1, %r13d
	jne	.Lnext
/* After a contained crash we resume here with rbx = mailbox, rsp = saved_sp. */
trampoline_recover:
	add	$32, %rsp
	pop	%rbp
	ret

/* The called code forked and this is the child: it must not go on as the target. */
.Lchild:
	xor	%edi, %edi
	mov	$__NR_exit_group, %eax
	syscall
	jmp	.Lchild
trampoline_end:

	.section .note.GNU-stack, "", @progbits
