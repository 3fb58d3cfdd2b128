# SPDX-License-Identifier: MIT
# One library as distributions ship it, for tests of names: whole, stripped with its debug file by
# build id, and stripped with a small table in .gnu_debugdata.
NAMED := $(B)/tests/names
NAMED_ID := 5eed0123456789abcdef0123456789abcdef0123
NAMED_DEBUG := $(NAMED)/debug/.build-id/5e/ed0123456789abcdef0123456789abcdef0123.debug
NAMED_FILES := $(addprefix $(NAMED)/,libnamed.so stripped/libnamed.so libmini.so) $(NAMED_DEBUG)
OBJCOPY := $(CROSS_$(ARCH))objcopy
NAMED_CC = $(CC) -std=gnu11 -O1 -fPIC -shared -nostdlib -fno-stack-protector -Wl,-soname,libnamed.so -Wl,--hash-style=gnu \
	-Wl,-z,max-page-size=65536 -Wl,-z,separate-code
RUNNERS += $(NAMED_FILES)

$(NAMED)/libnamed.so: tests/names/named.c tests/names/build.mk
	@mkdir -p $(@D)
	$(NAMED_CC) -Wl,--build-id=0x$(NAMED_ID) $< -o $@

$(NAMED_DEBUG): $(NAMED)/libnamed.so
	@mkdir -p $(@D)
	$(OBJCOPY) --only-keep-debug $< $@

$(NAMED)/stripped/libnamed.so: $(NAMED)/libnamed.so $(NAMED_DEBUG)
	@mkdir -p $(@D)
	$(OBJCOPY) --strip-all --add-gnu-debuglink=$(NAMED_DEBUG) $< $@

# Another build id, so that the debug file is not taken for its.
$(NAMED)/libmini.so: tests/names/named.c tests/names/build.mk
	@mkdir -p $(@D)
	$(NAMED_CC) -Wl,--build-id=0xfeed$(NAMED_ID) $< -o $@.whole
	$(OBJCOPY) --only-keep-debug $@.whole $@.mini
	$(STRIP) --strip-debug --remove-section=.comment $@.mini
	xz -c $@.mini > $@.mini.xz
	$(OBJCOPY) --strip-all --add-section .gnu_debugdata=$@.mini.xz $@.whole $@
