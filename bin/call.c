/* SPDX-License-Identifier: MIT */
/* roclatch call: call one function and print what it returns. */
#include "bin/command.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "arch/arch.h"

const char call_text[] =
	"Calls a function of a library, or of the program itself, in the process, and prints what it\n"
	"returns as a signed 64-bit number.\n"
	"\n"
	"LIBRARY is a path, a file name, a soname or either without its version (libc.so), or exe, libc,\n"
	"vdso, ld.so.  SYMBOL is NAME or NAME@VERSION.  ARG (up to six) is a decimal number (signed or\n"
	"unsigned, 64 bits), 0x and hex digits, or text, which is copied into the process for the time of\n"
	"the call.  Write s:TEXT for text that starts like a number.  Floating point values can be\n"
	"neither passed nor returned.\n"
	"\n"
	"The whole register is printed.  A function that returns an int may leave the upper half\n"
	"undefined, so -1 often shows as 4294967295.  The value as an int is in the explanation on\n"
	"stderr, and result_int in JSON.\n"
	"\n"
	"examples:\n"
	"  roclatch call 4711 libc getpid\n"
	"  roclatch call 4711 exe my_function 0x10 -3 s:42 --json\n";

/* An argument as it was written. */
static int parse_arg(const char *word, struct call_arg *arg, struct err *err)
{
	bool minus = word[0] == '-';
	const char *digits = word + minus;
	if (!isdigit((unsigned char)*digits)) {
		const char *text = strncmp(word, "s:", 2) ? word : word + 2;
		*arg = (struct call_arg){ .data = text, .size = strlen(text) + 1 };
		return 0;
	}
	uint64_t number;
	bool ok = options_number(digits, &number);
	if (ok && minus) {
		ok = number <= (uint64_t)INT64_MAX + 1;
		number = -number;
	}
	if (!ok) {
		err_set(err, ERR_USAGE, 0, "'%s' starts like a number but is none of 64 bits", word);
		return err_remedy(err, "if it is text, write s:%s", word);
	}
	*arg = (struct call_arg){ .value = number };
	return 0;
}

struct request {
	struct image *image;
	struct elf_symbol symbol;
	struct call_step step;          /* the call that is wanted */
	bool resolving;                 /* the round that runs calls an IFUNC's resolver */
	uint64_t ifunc_arg[3];
};

/* Where a resolver is told of the CPU, it gets AT_HWCAP with bit 62 set and a pointer to __ifunc_arg_t. */
static struct call_step resolver_step(struct request *request, const struct auxv *auxv)
{
	struct call_step step = { .fn = request->symbol.addr };
	if (!ARCH_RESOLVER_TAKES)
		return step;
	request->ifunc_arg[0] = sizeof request->ifunc_arg;
	request->ifunc_arg[1] = auxv->hwcap;
	request->ifunc_arg[2] = auxv->hwcap2;
	step.nargs = ARCH_RESOLVER_TAKES;
	step.arg[0].value = auxv->hwcap | UINT64_C(1) << 62;
	step.arg[1].data = request->ifunc_arg;
	step.arg[1].size = sizeof request->ifunc_arg;
	return step;
}

/* The resolver has answered: check that and go on with the function itself. */
static int resolved(struct call *call, struct images *images, void *ctx, struct err *err)
{
	struct request *request = ctx;
	if (!request->resolving)
		return 0;
	raddr fn = call->step[0].result;
	const struct mapping *mapping = maps_at(&images->maps, fn);
	struct image *image = images_at(images, fn);
	/* gettimeofday and its like resolve into the vdso. */
	bool known = image && (image == request->image || !strcmp(image->path, "[vdso]"));
	if (!mapping || !mapping->x || !known) {
		char where[128];
		images_describe(images, fn, where, sizeof where);
		return err_set(err, ERR_CALLED_CODE, 0,
			       "the resolver of this indirect function (IFUNC) answered %s, "
			       "which is no code of its library", where);
	}
	request->resolving = false;
	request->step.fn = fn;
	call->step[0] = request->step;
	call->steps = 1;
	return 1;
}

static int find(struct session *session, struct request *request, const char *library,
		const char *symbol, struct output *out, struct err *err)
{
	struct images *images = &session->images;
	request->image = images_find(images, library, err);
	if (!request->image)
		return -1;
	if (images_symbol(images, request->image, symbol, &request->symbol, err) < 0)
		return -1;
	output_text(out, "library", request->image->path);
	output_text(out, "symbol", symbol);
	if (request->symbol.version[0])
		output_text(out, "version", request->symbol.version);
	output_hex(out, "address", request->symbol.addr);
	output_bool(out, "ifunc", request->symbol.ifunc);
	return 0;
}

static int run(struct session *session, struct request *request, const struct settings *settings,
	       struct output *out, struct err *err)
{
	struct call *call = &session->call;
	request->step.fn = request->symbol.addr;
	call->steps = 1;
	if (request->symbol.ifunc) {
		request->resolving = true;
		call->step[0] = resolver_step(request, &session->target.auxv);
		call->held = resolved;
		call->ctx = request;
	} else {
		call->step[0] = request->step;
	}
	int answer = session_run(session, settings, out, err);
	if (settings->dry_run || request->resolving || !call->step[0].returned)
		return answer;
	uint64_t result = call->step[0].result;
	output_note(out, "  returned 0x%" PRIx64 ", as an int %" PRId32, result, (int32_t)result);
	output_result_signed(out, "result", (int64_t)result);
	if (out->json) {
		json_hex(&out->writer, "result_hex", result);
		json_signed(&out->writer, "result_int", (int32_t)result);
	}
	return answer;
}

int command_call(const struct settings *settings, char **operands, int n,
		 struct output *out, struct err *err)
{
	struct request request = { .step.nargs = (unsigned)n - 2 };
	for (int i = 2; i < n; i++)
		if (parse_arg(operands[i], &request.step.arg[i - 2], err) < 0)
			return -1;

	struct session session;
	if (session_open(&session, settings, out, err) < 0)
		return -1;
	int answer = find(&session, &request, operands[0], operands[1], out, err);
	if (answer == 0)
		answer = run(&session, &request, settings, out, err);
	return session_end(&session, answer, err);
}
