# SPDX-License-Identifier: MIT
# The maker of logs for tests/checks/convert.sh.
RUNNERS += $(B)/tests/make_log

$(B)/obj/tests/convert/%.o: CPPFLAGS += -Itests/unit

$(B)/tests/make_log: $(B)/obj/tests/convert/make_log.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@
