/* SPDX-License-Identifier: MIT */
/* How a call went, in words and in JSON. */
#include <inttypes.h>
#include <string.h>

#include "bin/output.h"

static const char *signal_name(int signo)
{
	/* strsignal's words differ between C libraries; the numbers of these
	 * are the same on both CPUs. */
	switch (signo) {
	case 4: return "SIGILL";
	case 5: return "SIGTRAP";
	case 6: return "SIGABRT";
	case 7: return "SIGBUS";
	case 8: return "SIGFPE";
	case 11: return "SIGSEGV";
	case 31: return "SIGSYS";
	default: return "signal";
	}
}

static void crash_json(struct json *json, const struct call_report *report)
{
	if (!report->crash.signo) {
		json_null(json, "crash");
		return;
	}
	json_object(json, "crash");
	json_signed(json, "signal", report->crash.signo);
	json_text(json, "name", signal_name(report->crash.signo));
	json_signed(json, "code", report->crash.code);
	json_hex(json, "address", report->crash.addr);
	json_hex(json, "pc", report->crash.pc);
	json_text(json, "where", report->crash.where);
	json_text(json, "locks", report->crash.locks);
	json_end(json);
}

static void thread_json(struct json *json, const char *key, pid_t tid)
{
	if (tid)
		json_signed(json, key, tid);
	else
		json_null(json, key);
}

void json_report(struct json *json, const struct call_report *report)
{
	thread_json(json, "borrowed", report->borrowed);
	json_text(json, "why_borrowed", report->why_borrowed);
	thread_json(json, "fresh", report->fresh);
	json_unsigned(json, "borrowed_ns", report->borrowed_ns);
	json_unsigned(json, "call_ns", report->call_ns);
	json_unsigned(json, "remote_syscalls", report->remote_syscalls);
	json_hex(json, "region", report->region);
	json_unsigned(json, "region_size", report->region_size);
	crash_json(json, report);
	json_object(json, "verified");
	json_bool(json, "region_unmapped", report->region_unmapped);
	json_bool(json, "fresh_gone", report->fresh_gone);
	json_bool(json, "untraced", report->untraced);
	json_end(json);
}

static void call_json(struct json *json, const struct call *call)
{
	json_object(json, "call");
	json_text(json, "on", call->on == CALL_ON_FRESH ? "fresh" : "borrowed");
	json_report(json, &call->report);
	json_end(json);
	json_lines(json, "left", call->report.left);
	json_lines(json, "kept", call->report.kept);
}

void output_lines(struct output *out, const char *what, const char *text)
{
	while (*text) {
		int length = (int)strcspn(text, "\n");
		if (length)
			output_note(out, "  %s: %.*s", what, length, text);
		text += length + (text[length] == '\n');
	}
}

/* A crash is in the error's text already. */
static void call_plain(struct output *out, const struct call *call)
{
	const struct call_report *report = &call->report;
	char ran[48] = "";
	if (report->call_ns)
		snprintf(ran, sizeof ran, "ran %.3f ms", (double)report->call_ns / 1e6);
	if (report->fresh)
		output_note(out, "  %s on fresh thread %d; thread %d was borrowed for %.3f ms to make it",
			    ran[0] ? ran : "began", (int)report->fresh, (int)report->borrowed,
			    (double)report->borrowed_ns / 1e6);
	else if (report->borrowed)
		output_note(out, "  %s%sthread %d was borrowed for %.3f ms", ran, ran[0] ? "; " : "",
			    (int)report->borrowed, (double)report->borrowed_ns / 1e6);
	output_lines(out, "stays in the target", report->kept);
	output_lines(out, "left behind", report->left);
	if (report->borrowed && !report->left[0])
		output_note(out, "  verified: nothing of ours is left%s%s%s",
			    report->region_unmapped ? ", mapping gone" : "",
			    report->fresh_gone && report->fresh ? ", thread gone" : "",
			    report->untraced ? ", not traced" : "");
}

void output_call(struct output *out, const struct call *call)
{
	if (out->json)
		call_json(&out->writer, call);
	else
		call_plain(out, call);
}
