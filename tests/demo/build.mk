# SPDX-License-Identifier: MIT
# The sample and the library of tests/demo.sh, the other sample and what it needs of tests/rocm, and what reads its notes.
DEMO_ROCM := rocm-app lib/librocprofiler-sdk.so.1 lib/librocprofiler-sdk-attach.so.1 lib/rocprofiler-sdk/librocprofiler-sdk-tool.so.1
DEMO := $(B)/demo/sample $(B)/demo/told $(B)/demo/libguest.so $(DEMO_ROCM:%=$(B)/fixtures/root-rocm/%)

.PHONY: demo
demo: $(DEMO)

$(B)/demo/told: tests/fixtures/record.h
$(B)/demo/%: tests/demo/%.c Makefile
	@mkdir -p $(@D)
	$(CC_glibc_$(ARCH)) $(CSTD) -Wall -Wextra -Werror -O2 -fPIE -pie -rdynamic -I. $< -pthread -o $@

$(B)/demo/libguest.so: tests/demo/guest.c Makefile
	@mkdir -p $(@D)
	$(CC_glibc_$(ARCH)) $(CSTD) -Wall -Wextra -Werror -O2 -fPIC -shared -Wl,-soname,libguest.so.1 $< -o $@
