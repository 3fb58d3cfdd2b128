/* SPDX-License-Identifier: MIT */
/* roclatch selftest: what a tool has written, read as whoever opens it would. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bin/selftest.h"

#define WRITTEN_MS 20000        /* AMD's tool may write when it has been let go */
#define LOOK_MS 250
#define LINE_MAX_BYTES (1 << 20)   /* names of kernels have thousands */

enum { NAME, START, END, COLUMNS };

/* The next cell of a row, in place, without its quotes; NULL: none is left. */
static char *cell(char **at)
{
	char *begin = *at, *to = begin, *from = begin;
	bool quoted = false;
	if (!begin)
		return NULL;
	for (; *from && *from != '\n' && (quoted || *from != ','); from++)
		if (*from == '"')
			quoted = !quoted;
		else
			*to++ = *from;
	*at = *from == ',' ? from + 1 : NULL;
	*to = '\0';
	return begin;
}

static void head(char *row, int column[COLUMNS])
{
	char *at = row, *name;
	for (int i = 0; (name = cell(&at)); i++)
		if (!strcmp(name, "Kernel_Name"))
			column[NAME] = i;
		else if (!strcmp(name, "Start_Timestamp"))
			column[START] = i;
		else if (!strcmp(name, "End_Timestamp"))
			column[END] = i;
}

static void row(struct records *records, char *text, const int column[COLUMNS])
{
	uint64_t start = 0, end = 0;
	char *at = text, *value;
	for (int i = 0; (value = cell(&at)); i++)
		if (i == column[START])
			start = strtoull(value, NULL, 10);
		else if (i == column[END])
			end = strtoull(value, NULL, 10);
		else if (i == column[NAME])
			records->named += strstr(value, PROGRAM_KERNEL) != NULL;
	records->rows++;
	records->odd += !start || end < start;
	if (!records->first || start < records->first)
		records->first = start;
	if (end > records->last)
		records->last = end;
}

/* It is there, and grows no more. */
static bool written(const char *folder, const char *ending, char *path, size_t size)
{
	off_t before = 0;
	struct stat st;
	for (unsigned ms = 0; ms < WRITTEN_MS; ms += LOOK_MS) {
		bool there = newest(folder, "", ending, path, size) && stat(path, &st) == 0;
		if (there && st.st_size && st.st_size == before)
			return true;
		before = there ? st.st_size : 0;
		if (!pause_ms(LOOK_MS))
			break;
	}
	return false;
}

int records_read(struct records *records, const char *folder, const char *ending, struct err *err)
{
	static char line[LINE_MAX_BYTES];
	char path[PATH_MAX];
	int column[COLUMNS] = { -1, -1, -1 };
	*records = (struct records){ 0 };
	if (!written(folder, ending, path, sizeof path))
		return call_stop_signal ? stopped(err) : err_set(err, ERR_FAILED, 0, "the tool has written no file *%s", ending);
	FILE *file = fopen(path, "re");
	for (bool first = true; file && fgets(line, sizeof line, file); first = false)
		if (first)
			head(line, column);
		else
			row(records, line, column);
	if (file)
		fclose(file);
	return column[START] < 0 || column[END] < 0 ? err_set(err, ERR_FAILED, 0, "*%s is no table of rocprofv3's", ending) : 0;
}
