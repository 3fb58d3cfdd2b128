# SPDX-License-Identifier: MIT
# Tests of the drop-in libraries (bin/dropin), and of the core in a program that is not ours.
DT := tests/dropin
FIXTURES += $(B)/tests/quiet $(B)/fixtures/root-bookworm/resident

$(B)/obj/$(DT)/quiet.o: CPPFLAGS += -Itests/unit -isystem $(UNITY)
$(B)/tests/quiet: $(B)/obj/$(DT)/quiet.o $(B)/obj/unity.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/fixtures/root-bookworm/resident: $(DT)/resident.c $(B)/fixtures/root-bookworm/lib/.made
	@mkdir -p $(@D)
	$(CC_bookworm_$(ARCH)) -std=gnu11 -O2 -Wall -Wextra -Werror -ffile-prefix-map=$(CURDIR)/= -fPIE -pie \
		$< -pthread -rdynamic -Wl,-rpath,'$$ORIGIN/lib' -Wl,--disable-new-dtags \
		-Wl,--dynamic-linker=lib/$(notdir $(LOADER_glibc_$(ARCH))) -o $@
