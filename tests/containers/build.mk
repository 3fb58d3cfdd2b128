# SPDX-License-Identifier: MIT
# The scripts beside the other runners, so that they travel to a guest as well; with a busybox for the containers, and a
# runc and its libraries for a guest.
CONTAINERS := $(B)/tests/containers
RUNC := $(DEPS)/runc-$(ARCH)
CONTAINER_FILES := $(wildcard tests/containers/*.sh) tests/containers/calls
RUNNERS += $(CONTAINERS)/.made

$(CONTAINERS)/.made: $(CONTAINER_FILES) tests/containers/build.mk $(RUNC)/.lock $(DEPS)/busybox-$(ARCH)/.lock
	@mkdir -p $(@D)/bin $(@D)/lib
	cp $(CONTAINER_FILES) $(DEPS)/busybox-$(ARCH)/bin/busybox $(@D)/
	cp -L $(RUNC)/usr/sbin/runc $(@D)/bin/
	cp -L $(addprefix $(RUNC)/usr/lib/$(ARCH)-linux-gnu/,libseccomp.so.2 libc.so.6) $(RUNC)$(LOADER_glibc_$(ARCH)) $(@D)/lib/
	@touch $@
