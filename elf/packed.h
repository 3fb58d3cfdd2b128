/* SPDX-License-Identifier: MIT */
/* For .S: `packed NAME, FILE` is what xz made of a file, from NAME to NAME_end; xz_unpack reads it. */
	.macro packed name, file
	.section .rodata.\name, "a"
	.globl \name, \name\()_end
	.hidden \name, \name\()_end
	.type \name, %object
	.type \name\()_end, %object
\name:
	.incbin "\file"
\name\()_end:
	.byte 0
	.size \name, \name\()_end - \name
	.size \name\()_end, 1
	.section .note.GNU-stack, "", %progbits
	.endm
