/* SPDX-License-Identifier: MIT */
/* A restartable sequence that only ends by being aborted, and is then begun again. */
#define RSEQ_SIGNATURE 0xd428bc00u
#define RSEQ_LOOP \
	"rseq_again: str %[section], [%[area], #8]\n" \
	"rseq_start: b rseq_start\n" \
	"rseq_end: .inst 0xd428bc00\n" \
	"rseq_abort: ldr w9, [%[aborts]]\n" \
	"add w9, w9, #1\n" \
	"str w9, [%[aborts]]\n" \
	"b rseq_again\n"
#define RSEQ_CLOBBERS "memory", "x9"
