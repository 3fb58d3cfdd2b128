# SPDX-License-Identifier: MIT
# What ./build.sh bench runs, below $(OUT)/bench/$(ARCH): programs that can be taken to another machine with roclatch
# and its tool library.  Static with glibc: this musl has no unwind tables, and stacks that end in their first frame cost
# nobody anything.  What loads libraries, and what is called into, is made for an old glibc.
BENCH := $(OUT)/bench/$(ARCH)
BENCH_FLAGS := $(FIXTURE_CPU_$(ARCH)) -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -ffile-prefix-map=$(CURDIR)/= \
	-I. -Itests/bench
BENCH_STATIC = $(CC_bookworm_$(ARCH)) $(BENCH_FLAGS) -static
BENCH_OLD = $(CC_bullseye_$(ARCH)) $(BENCH_FLAGS)
BENCH_HEADERS := $(wildcard tests/bench/*.h) tests/bench/build.mk
BENCH_NUMBERS := $(shell seq 192)
BENCH_FILLERS := $(OUT)/bench/fillers-$(ARCH)
BENCH_FUNCTIONS := 1000

.PHONY: bench
bench: $(addprefix $(BENCH)/,call_cost attach_cost stop small large libbeat.so tool_cost made_log convert_cost report_cost watch)

BENCH_CALL := $(addprefix tests/bench/,call_cost.c call_tool.c beat_target.c measure.c) tests/kill/trace.c tests/kill/fault.c
$(BENCH)/call_cost: $(BENCH_CALL) $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(BENCH_STATIC) -Itests/kill -Itests/kill/$(ARCH) $(filter %.c,$^) -lm -o $@

$(BENCH)/attach_cost: $(addprefix tests/bench/,attach_cost.c beat_target.c measure.c) $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(BENCH_STATIC) $(filter %.c,$^) -lm -o $@

# For a program with libraries of its own: those of the fixture.
$(BENCH)/libbeat.so: tests/bench/beat.c tests/bench/beat_preloaded.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(CC_sid_$(ARCH)) $(BENCH_FLAGS) -fPIC -shared -pthread $(filter %.c,$^) -o $@

$(BENCH)/watch: $(wildcard tests/bench/watch_*.c) tests/bench/measure.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(BENCH_STATIC) -pthread $(filter %.c,$^) -lm -o $@

$(BENCH)/convert_cost $(BENCH)/report_cost: $(BENCH)/%: tests/bench/%.c tests/bench/measure.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(BENCH_STATIC) $(filter %.c,$^) -lm -o $@

$(BENCH)/made_log: tests/bench/made_log.c $(wildcard tests/unit/made_log*.h) $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(BENCH_STATIC) -Itests/unit $< -o $@

# As small as a program can be: it is the floor.
$(BENCH)/stop: tests/bench/stop.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(CC_musl_$(ARCH)) $(BENCH_FLAGS) -static -s $< -o $@

$(BENCH)/tool_cost: tests/bench/tool_cost.c tests/bench/tool_sdk.c tests/bench/measure.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(BENCH_OLD) -rdynamic $(filter %.c,$^) -ldl -lm -o $@

$(BENCH)/small: tests/bench/beat.c tests/bench/beat_main.c $(BENCH_HEADERS)
	@mkdir -p $(@D)
	$(BENCH_OLD) -pthread -rdynamic $(filter %.c,$^) -o $@

# They are one library under many names, copied, so that only one has to travel: what a debugger reads in each counts.
$(BENCH)/large: tests/bench/beat.c tests/bench/beat_main.c $(BENCH)/libfiller.so $(BENCH_HEADERS)
	@mkdir -p $(BENCH_FILLERS)
	for i in $(BENCH_NUMBERS); do cp $(BENCH)/libfiller.so $(BENCH_FILLERS)/libfiller$$i.so || exit 1; done
	$(BENCH_OLD) -pthread -rdynamic $(filter %.c,$^) -Wl,--no-as-needed -Wl,-rpath,'$$ORIGIN/../fillers-$(ARCH)' -L$(BENCH_FILLERS) \
		$(BENCH_NUMBERS:%=-lfiller%) -o $@

# Without a soname: copies would be taken for one.
$(BENCH)/libfiller.so: $(BENCH_HEADERS)
	@mkdir -p $(@D)
	awk 'BEGIN { for (i = 0; i < $(BENCH_FUNCTIONS); i++) \
		printf "int bench_library_function_%d(int a) { return a * %d + %d; }\n", i, i + 3, i }' > $@.c
	$(BENCH_OLD) -fPIC -shared $@.c -o $@
