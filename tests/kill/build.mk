# SPDX-License-Identifier: MIT
# killat, and the victims that it watches: programs of glibc and musl in the systems that tests/fixtures/build.mk
# lays out below root-bookworm and root-musl.
KILLAT := $(patsubst %.c,$(B)/obj/%.o,$(filter-out %/victim.c,$(wildcard tests/kill/*.c)))
VICTIM := tests/kill/victim.c tests/kill/$(ARCH)/spin.S

RUNNERS += $(B)/tests/killat

$(B)/obj/tests/kill/%.o: CPPFLAGS = -Itests/kill -Itests/kill/$(ARCH)

$(B)/tests/killat: $(KILLAT)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

define kill_victim
FIXTURES += $(B)/fixtures/root-$(1)/kill-victim
$(B)/fixtures/root-$(1)/kill-victim: $(VICTIM) $(wildcard tests/kill/*.h) $(B)/fixtures/root-$(1)/lib/.made
	@mkdir -p $$(@D)
	$$(CC_$(1)_$(ARCH)) -std=gnu11 -O2 -g -Wall -Wextra -Werror -ffile-prefix-map=$(CURDIR)/= -fPIE -pie \
		$(VICTIM) -pthread -rdynamic -Wl,-rpath,'$$$$ORIGIN/lib' -Wl,--disable-new-dtags \
		-Wl,--dynamic-linker=lib/$(notdir $(2)) -o $$@
endef
$(eval $(call kill_victim,bookworm,$(LOADER_glibc_$(ARCH))))
$(eval $(call kill_victim,musl,$(LOADER_musl_$(ARCH))))
