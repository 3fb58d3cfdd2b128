/* SPDX-License-Identifier: MIT */
/* Texts with addresses, and debug files of tests/names. */
#include "rocp/formats/symbolize.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "named_files.h"

#define WINDOW (256u << 10)     /* as it is read */

static struct err err;
static const char *folders[3];
static struct symbolizer symbolizer;
static char made[64], *result;
static size_t result_size;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	memset(folders, 0, sizeof folders);
	symbolizer = (struct symbolizer){ .folders = folders };
	folders[0] = named_path("debug");
	result = NULL;
	made[0] = '\0';
}

void tearDown(void)
{
	char command[96];
	symbolizer_free(&symbolizer);
	free(result);
	snprintf(command, sizeof command, "rm -rf %s", made);
	TEST_ASSERT_TRUE(!made[0] || system(command) == 0);
}

static int in_memory(const void *bytes, size_t size)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	TEST_ASSERT_TRUE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

/* What becomes of a text that was read from such a file, in `result`. */
static int rewrite(const char *path, const char *text, size_t size)
{
	struct file to;
	struct stat st;
	int from = in_memory(text, size), into = in_memory("", 0);
	TEST_ASSERT_EQUAL(0, file_borrow(&to, into, "result", &err));
	int rc = symbolize(&symbolizer, from, path, &to, &err);
	struct err why = { 0 };
	TEST_ASSERT_EQUAL_MESSAGE(0, file_finish(&to, &why), why.text);
	TEST_ASSERT_EQUAL(0, fstat(into, &st));
	result_size = (size_t)st.st_size;
	free(result);
	result = calloc(1, result_size + 1);
	TEST_ASSERT_EQUAL((ssize_t)result_size, pread(into, result, result_size, 0));
	close(from);
	close(into);
	return rc;
}

static void becomes(const char *path, const char *text, const char *wanted)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, rewrite(path, text, strlen(text)), err.text);
	TEST_ASSERT_EQUAL_STRING(wanted, result);
}

/* "libnamed.so+0x...[5eed...]"; four may be in use. */
static const char *token(const char *symbol)
{
	static char text[4][160];
	static unsigned turn;
	char *here = text[turn++ % 4];
	snprintf(here, sizeof text[0], "libnamed.so+0x%llx[" NAMED_ID "]", (unsigned long long)named_address(symbol) + 1);
	return here;
}

static const char *print(const char *before, const char *a, const char *between, const char *b, const char *behind)
{
	static char text[1000];
	snprintf(text, sizeof text, "%s%s%s%s%s", before, a, between, b, behind);
	return text;
}

static void folded_lines(void)
{
	becomes("x.folded", print("python3;main;", token("named_hidden"), ";", token("_ZN5named5innerEi"), " 12\n"),
		"python3;main;named_hidden;named::inner(int) 12\n");
	becomes("-", print("main;", token("named;odd<T>"), ";", token("named_global"), " 1\n"),
		"main;named:odd<T>;named_global 1\n");
	TEST_ASSERT_EQUAL_UINT64(4, symbolizer.named);
	TEST_ASSERT_EQUAL_UINT64(0, symbolizer.unnamed);
	TEST_ASSERT_EQUAL(1, symbolizer.builds);
	TEST_ASSERT_EQUAL_STRING(named_path(NAMED_DEBUG), symbolizer.build[0].file);
}

static void strings_of_json_and_html(void)
{
	becomes("x.json", print("[\"", token("named;odd<T>"), "\",\"", token("named_hidden"), "\"]"),
		"[\"named;odd\\u003cT\\u003e\",\"named_hidden\"]");
	becomes("-", print("<!doctype html><script>x=\"", token("named;odd<T>"), "\"", "", "</script>"),
		"<!doctype html><script>x=\"named;odd\\u003cT\\u003e\"</script>");
}

