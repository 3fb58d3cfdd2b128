/* SPDX-License-Identifier: MIT */
/* rocp/sample.hip, as text that ends with a NUL: roclatch selftest has it compiled. */
	.section .rodata.sample_hip, "a"
	.globl sample_hip
	.hidden sample_hip
	.type sample_hip, %object
sample_hip:
	.incbin "rocp/sample.hip"
	.byte 0
	.size sample_hip, . - sample_hip
	.section .note.GNU-stack, "", %progbits
