/* SPDX-License-Identifier: MIT */
/* What was said into the variables that the newest rocprofv3 makes arrive. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "rocp/options.h"

/* Set where nothing was said. */
static void imply(struct said *said, enum option_id id)
{
	if (!said->v[id].given)
		said->v[id] = (struct option_value){ .given = true, .truth = true };
}

static void imply_all(struct said *said, const unsigned char *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		imply(said, ids[i]);
}

#define IMPLY(...) imply_all(said, (const unsigned char[]){ __VA_ARGS__ }, sizeof((const unsigned char[]){ __VA_ARGS__ }))
_Static_assert(OPT_COUNT < 256, "ids are kept in bytes");

static void imply_traces(struct said *said)
{
	if (said_true(said, OPT_KOKKOS))
		IMPLY(OPT_MARKER, OPT_RENAME);
	if (said_true(said, OPT_SYS_TRACE))
		IMPLY(OPT_HIP_TRACE, OPT_HSA_TRACE);
	if (said_true(said, OPT_RUNTIME_TRACE))
		IMPLY(OPT_HIP_RUNTIME);
	if (said_true(said, OPT_SYS_TRACE) || said_true(said, OPT_RUNTIME_TRACE))
		IMPLY(OPT_MARKER, OPT_KERNEL, OPT_KFD_TRACE, OPT_MEMORY_COPY, OPT_MEMORY_ALLOCATION, OPT_SCRATCH,
		      OPT_RCCL, OPT_OMPT, OPT_ROCDECODE, OPT_ROCJPEG, OPT_ROCSHMEM, OPT_HIPFILE, OPT_HIP_EVENT);
	if (said_true(said, OPT_HIP_TRACE))
		IMPLY(OPT_HIP_COMPILER, OPT_HIP_RUNTIME);
	if (said_true(said, OPT_HIP_RUNTIME))
		IMPLY(OPT_HIP_GRAPH, OPT_HIP_EVENT);
	if (said_true(said, OPT_HSA_TRACE))
		IMPLY(OPT_HSA_CORE, OPT_HSA_AMD, OPT_HSA_IMAGE, OPT_HSA_FINALIZER);
	if (said_true(said, OPT_KFD_TRACE))
		IMPLY(OPT_KFD_MIGRATION, OPT_KFD_MAPPING, OPT_KFD_QUEUE, OPT_KFD_DROPPED);
	if (said_true(said, OPT_ATT_NO_INTERCEPT))
		said->v[OPT_ATT] = (struct option_value){ .given = true, .truth = true };
}

/* The variables of what nobody named are noted. */
static int imply_and_note(struct reading *reading, struct err *err)
{
	struct said *said = &reading->said;
	bool named[OPT_COUNT];
	for (enum option_id id = 0; id < OPT_COUNT; id++)
		named[id] = said->v[id].given;
	imply_traces(said);
	for (enum option_id id = 0; id < OPT_COUNT; id++) {
		const char *variable = request_options[id].variable;
		if (!named[id] && said->v[id].given && variable && !env_get(&reading->request->env, variable) &&
		    words_add(&reading->request->owned, &reading->request->implied, variable, err) < 0)
			return -1;
	}
	return 0;
}

/* As upstream, a "no" does not take back what the caller's environment says: that must be seen. */
static int not_cleared(struct request *request, const struct request_option *option, struct err *err)
{
	const char *inherited = env_get(&request->env, option->variable);
	bool truth = true;
	if (!inherited || (!bool_word(inherited, &truth) && !truth))
		return 0;
	return request_warn(request, err, "--%s=no does not take back %s=%s of the environment; unset that",
			    option->name, option->variable, inherited);
}

static int write_plain(struct reading *reading, enum option_id id, struct err *err)
{
	const struct request_option *option = &request_options[id];
	const struct option_value *value = &reading->said.v[id];
	struct env *env = &reading->request->env;
	const char *text = value->words.n ? value->words.v[0] : "";
	char number[24];
	if (option->takes == TAKES_NUMBER) {
		snprintf(number, sizeof number, "%" PRIu64, value->number);
		text = number;
	}
	switch (option->rule) {
	case RULE_IF_TRUE:
		return value->truth ? env_set(env, option->variable, "1", err) : not_cleared(reading->request, option, err);
	case RULE_BOTH:
		return env_set(env, option->variable, value->truth ? "1" : "0", err);
	case RULE_NOT:
		return env_set(env, option->variable, value->truth ? "0" : "1", err);
	case RULE_NONEMPTY:
		return *text ? env_set(env, option->variable, text, err) : 0;
	case RULE_TEXT:
		return env_set(env, option->variable, text, err);
	default:
		return 0;
	}
}

