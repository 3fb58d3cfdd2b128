/* SPDX-License-Identifier: MIT */
/* The pages: rocp/formats/page, without comments and indentation.  Scripts are one after the other in one scope; two pages share some. */
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
	.incbin "page/page.css"
	object_end page_style
	object page_body
	.incbin "page/page.html"
	object_end page_body
	object page_script
	.ascii "\"use strict\";(() => {\n"
	.incbin "page/take.js"
	.incbin "page/data.js"
	.incbin "page/words.js"
	.incbin "page/lanes.js"
	.incbin "page/draw.js"
	.incbin "page/view.js"
	.incbin "page/charts.js"
	.incbin "page/find.js"
	.incbin "page/details.js"
	.incbin "page/hands.js"
	.incbin "page/tables.js"
	.incbin "page/run.js"
	.incbin "page/selftest.js"
	.incbin "page/theme.js"
	.incbin "page/start.js"
	.ascii "})();\n"
	object_end page_script

	object samples_style
	.incbin "page/samples.css"
	object_end samples_style
	object samples_body
	.incbin "page/samples.html"
	object_end samples_body
	object samples_script
	.ascii "\"use strict\";(() => {\n"
	.incbin "page/take.js"
	.incbin "page/words.js"
	.incbin "page/samples_data.js"
	.incbin "page/samples_flame.js"
	.incbin "page/samples_states.js"
	.incbin "page/samples_table.js"
	.incbin "page/samples_hands.js"
	.incbin "page/theme.js"
	.incbin "page/samples_selftest.js"
	.incbin "page/samples_start.js"
	.ascii "})();\n"
	object_end samples_script
	.section .note.GNU-stack, "", %progbits
