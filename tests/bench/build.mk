# SPDX-License-Identifier: MIT
# bench-watch: what watching costs, in one program that can be taken to another machine with roclatch beside it.
# Static with glibc: this musl has no unwind tables, and stacks that end in their first frame cost nobody anything.
BENCH_WATCH := $(wildcard tests/bench/watch_*.c)
FIXTURES += $(B)/tests/bench-watch

$(B)/tests/bench-watch: $(BENCH_WATCH) tests/bench/watch.h tests/bench/build.mk
	@mkdir -p $(@D)
	$(CC_bookworm_$(ARCH)) $(FIXTURE_CPU_$(ARCH)) -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror \
		-ffile-prefix-map=$(CURDIR)/= -static -pthread -Itests/bench $(BENCH_WATCH) -lm -o $@
