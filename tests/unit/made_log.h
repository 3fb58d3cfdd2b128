/* SPDX-License-Identifier: MIT */
/*
 * Logs as the tool library writes them, made without it: record by record, or
 * one with everything in it (made_log_everything).  Ends the program when the
 * file cannot be written.
 */
#ifndef ROCLATCH_TESTS_MADE_LOG_H
#define ROCLATCH_TESTS_MADE_LOG_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocp/log.h"

struct made_log {
	int fd;
	size_t block;                   /* a block is written when it has this many bytes */
	uint64_t number, records, lost, bytes /* of the file */;
	size_t used;
	unsigned char *payload;
};

enum { MADE_HSA = 1, MADE_HIP = 5, MADE_COPY = 10, MADE_KERNEL = 11, MADE_SCRATCH = 12, MADE_RCCL = 14, MADE_OMPT = 15,
	MADE_ALLOCATION = 16, MADE_ROCDECODE = 18, MADE_ROCJPEG = 19, MADE_MARKER = 32, MADE_ROCSHMEM = 34, MADE_HIPFILE = 36 };

#define MADE_START 1000000000000u       /* when the recording begins */
#define MADE_REALTIME 1700000000000000000u
#define MADE_PID 4711u

static inline void made_write(struct made_log *log, const void *data, size_t size)
{
	const char *at = data;
	while (size) {
		ssize_t n = write(log->fd, at, size);
		if (n <= 0)
			abort();
		at += n;
		size -= (size_t)n;
		log->bytes += (uint64_t)n;
	}
}

static inline void made_log_begin(struct made_log *log, const char *path)
{
	struct log_head head = {
		.magic = LOG_MAGIC, .version = LOG_VERSION, .size = sizeof head, .id = { 0x1122334455667788u, 0x99aabbccddeeff00u },
		.start = MADE_START, .start_realtime = MADE_REALTIME, .pid = MADE_PID, .ppid = 4710, .sdk = 10300,
	};
	memcpy(head.magic, LOG_MAGIC, 8);
	head.check = log_check(&head, sizeof head);
	*log = (struct made_log){ .block = 4096, .payload = malloc(LOG_BLOCK_MOST) };
	log->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (log->fd < 0 || !log->payload)
		abort();
	made_write(log, &head, sizeof head);
}

static inline void made_log_flush(struct made_log *log)
{
	struct log_block block = {
		.magic = LOG_BLOCK_MAGIC, .size = (uint32_t)log->used, .number = log->number++, .time = MADE_START + log->number,
		.check = log_check(log->payload, log->used),
	};
	made_write(log, &block, sizeof block);
	made_write(log, log->payload, log->used);
	log->used = 0;
}

static inline void made_log_close(struct made_log *log)
{
	if (log->used)
		made_log_flush(log);
	close(log->fd);
	free(log->payload);
}

/* Room for a record of this size, zeroed but for its frame. */
static inline void *made_record(struct made_log *log, unsigned type, unsigned part, size_t size)
{
	size = (size + 7) & ~(size_t)7;
	if (size > LOG_RECORD_MOST)
		abort();
	if (log->used && log->used + size > log->block)
		made_log_flush(log);
	struct log_frame *frame = memset(log->payload + log->used, 0, size);
	*frame = (struct log_frame){ .size = (uint32_t)size, .type = (uint16_t)type, .part = (uint16_t)part };
	log->used += size;
	log->records += type >= LOG_API && type <= LOG_MARKER;
	return frame;
}

/* A record of a fixed part and texts behind it. */
static inline void *made_texts(struct made_log *log, unsigned type, unsigned part, size_t fixed, const char *const *text, size_t texts)
{
	size_t size = fixed;
	for (size_t i = 0; i < texts; i++)
		size += strlen(text[i]) + 1;
	char *record = made_record(log, type, part, size), *at = record + fixed;
	for (size_t i = 0; i < texts; i++)
		at = stpcpy(at, text[i]) + 1;
	return record;
}

static inline void *made_text(struct made_log *log, unsigned type, unsigned part, size_t fixed, const char *text)
{
	return made_texts(log, type, part, fixed, &text, 1);
}

static inline void made_fact(struct made_log *log, enum log_fact fact, const char *text)
{
	made_text(log, LOG_FACT, fact, sizeof(struct log_frame), text);
}

/* A name of an operation, of a kind (operation -1). */
static inline void made_name(struct made_log *log, int32_t kind, int32_t operation, const char *text)
{
	struct log_name *name = made_text(log, LOG_NAME, 0, sizeof *name, text);
	name->kind = kind;
	name->operation = operation;
}

static inline void made_numbered_text(struct made_log *log, uint64_t number, const char *text)
{
	struct log_text *record = made_text(log, LOG_TEXT, 0, sizeof *record, text);
	record->number = number;
}

