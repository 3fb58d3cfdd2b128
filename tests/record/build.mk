# SPDX-License-Identifier: MIT
# SQLite's own command-line shell, which reads what roclatch has written without any code of ours; with it the
# scripts that compare, so that they travel to a guest.
RUNNERS += $(B)/tests/record/sqlite3 $(addprefix $(B)/tests/record/,compare.sh truth.sql views.sql csv.sql json.sql rocpd.sql pftrace.sql pftrace.awk)

$(B)/obj/sqlite3-shell.o: $(DEPS)/sqlite/.lock tests/record/build.mk
	@mkdir -p $(@D)
	deps/compile.sh $@ $(CC) -std=gnu11 -O0 -w $(SQLITE_FLAGS) -I$(SQLITE) -c $(SQLITE)/shell.c
$(B)/tests/record/sqlite3: $(B)/obj/sqlite3-shell.o $(B)/obj/sqlite3.o
	@mkdir -p $(@D)
	$(CC) -static $^ -lm -s -o $@

$(B)/tests/record/%: tests/record/%
	@mkdir -p $(@D)
	cp $< $@
