# SPDX-License-Identifier: MIT
# libroclatch-tool.so for $(ARCH): what is loaded into the target. Built against an old glibc, and linked
# with libc alone: what was in libdl and libpthread before 2.34 is taken from the process (rocp/tool/weak.h).
.PHONY: tool
TOOL := rocp/tool
TOOL_LIBRARY := $(B)/libroclatch-tool.so
TOOL_OBJ := $(B)/obj-tool
TOOL_SOURCES := $(wildcard $(TOOL)/*.c) rocp/matching.c
TOOL_OBJECTS := $(patsubst %.c,$(TOOL_OBJ)/%.o,$(TOOL_SOURCES))
tool: $(TOOL_LIBRARY)
libraries: tool

# The recording context's code runs in the target's threads at each call: not for size, but for what is done once.
TOOL_ONCE := $(TOOL)/settings $(TOOL)/pattern rocp/matching
$(TOOL_ONCE:%=$(TOOL_OBJ)/%.o): TOOL_SMALL := -Os
$(TOOL_OBJ)/%.o: %.c Makefile $(TOOL)/build.mk
	@mkdir -p $(@D)
	$(PIC_CC) -I. $(CSTD) $(WARNINGS) $(PIC_CODEGEN) $(TOOL_SMALL) -MMD -MP -c $< -o $@

$(TOOL_LIBRARY): $(TOOL_OBJECTS) $(TOOL)/tool.map
	$(PIC_CC) -shared -static-libgcc -Wl,-soname,$(@F) -Wl,--version-script,$(TOOL)/tool.map -Wl,-z,defs \
		$(filter-out -static-pie,$(LDFLAGS)) -Wl,-z,noseparate-code $(filter %.o,$^) -o $@.full
	$(STRIP) -s -R .comment -o $@ $@.full

# The program alone, not the libraries, brings it along.
TOOL_PACKED := $(B)/obj/$(TOOL)/packed.o
$(B)/roclatch $(B)/tests/unit/test_own_bytes: $(TOOL_PACKED)
$(TOOL_PACKED): $(TOOL_LIBRARY).xz

# Unit tests of it have its objects, but for the entry points, as the rest of roclatch is built.
TOOL_TESTED := $(patsubst %.c,$(B)/obj/%.o,$(filter-out $(TOOL)/tool.c,$(TOOL_SOURCES)))
$(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/test_tool_*.c)): $(TOOL_TESTED)

-include $(shell find $(TOOL_OBJ) -name '*.d' 2>/dev/null)
