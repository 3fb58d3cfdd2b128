/* SPDX-License-Identifier: MIT */
/* Advanced thread trace. */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "rocp/options.h"

#define DECODER "librocprof-trace-decoder.so"
#define DEPTH_MOST 16
#define ENTRIES_MOST 200000

struct search {
	char path[PATH_MAX];
	unsigned entries;
};

/* The first folder at or below search->path that holds the decoder stays in search->path. */
static bool find_decoder(struct search *search, unsigned depth)
{
	size_t length = strlen(search->path);
	DIR *folder = opendir(search->path);
	bool found = false;
	if (!folder)
		return false;
	/* Files of a folder come before the folders in it. */
	for (int pass = 0; pass < 2 && !found; pass++) {
		rewinddir(folder);
		struct dirent *entry;
		while (!found && (entry = readdir(folder)) && search->entries++ < ENTRIES_MOST) {
			if (pass == 0) {
				found = strstr(entry->d_name, DECODER) && entry->d_type != DT_DIR;
				continue;
			}
			if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
			    depth >= DEPTH_MOST || length + strlen(entry->d_name) + 2 > sizeof search->path)
				continue;
			snprintf(search->path + length, sizeof search->path - length, "/%s", entry->d_name);
			found = find_decoder(search, depth + 1);
			if (!found)
				search->path[length] = '\0';
		}
	}
	closedir(folder);
	return found;
}

static bool find_in(const char *path, size_t length, struct search *search)
{
	if (!length || length >= sizeof search->path)
		return false;
	memcpy(search->path, path, length);
	search->path[length] = '\0';
	return find_decoder(search, 0);
}

/* --att-library-path, else what the caller's variables say, else ROCm's own folder. */
static bool find_anywhere(struct reading *reading, struct search *search)
{
	const struct words *asked = &reading->said.v[OPT_ATT_LIBRARY].words;
	char rocm[PATH_MAX];
	for (size_t i = 0; i < asked->n; i++)
		if (find_in(asked->v[i], strlen(asked->v[i]), search))
			return true;
	if (asked->n)
		return false;
	const char *own = reading_getenv(reading, "ROCPROF_ATT_LIBRARY_PATH");
	const char *list = own && *own ? own : reading_getenv(reading, "LD_LIBRARY_PATH");
	while (list && *list) {
		size_t length = strcspn(list, ":");
		if (find_in(list, length, search))
			return true;
		list += length + (list[length] == ':');
	}
	if (own && *own)
		return false;
	int length = snprintf(rocm, sizeof rocm, "%s/lib", reading->request->rocm_root ? reading->request->rocm_root : "/opt/rocm");
	return length > 0 && (size_t)length < sizeof rocm && find_in(rocm, (size_t)length, search);
}

static int write_decoder(struct reading *reading, struct err *err)
{
	struct search *search = arena_take(&reading->request->owned, sizeof *search, err);
	if (!search)
		return -1;
	if (find_anywhere(reading, search))
		return env_set(&reading->request->env, "ROCPROF_ATT_LIBRARY_PATH", search->path, err);
	if (said_true(&reading->said, OPT_ATT_NO_INTERCEPT))
		return 0;
	err_set(err, ERR_USAGE, 0, "thread trace needs " DECODER ", which was not found");
	return err_remedy(err, "name its folder with --att-library-path");
}

static bool has_pmc(const struct said *said)
{
	return (said->group_count && said->groups[0].n) || said->file_group_count || said->v[OPT_SET].given ||
	       said->v[OPT_BLOCK].given;
}

static int set_number(struct env *env, const char *variable, uint64_t number, struct err *err)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, number);
	return env_set(env, variable, text, err);
}

