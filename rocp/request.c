/* SPDX-License-Identifier: MIT */
#include "rocp/request.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocp/matching.h"
#include "rocp/options.h"

#define TIMEOUT_MS 120000

int request_warn(struct request *request, struct err *err, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return words_add(&request->owned, &request->warnings,
			 arena_text(&request->owned, text, strlen(text), err), err);
}

const char *reading_getenv(const struct reading *reading, const char *name)
{
	size_t length = strlen(name);
	for (char *const *at = reading->environment; at && *at; at++)
		if (!strncmp(*at, name, length) && (*at)[length] == '=')
			return *at + length + 1;
	return NULL;
}

/* The same, but an empty value counts as none. */
static const char *filled(const struct reading *reading, const char *name)
{
	const char *value = reading_getenv(reading, name);
	return value && *value ? value : NULL;
}

static int fill_pids(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	struct words pids = reading->said.pids;
	const char *inherited = filled(reading, "ROCPROF_ATTACH_PID");
	if (!pids.n && request->style == STYLE_ROCPROF_ATTACH && inherited &&
	    !reading->said.v[OPT_NAME].given && !reading->said.v[OPT_ALL_OF].given) {
		struct words word = { (char *[]){ (char *)(uintptr_t)inherited }, 1 };
		if (options_store(reading, &reading->said, OPT_PID, "ROCPROF_ATTACH_PID", &word, err) < 0)
			return -1;
		pids = reading->said.pids;
	}
	request->pid = arena_take(&request->owned, pids.n * sizeof *request->pid + 1, err);
	if (!request->pid)
		return -1;
	for (size_t i = 0; i < pids.n; i++) {
		pid_t pid = (pid_t)strtol(pids.v[i], NULL, 10);
		bool known = false;
		for (size_t j = 0; j < request->pids; j++)
			known = known || request->pid[j] == pid;
		if (!known)
			request->pid[request->pids++] = pid;
	}
	return 0;
}

static int fill_whom(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	const struct said *said = &reading->said;
	if (fill_pids(reading, err) < 0)
		return -1;
	request->name = said_text(said, OPT_NAME);
	request->all = said->v[OPT_ALL_OF].given;
	regex_t regex;
	char why[128] = "it is empty";
	if (request->name && (!*request->name || matching_compile(&regex, request->name, why, sizeof why) < 0))
		return err_set(err, ERR_USAGE, 0, "--name: '%s' is no regular expression that can be used: %s", request->name, why);
	if (request->name)
		regfree(&regex);
	if (request_fill_place(reading, err) < 0)
		return -1;
	if (!request->pids && !request->name && !request->all && !request->pid_file && !request->with_env &&
	    !request->cgroup && !request->slurm_job) {
		err_set(err, ERR_USAGE, 0, "no process is named");
		return err_remedy(err, request->style == STYLE_ROCPROF_ATTACH ?
			"use -p PID, or set ROCPROF_ATTACH_PID" : "use -p PID, --name REGEX or --all");
	}
	if (said->v[OPT_CHILDREN].given) {
		request->children = said->v[OPT_CHILDREN].truth;
	} else if (request->style == STYLE_ROCPROF_ATTACH) {
		const char *word = filled(reading, "ROCPROF_ATTACH_CHILDREN");
		request->children = !word || (strcmp(word, "0") && strcmp(word, "false") && strcmp(word, "no") &&
					      strcmp(word, "off"));
	}
	return 0;
}

static int fill_how_long(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	const struct said *said = &reading->said;
	const char *inherited = filled(reading, "ROCPROF_ATTACH_DURATION");
	request->keep = said->v[OPT_KEEP].given;
	if (request->keep && said->v[OPT_DURATION].given) {
		err_set(err, ERR_USAGE, 0, "--keep and a duration exclude each other");
		return err_remedy(err, "--keep returns at once; roclatch detach ends it");
	}
	request->has_duration = said->v[OPT_DURATION].given;
	request->duration_ms = said->v[OPT_DURATION].number;
	if (!request->has_duration && inherited && !request->keep) {
		if (time_of("ROCPROF_ATTACH_DURATION", inherited, &request->duration_ms, err) < 0)
			return -1;
		request->has_duration = true;
	}
	request->timeout_ms = said->v[OPT_TIMEOUT].given ? said->v[OPT_TIMEOUT].number : TIMEOUT_MS;
	return 0;
}

