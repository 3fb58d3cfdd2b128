# SPDX-License-Identifier: MIT
# The rules behind build.sh. `make ARCH=x86_64 [roclatch|tests|fixtures]` builds one CPU; what it
# needs must be in build/deps (./build.sh deps). Everything made lies below $(OUT)/$(ARCH).
HOST := $(shell uname -m)
ARCH ?= $(HOST)
OUT  ?= build
B    := $(OUT)/$(ARCH)
DEPS := build/deps

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all roclatch tests unit live runners fixtures
all: roclatch

# ---- compilers and roots, for both CPUs ------------------------------------------------------
# CC_musl_ARCH            C compiler against musl: add -static-pie, -static, or nothing for dynamic
# CC_bullseye_ARCH        the same against glibc 2.31 (libdl and libpthread are separate there),
# CC_bookworm_ARCH        2.36,
# CC_sid_ARCH             and 2.43, where librocprofiler-register can be linked too
# CC_glibc_ARCH           the ordinary one: CC_bookworm_ARCH
# ROOT_musl_ARCH, ROOT_bullseye_ARCH, ROOT_bookworm_ARCH, ROOT_sid_ARCH
#                         trees with the loader and the libraries, as below / of such a system
# LIB_bullseye_ARCH ...   the folder of a root that holds its libc.so.6
# LOADER_glibc_ARCH, LOADER_musl_ARCH   the loader's path as programs name it
SUITES := bullseye bookworm sid
ARCHES := x86_64 aarch64

LOADER_glibc_x86_64  := /lib64/ld-linux-x86-64.so.2
LOADER_glibc_aarch64 := /lib/ld-linux-aarch64.so.1
LOADER_musl_x86_64   := /lib/ld-musl-x86_64.so.1
LOADER_musl_aarch64  := /lib/ld-musl-aarch64.so.1

# musl does not export what libgcc's outlined atomics ask for.
MUSL_aarch64 := -mno-outline-atomics

# gcc's own headers come after musl's and before the kernel's, which musl does not bring.
define compilers
CROSS_$(1) := $(if $(filter $(1),$(HOST)),,$(1)-linux-gnu-)
ROOT_musl_$(1) := $(DEPS)/musl-$(1)
CC_musl_$(1) = $$(CROSS_$(1))gcc -mmusl $$(MUSL_$(1)) -nostdinc \
	-isystem $$(ROOT_musl_$(1))/usr/include/$(1)-linux-musl -isystem $$(GCC_include_$(1)) \
	-idirafter $$(ROOT_musl_$(1))/usr/include/$(1)-linux-gnu -idirafter $$(ROOT_musl_$(1))/usr/include \
	-B$$(ROOT_musl_$(1))/usr/lib/$(1)-linux-musl -L$$(ROOT_musl_$(1))/usr/lib/$(1)-linux-musl
GCC_include_$(1) := $$(shell $$(CROSS_$(1))gcc -print-file-name=include)
CC_glibc_$(1) = $$(CC_bookworm_$(1))
$(foreach suite,$(SUITES),$(call glibc,$(1),$(suite)))
endef

# A cross compiler looks into its own folder of headers before the sysroot's: those of the C library
# that is meant are named first.
define glibc
ROOT_$(2)_$(1) := $(DEPS)/$(2)-$(1)
LIB_$(2)_$(1) := $(DEPS)/$(2)-$(1)/usr/lib/$(1)-linux-gnu
CC_$(2)_$(1) = $$(CROSS_$(1))gcc --sysroot=$$(ROOT_$(2)_$(1)) \
	-isystem $$(ROOT_$(2)_$(1))/usr/include/$(1)-linux-gnu -isystem $$(ROOT_$(2)_$(1))/usr/include \
	-B$$(LIB_$(2)_$(1)) -L$$(LIB_$(2)_$(1)) -Wl,-rpath-link,$$(LIB_$(2)_$(1))

endef

$(foreach arch,$(ARCHES),$(eval $(call compilers,$(arch))))

# ---- flags ---------------------------------------------------------------------------------
CC      := $(CC_musl_$(ARCH))
AR      := $(CROSS_$(ARCH))ar
STRIP   := $(CROSS_$(ARCH))strip
OBJDUMP := $(CROSS_$(ARCH))objdump
READELF := $(CROSS_$(ARCH))readelf
OBJCOPY := $(CROSS_$(ARCH))objcopy

CSTD     := -std=c11 -D_GNU_SOURCE
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wvla -Wundef -Wwrite-strings -Wpointer-arith -Wformat=2 -Wimplicit-fallthrough \
	-Wnull-dereference -Wlogical-op -Wduplicated-cond
