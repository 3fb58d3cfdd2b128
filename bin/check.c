/* SPDX-License-Identifier: MIT */
/* roclatch check: can this process be attached, and if not, why?  Reads only. */
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "bin/command.h"
#include "bin/recording.h"
#include "rocp/attachable.h"
#include "rocp/surroundings.h"

#define ARGUMENTS_MAX 10

const char check_text[] =
	"Checks every condition of an attach, without touching the process.  Each line has a verdict (ok,\n"
	"note, NO) and the reason; below each NO is the remedy.  The last line is the result in one\n"
	"sentence.  The status is 0 if the process can be attached as asked for, and 3 if not.  roclatch\n"
	"attach makes the same checks before it begins.\n"
	"\n"
	"With --late, it checks whether roclatch attach --late is possible.\n"
	"\n"
	"examples:\n"
	"  roclatch check 4711\n"
	"  roclatch check 4711 --late\n";

/* What roclatch attach would make of the same options. */
static int read_request(struct request *request, const struct settings *settings, struct err *err)
{
	char pid[24];
	const char *argument[ARGUMENTS_MAX];
	int n = 0;
	snprintf(pid, sizeof pid, "%llu", (unsigned long long)settings->pid);
	argument[n++] = "-p";
	argument[n++] = pid;
	if (settings->late)
		argument[n++] = "--late";
	if (settings->trust_seccomp)
		argument[n++] = "--trust-seccomp";
	if (settings->tool) {
		argument[n++] = "-t";
		argument[n++] = settings->tool;
	}
	if (settings->output) {
		argument[n++] = "-d";
		argument[n++] = settings->output;
	}
	if (settings->stage) {
		argument[n++] = "--stage";
		argument[n++] = settings->stage;
	}
	return request_read(request, STYLE_ROCLATCH, n, (char **)argument, environ, getauxval(AT_SECURE) != 0, err);
}

static const char *word(enum verdict verdict)
{
	return verdict == VERDICT_NO ? "NO" : verdict == VERDICT_UNKNOWN ? "?" : verdict_name(verdict);
}

static void print_plain(const struct preflight *preflight)
{
	for (size_t i = 0; i < preflight->n; i++) {
		const struct check *check = &preflight->v[i];
		printf("%-4s  %-14s  ", word(check->verdict), check->name);
		output_safe(stdout, check->text);
		if (check->remedy[0]) {
			printf("\n%24sremedy: ", "");
			output_safe(stdout, check->remedy);
		}
		putchar('\n');
	}
}

static void print_json(struct json *json, const struct preflight *preflight)
{
	json_bool(json, "can_attach", preflight->can_attach);
	json_bool(json, "can_late", preflight->can_late);
	json_bool(json, "reattach", preflight->reattach);
	json_bool(json, "orphaned", preflight->orphaned);
	json_text(json, "tool", preflight->shown[0] ? preflight->shown : NULL);
	json_text(json, "sdk", preflight->sdk[0] ? preflight->sdk : NULL);
	json_checks(json, preflight);
}

/* Where roclatch runs: what is asked for is asked of that place. */
static void tell_place(struct output *out)
{
	struct surroundings here;
	char text[448];
	surroundings_look(&here, "/proc", "", environ);
	surroundings_text(&here, text, sizeof text);
	if (!out->json) {
		printf("%-4s  %-14s  %s\n", "", "place", text);
		return;
	}
	struct json *json = &out->writer;
	const struct { const char *key, *value; } names[] = {
		{ "container", here.container.kind }, { "id", here.container.id }, { "pod", here.pod }, { "namespace", here.space },
		{ "job", here.job }, { "step", here.step },
	};
	json_object(json, "place");
	json_text(json, "kind", surroundings_name(here.kind));
	json_text(json, "text", text);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		json_text(json, names[i].key, names[i].value && names[i].value[0] ? names[i].value : NULL);
	json_end(json);
}

static void tell(struct output *out, const struct preflight *preflight, const struct settings *settings,
		 const struct err *why)
{
	char text[640];
	attachable_sentence(preflight, settings->late, why, text, sizeof text);
	if (!out->json)
		tell_place(out);
	if (out->json) {
		print_json(&out->writer, preflight);
		tell_place(out);
		json_text(&out->writer, "summary", text);
		return;
	}
	print_plain(preflight);
	printf("process %llu ", (unsigned long long)settings->pid);
	output_safe(stdout, text);
	putchar('\n');
	out->told = true;
}

static int look(struct images *images, struct request *request, struct preflight *preflight, struct err *err)
{
	struct rocm_view view;
	if (rocm_view_open(&view, images, err) < 0)
		return -1;
	int rc = attachable_look(preflight, &view, request, err);
	rocm_view_close(&view);
	return rc;
}

int command_check(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	(void)operands;
	(void)n;
	struct session session;
	struct request request = { .late = false };
	struct preflight preflight;
	int rc = read_request(&request, settings, err);
	if (rc == 0 && session_open(&session, settings, out, err) < 0) {
		if (err->code == ERR_NOT_POSSIBLE) {
			preflight_unopened(&preflight, (pid_t)settings->pid, err);
			tell(out, &preflight, settings, err);
		}
		rc = -1;
	} else if (rc == 0) {
		rc = look(&session.images, &request, &preflight, err);
		if (rc == 0) {
			rc = preflight_error(&preflight, &request, err);
			tell(out, &preflight, settings, err);
		}
		session_close(&session);
	}
	request_free(&request);
	return rc;
}
