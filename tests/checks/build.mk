# SPDX-License-Identifier: MIT
# What tests/checks/elf.sh runs on the host: elf/ asked about files, and in a process of each C library.
ifeq ($(ARCH),$(HOST))
ELF_CHECKS := $(B)/tests/elf_lookup $(patsubst %,$(B)/tests/elf_dlsym-%,bullseye bookworm sid musl)
# as they are shipped: the libraries' for glibc, the program's for musl
ELF_OBJECTS := $(patsubst %.c,$(PIC)/%.o,$(wildcard elf/*.c) arch/machines.c)
RUNNERS += $(ELF_CHECKS)

$(B)/tests/elf_lookup: $(B)/obj/tests/checks/elf_lookup.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/tests/elf_dlsym-%: tests/checks/elf_dlsym.c $(ELF_OBJECTS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC_$*_$(ARCH)) $(CSTD) -Wall -Wextra -Werror -O0 -I. -fPIE -pie $< $(if $(filter musl,$*),$(LIBRARY),$(ELF_OBJECTS) -ldl) -o $@
endif

# The man pages as the program renders them; tests/checks/man.sh demands that the tree has these.
.PHONY: man
man: $(B)/roclatch
	@mkdir -p docs/man && rm -f docs/man/*.1
	$< help --man > docs/man/roclatch.1
	for name in $$($< completion words -- '' | cut -f 1); do $< help --man $$name > docs/man/roclatch-$$name.1 || exit 1; done
