/* SPDX-License-Identifier: MIT */
	.text
	.globl	spin_round
	.type	spin_round, %function
	.p2align 4
spin_round:
	.cfi_startproc
	sub	sp, sp, #192
	.cfi_def_cfa_offset 192
	stp	x29, x30, [sp]
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	str	x0, [sp, #160]

	ldr	x1, [x0, #8]
	msr	fpcr, x1
	msr	fpsr, xzr
	add	x2, x0, #288
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	ldr	q\n, [x2, #(\n * 64)]
	.endr
	.irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,29,30
	ldr	x\n, [x0, #(16 + \n * 8)]
	.endr
	ldr	x28, [x0]
	ldr	x0, [x0, #16]
	cmn	xzr, xzr

	/* Nothing in the loop but the chain of carries touches the flags. */
1:	adcs	x0, x0, x30
	adcs	x1, x1, x0
	adcs	x2, x2, x1
	adcs	x3, x3, x2
	adcs	x4, x4, x3
	adcs	x5, x5, x4
	adcs	x6, x6, x5
	adcs	x7, x7, x6
	adcs	x8, x8, x7
	adcs	x9, x9, x8
	adcs	x10, x10, x9
	adcs	x11, x11, x10
	adcs	x12, x12, x11
	adcs	x13, x13, x12
	adcs	x14, x14, x13
	adcs	x15, x15, x14
	adcs	x16, x16, x15
	adcs	x17, x17, x16
	adcs	x18, x18, x17
	adcs	x19, x19, x18
	adcs	x20, x20, x19
	adcs	x21, x21, x20
	adcs	x22, x22, x21
	adcs	x23, x23, x22
	adcs	x24, x24, x23
	adcs	x25, x25, x24
	adcs	x26, x26, x25
	adcs	x27, x27, x26
	adcs	x29, x29, x27
	adcs	x30, x30, x29
	add	v0.2d, v0.2d, v29.2d
	.irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
	eor	v\n\().16b, v\n\().16b, v0.16b
	add	v0.2d, v0.2d, v\n\().2d
	.endr
	fadd	v30.2d, v30.2d, v31.2d
	sub	x28, x28, #1
	cbnz	x28, 1b

	str	x0, [sp, #168]
	ldr	x0, [sp, #160]
	.irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,29,30
	str	x\n, [x0, #(16 + \n * 8)]
	.endr
	ldr	x1, [sp, #168]
	str	x1, [x0, #16]
	mrs	x1, nzcv
	str	x1, [x0, #(16 + 31 * 8)]
	mrs	x1, fpsr
	mrs	x3, fpcr
	orr	x1, x1, x3
	str	x1, [x0, #272]
	add	x2, x0, #288
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	str	q\n, [x2, #(\n * 64)]
	.endr
	msr	fpcr, xzr

	ldp	x29, x30, [sp]
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	add	sp, sp, #192
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	spin_round, . - spin_round

	.globl	spin_control
	.type	spin_control, %function
spin_control:
	mov	x0, #0x400000           /* FPCR.RMode: towards plus infinity */
	ret
	.size	spin_control, . - spin_control

	.globl	spin_wide
	.type	spin_wide, %function
spin_wide:
	mov	x0, #0
	ret
	.size	spin_wide, . - spin_wide

	.section .note.GNU-stack, "", %progbits