static int write_formats(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	const struct words *asked = &reading->said.v[OPT_FORMAT].words;
	struct words sent = { .n = 0 };
	for (size_t i = 0; i < asked->n; i++) {
		if (!strcmp(asked->v[i], "html"))
			request->html = true;
		else if (words_add(&request->owned, &sent, asked->v[i], err) < 0)
			return -1;
	}
	if (!asked->n && words_add(&request->owned, &sent, "rocpd", err) < 0)
		return -1;
	char *joined = words_join(&request->owned, &sent, ",", err);
	if (!joined || (sent.n && env_append(&request->env, "ROCPROF_OUTPUT_FORMAT", joined, ",", err) < 0))
		return -1;
	return 0;
}

bool request_has_format(const struct env *env, const char *const *words, size_t n)
{
	static const char separators[] = " \t\n,;:";
	for (const char *at = env_get(env, "ROCPROF_OUTPUT_FORMAT"); at && *at;) {
		size_t length = strcspn(at, separators);
		for (size_t i = 0; i < n; i++)
			if (strlen(words[i]) == length && !strncasecmp(words[i], at, length))
				return true;
		at += length + (at[length] != '\0');
	}
	return false;
}

bool request_csv_or_json(const struct env *env)
{
	static const char *const readable[] = { "csv", "json" };
	return request_has_format(env, readable, 2);
}

static int warn_formats(struct reading *reading, struct err *err)
{
	static const char *const old[] = { "csv", "pftrace", "otf2" };
	struct request *request = reading->request;
	if (said_true(&reading->said, OPT_STATS) && !request_csv_or_json(&request->env) &&
	    request_warn(request, err, "--stats shows nothing without csv or json output; add -f csv") < 0)
		return -1;
	/* Asked for by name, not by --sys-trace. */
	if ((said_true(&reading->said, OPT_HIPFILE) || said_true(&reading->said, OPT_ROCSHMEM)) &&
	    request_has_format(&request->env, old, 3))
		return request_warn(request, err, "hipFILE and rocSHMEM calls may be missing in csv, pftrace and otf2; use -f rocpd");
	return 0;
}

static int write_output(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	struct said *said = &reading->said;
	char here[PATH_MAX];
	const char *folder = said_text(said, OPT_OUTPUT_DIRECTORY);
	if (!folder)
		folder = env_get(&request->env, "ROCPROF_OUTPUT_PATH");
	if (!folder && !(folder = getcwd(here, sizeof here))) {
		err_set(err, ERR_FAILED, errno, "the current folder has no name");
		return err_remedy(err, "name the output folder with -d");
	}
	/* Upstream makes a folder for each pass of an input file, and there is one. */
	bool counts = said->group_count && said->groups[0].n;
	const char *slash = *folder && folder[strlen(folder) - 1] != '/' ? "/" : "";
	char *path = said->folder && counts ? arena_print(&request->owned, err, "%s%s%s1", folder, slash, said->folder) :
		arena_print(&request->owned, err, "%s", folder);
	return path ? env_set(&request->env, "ROCPROF_OUTPUT_PATH", path, err) : -1;
}

