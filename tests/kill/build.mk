# SPDX-License-Identifier: MIT
# killat, and the victim that it watches: a glibc program in the system of its own that
# tests/fixtures/build.mk lays out below root-bookworm.
KILLAT := $(patsubst %.c,$(B)/obj/%.o,$(filter-out %/victim.c,$(wildcard tests/kill/*.c)))
VICTIM := tests/kill/victim.c tests/kill/$(ARCH)/spin.S

RUNNERS += $(B)/tests/killat
FIXTURES += $(B)/fixtures/root-bookworm/kill-victim

$(B)/obj/tests/kill/%.o: CPPFLAGS = -Itests/kill -Itests/kill/$(ARCH)

$(B)/tests/killat: $(KILLAT)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/fixtures/root-bookworm/kill-victim: $(VICTIM) $(wildcard tests/kill/*.h) $(B)/fixtures/root-bookworm/lib/.made
	@mkdir -p $(@D)
	$(CC_bookworm_$(ARCH)) -std=gnu11 -O2 -g -Wall -Wextra -Werror -ffile-prefix-map=$(CURDIR)/= -fPIE -pie \
		$(VICTIM) -pthread -rdynamic -Wl,-rpath,'$$ORIGIN/lib' -Wl,--disable-new-dtags \
		-Wl,--dynamic-linker=lib/$(notdir $(LOADER_glibc_$(ARCH))) -o $@