static void what_a_file_is(void)
{
	TEST_ASSERT_TRUE(symbolize_is_escaped("-", " \n{\"a\":1}", 9));
	TEST_ASSERT_TRUE(symbolize_is_escaped("-", "\xef\xbb\xbf[ {", 6));
	TEST_ASSERT_TRUE(symbolize_is_escaped("x.speedscope.JSON", "", 0));
	TEST_ASSERT_TRUE(symbolize_is_escaped("x.html", "a;b", 3));
	TEST_ASSERT_FALSE(symbolize_is_escaped("x.folded", "{a;b", 4));
	TEST_ASSERT_FALSE(symbolize_is_escaped("-", "[vdso]+0x1;b", 12));
	TEST_ASSERT_FALSE(symbolize_is_escaped("-", "main;b 1", 8));
	TEST_ASSERT_FALSE(symbolize_is_escaped("-", "", 0));
	TEST_ASSERT_FALSE(symbolize_is_escaped("-", "[", 1));
}

static void the_whole_token_goes_and_nothing_else(void)
{
	becomes("t.txt", print("#1 ", token("named_hidden"), " (", token("named_hidden"), ")\n"), "#1 named_hidden (named_hidden)\n");
	char escaped[200];
	snprintf(escaped, sizeof escaped, "\"x\\\\x20\\\\x3b%s\"", token("named_hidden"));
	becomes("t.json", escaped, "\"named_hidden\"");
	snprintf(escaped, sizeof escaped, "a;[vdso]%s;b", strchr(token("named_hidden"), '+'));
	becomes("t.folded", escaped, "a;named_hidden;b");
	snprintf(escaped, sizeof escaped, "a;%s;b", strchr(token("named_hidden"), '+'));
	becomes("t.folded", escaped, escaped);
}

