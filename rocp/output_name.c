/* SPDX-License-Identifier: MIT */
#include "rocp/output_name.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEY_MAX 64

struct name {
	const struct output_facts *facts;
	char *out;
	size_t size, used;
	bool full;
};

static void put(struct name *name, const char *text, size_t n)
{
	if (n >= name->size - name->used) {
		name->full = true;
		return;
	}
	memcpy(name->out + name->used, text, n);
	name->used += n;
	name->out[name->used] = '\0';
}

static void put_text(struct name *name, const char *text)
{
	put(name, text, strlen(text));
}

static void put_number(struct name *name, long value)
{
	char digits[24];
	snprintf(digits, sizeof digits, "%ld", value);
	put_text(name, digits);
}

static const char *variable(const struct name *name, const char *key)
{
	const char *value = name->facts->variable ? name->facts->variable(name->facts->ctx, key) : NULL;
	return value && *value ? value : NULL;
}

/* One word of the command line as a part of a file's name. */
static void put_argument(struct name *name, size_t i)
{
	const char *at = name->facts->argument[i];
	while (isspace((unsigned char)*at))
		at++;
	size_t n = strlen(at);
	while (n && isspace((unsigned char)at[n - 1]))
		n--;
	for (; n && *at == '.'; at++)
		n--;
	for (; n && (*at == '/' || *at == '_'); at++)
		n--;
	for (; n; at++, n--)
		put(name, *at == '/' ? "_" : at, 1);
}

static void put_arguments(struct name *name, size_t from)
{
	for (size_t i = from; i < name->facts->arguments; i++) {
		if (i > from)
			put(name, "_", 1);
		put_argument(name, i);
	}
}

static void put_tag(struct name *name)
{
	const char *program = name->facts->arguments ? name->facts->argument[0] : "";
	const char *slash = strrchr(program, '/');
	put_text(name, slash ? slash + 1 : program);
}

/* Of launchers, the one that says it most directly first; own is what the user named. */
static const char *first_of(const struct name *name, const char *own, const char *const *names)
{
	const char *named = variable(name, own), *value = named ? variable(name, named) : NULL;
	for (; !value && *names; names++)
		value = variable(name, *names);
	return value;
}

static const char *rank(const struct name *name)
{
	static const char *const names[] = { "SLURM_PROCID", "PMI_RANK", "MV2_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK",
					     "MPI_RANKID", "MPI_LOCALRANKID", "MPI_RANK", NULL };
	return first_of(name, "ROCPROF_MPI_RANK_VAR", names);
}

static const char *ranks(const struct name *name)
{
	static const char *const names[] = { "SLURM_NTASKS", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE",
					     "MPI_NRANKS", "MPI_LOCALNRANKS", "MPI_SIZE", NULL };
	return first_of(name, "ROCPROF_MPI_SIZE_VAR", names);
}

/* The user gives the format; what strftime does with any text is to fill a buffer of ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_time(struct name *name, const char *format_variable, const char *fallback)
{
	const char *format = variable(name, format_variable);
	time_t when = (time_t)name->facts->launched;
	struct tm tm;
	char text[128];
	if (localtime_r(&when, &tm) && strftime(text, sizeof text, format ? format : fallback, &tm))
		put_text(name, text);
}
#pragma GCC diagnostic pop

static void put_or(struct name *name, const char *value, long number)
{
	if (value)
		put_text(name, value);
	else
		put_number(name, number);
}

static bool put_numbered(struct name *name, const char *key)
{
	char *end;
	if (strncmp(key, "arg", 3) || !isdigit((unsigned char)key[3]))
		return false;
	unsigned long i = strtoul(key + 3, &end, 10);
	if (*end || i >= name->facts->arguments)
		return false;
	put_argument(name, i);
	return true;
}

static bool put_key(struct name *name, const char *key)
{
	const struct output_facts *facts = name->facts;
#define IS(word) !strcmp(key, word)
	if (IS("hostname") || IS("h"))
		put_text(name, facts->hostname ? facts->hostname : "localhost");
	else if (IS("pid") || IS("p"))
		put_number(name, facts->pid);
	else if (IS("ppid"))
		put_number(name, facts->ppid);
	else if (IS("pgid"))
		put_number(name, facts->pgid);
	else if (IS("psid"))
		put_number(name, facts->psid);
	else if (IS("psize"))
		put_number(name, facts->siblings ? facts->siblings : 1);
	else if (IS("job") || IS("j"))
		put_or(name, variable(name, "SLURM_JOB_ID"), 0);
	else if (IS("rank") || IS("r"))
		put_or(name, rank(name), 0);
	else if (IS("size") || IS("s"))
		put_or(name, ranks(name), 1);
	else if (IS("nid"))
		put_or(name, rank(name), facts->pid);
	else if (IS("cwd"))
		put_text(name, facts->folder ? facts->folder : ".");
	else if (IS("launch_date"))
		put_time(name, "ROCPROF_DATE_FORMAT", "%F");
	else if (IS("launch_time"))
		put_time(name, "ROCPROF_TIME_FORMAT", "%F_%H.%M");
	else if (IS("argv"))
		put_arguments(name, 0);
	else if (IS("args"))
		put_arguments(name, 1);
	else if (IS("tag") || IS("argt"))
		put_tag(name);
	else
		return put_numbered(name, key);
	if (IS("argt"))
		put_arguments(name, 1);
#undef IS
	return true;
}

/* The key between the first `open` characters and what closes it; its length with both, or 0. */
static size_t key_at(const char *at, size_t open, const char *close, char key[KEY_MAX])
{
	const char *end = strstr(at + open, close);
	size_t n = end ? (size_t)(end - at) - open : 0;
	if (!n || n >= KEY_MAX)
		return 0;
	memcpy(key, at + open, n);
	key[n] = '\0';
	return open + n + strlen(close);
}

