/* SPDX-License-Identifier: MIT */
#define ALL16 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	.text
	.globl	spin_round
	.type	spin_round, @function
	.p2align 4
spin_round:
	.cfi_startproc
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	.cfi_def_cfa_offset 56
	sub	$40, %rsp
	.cfi_def_cfa_offset 96
	mov	%rdi, (%rsp)
	stmxcsr	8(%rsp)
	ldmxcsr	8(%rdi)
	mov	280(%rdi), %rax
	mov	%rax, 24(%rsp)
	fldpi
	cmpq	$0, 24(%rsp)
	je	1f
	.irp n, ALL16
	vmovdqu	288 + \n * 64(%rdi), %ymm\n
	.endr
	jmp	2f
1:
	.irp n, ALL16
	movdqu	288 + \n * 64(%rdi), %xmm\n
	.endr
2:
	/* the red zone holds what nothing changes */
	.set	i, 0
	.rept	16
	mov	144 + i * 8(%rdi), %rax
	mov	%rax, -128 + i * 8(%rsp)
	.set	i, i + 1
	.endr
	mov	16(%rdi), %rax
	mov	24(%rdi), %rbx
	mov	(%rdi), %rcx
	mov	32(%rdi), %rdx
	mov	40(%rdi), %rsi
	mov	48(%rdi), %rbp
	mov	56(%rdi), %r8
	mov	64(%rdi), %r9
	mov	72(%rdi), %r10
	mov	80(%rdi), %r11
	mov	88(%rdi), %r12
	mov	96(%rdi), %r13
	mov	104(%rdi), %r14
	mov	112(%rdi), %r15
	cmpq	$0, 24(%rsp)
	mov	120(%rdi), %rdi
	stc
	je	4f

	/* Nothing in the loops but the chain of carries touches the flags. */
	.macro carries
	adc	%r15, %rax
	adc	%rax, %rbx
	adc	%rbx, %rdx
	adc	%rdx, %rsi
	adc	%rsi, %rdi
	adc	%rdi, %rbp
	adc	%rbp, %r8
	adc	%r8, %r9
	adc	%r9, %r10
	adc	%r10, %r11
	adc	%r11, %r12
	adc	%r12, %r13
	adc	%r13, %r14
	adc	%r14, %r15
	lea	-1(%rcx), %rcx
	.endm
3:	carries
	.irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13
	vpxor	%ymm0, %ymm\n, %ymm\n
	vpaddq	%ymm\n, %ymm0, %ymm0
	.endr
	vaddpd	%ymm15, %ymm14, %ymm14
	jrcxz	9f
	jmp	3b
9:	jmp	5f
4:	carries
	.irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13
	pxor	%xmm0, %xmm\n
	paddq	%xmm\n, %xmm0
	.endr
	addpd	%xmm15, %xmm14
	jrcxz	5f
	jmp	4b

5:	mov	%rdi, 16(%rsp)
	mov	(%rsp), %rdi
	mov	%rax, 16(%rdi)
	mov	%rbx, 24(%rdi)
	mov	%rdx, 32(%rdi)
	mov	%rsi, 40(%rdi)
	mov	%rbp, 48(%rdi)
	mov	%r8, 56(%rdi)
	mov	%r9, 64(%rdi)
	mov	%r10, 72(%rdi)
	mov	%r11, 80(%rdi)
	mov	%r12, 88(%rdi)
	mov	%r13, 96(%rdi)
	mov	%r14, 104(%rdi)
	mov	%r15, 112(%rdi)
	mov	16(%rsp), %rax
	mov	%rax, 120(%rdi)
	.set	i, 0
	.rept	16
	mov	-128 + i * 8(%rsp), %rax
	mov	%rax, 144 + i * 8(%rdi)
	.set	i, i + 1
	.endr
	pushfq
	pop	%rax
	/* CF PF AF ZF SF OF: the rest is the kernel's */
	and	$0x8d5, %rax
	mov	%rax, 128(%rdi)
	stmxcsr	272(%rdi)
	fstpt	2336(%rdi)
	cmpq	$0, 24(%rsp)
	je	6f
	.irp n, ALL16
	vmovdqu	%ymm\n, 288 + \n * 64(%rdi)
	.endr
	vzeroupper
	jmp	7f
6:
	.irp n, ALL16
	movdqu	%xmm\n, 288 + \n * 64(%rdi)
	.endr
7:	ldmxcsr	8(%rsp)
	add	$40, %rsp
	.cfi_def_cfa_offset 56
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	spin_round, . - spin_round

	.globl	spin_control
	.type	spin_control, @function
spin_control:
	mov	$0x5f80, %eax           /* MXCSR: all masked, rounding up */
	ret
	.size	spin_control, . - spin_control

	/* CPUID leaf 1 says OSXSAVE and AVX, XCR0 says SSE and AVX */
	.globl	spin_wide
	.type	spin_wide, @function
spin_wide:
	push	%rbx
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	and	$0x18000000, %ecx
	cmp	$0x18000000, %ecx
	jne	8f
	xor	%ecx, %ecx
	xgetbv
	and	$6, %eax
	cmp	$6, %eax
	jne	8f
	mov	$1, %eax
	pop	%rbx
	ret
8:	xor	%eax, %eax
	pop	%rbx
	ret
	.size	spin_wide, . - spin_wide

	.section .note.GNU-stack, "", @progbits
