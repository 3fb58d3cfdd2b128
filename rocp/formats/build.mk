# SPDX-License-Identifier: MIT
# The pages: one file of all parts of them, each ended by a NUL, in the order of enum page_part (rocp/formats/html_text.h).
# Scripts of a page are one after the other in one scope; two pages share some.
PAGE := rocp/formats/page
PAGES := $(B)/pages
PAGE_scripts := take data words lanes draw view charts find details hands tables run selftest theme start
SAMPLES_scripts := take words samples_data samples_flame samples_states samples_table samples_hands theme samples_selftest samples_start
in_one_scope = printf '"use strict";(() => {\n'; $(call page_files,$(1:%=%.js)); printf '})();\n\0'

# What only its writers need is not built in: indentation, empty lines, and comments that are a line.
page_files = sed -E -e 's/^[[:blank:]]+//' -e '/^$$/d' -e '/SPDX/!{/^\/\*.*\*\/$$/d' -e '}' $(addprefix $(PAGE)/,$(1))
page_file = $(call page_files,$(1)); printf '\0'

$(PAGES): $(wildcard $(PAGE)/*) rocp/formats/build.mk
	@mkdir -p $(@D)
	{ set -e; $(call page_file,page.css); $(call page_file,page.html); $(call in_one_scope,$(PAGE_scripts)); \
		$(call page_file,samples.css); $(call page_file,samples.html); $(call in_one_scope,$(SAMPLES_scripts)); } > $@

$(B)/obj/rocp/formats/html_packed.o: $(PAGES).xz
