# SPDX-License-Identifier: MIT
# Tests of the public library (bin/lib): a program that is built for each C library with the header and the
# shared library as they are installed, and with the static one.
LT := tests/lib
RUNNERS += $(B)/tests/lib
LIB_HOST := $(wildcard $(LT)/*.c) $(patsubst %,$(DT)/%.c,report state target)
LIB_INSTALLED := $(addprefix $(B)/fixtures/lib/,libroclatch.so.0 libroclatch.so libroclatch.a roclatch.h libroclatch-tool.so)
FIXTURES += $(LIB_INSTALLED) $(foreach root,$(if $(BRIEF),bookworm,$(SUITES) musl),$(B)/fixtures/root-$(root)/lib-host) \
	$(foreach root,bookworm $(if $(BRIEF),,musl),$(B)/fixtures/root-$(root)/lib-host-static)

$(B)/obj/$(LT)/main.o: $(DT)/main.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DHOST='"lib-host"' -c $< -o $@
$(B)/tests/lib: $(B)/obj/$(LT)/main.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(LIB_INSTALLED): $(B)/fixtures/lib/%: $(B)/%
	@mkdir -p $(@D)
	cp -P $< $@

# $(1) the root, $(2) its loader, $(3) what is linked, $(4) the program's name
define lib_host
$(B)/fixtures/root-$(1)/$(4): $(LIB_HOST) $(wildcard $(LT)/*.h $(DT)/*.h) $(LIB_INSTALLED) $(B)/fixtures/root-$(1)/lib/.made
	$$(CC_$(1)_$(ARCH)) $$(FIXTURE_CPU_$(ARCH)) -std=gnu11 -O0 -Wall -Wextra -Werror -ffile-prefix-map=$$(CURDIR)/= -fPIE -pie \
		-Itests -isystem $(B)/fixtures/lib $(LIB_HOST) $(3) $$(LINK_$(1)) -Wl,-rpath,'$$$$ORIGIN/lib:$$$$ORIGIN/../lib' \
		-Wl,--disable-new-dtags -Wl,--dynamic-linker=lib/$$(notdir $(2)) -o $$@
endef
LIB_SHARED := -L$(B)/fixtures/lib -lroclatch
LIB_STATIC := $(B)/fixtures/lib/libroclatch.a
$(foreach suite,$(SUITES),$(eval $(call lib_host,$(suite),$(LOADER_glibc_$(ARCH)),$(LIB_SHARED),lib-host)))
$(eval $(call lib_host,musl,$(LOADER_musl_$(ARCH)),$(LIB_SHARED),lib-host))
$(eval $(call lib_host,bookworm,$(LOADER_glibc_$(ARCH)),$(LIB_STATIC),lib-host-static))
$(eval $(call lib_host,musl,$(LOADER_musl_$(ARCH)),$(LIB_STATIC),lib-host-static))
