# SPDX-License-Identifier: MIT
# The names of this CPU's system calls, as the compiler's own headers number them: the C library's and,
# for calls that it does not know yet, the kernel's.  Twice through the preprocessor: some numbers are
# names themselves.  One text with all of them in order of their numbers, as a table of pointers would be
# thrice as large; numbers that are not used are empty.
SYSCALLS := $(B)/obj/inject/watch/syscall_names.inc
SYSCALL_HEADERS := printf '\#include <%s>\n' sys/syscall.h asm/unistd.h

$(SYSCALLS): inject/watch/build.mk Makefile
	@mkdir -p $(@D)
	$(SYSCALL_HEADERS) | $(CC) -dM -E - | grep -v 'arch_specific_syscall\|__NR_syscalls' | \
		sed -n 's/^#define \(SYS_\|__NR_\)\([a-z0-9_]*\) .*/"\2" \1\2/p' >$@.names
	($(SYSCALL_HEADERS); cat $@.names) | $(CC) -P -E - | \
		sed -n 's/^"\([a-z0-9_]*\)" \([0-9][0-9]*\)$$/\2 \1/p' | LC_ALL=C sort -u -n -k1,1 | \
		awk '{ for (; n < $$1; n++) print "\"\\0\""; print "\"" $$2 "\\0\""; n++ }' >$@
	grep -qxF '"read\0"' $@

SYSCALLS_USED := $(B)/obj/inject/watch/syscall_names.o $(B)/obj-pic/inject/watch/syscall_names.o
$(SYSCALLS_USED): CPPFLAGS += -I$(B)/obj/inject/watch
$(SYSCALLS_USED): $(SYSCALLS)
