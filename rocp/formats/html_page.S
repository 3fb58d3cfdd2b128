/* SPDX-License-Identifier: MIT */
/* The pages as they were written: rocp/formats/page.  Scripts are one after the other in one scope; two pages share some. */
	.macro object name
	.globl \name, \name\()_end
	.hidden \name, \name\()_end
	.type \name, %object
	.type \name\()_end, %object
\name:
	.endm
	.macro object_end name
\name\()_end:
	.byte 0
	.size \name, \name\()_end - \name
	.size \name\()_end, 1
	.endm

	.section .rodata.page, "a"
	object page_style
	.incbin "rocp/formats/page/page.css"
	object_end page_style
	object page_body
	.incbin "rocp/formats/page/page.html"
	object_end page_body
	object page_script
	.ascii "\"use strict\";(() => {\n"
	.incbin "rocp/formats/page/take.js"
	.incbin "rocp/formats/page/data.js"
	.incbin "rocp/formats/page/words.js"
	.incbin "rocp/formats/page/lanes.js"
	.incbin "rocp/formats/page/draw.js"
	.incbin "rocp/formats/page/view.js"
	.incbin "rocp/formats/page/charts.js"
	.incbin "rocp/formats/page/find.js"
	.incbin "rocp/formats/page/details.js"
	.incbin "rocp/formats/page/hands.js"
	.incbin "rocp/formats/page/tables.js"
	.incbin "rocp/formats/page/run.js"
	.incbin "rocp/formats/page/selftest.js"
	.incbin "rocp/formats/page/theme.js"
	.incbin "rocp/formats/page/start.js"
	.ascii "})();\n"
	object_end page_script

	object samples_style
	.incbin "rocp/formats/page/samples.css"
	object_end samples_style
	object samples_body
	.incbin "rocp/formats/page/samples.html"
	object_end samples_body
	object samples_script
	.ascii "\"use strict\";(() => {\n"
	.incbin "rocp/formats/page/take.js"
	.incbin "rocp/formats/page/words.js"
	.incbin "rocp/formats/page/samples_data.js"
	.incbin "rocp/formats/page/samples_flame.js"
	.incbin "rocp/formats/page/samples_states.js"
	.incbin "rocp/formats/page/samples_table.js"
	.incbin "rocp/formats/page/samples_hands.js"
	.incbin "rocp/formats/page/theme.js"
	.incbin "rocp/formats/page/samples_selftest.js"
	.incbin "rocp/formats/page/samples_start.js"
	.ascii "})();\n"
	object_end samples_script
	.section .note.GNU-stack, "", %progbits
