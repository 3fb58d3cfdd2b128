# SPDX-License-Identifier: MIT
# The drop-in libraries for $(ARCH). They bring the whole core, hidden, and import what glibc 2.17
# and musl both have: built against an old glibc, whose names musl's loader takes for its own.
.PHONY: libraries
DROPIN := bin/dropin
DROPIN_LIBRARIES := $(B)/librocprofv3-attach.so.1 $(B)/librocprofiler-sdk-rocattach.so.1
libraries: $(DROPIN_LIBRARIES) $(DROPIN_LIBRARIES:.1=)

PIC := $(B)/obj-pic
# On aarch64 the canary is a variable of glibc's loader, which a musl program has not.
PIC_CPU_aarch64 := -mno-outline-atomics -fno-stack-protector
PIC_CODEGEN := $(filter-out -fPIE,$(CODEGEN)) -fPIC -fvisibility=hidden $(PIC_CPU_$(ARCH))
PIC_CC = $(CC_bullseye_$(ARCH))
PIC_CORE := $(patsubst %,$(PIC)/%.o,$(basename $(SOURCES)))
ifeq ($(ARCH),x86_64)
PIC_CORE += $(ZYDIS_NAMES:%=$(PIC)/zydis/%.o)
endif
PIC_OBJECTS := $(PIC_CORE) $(patsubst %,$(PIC)/$(DROPIN)/%.o,host sessions status)

$(PIC)/zydis/%.o: $(DEPS)/zydis/.lock Makefile $(DROPIN)/build.mk
	@mkdir -p $(@D)
	deps/compile.sh $@ $(PIC_CC) -std=c11 -DNDEBUG $(PIC_CODEGEN) $(ZYDIS_USE_$(ARCH)) -I$(ZYDIS)/src -c $(ZYDIS)/src/$*.c

$(PIC)/%.o: %.c Makefile $(DROPIN)/build.mk
	@mkdir -p $(@D)
	$(PIC_CC) $(CPPFLAGS) $(CSTD) $(WARNINGS) $(PIC_CODEGEN) -MMD -MP -c $< -o $@

$(patsubst %,$(PIC)/%.o,$(basename $(SMALL))): PIC_CODEGEN += -Os

$(PIC)/%.o: %.S Makefile $(DROPIN)/build.mk
	@mkdir -p $(@D)
	$(PIC_CC) $(CPPFLAGS) $(ASFLAGS) -MMD -MP -c $< -o $@

$(B)/librocprofv3-attach.so.1: $(PIC)/$(DROPIN)/rocprofv3_attach.o $(DROPIN)/rocprofv3_attach.map
$(B)/librocprofiler-sdk-rocattach.so.1: $(PIC)/$(DROPIN)/rocattach.o $(DROPIN)/rocattach.map
$(DROPIN_LIBRARIES): $(PIC_OBJECTS)
	$(PIC_CC) -shared -static-libgcc -Wl,-soname,$(@F) -Wl,--version-script,$(filter %.map,$^) -Wl,-z,defs \
		$(filter-out -static-pie,$(LDFLAGS)) $(filter %.o,$^) -Wl,--as-needed -lpthread -o $@.full
	$(STRIP) -s -R .comment -o $@ $@.full

$(B)/lib%.so: $(B)/lib%.so.1
	ln -sf $(<F) $@

-include $(shell find $(PIC) -name '*.d' 2>/dev/null)