static const char *absolute(struct reading *reading, const char *path, struct err *err)
{
	char here[PATH_MAX];
	if (!path || *path == '/' || !getcwd(here, sizeof here))
		return path;
	return arena_print(&reading->request->owned, err, "%s/%s", here, path);
}

static int fill_tool(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	const struct said *said = &reading->said;
	const char *inherited = filled(reading, "ROCPROF_ATTACH_TOOL_LIBRARY");
	char checked[8192];
	request->tool = said_text(said, OPT_TOOL);
	request->keep_log = said->v[OPT_KEEP_LOG].given;
	request->own_tool = said->v[OPT_OWN_TOOL].given || (request->tool && !strcmp(request->tool, "roclatch"));
	if (said->v[OPT_OWN_TOOL].given && request->tool && strcmp(request->tool, "roclatch"))
		return err_set(err, ERR_USAGE, 0, "--own-tool and -t %.200s exclude each other", request->tool);
	const char *own = filled(reading, "ROCLATCH_TOOL");
	request->own_tool_file = own ? arena_text(&request->owned, own, strlen(own), err) : NULL;
	if (request->own_tool)
		request->tool = NULL;
	else if (!request->tool && inherited)
		request->tool = arena_text(&request->owned, inherited, strlen(inherited), err);
	if (request->tool && request_tool_string(request->tool, checked, sizeof checked, err) < 0)
		return err_wrap(err, said->v[OPT_TOOL].given ? "--attach-tool-library" : "ROCPROF_ATTACH_TOOL_LIBRARY");
	const char *library = filled(reading, "ROCPROF_ATTACH_LIBRARY");
	request->attach_library = said_text(said, OPT_ATTACH_LIBRARY);
	if (!request->attach_library && library)
		request->attach_library = arena_text(&request->owned, library, strlen(library), err);
	request->rocm_root = absolute(reading, said_text(said, OPT_ROCM_ROOT), err);
	request->fallback_tool = said_text(said, OPT_FALLBACK_TOOL);
	if (!request->fallback_tool && request->rocm_root)
		request->fallback_tool = arena_print(&request->owned, err,
			"%s/lib/rocprofiler-sdk/librocprofiler-sdk-tool.so", request->rocm_root);
	request->late = said->v[OPT_LATE].given;
	request->sdk = said_text(said, OPT_SDK);
	if (request->sdk && !request->late)
		return request_warn(request, err, "--sdk has no effect without --late");
	return 0;
}

static int fill_compute(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	const struct said *said = &reading->said;
	request->set = said_text(said, OPT_SET);
	request->blocks = said->v[OPT_BLOCK].words;
	request->arch = said_text(said, OPT_ARCH);
	if (request->set && request->blocks.n)
		return err_set(err, ERR_USAGE, 0, "--set and --block exclude each other");
	if ((request->set || request->blocks.n) && (said->group_count || said->file_group_count)) {
		err_set(err, ERR_USAGE, 0, "--%s and --pmc exclude each other: there is one pass", request->set ? "set" : "block");
		return err_remedy(err, "give all counters with --pmc, or none");
	}
	if (request->arch && !request->set && !request->blocks.n)
		return request_warn(request, err, "--arch has no effect without --set or --block");
	return 0;
}

static void fill_flags(struct reading *reading)
{
	struct request *request = reading->request;
	const struct said *said = &reading->said;
	const char *level = said_text(said, OPT_LOG_LEVEL);
	request->announce = said->v[OPT_ANNOUNCE].given;
	request->dry_run = said->v[OPT_DRY_RUN].given;
	request->json = said->v[OPT_JSON].given;
	request->verbose = said->v[OPT_VERBOSE].given ||
		(level && (!strcmp(level, "info") || !strcmp(level, "trace") || !strcmp(level, "env") || !strcmp(level, "config")));
	request->echo = said_true(said, OPT_ECHO_ONLY);
	request->trust_seccomp = said->v[OPT_TRUST_SECCOMP].given;
	request->thread = (pid_t)said->v[OPT_THREAD].number;
	request->list_avail = said_true(said, OPT_LIST_AVAIL);
	request->help = said->v[OPT_HELP].given;
	request->version = said->v[OPT_VERSION].given;
}

