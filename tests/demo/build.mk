# SPDX-License-Identifier: MIT
# The sample and the library of tests/demo.sh, and what reads the other sample's notes.
DEMO := $(B)/demo/sample $(B)/demo/told $(B)/demo/libguest.so

.PHONY: demo
demo: $(DEMO)

$(B)/demo/told: tests/fixtures/record.h
$(B)/demo/%: tests/demo/%.c Makefile
	@mkdir -p $(@D)
	$(CC_glibc_$(ARCH)) $(CSTD) -Wall -Wextra -Werror -O2 -fPIE -pie -rdynamic -I. $< -pthread -o $@

$(B)/demo/libguest.so: tests/demo/guest.c Makefile
	@mkdir -p $(@D)
	$(CC_glibc_$(ARCH)) $(CSTD) -Wall -Wextra -Werror -O2 -fPIC -shared -Wl,-soname,libguest.so.1 $< -o $@
