# SPDX-License-Identifier: MIT
# bin/ is not in the library: tests of its parts name the objects that they need.
$(B)/tests/unit/test_json: $(B)/obj/bin/json.o $(B)/obj/rocp/formats/utf8.o
$(B)/tests/unit/test_options: $(B)/obj/bin/options.o $(B)/obj/bin/shown.o $(B)/obj/rocp/options.o $(B)/obj/rocp/arena.o $(B)/obj/rocp/nearest.o $(B)/obj/elf/err.o
$(B)/tests/unit/test_request_styles: $(B)/obj/bin/shown.o
$(B)/tests/unit/test_amounts: $(B)/obj/bin/amounts.o
$(B)/tests/unit/test_keys: $(B)/obj/bin/keys.o
$(B)/tests/unit/test_screen: $(B)/obj/bin/screen.o $(B)/obj/rocp/formats/utf8.o
$(B)/tests/unit/test_list_rows: $(B)/obj/tests/unit/test_list_rows.o \
		$(patsubst %,$(B)/obj/bin/%.o,list_rows list_json json output) $(B)/obj/unity.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@
# Tests of elf/ and of the pre-flight make their images with a builder.
ELF_BUILDER := $(B)/obj/tests/unit/elf_builder.o $(B)/obj/tests/unit/elf_builder_tables.o
$(filter $(B)/tests/unit/test_elf_% $(B)/tests/unit/test_preflight%,$(UNITS)): $(B)/tests/unit/%: $(B)/obj/tests/unit/%.o $(ELF_BUILDER) $(B)/obj/unity.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@
# What tests of arch/ and inject/ must know of the CPU lies in tests/unit/CPU.
$(B)/obj/tests/unit/test_%.o: CPPFLAGS += -Itests/unit/$(ARCH)
# Tests of the page make a log of everything that it shows.
$(B)/tests/unit/test_html $(B)/tests/unit/test_html_charts $(B)/tests/unit/test_html_choose: $(B)/obj/tests/unit/html_sample.o
# Tests of names look at the libraries of tests/names.
$(addprefix $(B)/tests/unit/,test_elf_functions test_naming test_symbolize): | $(NAMED_FILES)
# Functions that no unwind table tells of.
$(B)/obj/tests/unit/untold_chain.o: CFLAGS += -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer
$(B)/tests/unit/test_unwind: $(B)/obj/tests/unit/untold_chain.o
