/* SPDX-License-Identifier: MIT */
/* A restartable sequence that only ends by being aborted, and is then begun again. */
#define RSEQ_SIGNATURE 0x53053053u
#define RSEQ_LOOP \
	"rseq_again: mov %[section], 8(%[area])\n" \
	"rseq_start: jmp rseq_start\n" \
	"rseq_end: .long 0x53053053\n" \
	"rseq_abort: incl (%[aborts])\n" \
	"jmp rseq_again\n"
#define RSEQ_CLOBBERS "memory", "cc"
