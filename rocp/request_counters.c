/* SPDX-License-Identifier: MIT */
/* Hardware counters, replay, SPM, PC sampling, kernel filters. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/options.h"

#define EXTRA_MOST (1 << 20)

static int write_joined(struct reading *reading, const char *variable, const char *before, const struct words *words,
			const char *separator, struct err *err)
{
	char *joined = words_join(&reading->request->owned, words, separator, err);
	char *text = joined ? arena_print(&reading->request->owned, err, "%s%s", before, joined) : NULL;
	return text ? env_set(&reading->request->env, variable, text, err) : -1;
}

/* "pmc: A B\npmc: C" */
static int write_groups(struct reading *reading, const struct words *groups, size_t n, struct err *err)
{
	struct env *env = &reading->request->env;
	char interval[24];
	env_unset(env, "ROCPROF_COUNTER_GROUPS");
	for (size_t i = 0; i < n; i++) {
		char *names = words_join(&reading->request->owned, &groups[i], " ", err);
		char *line = names ? arena_print(&reading->request->owned, err, "pmc: %s", names) : NULL;
		if (!line || env_append(env, "ROCPROF_COUNTER_GROUPS", line, "\n", err) < 0)
			return -1;
	}
	if (!reading->said.group_interval)
		return 0;
	snprintf(interval, sizeof interval, "%" PRIu64, reading->said.group_interval);
	return env_set(env, "ROCPROF_COUNTER_GROUPS_INTERVAL", interval, err);
}

static int write_pmc(struct reading *reading, bool replay, struct err *err)
{
	const struct said *said = &reading->said;
	struct env *env = &reading->request->env;
	if (said->group_count && said->file_group_count)
		return err_set(err, ERR_USAGE, 0, "--pmc and pmc_groups of the input file exclude each other");
	if (said->group_count > 1 && !replay) {
		err_set(err, ERR_USAGE, 0, "several counter passes (--pmc was given %zu times) are not compatible with attach mode",
			said->group_count);
		return err_remedy(err, "give one --pmc with the counters that fit into one pass, and attach again for the others");
	}
	for (size_t i = 0; said->group_count > 1 && i < said->group_count; i++)
		if (!said->groups[i].n)
			return err_set(err, ERR_USAGE, 0, "--pmc number %zu names no counter", i + 1);
	if (said->file_group_count)
		return env_set(env, "ROCPROF_COUNTER_COLLECTION", "1", err) < 0 ? -1 :
		       write_groups(reading, said->file_groups, said->file_group_count, err);
	if (said->group_interval && said->group_count < 2 &&
	    request_warn(reading->request, err, "pmc_group_interval has no effect without counter groups") < 0)
		return -1;
	if (!said->group_count)
		return 0;
	if (!said->groups[0].n)
		return request_warn(reading->request, err, "--pmc names no counter");
	if (env_set(env, "ROCPROF_COUNTER_COLLECTION", "1", err) < 0)
		return -1;
	return said->group_count > 1 ? write_groups(reading, said->groups, said->group_count, err) :
	       write_joined(reading, "ROCPROF_COUNTERS", "pmc: ", &said->groups[0], " ", err);
}

static int check_replay(struct reading *reading, bool replay, struct err *err)
{
	const struct said *said = &reading->said;
	if (!replay) {
		if (said_true(said, OPT_REPLAY_BETA) &&
		    request_warn(reading->request, err, "--kernel-replay-beta-enabled has no effect without --replay-mode kernel") < 0)
			return -1;
		return said->v[OPT_REPLAY_MODE].given ?
			request_warn(reading->request, err, "--replay-mode application has no effect: there is one pass") : 0;
	}
	if (!said_true(said, OPT_REPLAY_BETA)) {
		err_set(err, ERR_USAGE, 0, "--replay-mode kernel is a beta feature");
		return err_remedy(err, "add --kernel-replay-beta-enabled");
	}
	if (!(said->group_count && said->groups[0].n) && !said->file_group_count)
		return err_set(err, ERR_USAGE, 0, "--replay-mode kernel needs counters (--pmc)");
	if (said_true(said, OPT_ATT) || said->v[OPT_PC_UNIT].given || said->v[OPT_PC_METHOD].given ||
	    said->v[OPT_PC_INTERVAL].given || said_true(said, OPT_PC_BETA) || said->v[OPT_SPM].words.n)
		return err_set(err, ERR_USAGE, 0, "--replay-mode kernel cannot be combined with thread trace, PC sampling or SPM");
	return env_set(&reading->request->env, "ROCPROF_KERNEL_REPLAY", "1", err);
}

