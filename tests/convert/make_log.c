/* SPDX-License-Identifier: MIT */
/*
 * make_log PATH [KIND]: a log as the tool library writes it, for tests of roclatch convert.
 * KIND: whole (the default), open (its process was killed), torn (it ends in a block),
 * damaged (a byte is wrong in its middle), full (its disk was full), many N (that many calls), short (its end
 * tells of records that are not there), noted (the tool notes what it could not record), or NAME=VALUE... (it was
 * recorded with these variables).
 */
#include <stdio.h>
#include <sys/stat.h>

#include "made_log_everything.h"

static void spoil(const char *path, const char *kind)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		abort();
	if (!strcmp(kind, "torn") && ftruncate(fd, st.st_size - 100) < 0)
		abort();
	if (!strcmp(kind, "damaged") && pwrite(fd, "\xff\xff", 2, st.st_size * 3 / 4) != 2)
		abort();
	close(fd);
}

/* As made_everything, with so many calls and another end. */
static void make(const char *path, const char *kind, unsigned long calls, char **settings)
{
	struct made_log log;
	made_log_begin(&log, path);
	made_circumstances(&log);
	for (; *settings; settings++)
		if (strchr(*settings, '='))
			made_fact(&log, FACT_SETTING, *settings);
	made_kinds(&log);
	made_things(&log);
	made_calls(&log);
	made_work(&log);
	for (unsigned long i = 0; i < calls; i++)
		made_api(&log, MADE_HIP, (int)(i % 2), 1000 + i, MADE_START + 1000 + i * 10, MADE_START + 1008 + i * 10);
	if (!strcmp(kind, "short"))
		log.records += 5;
	if (!strcmp(kind, "noted"))
		made_text(&log, LOG_NOTE, 0, sizeof(struct log_frame), "SQ_WAVES is not counted: no GPU here has\033[2J such a counter");
	if (!strcmp(kind, "full"))
		made_lost(&log, 17, "the disk is full");
	if (strcmp(kind, "open"))
		made_end(&log, MADE_START + 1000000000, !strcmp(kind, "full") ? "the disk is full" : "");
	made_log_close(&log);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[2] : "whole";
	if (argc < 2)
		return 2;
	make(argv[1], kind, argc > 3 ? strtoul(argv[3], NULL, 10) : 0, argv + 2);
	spoil(argv[1], kind);
	return 0;
}
