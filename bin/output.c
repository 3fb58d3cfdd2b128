/* SPDX-License-Identifier: MIT */
#include "bin/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* C0, DEL, and C1, which is c2 80 to c2 9f in UTF-8. */
void output_safe(FILE *to, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t left = strlen(text), skip;
	while (left) {
		size_t length = utf8_length(at, left, &skip);
		size_t step = length ? length : skip;
		if (length && !utf8_control(at, length))
			fwrite(at, 1, length, to);
		else
			for (size_t i = 0; i < step; i++)
				fprintf(to, "\\x%02x", at[i]);
		at += step;
		left -= step;
	}
}

static void explain(void *ctx, const char *text)
{
	struct output *out = ctx;
	FILE *to = out->plan ? out->plan : out->dry_run ? stdout : stderr;
	output_safe(to, text);
	putc('\n', to);
}

void output_begin(struct output *out, const char *command, bool json, bool verbose, bool dry_run)
{
	*out = (struct output){ .begun = true, .json = json, .verbose = verbose, .dry_run = dry_run };
	if (verbose || dry_run)
		out->say = (struct say){ .line = explain, .ctx = out };
	if (!json)
		return;
	json_init(&out->writer, stdout);
	json_object(&out->writer, NULL);
	json_text(&out->writer, "command", command);
	if (dry_run) {
		json_bool(&out->writer, "dry_run", true);
		out->plan = open_memstream(&out->plan_text, &out->plan_size);
	}
}

static void fact(struct output *out, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void fact(struct output *out, const char *name, const char *fmt, ...)
{
	if (!out->say.line)
		return;
	char value[512], line[640];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(value, sizeof value, fmt, ap);
	va_end(ap);
	snprintf(line, sizeof line, "%s: %s", name, value);
	out->say.line(out->say.ctx, line);
}

void output_text(struct output *out, const char *name, const char *text)
{
	if (out->json)
		json_text(&out->writer, name, text);
	else
		fact(out, name, "%s", text);
}

void output_number(struct output *out, const char *name, uint64_t value)
{
	if (out->json)
		json_unsigned(&out->writer, name, value);
	else
		fact(out, name, "%" PRIu64, value);
}

void output_hex(struct output *out, const char *name, uint64_t value)
{
	if (out->json)
		json_hex(&out->writer, name, value);
	else
		fact(out, name, "0x%" PRIx64, value);
}

void output_bool(struct output *out, const char *name, bool value)
{
	if (out->json)
		json_bool(&out->writer, name, value);
	else
		fact(out, name, "%s", value ? "yes" : "no");
}

void output_result_signed(struct output *out, const char *name, int64_t value)
{
	if (out->json)
		json_signed(&out->writer, name, value);
	else
		printf("%" PRId64 "\n", value);
}

void output_result_hex(struct output *out, const char *name, uint64_t value)
{
	if (out->json)
		json_hex(&out->writer, name, value);
	else
		printf("0x%" PRIx64 "\n", value);
}

void output_note(struct output *out, const char *fmt, ...)
{
	if (out->json)
		return;
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	fflush(stdout);
	output_safe(stderr, text);
	putc('\n', stderr);
}

static const char *code_name(int code)
{
	static const char *const names[] = {
		[ERR_NONE] = "done", [ERR_FAILED] = "failed", [ERR_USAGE] = "usage",
		[ERR_NOT_POSSIBLE] = "not possible", [ERR_TARGET_EXITED] = "target exited",
		[ERR_CALLED_CODE] = "called code failed", [ERR_TIMEOUT] = "timeout",
		[ERR_RESIDUE] = "residue",
	};
	if (code >= ERR_SIGNAL)
		return "signal";
	return (size_t)code < sizeof names / sizeof *names ? names[code] : "failed";
}

static void end_json(struct output *out, const struct err *err)
{
	struct json *json = &out->writer;
	if (out->plan) {
		fclose(out->plan);
		json_lines(json, "plan", out->plan_text ? out->plan_text : "");
		free(out->plan_text);
	}
	if (err->code) {
		json_object(json, "error");
		json_unsigned(json, "code", (unsigned)err->code);
		json_text(json, "name", code_name((int)err->code));
		json_text(json, "text", err->text);
		json_text(json, "remedy", err->remedy[0] ? err->remedy : NULL);
		json_unsigned(json, "errno", (unsigned)err->sys);
		json_end(json);
	} else {
		json_null(json, "error");
	}
	json_text(json, "verdict", code_name((int)err->code));
	json_unsigned(json, "status", (unsigned)err->code);
	json_end(json);
}

static void end_plain(const struct err *err)
{
	fflush(stdout);
	if (!err->code)
		return;
	fputs("roclatch: ", stderr);
	output_safe(stderr, err->text);
	putc('\n', stderr);
	if (err->remedy[0]) {
		fputs("  remedy: ", stderr);
		output_safe(stderr, err->remedy);
		putc('\n', stderr);
	}
}

int output_end(struct output *out, const struct err *err)
{
	int status = (int)err->code;
	if (out->json)
		end_json(out, err);
	else if (!out->told)
		end_plain(err);
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "roclatch: the verdict (status %d) could not be written: %s\n",
		status, strerror(errno));
	/* What was asked is done: "failed, target untouched" would not be true. */
	return status ? status : ERR_RESIDUE;
}