static void what_is_no_token_stays(void)
{
	static const char *const texts[] = {
		"", "+", "+0x", "a+0x", "a+0x[", "a+0x1", "a+0x1[", "a+0x1[]", "a+0x1[ab]", "a+0x1[abc]", "a+0x1[abcx]",
		"a+0x12345678901234567[abcd]", "a+0x1 [abcd]", "a+0X1[abcd]", "a+0x1[abcd", "main+0x1c", "++0x++0x1[", "\n\n",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		becomes("t.txt", texts[i], texts[i]);
	TEST_ASSERT_EQUAL_UINT64(0, symbolizer.named + symbolizer.unnamed);
}

static void what_cannot_be_named_stays_and_is_counted(void)
{
	becomes("t.txt", "libx.so+0x10[abcd12] libnamed.so+0xffffff[" NAMED_ID "] libx.so+0x20[abcd12]",
		"libx.so+0x10[abcd12] libnamed.so+0xffffff[" NAMED_ID "] libx.so+0x20[abcd12]");
	TEST_ASSERT_EQUAL_UINT64(3, symbolizer.unnamed);
	TEST_ASSERT_EQUAL(2, symbolizer.builds);
	TEST_ASSERT_NULL(symbolizer.build[0].file);
	TEST_ASSERT_EQUAL_UINT64(2, symbolizer.build[0].unnamed);
	TEST_ASSERT_NOT_NULL(symbolizer.build[1].file);
}

/* The text is read in windows: a token may lie across the end of one. */
static void a_token_at_any_place_of_a_long_text(void)
{
	static char text[WINDOW + 4096], wanted[WINDOW + 4096];
	const char *one = token("named_hidden");
	size_t length = strlen(one);
	for (size_t at = WINDOW - 2600; at < WINDOW + 200; at += at > WINDOW - 200 ? 1 : 37) {
		size_t end = sizeof text - 100;
		memset(text, ';', end);
		memset(text, 'x', 1000);
		memcpy(text + at, one, length);
		memset(wanted, ';', end);
		memset(wanted, 'x', 1000);
		memcpy(wanted + at, "named_hidden", 12);
		TEST_ASSERT_EQUAL_MESSAGE(0, rewrite("x.folded", text, end), err.text);
		TEST_ASSERT_EQUAL(end - length + 12, result_size);
		TEST_ASSERT_EQUAL(0, memcmp(wanted, result, result_size));
	}
}

static void a_name_without_end_is_no_trouble(void)
{
	static char text[3 * WINDOW];
	memset(text, 'x', sizeof text);
	memcpy(text + sizeof text - 200, strchr(token("named_hidden"), '+'), strlen(strchr(token("named_hidden"), '+')));
	TEST_ASSERT_EQUAL(0, rewrite("x.folded", text, sizeof text));
	TEST_ASSERT_EQUAL_UINT64(1, symbolizer.named);
	memset(text, '+', sizeof text);
	TEST_ASSERT_EQUAL(0, rewrite("x.folded", text, sizeof text));
	TEST_ASSERT_EQUAL(sizeof text, result_size);
}

static void what_is_no_text_is_refused(void)
{
	TEST_ASSERT_EQUAL(-1, rewrite("x.pftrace", "a\0b", 3));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_EQUAL_STRING("x.pftrace is not a text (a NUL at byte 1)", err.text);
	TEST_ASSERT_TRUE(err.remedy[0]);
}

static void copy_to_made(const char *from, const char *to)
{
	char command[2 * PATH_MAX];
	if (!made[0])
		TEST_ASSERT_NOT_NULL(mkdtemp(strcpy(made, "/tmp/symbolize-XXXXXX")));
	snprintf(command, sizeof command, "mkdir -p %s/a/b && cp %s %s/%s", made, named_path(from), made, to);
	TEST_ASSERT_EQUAL(0, system(command));
	folders[0] = made;
}

static void an_unstripped_library_that_lies_somewhere_below(void)
{
	copy_to_made(NAMED_WHOLE, "a/b/any-name");
	copy_to_made(NAMED_MINI, "another");
	becomes("x.folded", token("named_hidden"), "named_hidden");
	TEST_ASSERT_NOT_NULL(strstr(symbolizer.build[0].file, "/a/b/any-name"));
	TEST_ASSERT_FALSE(symbolizer.scanned.cut);
	TEST_ASSERT_EQUAL(2, symbolizer.scanned.n);
	TEST_ASSERT_EQUAL(4, symbolizer.scanned.looked);
}

static void a_stripped_library_does_not_hide_the_debug_file(void)
{
	copy_to_made(NAMED_STRIPPED, "libnamed.so");
	copy_to_made(NAMED_DEBUG, "z.debug");
	becomes("x.folded", token("named_hidden"), "named_hidden");
}

static void a_folder_with_too_many_files_is_not_searched_to_its_end(void)
{
	char path[PATH_MAX];
	copy_to_made(NAMED_MINI, "first");
	for (int i = 0; i < DEBUG_FOLDER_MOST; i++) {
		snprintf(path, sizeof path, "%s/a/b/%d", made, i);
		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
	becomes("x.folded", token("named_hidden"), token("named_hidden"));
	TEST_ASSERT_TRUE(symbolizer.scanned.cut);
	TEST_ASSERT_EQUAL(DEBUG_FOLDER_MOST, symbolizer.scanned.looked);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(folded_lines);
	RUN_TEST(strings_of_json_and_html);
	RUN_TEST(what_a_file_is);
	RUN_TEST(the_whole_token_goes_and_nothing_else);
	RUN_TEST(what_is_no_token_stays);
	RUN_TEST(what_cannot_be_named_stays_and_is_counted);
	RUN_TEST(a_token_at_any_place_of_a_long_text);
	RUN_TEST(a_name_without_end_is_no_trouble);
	RUN_TEST(what_is_no_text_is_refused);
	RUN_TEST(an_unstripped_library_that_lies_somewhere_below);
	RUN_TEST(a_stripped_library_does_not_hide_the_debug_file);
	RUN_TEST(a_folder_with_too_many_files_is_not_searched_to_its_end);
	return UNITY_END();
}
