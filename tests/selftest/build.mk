# SPDX-License-Identifier: MIT
# The script beside the other runners, so that it travels to a guest as well, and a sleep of glibc 2.31.
RUNNERS += $(B)/tests/selftest/run.sh
$(B)/tests/selftest/run.sh: tests/selftest/run.sh
	@mkdir -p $(@D)
	cp $< $@

FIXTURES += $(F)/root-bullseye/sleep
$(F)/root-bullseye/sleep: tests/selftest/sleep.c
	@mkdir -p $(@D)
	$(CC_bullseye_$(ARCH)) $(FIXTURE_FLAGS) -fPIE -pie $< -Wl,-rpath,'$$ORIGIN/lib' \
		-Wl,--dynamic-linker=lib/$(notdir $(LOADER_glibc_$(ARCH))) -o $@
