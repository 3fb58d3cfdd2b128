# SPDX-License-Identifier: MIT
# The public library for $(ARCH), shared and static, and its header beside them.  Like the drop-in
# libraries it brings the whole core, hidden.
LIB := bin/lib
PUBLIC_LIBRARY := $(B)/libroclatch.so.0 $(B)/libroclatch.so $(B)/libroclatch.a $(B)/roclatch.h
libraries: $(PUBLIC_LIBRARY)

LIB_OBJECTS := $(patsubst %.c,$(PIC)/%.o,$(filter-out $(LIB)/example.c,$(wildcard $(LIB)/*.c)))

$(B)/libroclatch.so.0: $(LIB_OBJECTS) $(PIC_CORE) $(LIB)/roclatch.map
	$(PIC_CC) -shared -static-libgcc -Wl,-soname,$(@F) -Wl,--version-script,$(filter %.map,$^) -Wl,-z,defs \
		$(filter-out -static-pie,$(LDFLAGS)) $(filter %.o,$^) -Wl,--as-needed -lpthread -o $@.full
	$(STRIP) -s -R .comment -o $@ $@.full

$(B)/libroclatch.so: $(B)/libroclatch.so.0
	ln -sf $(<F) $@

# One object, in which only what is public has a name that a program could meet.
$(PIC)/roclatch.o: $(LIB_OBJECTS) $(PIC_CORE)
	$(PIC_CC) -r -nostdlib $^ -o $@.whole
	$(OBJCOPY) --localize-hidden --strip-unneeded -R .comment $@.whole $@

$(B)/libroclatch.a: $(PIC)/roclatch.o
	@rm -f $@
	$(AR) rcsD $@ $^

$(B)/roclatch.h: $(LIB)/roclatch.h
	cp $< $@
