/* SPDX-License-Identifier: MIT */
#include "rocp/sets.h"

#include <stdlib.h>
#include <string.h>

#include "elf/xz.h"
#include "rocp/kfd.h"

#define UNPACKED_MAX (1u << 20)

extern const char sets_packed[], sets_packed_end[];

struct table { char *from; size_t size; };
struct row { const char *field[4]; size_t length[4]; };
enum { KIND, NAME, ARCHS, COUNTERS };

static bool next_row(const struct table *table, size_t *at, struct row *row)
{
	for (int i = 0; i < 4; i++) {
		if (*at >= table->size)
			return false;
		row->field[i] = table->from + *at;
		row->length[i] = strcspn(row->field[i], "\t\n");
		*at += row->length[i] + 1;
	}
	return true;
}

static bool is(const struct row *row, int field, const char *text)
{
	return strlen(text) == row->length[field] && !memcmp(row->field[field], text, row->length[field]);
}

/* Is the word in a list of which each entry ends at a separator or with the list? */
static bool has(const char *list, size_t length, char separator, const char *word, size_t size)
{
	while (length) {
		const char *stop = memchr(list, separator, length);
		size_t entry = stop ? (size_t)(stop - list) : length;
		if (entry == size && !memcmp(list, word, size))
			return true;
		entry += stop != NULL;
		list += entry;
		length -= entry;
	}
	return false;
}

static void note(char *known, size_t size, const char *word, size_t length)
{
	size_t used = strlen(known);
	if (!has(known, used, ' ', word, length) && used + length + 2 < size)
		snprintf(known + used, size - used, "%s%.*s", used ? " " : "", (int)length, word);
}

static int unknown(const struct table *table, const char *kind, const char *name, const char *arch, struct err *err)
{
	char archs[128] = "", names[192] = "";
	bool arch_known = false;
	struct row row;
	for (size_t at = 0; next_row(table, &at, &row);) {
		bool here = has(row.field[ARCHS], row.length[ARCHS], ',', arch, strlen(arch));
		arch_known = arch_known || here;
		for (size_t from = 0; from < row.length[ARCHS];) {
			size_t length = strcspn(row.field[ARCHS] + from, ",\t");
			note(archs, sizeof archs, row.field[ARCHS] + from, length);
			from += length + 1;
		}
		if (here && is(&row, KIND, kind))
			note(names, sizeof names, row.field[NAME], row.length[NAME]);
	}
	if (!arch_known) {
		err_set(err, ERR_USAGE, 0, "no %ss of counters are known for the GPU %s", kind, arch);
		return err_remedy(err, "known are %s (--arch); or name counters with --pmc", archs);
	}
	err_set(err, ERR_USAGE, 0, "there is no %s '%s' for %s", kind, name, arch);
	return err_remedy(err, "known are %s", names);
}

static int counters(const struct table *table, void **arena, const char *kind, const char *name, const char *arch,
		    struct words *words, struct err *err)
{
	struct row row;
	for (size_t at = 0; next_row(table, &at, &row);) {
		if (!is(&row, KIND, kind) || !is(&row, NAME, name) ||
		    !has(row.field[ARCHS], row.length[ARCHS], ',', arch, strlen(arch)))
			continue;
		for (size_t from = 0; from < row.length[COUNTERS];) {
			const char *counter = row.field[COUNTERS] + from;
			size_t length = strcspn(counter, " \n");
			bool known = false;
			for (size_t i = 0; i < words->n; i++)
				known = known || (strlen(words->v[i]) == length && !memcmp(words->v[i], counter, length));
			if (!known && words_add(arena, words, arena_text(arena, counter, length, err), err) < 0)
				return -1;
			from += length + 1;
		}
		return 0;
	}
	return unknown(table, kind, name, arch, err);
}

int sets_counters(void **arena, const char *kind, const char *name, const char *arch, struct words *words,
		  struct err *err)
{
	void *text = NULL;
	struct table table;
	if (xz_unpack(sets_packed, (size_t)(sets_packed_end - sets_packed), UNPACKED_MAX, &text, &table.size, err) < 0)
		return err_wrap(err, "the table of counters");
	table.from = text;
	int rc = counters(&table, arena, kind, name, arch, words, err);
	free(text);
	return rc;
}

/* How many counters of a hardware block can be read in one pass; as rocprof-compute divides them. */
static const struct { const char *prefix; unsigned most, block; } limits[] = {
	{ "SQ_", 8, 0 }, { "SQC_", 8, 0 }, { "TA_", 2, 1 }, { "TD_", 2, 2 }, { "TCP_", 4, 3 }, { "TCC_", 4, 4 },
	{ "CPC_", 2, 5 }, { "CPF_", 2, 6 }, { "SPI_", 6, 7 }, { "GRBM_", 2, 8 }, { "GDS_", 4, 9 },
};
#define BLOCKS 10
#define LEFT_MOST 400u            /* room for names in an error */
#define LIMITS (sizeof limits / sizeof limits[0])