static inline void made_put(unsigned char *bytes, size_t at, uint64_t value, size_t size)
{
	memcpy(bytes + at, &value, size);
}

/* A CPU (gfx 0) or a GPU; node is also its logical node. */
static inline void made_agent(struct made_log *log, uint64_t id, uint32_t node, uint32_t type_node, uint32_t gfx, const char *name, const char *product)
{
	const char *const text[] = { name, gfx ? "AMD" : "CPU", product, gfx ? "aqua" : "" };
	struct log_agent *record = made_texts(log, LOG_AGENT, 0, sizeof *record, text, 4);
	unsigned char *bytes = record->agent;
	made_put(bytes, 0, 304, 8);
	made_put(bytes, 8, id, 8);
	made_put(bytes, 16, gfx ? 2 : 1, 4);
	made_put(bytes, 20, gfx ? 0 : 64, 4);           /* cpu_cores_count */
	made_put(bytes, 24, gfx ? 416 : 0, 4);          /* simd_count */
	made_put(bytes, 28, 1, 4);                      /* mem_banks_count */
	for (size_t at = 40; at < 176; at += 4)         /* each its own */
		made_put(bytes, at, gfx ? at : 0, 4);
	made_put(bytes, 64, gfx ? 64 : 0, 4);           /* wave_front_size */
	made_put(bytes, 72, gfx ? 104 : 0, 4);          /* cu_count */
	made_put(bytes, 92, gfx ? 4 : 0, 4);            /* simd_per_cu */
	made_put(bytes, 100, gfx, 4);                   /* gfx_target_version */
	made_put(bytes, 104, gfx ? 0x1002 : 0, 2);
	made_put(bytes, 106, gfx ? 0x740c : 0, 2);
	made_put(bytes, 192, gfx ? 51000 + node : 0, 8);
	for (size_t i = 0; gfx && i < 3; i++) {
		made_put(bytes, 200 + 4 * i, 1024, 4);
		made_put(bytes, 212 + 4 * i, 2147483647, 4);
	}
	made_put(bytes, 280, node, 4);
	made_put(bytes, 284, node, 4);
	made_put(bytes, 288, type_node, 4);
	made_put(bytes, 292, 31, 4);
}

static inline void made_code_object(struct made_log *log, uint64_t id, uint64_t agent, const char *uri)
{
	struct log_code_object *record = made_text(log, LOG_CODE_OBJECT, 0, sizeof *record, uri);
	record->id = id;
	record->agent = agent;
	record->load_base = 0x7f0000000000u + id * 0x100000;
	record->load_size = 0x10000;
	record->load_delta = (int64_t)record->load_base;
	record->storage = 2;
	record->memory_base = 0x5600000000u;
	record->memory_size = 0x8000;
}

static inline void made_kernel(struct made_log *log, uint64_t id, uint64_t code_object, const char *name)
{
	struct log_kernel *record = made_text(log, LOG_KERNEL, 0, sizeof *record, name);
	record->id = id;
	record->code_object = code_object;
	record->object = 0x7f1000000000u + id * 64;
	record->kernarg_size = 280;
	record->kernarg_alignment = 8;
	record->group_segment = 1000;
	record->private_segment = 16;
	record->sgprs = 32;
	record->arch_vgprs = 24;
	record->accum_vgprs = 4;
	record->entry_offset = 0x1000;
	record->address = 0x7f0000001000u;
}

static inline void made_counter(struct made_log *log, uint64_t id, uint64_t agent, const char *name, const char *expression)
{
	const char *const text[] = { name, "counts what it counts", *expression ? "" : "SQ", expression };
	struct log_counter *record = made_texts(log, LOG_COUNTER, 0, sizeof *record, text, 4);
	record->id = id;
	record->agent = agent;
	record->is_derived = *expression != '\0';
}

static inline void made_thread(struct made_log *log, uint64_t tid, const char *name)
{
	struct log_thread *record = made_text(log, LOG_THREAD, 0, sizeof *record, name);
	record->tid = tid;
}

static inline void made_stream(struct made_log *log, uint64_t id, uint64_t value)
{
	struct log_stream *record = made_record(log, LOG_STREAM, 0, sizeof *record);
	record->id = id;
	record->value = value;
}

static inline void made_note(struct made_log *log, const char *text)
{
	made_text(log, LOG_NOTE, 0, sizeof(struct log_frame), text);
}

/* Times of events count from the beginning of the recording. */
static inline struct log_api *made_api(struct made_log *log, int32_t kind, int32_t operation, uint64_t correlation, uint64_t start, uint64_t end)
{
	struct log_api *record = made_record(log, LOG_API, 0, sizeof *record);
	record->kind = kind;
	record->operation = operation;
	record->correlation = correlation;
	record->start = MADE_START + start;
	record->end = MADE_START + end;
	record->thread = MADE_PID;
	return record;
}

