# SPDX-License-Identifier: MIT
# SQLite's own command-line shell, which reads what roclatch has written without any code of ours; with it the
# scripts that compare, so that they travel to a guest.
RUNNERS += $(B)/tests/record/sqlite3 $(addprefix $(B)/tests/record/,compare.sh truth.sql views.sql csv.sql json.sql rocpd.sql pftrace.sql pftrace.awk)

$(B)/tests/record/sqlite3: $(B)/obj/sqlite3.o tests/record/build.mk
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O0 -w -static $(SQLITE_FLAGS) -I$(SQLITE) $(SQLITE)/shell.c $< -lm -s -o $@

$(B)/tests/record/%: tests/record/%
	@mkdir -p $(@D)
	cp $< $@
