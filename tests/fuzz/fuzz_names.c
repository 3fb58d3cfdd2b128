/* SPDX-License-Identifier: MIT */
/* Any bytes as a map of code that was made at run time, then as a text with addresses to be named. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/watch/jit.h"
#include "rocp/formats/symbolize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_map(const uint8_t *data, size_t size)
{
	struct functions functions = { .last_counts = true };
	uint32_t text;
	uint64_t offset;
	char *into = functions_names(&functions, size, &text, NULL);
	if (!into)
		abort();
	memcpy(into, data, size);
	jit_parse(&functions, text, size);
	for (size_t i = 0; i < functions.n; i++)
		if (!functions.v[i].size || strlen(functions.names + functions.v[i].name) > JIT_NAME_MAX)
			abort();
	for (uint64_t at = 0; at < 0x3000; at += 0x100) {
		const char *name = functions_at(&functions, at, &offset);
		if (name && (!*name || offset > at))
			abort();
	}
	functions_free(&functions);
}

/* Nothing can be named here: the text must come out as it went in. */
static void copy_text(const uint8_t *data, size_t size)
{
	static int from = -1, into = -1;
	struct symbolizer symbolizer = { .folders = NULL };
	struct err err = { .code = ERR_NONE };
	struct file to;
	if (from < 0) {
		from = memfd_create("from", MFD_CLOEXEC);
		into = memfd_create("into", MFD_CLOEXEC);
	}
	if (ftruncate(from, 0) || pwrite(from, data, size, 0) != (ssize_t)size || lseek(from, 0, SEEK_SET) ||
	    ftruncate(into, 0) || lseek(into, 0, SEEK_SET) || file_borrow(&to, into, "into", &err))
		abort();
	int rc = symbolize(&symbolizer, from, "-", &to, &err);
	if (file_finish(&to, NULL) || (rc && (err.code == ERR_NONE || !err.text[0])))
		abort();
	char *result = malloc(size + 1);
	if (!rc && (!result || pread(into, result, size + 1, 0) != (ssize_t)size || (size && memcmp(result, data, size))))
		abort();
	free(result);
	symbolizer_free(&symbolizer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_map(data, size);
	copy_text(data, size);
	return 0;
}