/* A level counter of the sequencer takes a second place for its accumulator, and two of them need two passes. */
static bool is_level(const char *counter)
{
	return !strncmp(counter, "SQ", 2) && strstr(counter, "LEVEL");
}

static size_t limit_of(const char *counter)
{
	size_t limit = 0;
	while (limit < LIMITS && strncmp(counter, limits[limit].prefix, strlen(limits[limit].prefix)))
		limit++;
	return limit;
}

/* Behind what is there, or "..." once where that is full. */
static void add_name(char *text, size_t size, const char *name)
{
	size_t used = strlen(text);
	if (used + strlen(name) + 6 < size)
		snprintf(text + used, size - used, " %s", name);
	else if (used < 4 || strcmp(text + used - 4, " ..."))
		snprintf(text + used, size - used, " ...");
}

/* The names of one hardware block's counters that find no place; false if all do. */
static bool overfull(const struct words *words, unsigned block, char *names, size_t size)
{
	unsigned used = 0;
	bool level = false, full = false;
	names[0] = '\0';
	for (size_t i = 0; i < words->n; i++) {
		size_t limit = limit_of(words->v[i]);
		if (limit == LIMITS || limits[limit].block != block)
			continue;
		unsigned need = is_level(words->v[i]) ? 2 : 1;
		if (used + need > limits[limit].most || (need == 2 && level)) {
			add_name(names, size, words->v[i]);
			full = true;
			continue;
		}
		used += need;
		level = level || need == 2;
	}
	return full;
}

int sets_one_pass(const struct words *words, struct err *err)
{
	static const char *const blocks[BLOCKS] = { "SQ", "TA", "TD", "TCP", "TCC", "CPC", "CPF", "SPI", "GRBM", "GDS" };
	char text[2 * LEFT_MOST] = "", names[LEFT_MOST - 16];
	unsigned full = 0;
	for (unsigned block = 0; block < BLOCKS; block++)
		full += overfull(words, block, names, sizeof names);
	if (!full)
		return 0;
	for (unsigned block = 0; block < BLOCKS; block++) {
		size_t used = strlen(text);
		if (overfull(words, block, names, LEFT_MOST / full - 8))
			snprintf(text + used, sizeof text - used, "%s %s:%s", used ? ";" : "", blocks[block], names);
	}
	err_set(err, ERR_USAGE, 0, "more than one counter pass is not compatible with attach mode; these do not fit:%s", text);
	return err_remedy(err, "a pass has SQ 8, TA 2, TD 2, TCP 4, TCC 4, CPC 2, CPF 2, SPI 6, GRBM 2, GDS 4: "
			  "use --set, or --pmc with fewer counters");
}

int request_counters(struct request *request, const char *arch, struct err *err)
{
	struct words counters = { .n = 0 };
	if (!request->set && !request->blocks.n)
		return 0;
	if (request->set && sets_counters(&request->owned, "set", request->set, arch, &counters, err) < 0)
		return -1;
	for (size_t i = 0; i < request->blocks.n; i++) {
		if (!strcmp(request->blocks.v[i], "21")) {
			err_set(err, ERR_USAGE, 0, "block 21 is PC sampling and has no counters");
			return err_remedy(err, "use --pc-sampling-beta-enabled, -unit, -method and -interval");
		}
		if (sets_counters(&request->owned, "block", request->blocks.v[i], arch, &counters, err) < 0)
			return -1;
	}
	if (sets_one_pass(&counters, err) < 0)
		return -1;
	for (size_t i = 0; i < counters.n; i++)
		if (strchr(counters.v[i], '['))
			return err_set(err, ERR_USAGE, 0, "%s counts each channel, which needs definitions that the target does not have",
				       counters.v[i]);
	struct env *env = &request->env;
	char *names = words_join(&request->owned, &counters, " ", err);
	char *text = names ? arena_print(&request->owned, err, "pmc: %s", names) : NULL;
	if (!text || env_set(env, "ROCPROF_COUNTERS", text, err) < 0 ||
	    env_set(env, "ROCPROF_COUNTER_COLLECTION", "1", err) < 0 || env_set(env, "ROCPROF_KERNEL_TRACE", "1", err) < 0)
		return -1;
	/* What the user said about these two stands. */
	if (!env_get(env, "ROCPROF_AGENT_INDEX") && env_set(env, "ROCPROF_AGENT_INDEX", "absolute", err) < 0)
		return -1;
	return env_get(env, "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC") ? 0 :
	       env_set(env, "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC", "1", err);
}

int request_counters_here(struct request *request, struct err *err)
{
	char arch[16];
	if (!request->set && !request->blocks.n)
		return 0;
	if (!request->arch && kfd_arch(KFD_TOPOLOGY, arch, err) < 0)
		return -1;
	return request_counters(request, request->arch ? request->arch : arch, err);
}
