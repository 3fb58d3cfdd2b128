# SPDX-License-Identifier: MIT
# The maker of jobs for tests/checks/report.sh and for ./build.sh bench.
FIXTURES += $(B)/tests/make_job

$(B)/obj/tests/job/%.o: CPPFLAGS += -Itests/unit

$(B)/tests/make_job: $(B)/obj/tests/job/make_job.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@