static int write_pc_sampling(struct reading *reading, struct err *err)
{
	const struct said *said = &reading->said;
	struct env *env = &reading->request->env;
	const char *unit = said_text(said, OPT_PC_UNIT), *method = said_text(said, OPT_PC_METHOD);
	bool interval = said->v[OPT_PC_INTERVAL].given, beta = said_true(said, OPT_PC_BETA);
	char number[24];
	if (!unit && !method && !interval)
		return !beta ? 0 : request_warn(reading->request, err,
			"--pc-sampling-beta-enabled has no effect without unit, method and interval");
	if (!beta && !env_get(env, "ROCPROFILER_PC_SAMPLING_BETA_ENABLED")) {
		err_set(err, ERR_USAGE, 0, "PC sampling is a beta feature");
		return err_remedy(err, "add --pc-sampling-beta-enabled");
	}
	if (!unit || !method || !interval)
		return err_set(err, ERR_USAGE, 0, "PC sampling needs --pc-sampling-unit, --pc-sampling-method and --pc-sampling-interval");
	snprintf(number, sizeof number, "%" PRIu64, said->v[OPT_PC_INTERVAL].number);
	return (beta && env_set(env, "ROCPROFILER_PC_SAMPLING_BETA_ENABLED", "1", err) < 0) ||
	       env_set(env, "ROCPROF_PC_SAMPLING_UNIT", unit, err) < 0 ||
	       env_set(env, "ROCPROF_PC_SAMPLING_METHOD", method, err) < 0 ||
	       env_set(env, "ROCPROF_PC_SAMPLING_INTERVAL", number, err) < 0 ? -1 : 0;
}

static int check_spm(const struct reading *reading, struct err *err)
{
	const struct said *said = &reading->said;
	const struct env *env = &reading->request->env;
	if (!said_true(said, OPT_SPM_BETA) && !env_get(env, "ROCPROFILER_SPM_BETA_ENABLED")) {
		err_set(err, ERR_USAGE, 0, "SPM is a beta feature");
		return err_remedy(err, "add --spm-beta-enabled");
	}
	if ((said->group_count && said->groups[0].n) || said->file_group_count || said_true(said, OPT_PC_BETA) ||
	    said->v[OPT_SET].given || said->v[OPT_BLOCK].given || env_get(env, "ROCPROFILER_PC_SAMPLING_BETA_ENABLED"))
		return err_set(err, ERR_USAGE, 0, "SPM cannot be combined with PC sampling or other counters");
	if (!said->v[OPT_SPM].words.n)
		return err_set(err, ERR_USAGE, 0, "SPM needs counters (--spm)");
	return 0;
}

static int write_spm(struct reading *reading, struct err *err)
{
	const struct said *said = &reading->said;
	struct env *env = &reading->request->env;
	const char *unit = said_text(said, OPT_SPM_UNIT);
	uint64_t interval = said->v[OPT_SPM_INTERVAL].number;
	char number[24];
	if (!said->v[OPT_SPM].words.n && !interval && !unit)
		return !said->v[OPT_SPM].given && !said_true(said, OPT_SPM_BETA) ? 0 :
			request_warn(reading->request, err, "SPM is off: --spm names no counter");
	if (check_spm(reading, err) < 0 || env_set(env, "ROCPROFILER_SPM_BETA_ENABLED", "1", err) < 0 ||
	    env_set(env, "ROCPROF_SPM_COUNTER_COLLECTION", "1", err) < 0 ||
	    write_joined(reading, "ROCPROF_SPM_COUNTERS", "spm: ", &said->v[OPT_SPM].words, " ", err) < 0)
		return -1;
	snprintf(number, sizeof number, "%" PRIu64, interval);
	return (interval && env_set(env, "ROCPROF_SPM_SAMPLE_INTERVAL", number, err) < 0) ||
	       (unit && env_set(env, "ROCPROF_SPM_SAMPLE_INTERVAL_UNIT", unit, err) < 0) ? -1 : 0;
}

static int read_extra(struct reading *reading, int fd, const char *path, struct err *err)
{
	struct stat stat;
	if (fstat(fd, &stat) < 0)
		return err_set(err, ERR_USAGE, errno, "--extra-counters %s", path);
	if (!S_ISREG(stat.st_mode) || stat.st_size > EXTRA_MOST)
		return err_set(err, ERR_USAGE, 0, "--extra-counters %s: not a file of at most %d bytes", path, EXTRA_MOST);
	char *text = arena_take(&reading->request->owned, (size_t)stat.st_size + 1, err);
	if (!text)
		return -1;
	ssize_t size = read(fd, text, (size_t)stat.st_size);
	if (size < 0)
		return err_set(err, ERR_USAGE, errno, "--extra-counters %s", path);
	if (strlen(text) != (size_t)size)
		return err_set(err, ERR_USAGE, 0, "--extra-counters %s: this is no text", path);
	if (!text[strspn(text, " \t\r\n")] && request_warn(reading->request, err, "--extra-counters %s: the file is empty", path) < 0)
		return -1;
	return env_set(&reading->request->env, "ROCPROF_EXTRA_COUNTERS_CONTENTS", text, err);
}

static int write_extra(struct reading *reading, struct err *err)
{
	const char *path = said_text(&reading->said, OPT_EXTRA_COUNTERS);
	if (!path)
		return 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_set(err, ERR_USAGE, errno, "--extra-counters %s", path);
	int rc = read_extra(reading, fd, path, err);
	close(fd);
	return rc;
}

int request_write_counters(struct reading *reading, struct err *err)
{
	const char *mode = said_text(&reading->said, OPT_REPLAY_MODE);
	bool replay = mode && !strcmp(mode, "kernel");
	const struct words *range = &reading->said.v[OPT_RANGE].words;
	if (range->n && write_joined(reading, "ROCPROF_KERNEL_FILTER_RANGE", "", range, ", ", err) < 0)
		return -1;
	return write_extra(reading, err) < 0 || check_replay(reading, replay, err) < 0 ||
	       write_pmc(reading, replay, err) < 0 || write_pc_sampling(reading, err) < 0 ||
	       write_spm(reading, err) < 0 ? -1 : 0;
}
