# SPDX-License-Identifier: MIT
# What test_loadable asks: programs that call dlopen, for each root, and libraries to be found, with each
# kind of path in them. $(B)/fixtures/root-*/ has the programs, $(B)/fixtures/loadable the libraries.
LOADABLE := tests/loadable
LO := $(B)/fixtures/loadable
LOADABLE_FLAGS := $(FIXTURE_CPU_$(ARCH)) -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -ffile-prefix-map=$(CURDIR)/=
LOADABLE_PATH_dlopens :=
LOADABLE_PATH_dlopens-rpath := -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/by-rpath'
LOADABLE_PATH_dlopens-runpath := -Wl,--enable-new-dtags,-rpath,'$$ORIGIN/by-runpath'
LOADABLE_PROGRAMS := dlopens dlopens-rpath dlopens-runpath

# loadable_programs SUITE LOADER
define loadable_programs
FIXTURES += $$(addprefix $(F)/root-$(1)/,$(LOADABLE_PROGRAMS)) $(LO)/dlopens-$(1)
$(addprefix $(F)/root-$(1)/,$(LOADABLE_PROGRAMS)): $(F)/root-$(1)/%: $(LOADABLE)/dlopens.c $(LOADABLE)/build.mk
	@mkdir -p $$(@D)
	$$(CC_$(1)_$$(ARCH)) $(LOADABLE_FLAGS) -fPIE -pie $$< $$(LOADABLE_PATH_$$(@F)) -Wl,--no-as-needed $$(LINK_$(1)) \
		-Wl,--dynamic-linker=lib/$(notdir $(2)) -o $$@
# for whole systems, where the loader is at its place
$(LO)/dlopens-$(1): $(LOADABLE)/dlopens.c $(LOADABLE)/build.mk
	@mkdir -p $$(@D)
	$$(CC_$(1)_$$(ARCH)) $(LOADABLE_FLAGS) -fPIE -pie $$< $$(LINK_$(1)) -Wl,--dynamic-linker=$(2) -o $$@
endef
$(foreach suite,$(SUITES),$(eval $(call loadable_programs,$(suite),$(LOADER_glibc_$(ARCH)))))
$(eval $(call loadable_programs,musl,$(LOADER_musl_$(ARCH))))

# Each library: how it is built (FLAGS), which others it needs (NEEDS) and for which C library (SUITE).
LEAVES := -rpath,'$$ORIGIN/leaves'
LOADABLE_FLAGS_libleaf.so := -DLEAF -Wl,-soname,libleaf.so
LOADABLE_FLAGS_libleaf-nameless.so := -DLEAF
LOADABLE_FLAGS_libleaf-execstack.so := -DLEAF -Wl,-z,execstack -Wl,--no-warn-execstack
LOADABLE_FLAGS_libmiddle.so := -DMIDDLE -Wl,-soname,libmiddle.so
LOADABLE_NEEDS_libmiddle.so := libleaf.so
LOADABLE_FLAGS_libmiddle-rpath.so := -DMIDDLE -Wl,--disable-new-dtags,$(LEAVES)
LOADABLE_NEEDS_libmiddle-rpath.so := libleaf.so
LOADABLE_FLAGS_libmiddle-runpath.so := -DMIDDLE -Wl,--enable-new-dtags,$(LEAVES)
LOADABLE_NEEDS_libmiddle-runpath.so := libleaf.so
LOADABLE_FLAGS_libtop-rpath.so := -DTOP -Wl,--disable-new-dtags,$(LEAVES)
LOADABLE_NEEDS_libtop-rpath.so := libmiddle.so
LOADABLE_FLAGS_libtop-runpath.so := -DTOP -Wl,--enable-new-dtags,$(LEAVES)
LOADABLE_NEEDS_libtop-runpath.so := libmiddle.so
LOADABLE_FLAGS_libversioned-1.so := -DVERSIONED=1 -Wl,-soname,libversioned.so,--version-script=$(LOADABLE)/one.map
LOADABLE_FLAGS_libversioned-2.so := -DVERSIONED=2 -Wl,-soname,libversioned.so,--version-script=$(LOADABLE)/two.map
LOADABLE_FLAGS_libversioned-none.so := -DVERSIONED=2 -Wl,-soname,libversioned.so
LOADABLE_FLAGS_libuses.so := -DUSES
LOADABLE_NEEDS_libuses.so := libversioned-2.so
LOADABLE_FLAGS_libuses-weakly.so := -DUSES_WEAKLY
LOADABLE_NEEDS_libuses-weakly.so := libversioned-2.so
LOADABLE_FLAGS_libnew.so := -DNEW_LIBC
LOADABLE_SUITE_libnew.so := sid
LOADABLE_FLAGS_libleaf-musl.so := -DLEAF -Wl,-soname,libleaf-musl.so
LOADABLE_SUITE_libleaf-musl.so := musl
LOADABLE_FLAGS_libmiddle-musl.so := -DMIDDLE -Wl,$(LEAVES)
LOADABLE_NEEDS_libmiddle-musl.so := libleaf-musl.so
LOADABLE_SUITE_libmiddle-musl.so := musl
LOADABLE_LIBRARIES := $(patsubst LOADABLE_FLAGS_%,%,$(filter LOADABLE_FLAGS_%,$(.VARIABLES)))
FIXTURES += $(addprefix $(LO)/,$(LOADABLE_LIBRARIES))

define loadable_library
$(LO)/$(1): $(LOADABLE)/libraries.c $(LOADABLE)/build.mk $(wildcard $(LOADABLE)/*.map) \
		$(addprefix $(LO)/,$(LOADABLE_NEEDS_$(1)))
	@mkdir -p $$(@D)
	$$(CC_$(or $(LOADABLE_SUITE_$(1)),bookworm)_$$(ARCH)) $(LOADABLE_FLAGS) -fPIC -shared $$(LOADABLE_FLAGS_$(1)) \
		$$< -Wl,--no-as-needed $(addprefix $(LO)/,$(LOADABLE_NEEDS_$(1))) -Wl,--allow-shlib-undefined -o $$@
endef
$(foreach library,$(LOADABLE_LIBRARIES),$(eval $(call loadable_library,$(library))))