static int write_att_counters(struct reading *reading, struct err *err)
{
	static const char activity[] = "SQ_BUSY_CU_CYCLES SQ_VALU_MFMA_BUSY_CYCLES SQ_ACTIVE_INST_VALU SQ_ACTIVE_INST_LDS "
		"SQ_ACTIVE_INST_VMEM SQ_ACTIVE_INST_FLAT SQ_ACTIVE_INST_SCA SQ_ACTIVE_INST_MISC";
	const struct said *said = &reading->said;
	struct env *env = &reading->request->env;
	const char *asked = said_text(said, OPT_ATT_COUNTERS);
	uint64_t ctrl = said->v[OPT_ATT_CTRL].number, period = said->v[OPT_ATT_ACTIVITY].number;
	bool counters = asked && *asked;
	if ((counters || ctrl || period) && has_pmc(said))
		return err_set(err, ERR_USAGE, 0, "counters of the thread trace and --pmc exclude each other");
	if (period && (counters || ctrl))
		return err_set(err, ERR_USAGE, 0, "--att-activity excludes --att-perfcounters and --att-perfcounter-ctrl");
	char *upper = arena_print(&reading->request->owned, err, "%s", counters ? asked : "");
	for (char *at = upper; at && *at; at++)
		*at = (char)toupper((unsigned char)*at);
	if (!upper || (counters && env_set(env, "ROCPROF_ATT_PARAM_PERFCOUNTERS", upper, err) < 0) ||
	    (ctrl && set_number(env, "ROCPROF_ATT_PARAM_PERFCOUNTER_CTRL", ctrl, err) < 0))
		return -1;
	return period && (set_number(env, "ROCPROF_ATT_PARAM_PERFCOUNTER_CTRL", period, err) < 0 ||
			  env_set(env, "ROCPROF_ATT_PARAM_PERFCOUNTERS", activity, err) < 0) ? -1 : 0;
}

static int warn_without(struct reading *reading, struct err *err)
{
	for (enum option_id id = OPT_ATT + 1; id < OPT_COUNT; id++) {
		const struct option_value *value = &reading->said.v[id];
		if (value->given && (request_options[id].takes != TAKES_BOOL || value->truth) &&
		    request_warn(reading->request, err, "--%s has no effect without --att", request_options[id].name) < 0)
			return -1;
	}
	return 0;
}

static int check_regions(struct reading *reading, struct err *err)
{
	const struct said *said = &reading->said;
	if (!said_true(said, OPT_REGIONS))
		return 0;
	if (said_true(said, OPT_ATT_NO_INTERCEPT))
		return request_warn(reading->request, err, "--selected-regions does not rule what --att-no-intercept captures");
	if (said->v[OPT_ATT_CONSECUTIVE].given)
		return err_set(err, ERR_USAGE, 0, "--selected-regions and --att-consecutive-kernels exclude each other");
	return 0;
}

int request_write_att(struct reading *reading, struct err *err)
{
	struct said *said = &reading->said;
	struct env *env = &reading->request->env;
	const char *mode = said_text(said, OPT_ATT_RESOURCE), *gpu = said_text(said, OPT_ATT_GPU);
	if (check_regions(reading, err) < 0)
		return -1;
	if (!said_true(said, OPT_ATT))
		return warn_without(reading, err);
	if (env_set(env, "ROCPROF_ADVANCED_THREAD_TRACE", "1", err) < 0 ||
	    (said->v[OPT_ATT_NO_INTERCEPT].given && env_set(env, "ROCPROF_ATT_NO_INTERCEPT",
		said->v[OPT_ATT_NO_INTERCEPT].truth ? "1" : "0", err) < 0) ||
	    (mode && env_set(env, "ROCPROF_ATT_PARAM_RESOURCE_MODE", mode, err) < 0) ||
	    (gpu && *gpu && env_set(env, "ROCPROF_ATT_PARAM_GPU_INDEX", gpu, err) < 0))
		return -1;
	for (enum option_id id = OPT_ATT; id < OPT_COUNT; id++) {
		const struct request_option *option = &request_options[id];
		if (option->takes == TAKES_AUTO && said->v[id].given && set_number(env, option->variable, said->v[id].number, err) < 0)
			return -1;
		if ((id == OPT_ATT_SERIALIZE || id == OPT_ATT_NO_DETAIL || id == OPT_ATT_TARGET_ONLY) &&
		    said_true(said, id) && env_set(env, option->variable, "1", err) < 0)
			return -1;
	}
	return write_decoder(reading, err) < 0 ? -1 : write_att_counters(reading, err);
}
