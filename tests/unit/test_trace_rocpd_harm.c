/* SPDX-License-Identifier: MIT */
/* rocpd databases that are damaged, of another kind, or mean harm. */
#include <fcntl.h>
#include <unistd.h>
#include <unity.h>

#include "made_rocpd.h"
#include "rocp/trace/stats.h"

static char folder[] = "/tmp/roclatch-harm-XXXXXX";
static char path[64];
static struct trace trace;
static struct err err;

void setUp(void)
{
	err = (struct err){ .code = ERR_NONE };
	trace = (struct trace){ .pid = 0 };
	snprintf(path, sizeof path, "%s/results.db", folder);
}

void tearDown(void)
{
	trace_close(&trace);
	unlink(path);
}

static void refused(const char *with)
{
	TEST_ASSERT_EQUAL(-1, trace_open(&trace, path, &err));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, with), err.text);
}

static void test_other_databases_are_refused(void)
{
	sqlite3 *db = made_rocpd_begin(path);
	made_sql(db, "", "CREATE TABLE addresses (name TEXT)");
	sqlite3_close(db);
	refused("has no tables of rocpd");
	db = made_rocpd_begin(path);
	made_sql(db, MADE_SUFFIX, made_tables);
	made_sql(db, MADE_SUFFIX, made_rows);
	made_sql(db, MADE_SUFFIX, "ALTER TABLE rocpd_region@ RENAME COLUMN start TO began");
	sqlite3_close(db);
	refused("no such column");
	/* a view in place of a table, which would never end */
	db = made_rocpd_begin(path);
	made_sql(db, "", made_tables);
	made_sql(db, "", made_rows);
	made_sql(db, "", "DROP TABLE rocpd_string; CREATE VIEW rocpd_string AS WITH RECURSIVE r(id, string) AS "
		"(SELECT 1, 'a' UNION ALL SELECT id + 1, 'a' FROM r) SELECT * FROM r");
	sqlite3_close(db);
	refused("has no tables of rocpd");
}

static void test_another_schema_is_refused(void)
{
	made_rocpd_changed(path, "UPDATE rocpd_metadata@ SET value = '4' WHERE tag = 'schema_version'; ALTER TABLE rocpd_region@ RENAME COLUMN start TO began");
	refused("has version 4 of rocpd's schema");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "newer roclatch"));
}

/* Columns that are computed could give any amount of text. */
static void test_tables_with_computed_columns_are_not_read(void)
{
	made_rocpd_changed(path, "DROP VIEW rocpd_string; DROP TABLE rocpd_string@; CREATE TABLE rocpd_string@ (id INTEGER PRIMARY KEY, guid TEXT,"
		     " string TEXT AS (hex(zeroblob(8000000)) || id)); INSERT INTO rocpd_string@ (id) VALUES (1), (2), (3)");
	refused("has no tables of rocpd");
	made_rocpd_changed(path, "ALTER TABLE rocpd_memory_copy@ ADD COLUMN more AS (size + 1) VIRTUAL");
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	TEST_ASSERT_EQUAL_UINT64(0, trace.events[DOMAIN_COPY]);
	TEST_ASSERT_EQUAL(1, trace.notes);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(trace.note[0], "computed columns"), trace.note[0]);
}

/* Numbers of 8 bytes become texts of 19, as if rows had their texts from elsewhere. */
static void test_texts_are_not_larger_than_the_file(void)
{
	made_rocpd_changed(path, "DROP TABLE rocpd_info_pmc@; CREATE TABLE rocpd_info_pmc@ (id INTEGER PRIMARY KEY, agent_id INTEGER,"
		" is_constant INTEGER, is_derived INTEGER, name INTEGER, description INTEGER, block INTEGER, expression INTEGER);"
		"WITH RECURSIVE n(i) AS (SELECT 9000000000000000000 UNION ALL SELECT i + 4 FROM n LIMIT 60000) INSERT INTO rocpd_info_pmc@"
		" (name, description, block, expression) SELECT i, i + 1, i + 2, i + 3 FROM n");
	refused("more text than the file has room for");
}

static void test_a_write_ahead_log_is_told(void)
{
	made_rocpd(path);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	TEST_ASSERT_EQUAL(2, pwrite(fd, "\2\2", 2, 18));
	close(fd);
	refused("write-ahead log");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "journal_mode"));
}

static int number(void *ctx, const struct event *event, struct err *why)
{
	(void)why;
	*(uint64_t *)ctx += strlen(event->operation_name) + strlen(stats_name(event));
	return 0;
}

/* Cut off and damaged: an error or what can be read, never more. */
static void test_damaged_databases(void)
{
	static unsigned char whole[1 << 20];
	made_rocpd(path);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	ssize_t size = read(fd, whole, sizeof whole);
	TEST_ASSERT_TRUE(size > 0 && size < (ssize_t)sizeof whole);
	unsigned random = 1;
	for (int i = 0; i < 200; i++) {
		uint64_t sum = 0;
		for (int k = 0; k < 8; k++) {
			random = random * 1103515245u + 12345u;
			size_t at = 100 + (random >> 4) % ((size_t)size - 100);
			whole[at] ^= (unsigned char)(1u << (random >> 29));
		}
		if (i % 20 == 0) {      /* and anew */
			made_rocpd(path);
			close(fd);
			fd = open(path, O_RDWR | O_CLOEXEC);
			TEST_ASSERT_EQUAL(size, pread(fd, whole, sizeof whole, 0));
		}
		TEST_ASSERT_EQUAL(size, pwrite(fd, whole, (size_t)size, 0));
		TEST_ASSERT_EQUAL(0, ftruncate(fd, i % 3 ? size : size / 4096 / 2 * 4096));
		err = (struct err){ .code = ERR_NONE };
		if (trace_open(&trace, path, &err) == 0)
			trace_each(&trace, DOMAINS_ALL, number, &sum, &err);
		else
			TEST_ASSERT_TRUE(*err.text);
		trace_close(&trace);
	}
	close(fd);
}

static void test_nothing_is_written(void)
{
	made_rocpd(path);
	char journal[80];
	snprintf(journal, sizeof journal, "%s-journal", path);
	int fd = open(journal, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	TEST_ASSERT_EQUAL(8, write(fd, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8));
	close(fd);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	uint64_t sum = 0;
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_each(&trace, DOMAINS_ALL, number, &sum, &err), err.text);
	TEST_ASSERT_EQUAL(0, access(journal, F_OK));
	unlink(journal);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	UNITY_BEGIN();
	RUN_TEST(test_other_databases_are_refused);
	RUN_TEST(test_another_schema_is_refused);
	RUN_TEST(test_tables_with_computed_columns_are_not_read);
	RUN_TEST(test_texts_are_not_larger_than_the_file);
	RUN_TEST(test_a_write_ahead_log_is_told);
	RUN_TEST(test_damaged_databases);
	RUN_TEST(test_nothing_is_written);
	int failed = UNITY_END();
	rmdir(folder);
	return failed;
}
