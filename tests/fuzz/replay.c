// SPDX-License-Identifier: MIT
/*
 * Give every file of a folder to a fuzz entry, without libFuzzer: replay FOLDER.
 * The name is printed before each, so that the last one is to blame for a crash.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* The buffer has exactly the file's size, so that the sanitizer sees the first byte read too far. */
static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return -1;
	long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
	uint8_t *data = size < 0 ? NULL : malloc(size ? (size_t)size : 1);
	rewind(file);
	int whole = data && fread(data, 1, (size_t)size, file) == (size_t)size;
	fclose(file);
	if (whole)
		LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	return whole ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int n = argc == 2 ? scandir(argv[1], &entries, NULL, by_name) : -1;
	int replayed = 0;

	if (n < 0) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < n; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
		if (entries[i]->d_name[0] != '.') {
			printf("# %s\n", path);
			if (replay(path)) {
				perror(path);
				return 1;
			}
			replayed++;
		}
		free(entries[i]);
	}
	free(entries);
	printf("%s corpus of %d\n", replayed ? "ok" : "not ok", replayed);
	return !replayed;
}
