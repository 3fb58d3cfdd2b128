/* SPDX-License-Identifier: MIT */
/* The line about what the tool makes: roclatch's own writes a log, others write their output themselves. */
#include "rocp/options.h"
#include "rocp/preflight_look.h"

static void judge_other(struct look *look, struct check *check)
{
	static const char *const database[] = { "rocpd" };
	if (!look->request->html)
		check_ok(check, "not used: the tool writes its output itself");
	else if (request_has_format(&look->request->env, database, 1))
		check_ok(check, "not used: html is made of the database that the tool writes");
	else
		check_refuse(look, check, look->asked, "use -f rocpd html, or record with roclatch's own tool: -t roclatch",
			     "-f html: this tool does not write pages, and without its rocpd database roclatch cannot make one");
}

void look_own_tool(struct look *look)
{
	struct check *check = check_add(look, "own-tool");
	char left_out[256];
	struct err err = { 0 };
	if (!look->preflight->tool[0])
		check_ok(check, "not used");
	else if (!look->preflight->own)
		judge_other(look, check);
	else if (request_own_tool(look->request, left_out, sizeof left_out, &err) < 0)
		check_refuse(look, check, look->asked, err.remedy, "%s", err.text);
	else if (left_out[0])
		check_note(check, "records into a log, without what only AMD's tool records: %s", left_out);
	else
		check_ok(check, "records into a log, of which roclatch makes the output");
}
