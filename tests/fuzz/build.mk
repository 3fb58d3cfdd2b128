# SPDX-License-Identifier: MIT
# Fuzz entries, for the host's CPU, with sanitizers: `make fuzz` builds those that replay a corpus,
# `make libfuzzer` those that search (clang).
FUZZ := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_ROOMS := arch arch/$(HOST) elf inject inject/watch rocp rocp/trace rocp/formats rocp/job
# What only writes is not fuzzed.
FUZZ_WRITERS := $(addsuffix %,$(addprefix rocp/formats/,csv json pftrace samples) inject/watch/sampler inject/watch/profile)
FUZZ_SOURCES := $(filter-out $(FUZZ_WRITERS),$(foreach room,$(FUZZ_ROOMS),$(wildcard $(room)/*.c $(room)/*.S))) \
	bin/options.c bin/settings.c bin/keys.c rocp/tool/settings.c rocp/tool/filter.c rocp/tool/pattern.c
FUZZ_FLAGS := $(CSTD) -Wall -Wextra -fno-omit-frame-pointer -fno-sanitize-recover=all -I. -Iarch/$(HOST) \
	-I$(dir $(SYSCALLS)) -isystem $(SQLITE) -isystem $(DEMANGLE)/include
FUZZ_OBJECTS := $(patsubst %,obj/%.o,$(basename $(FUZZ_SOURCES)) $(if $(ZYDIS_USE_$(HOST)),$(ZYDIS_NAMES:%=zydis/%)) cp-demangle)

FUZZ_CC_replay    := gcc -fsanitize=address,undefined -fsanitize-undefined-trap-on-error
FUZZ_CC_libfuzzer := clang -fsanitize=address,undefined -fsanitize=fuzzer-no-link
# SQLite is fuzzed by others, and without sanitizers faster by much.  What replays has the object that is shipped: it asks
# nothing of musl in which glibc differs.
FUZZ_LD_replay    := $(OUT)/$(HOST)/obj/sqlite3.o
FUZZ_LD_libfuzzer := -fsanitize=fuzzer -static-libstdc++ $(OUT)/fuzz/libfuzzer/obj/sqlite3.o
# What replays is compiled more often than it runs, and traps where what searches would say why; without inlining gcc sees objects overlap that do not.
FUZZ_OPTIMIZED_replay    := -O0 -g1 -Wno-restrict
FUZZ_OPTIMIZED_libfuzzer := -O1 -g

.PHONY: fuzz libfuzzer
fuzz: $(FUZZ:%=$(OUT)/fuzz/replay/%)
libfuzzer: $(FUZZ:%=$(OUT)/fuzz/libfuzzer/%)

define fuzz_rules
$(OUT)/fuzz/$(1)/obj/%.o: %.c Makefile
	@mkdir -p $$(@D)
	$$(FUZZ_CC_$(1)) $$(FUZZ_OPTIMIZED_$(1)) $$(FUZZ_FLAGS) $$(ZYDIS_USE_$(HOST)) -MMD -MP -c $$< -o $$@
$(OUT)/fuzz/$(1)/obj/%.o: %.S Makefile
	@mkdir -p $$(@D)
	$$(FUZZ_CC_$(1)) -I. -Iarch/$(HOST) -Wa,-I$$(B) -MMD -MP -c $$< -o $$@
$(OUT)/fuzz/$(1)/obj/inject/watch/syscall_names.o: $$(SYSCALLS)
$(OUT)/fuzz/$(1)/obj/rocp/formats/html_packed.o: $$(PAGES).xz
$(OUT)/fuzz/$(1)/obj/rocp/sets_table.o: $$(B)/sets.tsv.xz
$(OUT)/fuzz/$(1)/obj/zydis/%.o: $(DEPS)/zydis/.lock
	@mkdir -p $$(@D)
	$$(FUZZ_CC_$(1)) $$(FUZZ_OPTIMIZED_$(1)) $$(ZYDIS_USE_$(HOST)) -I$$(ZYDIS)/src -c $$(ZYDIS)/src/$$*.c -o $$@
$(OUT)/fuzz/$(1)/obj/cp-demangle.o: $(DEPS)/demangle/.lock
	@mkdir -p $$(@D)
	$$(FUZZ_CC_$(1)) -std=gnu11 $$(FUZZ_OPTIMIZED_$(1)) -w -DHAVE_STDLIB_H -DHAVE_STRING_H -I$$(DEMANGLE)/include \
		-c $$(DEMANGLE)/libiberty/cp-demangle.c -o $$@
$(OUT)/fuzz/$(1)/lib.a: $(FUZZ_OBJECTS:%=$(OUT)/fuzz/$(1)/%)
	@rm -f $$@
	ar rcs $$@ $$^
$(OUT)/fuzz/$(1)/fuzz_%: $(OUT)/fuzz/$(1)/obj/tests/fuzz/fuzz_%.o $(if $(filter replay,$(1)),$(OUT)/fuzz/replay/obj/tests/fuzz/replay.o) $(OUT)/fuzz/$(1)/lib.a
	$$(FUZZ_CC_$(1)) $$^ $$(FUZZ_LD_$(1)) -lm -o $$@
endef
$(foreach kind,replay libfuzzer,$(eval $(call fuzz_rules,$(kind))))

$(FUZZ:%=$(OUT)/fuzz/replay/%): | $(FUZZ_LD_replay)
$(FUZZ:%=$(OUT)/fuzz/libfuzzer/%): | $(OUT)/fuzz/libfuzzer/obj/sqlite3.o
$(OUT)/fuzz/libfuzzer/obj/sqlite3.o: $(DEPS)/sqlite/.lock
	@mkdir -p $(@D)
	clang -std=gnu11 -O1 -w $(SQLITE_FLAGS) -c $(SQLITE)/sqlite3.c -o $@

-include $(shell find $(OUT)/fuzz -name '*.d' 2>/dev/null)
