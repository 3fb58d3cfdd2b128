# SPDX-License-Identifier: MIT
# Programs whose stacks are known, built in every way that matters to an unwinder, beside the other targets; and what
# their stacks are compared with: eu-stack and gdb of Debian, which with a Python (and a protoc, for traces) travel to a guest.
WATCH_FLAGS := $(FIXTURE_CPU_$(ARCH)) -std=gnu11 -Wall -Wextra -Werror -ffile-prefix-map=$(CURDIR)/= -Wl,--build-id=sha1 -pthread
WATCH_LOADER = -Wl,--dynamic-linker=lib/$(notdir $(1)) -Wl,-rpath,'$$ORIGIN/lib'
FIXTURES += $(addprefix $(ROOT_F_bookworm)/,chains-omit chains-O0 chains-pointers chains-fixed chains-static chains-stripped shares hostile) \
	$(addprefix $(ROOT_F_musl)/,chains-omit chains-O0 chains-static)

CHAINS_omit := -O2 -fomit-frame-pointer -fPIE -pie
CHAINS_O0 := -O0 -fPIE -pie
# no tables: frame pointers alone lead on
CHAINS_pointers := -O2 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -fPIE -pie
CHAINS_fixed := -O2 -fno-pie -no-pie
CHAINS_static := -O2 -static
CHAINS_stripped := -O2 -fPIE -pie -s

$(ROOT_F_bookworm)/chains-%: tests/watch/chains.c tests/watch/build.mk
	@mkdir -p $(@D)
	$(CC_bookworm_$(ARCH)) $(WATCH_FLAGS) $(call WATCH_LOADER,$(LOADER_glibc_$(ARCH))) $(CHAINS_$*) $< -o $@

$(ROOT_F_musl)/chains-%: tests/watch/chains.c tests/watch/build.mk
	@mkdir -p $(@D)
	$(CC_musl_$(ARCH)) $(WATCH_FLAGS) $(call WATCH_LOADER,$(LOADER_musl_$(ARCH))) $(CHAINS_$*) $< -o $@

$(ROOT_F_bookworm)/shares: tests/watch/shares.c tests/watch/build.mk
	@mkdir -p $(@D)
	$(CC_bookworm_$(ARCH)) $(WATCH_FLAGS) $(call WATCH_LOADER,$(LOADER_glibc_$(ARCH))) -O2 -fPIE -pie $< -o $@

$(ROOT_F_bookworm)/hostile: tests/watch/hostile.c tests/fixtures/record.h tests/watch/build.mk
	@mkdir -p $(@D)
	$(CC_bookworm_$(ARCH)) $(WATCH_FLAGS) -I$(FX) $(call WATCH_LOADER,$(LOADER_glibc_$(ARCH))) $(CHAINS_pointers) -rdynamic $< -o $@

# What only tests need.
WATCH := $(B)/tests/watch
WATCH_CXX = $(patsubst %gcc,%g++,$(firstword $(CC_bookworm_$(ARCH))))
PEER := $(DEPS)/peer-$(ARCH)
PEER_LIB := $(PEER)/usr/lib/$(ARCH)-linux-gnu
PEER_LIBRARIES := libdw.so.1 libelf.so.1 libz.so.1 liblzma.so.5 libbz2.so.1.0 libc.so.6 libm.so.6 libpthread.so.0 \
	libdl.so.2 libexpat.so.1 libprotoc.so.32 libprotobuf.so.32 libstdc++.so.6 libgcc_s.so.1 \
	libgmp.so.10 libmpfr.so.6 libreadline.so.8 libtinfo.so.6 libzstd.so.1 libxxhash.so.0
RUNNERS += $(addprefix $(WATCH)/,deep stacks.sh stacks.awk peer.awk chains.awk shares.sh shares.awk peer/.made)

# C++ headers include those of C behind them.
$(WATCH)/deep: tests/watch/deep.cc tests/watch/build.mk
	@mkdir -p $(@D)
	$(WATCH_CXX) $(subst -isystem,-idirafter,$(wordlist 2,99,$(CC_bookworm_$(ARCH)))) -std=c++17 -O2 -Wall \
		-ffile-prefix-map=$(CURDIR)/= -pthread -static-libstdc++ -static-libgcc \
		-Wl,--dynamic-linker=lib/$(notdir $(LOADER_glibc_$(ARCH))) -Wl,-rpath,'$$ORIGIN/../../fixtures/root-bookworm/lib' $< -o $@

$(WATCH)/%.sh: tests/watch/%.sh
	@mkdir -p $(@D)
	cp $< $@

$(WATCH)/%.awk: tests/watch/%.awk
	@mkdir -p $(@D)
	cp $< $@

# gdb is told not to fetch debug files, and never calls the library that would, which needs half of the net's: an empty
# one stands in its place.
$(WATCH)/peer/.made: $(PEER)/.lock tests/watch/build.mk
	@mkdir -p $(@D)/lib $(@D)/bin
	cp -L $(addprefix $(PEER)/usr/bin/,eu-stack gdb python3.11 protoc) $(@D)/
	printf '#!/bin/sh\npeer=$${0%%/*}/..\nexec "$$peer"/lib/ld-linux-* --library-path "$$peer/lib" "$$peer/protoc" "$$@"\n' > $(@D)/bin/protoc
	chmod +x $(@D)/bin/protoc
	cp -L $(addprefix $(PEER_LIB)/,$(PEER_LIBRARIES)) $(PEER)$(LOADER_glibc_$(ARCH)) $(@D)/lib/
	cp -RL $(PEER)/usr/lib/python3.11 $(@D)/lib/
	$(CC_bookworm_$(ARCH)) -shared -nostdlib -Wl,-soname,libdebuginfod.so.1 -x c /dev/null -o $(@D)/lib/libdebuginfod.so.1
	@touch $@