static size_t expand_variable(struct name *name, const char *at)
{
	static const struct { const char *open, *close; } forms[] = {
		{ "%env{", "}%" }, { "$env{", "}" }, { "%q{", "}" },
	};
	char key[KEY_MAX];
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		size_t open = strlen(forms[i].open), n;
		if (strncmp(at, forms[i].open, open) || !(n = key_at(at, open, forms[i].close, key)))
			continue;
		const char *value = variable(name, key);
		put_text(name, value ? value : "");
		return n;
	}
	return 0;
}

/* How much of the text a key took; 0: there is none here. */
static size_t expand_key(struct name *name, const char *at)
{
	char key[KEY_MAX];
	size_t n = expand_variable(name, at);
	if (n)
		return n;
	if (*at == '{' && (n = key_at(at, 1, "}", key)) && put_key(name, key))
		return n;
	if (*at != '%')
		return 0;
	/* one letter is a key only in its short form */
	if ((n = key_at(at, 1, "%", key)) > 3 && put_key(name, key))
		return n;
	if (at[1] && strchr("hpjrs", at[1]) && put_key(name, (char[2]){ at[1] }))
		return 2;
	return 0;
}

int output_name_expand(const char *text, const struct output_facts *facts, char *out, size_t size, struct err *err)
{
	struct name name = { .facts = facts, .out = out, .size = size };
	if (!size)
		return err_set(err, ERR_USAGE, 0, "the name of the output is too long");
	out[0] = '\0';
	for (const char *at = text; *at && !name.full;) {
		size_t n = strchr("%{$", *at) ? expand_key(&name, at) : 0;
		if (!n)
			put(&name, at, 1);
		at += n ? n : 1;
	}
	if (!name.full)
		return 0;
	err_set(err, ERR_USAGE, 0, "the name of the output is too long: %.100s", text);
	return err_remedy(err, "choose a shorter one with -o or -d");
}

int output_name_has_keys(const char *text)
{
	char out[8192];
	const struct output_facts none = { .hostname = "" };
	return output_name_expand(text, &none, out, sizeof out, NULL) < 0 || strcmp(out, text) != 0;
}

/* Any variable may be one that a launcher sets for each process, but for those that speak of all of them. */
static const char *any_variable(void *ctx, const char *name)
{
	static const char *const of_all[] = { "ROCPROF_", "JOB", "SIZE", "NTASKS", "NRANKS" };
	for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
		if (strstr(name, of_all[i]))
			return NULL;
	return ctx;
}

static int is_same(const char *text)
{
	char one[PATH_MAX], other[PATH_MAX];
	char value[2][2] = { "1", "2" };
	const struct output_facts first = { .pid = 1, .variable = any_variable, .ctx = value[0] };
	const struct output_facts second = { .pid = 2, .variable = any_variable, .ctx = value[1] };
	return output_name_expand(text, &first, one, sizeof one, NULL) < 0 ||
	       output_name_expand(text, &second, other, sizeof other, NULL) < 0 || !strcmp(one, other);
}

int output_name_is_shared(const char *folder, const char *name)
{
	return is_same(name) && (!folder || is_same(folder));
}