static int warn_ignored(struct reading *reading, struct err *err)
{
	static const struct { enum option_id id; const char *why; } ignored[] = {
		{ OPT_PRELOAD, "has no effect: the target runs already" },
		{ OPT_MPI_RANKS, "has no effect: the process is chosen by its pid" },
		{ OPT_NO_MARKER_PRELOAD, "has no effect: nothing is preloaded" },
		{ OPT_PERIOD_UNIT, "has no effect: there are no collection periods with an attachment" },
		{ OPT_ATTACH_LIBRARY, "has no effect: roclatch attaches by itself" },
		{ OPT_SOVERSION, "has no effect: the target's own libraries are used" },
		{ OPT_SDK_VERSION, "has no effect: the target's own libraries are used" },
		{ OPT_READLINK, "has no effect: the target's own libraries are used" },
		{ OPT_REALPATH, "has no effect: the target's own libraries are used" },
		{ OPT_KOKKOS, "brings markers and kernel names; Kokkos itself loads its tool only when it starts" },
		{ OPT_LOG_LEVEL, "does not reach ROCTx: ROCTX_LOG_LEVEL is not sent to the target" },
	};
	for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) {
		const struct option_value *value = &reading->said.v[ignored[i].id];
		const struct request_option *option = &request_options[ignored[i].id];
		if (value->given && (option->takes != TAKES_BOOL || value->truth) &&
		    request_warn(reading->request, err, "--%s %s", option->name, ignored[i].why) < 0)
			return -1;
	}
	return 0;
}

static int read_all(struct reading *reading, int argc, char **argv, struct err *err)
{
	struct request *request = reading->request;
	if (options_read(reading, argc, argv, err) < 0)
		return -1;
	fill_flags(reading);
	request->help = request->help || (!argc && request->style == STYLE_ROCPROFV3);
	if (request->help || request->version)
		return 0;
	const char *input = said_text(&reading->said, OPT_INPUT);
	if (input && input_read(reading, input, err) < 0)
		return -1;
	fill_flags(reading);
	if (request->list_avail)
		return 0;
	if (fill_whom(reading, err) < 0 || fill_how_long(reading, err) < 0 || fill_tool(reading, err) < 0 ||
	    fill_compute(reading, err) < 0 || warn_ignored(reading, err) < 0 ||
	    env_inherit(&request->env, reading->environment, err) < 0)
		return -1;
	if (reading_getenv(reading, "ROCP_TOOL_LIBRARIES") &&
	    request_warn(request, err, "ROCP_TOOL_LIBRARIES is not sent to the target; -t names a tool") < 0)
		return -1;
	if (request->style != STYLE_ROCPROF_ATTACH && request_write(reading, err) < 0)
		return -1;
	request->csv_or_json = request_csv_or_json(&request->env);
	return request_check_values(&request->env, err);
}

int request_read(struct request *request, enum request_style style, int argc, char **argv,
		 char *const *environment, bool secure, struct err *err)
{
	*request = (struct request){ .style = style, .children = true, .timeout_ms = TIMEOUT_MS };
	struct reading *reading = arena_take(&request->owned, sizeof *reading, err);
	if (!reading)
		return -1;
	reading->request = request;
	reading->environment = secure ? NULL : environment;
	return read_all(reading, argc, argv, err);
}

void request_free(struct request *request)
{
	env_free(&request->env);
	arena_free(&request->owned);
	*request = (struct request){ .style = request->style };
}

int request_env_for(const struct request *request, pid_t pid, const char *tool, struct env *out, struct err *err)
{
	char number[24];
	snprintf(number, sizeof number, "%ld", (long)pid);
	*out = (struct env){ .n = 0 };
	for (size_t i = 0; i < request->env.n; i++)
		if (env_set(out, request->env.v[i].name, request->env.v[i].value, err) < 0)
			goto failed;
	if (env_set(out, "ROCPROF_ATTACH_PID", number, err) < 0 ||
	    (tool && env_set(out, "ROCPROF_ATTACH_TOOL_LIBRARY", tool, err) < 0))
		goto failed;
	return 0;
failed:
	env_free(out);
	return -1;
}