static inline void made_marker(struct made_log *log, uint64_t correlation, uint64_t text)
{
	struct log_marker *record = made_record(log, LOG_MARKER, 0, sizeof *record);
	record->correlation = correlation;
	record->text = text;
}

static inline struct log_dispatch_info made_info(uint64_t agent, uint64_t kernel, uint64_t dispatch)
{
	return (struct log_dispatch_info){
		.size = 72, .agent = agent, .queue = 1, .kernel = kernel, .dispatch = dispatch, .private_segment = 16,
		.group_segment = 1024, .workgroup = { 256, 1, 1 }, .grid = { 1024, 2, 1 },
	};
}

static inline struct log_dispatch *made_dispatch_of(struct made_log *log, size_t size, uint64_t agent, uint64_t kernel, uint64_t dispatch, uint64_t correlation, uint64_t start, uint64_t end)
{
	struct log_dispatch *record = made_record(log, LOG_DISPATCH, 0, size);
	record->kind = MADE_KERNEL;
	record->operation = 2;
	record->correlation = correlation;
	record->external = LOG_EXTERNAL(1, 0);
	record->thread = MADE_PID;
	record->start = MADE_START + start;
	record->end = MADE_START + end;
	record->info = made_info(agent, kernel, dispatch);
	return record;
}

static inline struct log_dispatch *made_dispatch(struct made_log *log, uint64_t agent, uint64_t kernel, uint64_t dispatch, uint64_t correlation, uint64_t start, uint64_t end)
{
	return made_dispatch_of(log, sizeof(struct log_dispatch), agent, kernel, dispatch, correlation, start, end);
}

static inline struct log_copy *made_copy(struct made_log *log, int32_t operation, uint64_t to, uint64_t from, uint64_t bytes, uint64_t correlation, uint64_t start, uint64_t end)
{
	struct log_copy *record = made_record(log, LOG_COPY, 0, sizeof *record);
	record->kind = MADE_COPY;
	record->operation = operation;
	record->correlation = correlation;
	record->external = LOG_EXTERNAL(2, 0);
	record->thread = MADE_PID;
	record->start = MADE_START + start;
	record->end = MADE_START + end;
	record->to_agent = to;
	record->from_agent = from;
	record->bytes = bytes;
	record->to_address = 0x7f2000000000u;
	record->from_address = 0x7f3000000000u;
	return record;
}

static inline struct log_allocation *made_allocation(struct made_log *log, int32_t operation, uint64_t agent, uint64_t bytes, uint64_t correlation, uint64_t start, uint64_t end)
{
	struct log_allocation *record = made_record(log, LOG_ALLOCATION, 0, sizeof *record);
	record->kind = MADE_ALLOCATION;
	record->operation = operation;
	record->correlation = correlation;
	record->thread = MADE_PID;
	record->start = MADE_START + start;
	record->end = MADE_START + end;
	record->agent = agent;
	record->address = 0x7f2000000000u;
	record->bytes = bytes;
	return record;
}

/* Of an SDK that tells the bytes, or of an older one (bytes 0). */
static inline struct log_scratch *made_scratch(struct made_log *log, int32_t operation, uint64_t agent, uint64_t bytes, uint64_t start, uint64_t end)
{
	struct log_scratch *record = made_record(log, LOG_SCRATCH, 0, bytes ? sizeof *record : offsetof(struct log_scratch, bytes));
	record->kind = MADE_SCRATCH;
	record->operation = operation;
	record->agent = agent;
	record->queue = 1;
	record->thread = MADE_PID;
	record->start = MADE_START + start;
	record->end = MADE_START + end;
	record->flags = 1;
	if (bytes)
		record->bytes = bytes;
	return record;
}

static inline struct log_counters *made_counters(struct made_log *log, uint64_t agent, uint64_t kernel, uint64_t dispatch, uint64_t correlation, uint64_t start, uint64_t end, const struct log_value *value, size_t values)
{
	struct log_counters *record = made_record(log, LOG_COUNTERS, 0, sizeof *record + values * sizeof *value);
	record->correlation = correlation;
	record->external = LOG_EXTERNAL(1, 0);
	record->thread = MADE_PID;
	record->start = MADE_START + start;
	record->end = MADE_START + end;
	record->info = made_info(agent, kernel, dispatch);
	memcpy((char *)record + sizeof *record, value, values * sizeof *value);
	return record;
}

static inline void made_lost(struct made_log *log, uint64_t records, const char *why)
{
	struct log_lost *record = made_text(log, LOG_LOST, 0, sizeof *record, why);
	record->records = records;
	log->lost += records;
}

static inline void made_end(struct made_log *log, uint64_t time, const char *why)
{
	struct log_end *record = made_text(log, LOG_END, 0, sizeof *record, why);
	record->time = MADE_START + time;
	record->records = log->records;
	record->lost = log->lost;
}

#endif
