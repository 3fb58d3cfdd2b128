# SPDX-License-Identifier: MIT
# Tests of the drop-in libraries (bin/dropin), and of the core in a program that is not ours.
DT := tests/dropin
RUNNERS += $(B)/tests/quiet $(B)/tests/dropin
FIXTURES += $(B)/fixtures/root-bookworm/resident

$(B)/obj/$(DT)/quiet.o: CPPFLAGS += -Itests/unit -isystem $(UNITY)
$(B)/tests/quiet: $(B)/obj/$(DT)/quiet.o $(B)/obj/unity.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/fixtures/root-bookworm/resident: $(DT)/resident.c $(B)/fixtures/root-bookworm/lib/.made
	@mkdir -p $(@D)
	$(CC_bookworm_$(ARCH)) -std=gnu11 -O1 -Wall -Wextra -Werror -ffile-prefix-map=$(CURDIR)/= -fPIE -pie \
		$< -pthread -rdynamic -Wl,-rpath,'$$ORIGIN/lib' -Wl,--disable-new-dtags \
		-Wl,--dynamic-linker=lib/$(notdir $(LOADER_glibc_$(ARCH))) -o $@

# The host in every root, and the libraries where it finds them.
DROPIN_HOST := $(patsubst %,$(DT)/%.c,host report state target interface refusals manners attachment many rights)
DROPIN_INSTALLED := $(addprefix $(B)/fixtures/dropin/,$(notdir $(DROPIN_LIBRARIES)))
FIXTURES += $(DROPIN_INSTALLED) $(foreach root,$(if $(BRIEF),bookworm,$(SUITES) musl),$(B)/fixtures/root-$(root)/dropin-host)

$(B)/obj/$(DT)/main.o: CPPFLAGS = -DHOST='"dropin-host"'
$(B)/tests/dropin: $(B)/obj/$(DT)/main.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(DROPIN_INSTALLED): $(B)/fixtures/dropin/%: $(B)/%
	@mkdir -p $(@D)
	cp $< $@

define dropin_host
$(B)/fixtures/root-$(1)/dropin-host: $(DROPIN_HOST) $(wildcard $(DT)/*.h) $(wildcard bin/dropin/include/*/*.h) $(B)/fixtures/root-$(1)/lib/.made
	$$(CC_$(1)_$(ARCH)) $$(FIXTURE_CPU_$(ARCH)) -std=gnu11 -O0 -Wall -Wextra -Werror -ffile-prefix-map=$$(CURDIR)/= -fPIE -pie \
		-Itests -Ibin/dropin/include $(DROPIN_HOST) $$(LINK_$(1)) -Wl,-rpath,'$$$$ORIGIN/lib' -Wl,--disable-new-dtags \
		-Wl,--dynamic-linker=lib/$$(notdir $(2)) -o $$@
endef
$(foreach suite,$(SUITES),$(eval $(call dropin_host,$(suite),$(LOADER_glibc_$(ARCH)))))
$(eval $(call dropin_host,musl,$(LOADER_musl_$(ARCH))))
