/* SPDX-License-Identifier: MIT */
/* rocp/sets.tsv: kind (set or block), name, GPUs, counters; rocprof-compute's of August 2025. */
	.section .rodata.sets, "a"
	.globl sets_begin, sets_end
	.hidden sets_begin, sets_end
	.type sets_begin, %object
	.type sets_end, %object
sets_begin:
	.incbin "rocp/sets.tsv"
sets_end:
	.byte 0
	.size sets_begin, sets_end - sets_begin
	.size sets_end, 1
	.section .note.GNU-stack, "", %progbits
