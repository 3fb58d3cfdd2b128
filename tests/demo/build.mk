# SPDX-License-Identifier: MIT
# The sample and the library of tests/demo.sh.
DEMO := $(B)/demo/sample $(B)/demo/libguest.so

.PHONY: demo
demo: $(DEMO)

$(B)/demo/sample: tests/demo/sample.c Makefile
	@mkdir -p $(@D)
	$(CC_glibc_$(ARCH)) $(CSTD) -Wall -Wextra -Werror -O2 -fPIE -pie -rdynamic $< -pthread -o $@

$(B)/demo/libguest.so: tests/demo/guest.c Makefile
	@mkdir -p $(@D)
	$(CC_glibc_$(ARCH)) $(CSTD) -Wall -Wextra -Werror -O2 -fPIC -shared -Wl,-soname,libguest.so.1 $< -o $@