static int write_mpi(struct reading *reading, struct err *err)
{
	/* Launchers' variables, most particular first. */
	static const char *const pairs[][2] = {
		{ "PBS_NODENUM", "PBS_O_TASKNUM" }, { "SLURM_PROCID", "SLURM_NTASKS" }, { "PMI_RANK", "PMI_SIZE" },
		{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE" }, { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
		{ "MPI_RANKID", "MPI_NRANKS" }, { "MPI_LOCALRANKID", "MPI_LOCALNRANKS" }, { "MPI_RANK", "MPI_SIZE" },
	};
	const char *rank = said_text(&reading->said, OPT_MPI_RANK), *size = said_text(&reading->said, OPT_MPI_SIZE);
	if (!rank != !size)
		return err_set(err, ERR_USAGE, 0, "--mpi-world-rank-variable and --mpi-world-size-variable go together");
	for (size_t i = 0; !rank && i < sizeof pairs / sizeof pairs[0]; i++)
		if (reading_getenv(reading, pairs[i][0]) && reading_getenv(reading, pairs[i][1])) {
			rank = pairs[i][0];
			size = pairs[i][1];
		}
	struct env *env = &reading->request->env;
	if (!rank)
		return 0;
	return env_set(env, "ROCPROF_MPI_RANK_VAR", rank, err) < 0 ||
	       env_set(env, "ROCPROF_MPI_SIZE_VAR", size, err) < 0 ? -1 : 0;
}

static int write_summary(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	const struct said *said = &reading->said;
	const char *output = said_text(said, OPT_SUMMARY_OUTPUT);
	if (said_true(said, OPT_SUMMARY))
		output = !output || !strcasecmp(output, "stderr") ? "stderr" : !strcasecmp(output, "stdout") ? "stdout" : output;
	if (output && env_set(&request->env, "ROCPROF_STATS_SUMMARY_OUTPUT", output, err) < 0)
		return -1;
	if (!said->v[OPT_SUMMARY_GROUPS].words.n)
		return 0;
	char *groups = words_join(&request->owned, &said->v[OPT_SUMMARY_GROUPS].words, "##@@##", err);
	return groups ? env_set(&request->env, "ROCPROF_STATS_SUMMARY_GROUPS", groups, err) : -1;
}

static int write_odd(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	const struct said *said = &reading->said;
	struct env *env = &request->env;
	const char *level = said_text(said, OPT_LOG_LEVEL), *benchmark = said_text(said, OPT_BENCHMARK);
	char number[24];
	if (said_true(said, OPT_MANGLED) && env_set(env, "ROCPROF_DEMANGLE_KERNELS", "0", err) < 0)
		return -1;
	if (level && strcmp(level, "env") && strcmp(level, "config") &&
	    (env_set(env, "ROCPROF_LOG_LEVEL", level, err) < 0 || env_set(env, "ROCPROFILER_LOG_LEVEL", level, err) < 0))
		return -1;
	if (said->v[OPT_MINIMUM].number) {
		snprintf(number, sizeof number, "%" PRIu64, said->v[OPT_MINIMUM].number * 1024);
		if (env_set(env, "ROCPROF_MINIMUM_OUTPUT_BYTES", number, err) < 0)
			return -1;
	}
	if (said_true(said, OPT_OMPT)) {
		char *parts = words_join(&request->owned, &said->v[OPT_OMPT].words, ",", err);
		if (!parts || env_set(env, "ROCPROF_OMPT_TRACE", "1", err) < 0 ||
		    (*parts && env_set(env, "ROCPROF_OMPT_TRACE_OPERATIONS", parts, err) < 0))
			return -1;
	}
	if (!benchmark || strcmp(benchmark, "execution-profile"))
		return 0;
	if (said_true(said, OPT_BY_QUEUE))
		return err_set(err, ERR_USAGE, 0, "--benchmark-mode execution-profile needs --group-by-queue=no");
	return said->v[OPT_BY_QUEUE].given ? 0 : env_set(env, "ROCPROF_GROUP_BY_QUEUE", "0", err);
}

static int write_attach(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	struct env *env = &request->env;
	char number[24];
	env_unset(env, "ROCPROF_ATTACH_PID");
	snprintf(number, sizeof number, "%ld", request->pids ? (long)request->pid[0] : 0L);
	if (request->pids == 1 && !request->name && !request->all && env_set(env, "ROCPROF_ATTACH_PID", number, err) < 0)
		return -1;
	snprintf(number, sizeof number, "%" PRIu64, request->duration_ms);
	if (reading->said.v[OPT_DURATION].given && env_set(env, "ROCPROF_ATTACH_DURATION", number, err) < 0)
		return -1;
	return env_set(env, "ROCPROF_ATTACH_CHILDREN", request->children ? "1" : "0", err);
}

int request_write(struct reading *reading, struct err *err)
{
	struct said *said = &reading->said;
	if (said->v[OPT_PERIOD].given) {
		err_set(err, ERR_USAGE, 0, "--collection-period is not compatible with attach mode");
		return err_remedy(err, "use --attach-duration-msec, or --selected-regions and roctxProfilerPause in the program");
	}
	if (write_formats(reading, err) < 0 || warn_formats(reading, err) < 0)
		return -1;
	if (imply_and_note(reading, err) < 0 || env_set(&reading->request->env, "ROCPROFILER_LIBRARY_CTOR", "1", err) < 0)
		return -1;
	for (enum option_id id = 0; id < OPT_COUNT; id++)
		if (said->v[id].given && write_plain(reading, id, err) < 0)
			return -1;
	return write_output(reading, err) < 0 || write_mpi(reading, err) < 0 || write_summary(reading, err) < 0 ||
	       write_odd(reading, err) < 0 || write_attach(reading, err) < 0 ||
	       request_write_counters(reading, err) < 0 || request_write_att(reading, err) < 0 ? -1 : 0;
}
