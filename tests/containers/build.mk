# SPDX-License-Identifier: MIT
# The scripts beside the other runners, so that they travel to a guest as well; with a busybox for the containers, and for a
# guest the programs that make containers and give rights, with their libraries.
CONTAINERS := $(B)/tests/containers
RUNC := $(DEPS)/runc-$(ARCH)
SANDBOX := $(DEPS)/sandbox-$(ARCH)
CONTAINER_FILES := $(wildcard tests/containers/*.sh) tests/containers/calls
RUNNERS += $(CONTAINERS)/.made

$(CONTAINERS)/.made: $(CONTAINER_FILES) tests/containers/build.mk $(RUNC)/.lock $(SANDBOX)/.lock $(DEPS)/busybox-$(ARCH)/.lock
	@mkdir -p $(@D)/bin $(@D)/lib
	cp $(CONTAINER_FILES) $(DEPS)/busybox-$(ARCH)/bin/busybox $(@D)/
	cp -L $(RUNC)/usr/sbin/runc $(SANDBOX)/usr/bin/bwrap $(SANDBOX)/usr/bin/setpriv $(SANDBOX)/sbin/setcap $(@D)/bin/
	cp -L $(addprefix $(RUNC)/usr/lib/$(ARCH)-linux-gnu/,libseccomp.so.2 libc.so.6) $(RUNC)$(LOADER_glibc_$(ARCH)) $(@D)/lib/
	cp -L $(addprefix $(SANDBOX)/usr/lib/$(ARCH)-linux-gnu/,libcap.so.2 libcap-ng.so.0 libselinux.so.1 libpcre2-8.so.0) $(@D)/lib/
	@touch $@
