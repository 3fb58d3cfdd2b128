/* SPDX-License-Identifier: MIT */
/* libroclatch-tool.so itself, packed by xz: for a program that is alone in its image. */
	.section .rodata.own_tool, "a"
	.globl own_tool_packed, own_tool_packed_end
	.hidden own_tool_packed, own_tool_packed_end
	.type own_tool_packed, %object
	.type own_tool_packed_end, %object
own_tool_packed:
	.incbin "libroclatch-tool.so.xz"
own_tool_packed_end:
	.byte 0
	.size own_tool_packed, own_tool_packed_end - own_tool_packed
	.size own_tool_packed_end, 1
	.section .note.GNU-stack, "", %progbits