CODEGEN  := -O2 -fPIE -fno-plt -fno-common -ffunction-sections -fdata-sections -fstack-protector-strong \
	-ffile-prefix-map=$(CURDIR)/=
CPPFLAGS  = -I. -Iarch/$(ARCH) $(ZYDIS_USE_$(ARCH)) -isystem $(SQLITE) -isystem $(DEMANGLE)/include
CFLAGS   := $(CSTD) $(WARNINGS) $(CODEGEN)
ASFLAGS  := -ffile-prefix-map=$(CURDIR)/= -Wa,--noexecstack -Wa,-I$(B)
LDFLAGS  := -static-pie -Wl,--gc-sections -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,-z,separate-code \
	-Wl,--build-id=sha1 -Wl,--fatal-warnings

# ---- Zydis, for x86_64 alone ------------------------------------------------------------------
ZYDIS  := $(firstword $(wildcard $(DEPS)/zydis/*zydis-*))
ZYCORE := $(firstword $(wildcard $(DEPS)/zydis/*zycore-c-*))
# Minimal mode knows lengths, mnemonics and raw fields but no operands: half the size.
ZYDIS_FLAGS := -DZYDIS_STATIC_BUILD -DZYCORE_STATIC_BUILD -DZYDIS_DISABLE_ENCODER -DZYDIS_DISABLE_FORMATTER \
	-DZYDIS_MINIMAL_MODE -DZYDIS_DISABLE_KNC
ZYDIS_USE_x86_64 = $(ZYDIS_FLAGS) -isystem $(ZYDIS)/include -isystem $(ZYCORE)/include
ZYDIS_NAMES := Decoder DecoderData MetaInfo Mnemonic Register Segment SharedData String Utils Zydis
ZYDIS_OBJ_x86_64 := $(ZYDIS_NAMES:%=$(B)/obj/zydis/%.o)

$(B)/obj/zydis/%.o: $(DEPS)/zydis/.lock Makefile
	@mkdir -p $(@D)
	deps/compile.sh $@ $(CC) -std=c11 $(CODEGEN) $(UNTABLED) $(ZYDIS_USE_$(ARCH)) -I$(ZYDIS)/src -c $(ZYDIS)/src/$*.c

# ---- SQLite and the demangler, for what is made of recordings -----------------------------------
# As Debian's sources of other programs bring them; -w: they are not ours to mend.
SQLITE := $(firstword $(wildcard $(DEPS)/sqlite/fossil-*))/extsrc
SQLITE_FLAGS := -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_DQS=0 -DSQLITE_DEFAULT_MEMSTATUS=0 \
	-DSQLITE_OMIT_DEPRECATED -DSQLITE_OMIT_SHARED_CACHE -DSQLITE_OMIT_PROGRESS_CALLBACK \
	-DSQLITE_OMIT_WAL -DSQLITE_OMIT_TRACE -DSQLITE_OMIT_UTF16 -DSQLITE_OMIT_DESERIALIZE -DSQLITE_MAX_MMAP_SIZE=0 \
	-DSQLITE_TEMP_STORE=2 -DSQLITE_LIKE_DOESNT_MATCH_BLOBS
DEMANGLE := $(firstword $(wildcard $(DEPS)/demangle/libiberty-*))

$(B)/obj/sqlite3.o: $(DEPS)/sqlite/.lock Makefile
	@mkdir -p $(@D)
	deps/compile.sh $@ $(CC) -std=gnu11 $(CODEGEN) $(UNTABLED) -Os -w $(SQLITE_FLAGS) -c $(SQLITE)/sqlite3.c

$(B)/obj/cp-demangle.o: $(DEPS)/demangle/.lock Makefile
	@mkdir -p $(@D)
	deps/compile.sh $@ $(CC) -std=gnu11 $(CODEGEN) $(UNTABLED) -Os -w -DHAVE_STDLIB_H -DHAVE_STRING_H -I$(DEMANGLE)/include \
		-c $(DEMANGLE)/libiberty/cp-demangle.c

# ---- roclatch ----------------------------------------------------------------------------------
# RECORDS: what is made of recordings.  The libraries do without it, as nothing below calls it.
SOURCES := $(foreach room,arch arch/$(ARCH) elf inject inject/watch rocp,$(wildcard $(room)/*.c $(room)/*.S))
RECORDS := $(foreach room,rocp/trace rocp/formats rocp/job,$(wildcard $(room)/*.c $(room)/*.S))
PROGRAM := $(wildcard bin/*.c)
OBJECTS := $(patsubst %,$(B)/obj/%.o,$(basename $(SOURCES) $(RECORDS))) $(B)/obj/sqlite3.o $(B)/obj/cp-demangle.o
MAIN    := $(patsubst %,$(B)/obj/%.o,$(basename $(PROGRAM)) deps/relro)
LIBRARY := $(B)/obj/parts.a

# Nobody unwinds the program, and its unwind tables are a tenth of it.  Libraries, which run in processes of others,
# keep theirs.  Nor has it a PLT to go round: a call of what is linked in is one instruction, and not a load from the GOT.
$(OBJECTS) $(MAIN) $(ZYDIS_OBJ_$(ARCH)): UNTABLED := -fno-asynchronous-unwind-tables -fno-unwind-tables -fplt

# SQLite takes longest: begun first, it is not what all else waits for in the end.
.PHONY: others
others: $(B)/obj/sqlite3.o $(B)/obj/cp-demangle.o $(ZYDIS_OBJ_$(ARCH))
roclatch: others $(B)/roclatch

$(B)/roclatch: $(MAIN) $(LIBRARY)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@.full
	$(STRIP) -s -R .comment -o $@ $@.full

# Made anew each time, so that a source taken away is gone.
$(LIBRARY): $(OBJECTS) $(ZYDIS_OBJ_$(ARCH))
	@rm -f $@
	$(AR) rcsD $@ $^

$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(UNTABLED) -MMD -MP -c $< -o $@

# What is done once in a run: small is better than fast.  Looks are many, mappings thousands, and recordings long.
SMALL := $(filter-out inject/watch/% inject/cursor.c inject/proc_maps.c inject/images.c,$(filter inject/% rocp/%,$(SOURCES))) $(wildcard rocp/formats/samples*.c rocp/job/*.c) $(PROGRAM)
$(patsubst %,$(B)/obj/%.o,$(basename $(SMALL))): CFLAGS += -Os

# What is built in packed (elf/packed.h): .incbin is not seen by -MMD.
XZ := xz -9e -T1 --check=crc32 --stdout
$(B)/%.xz: $(B)/%
	$(XZ) $< > $@
$(B)/obj/rocp/sample_hip.o: rocp/sample.hip
$(B)/sets.tsv.xz: rocp/sets.tsv
	@mkdir -p $(@D)
	$(XZ) $< > $@
$(B)/obj/rocp/sets_table.o $(B)/obj-pic/rocp/sets_table.o: $(B)/sets.tsv.xz

$(B)/obj/%.o: %.S Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ASFLAGS) -MMD -MP -c $< -o $@

include inject/watch/build.mk
include rocp/formats/build.mk
include bin/dropin/build.mk
include bin/lib/build.mk
-include rocp/tool/build.mk

# ---- tests -------------------------------------------------------------------------------------
# Unit tests are Unity programs linked with everything but bin/. The live runner is linked with
# nothing of roclatch, as it runs the program.
UNITY  := $(DEPS)/unity/usr/share/cmock/vendor/unity/src
UNITS  := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/test_*.c))
LIVE   := $(patsubst %,$(B)/obj/%.o,$(basename $(wildcard $(addprefix tests/live/,*.c $(ARCH)/*.c $(ARCH)/*.S))))

# ONLY_UNITS: these unit tests, not all. BRIEF: of the programs that try the libraries, those of one C library.
tests: unit live runners fixtures
unit: $(if $(ONLY_UNITS),$(ONLY_UNITS:%=$(B)/tests/unit/test_%),$(UNITS))
live: $(if $(LIVE),$(B)/tests/live)

# What tests is run once, and compiled for each run: that takes a third of the time so.  What is tested is as it is shipped.
$(B)/obj/tests/%.o: CFLAGS += -Og
$(B)/obj/tests/unit/%.o: CFLAGS += -O0

$(B)/obj/tests/unit/%.o: CPPFLAGS += -Itests/unit -isystem $(UNITY)

$(B)/obj/tests/live/%.o: CPPFLAGS = -Itests/live -Itests/live/$(ARCH) -Itests
$(B)/obj/unity.o: $(DEPS)/unity/.lock
	@mkdir -p $(@D)
	deps/compile.sh $@ $(CC) -std=c11 $(CODEGEN) -I$(UNITY) -c $(UNITY)/unity.c

$(B)/tests/unit/%: $(B)/obj/tests/unit/%.o $(B)/obj/unity.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/tests/live: $(LIVE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# A folder of tests/ may bring rules of its own for $(ARCH): it adds what they make, below
# $(B)/fixtures for targets to FIXTURES, and $(B)/tests for programs that test to RUNNERS. What a
# demo or a bench builds is FIXTURES alone: the parts that only tests need are not fetched for them.
FIXTURES :=
RUNNERS :=
include $(wildcard tests/*/build.mk)
fixtures: $(FIXTURES)
runners: $(RUNNERS)

.SECONDARY:
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
