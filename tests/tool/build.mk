# SPDX-License-Identifier: MIT
# Tests of the tool library in a program with the real register and the SDK's stand-in: what it records is
# compared with what the stand-in has delivered, value by value.
TT := tests/tool
RUNNERS += $(B)/tests/tool
FIXTURES += $(B)/fixtures/tool/libroclatch-tool.so
TOOL_RUNNER := $(patsubst %.c,$(B)/obj/%.o,$(wildcard $(TT)/*.c))

$(TOOL_RUNNER): CPPFLAGS += -Itests -isystem $(UNITY)
$(B)/tests/tool: $(TOOL_RUNNER) $(B)/obj/unity.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/fixtures/tool/libroclatch-tool.so: $(TOOL_LIBRARY)
	@mkdir -p $(@D)
	cp $< $@
