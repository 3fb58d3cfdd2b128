/* SPDX-License-Identifier: MIT */
/* -i: a job of an input file says what options say. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/input.h"
#include "rocp/options.h"

/* Lines of "pmc: A B  # why" as the jobs of a tree. */
struct node *input_lines(void **arena, const char *text, size_t size, struct err *err)
{
	struct input input = { .arena = arena, .at = text, .end = text + size, .line = 1 };
	struct node *root = node_new(&input, NODE_MAP, err), *jobs = node_new(&input, NODE_LIST, err);
	if (!root || !jobs)
		return NULL;
	jobs->key = "jobs";
	root->child = root->last = jobs;
	for (; input.at < input.end; input.line++) {
		size_t length = strcspn(input.at, "\n"), said = strcspn(input.at, "#\n");
		const char *stop = input.at + said, *pmc = memmem(input.at, said, "pmc:", 4);
		input.at += length + (input.at[length] == '\n');
		if (!pmc)
			continue;
		struct node *job = node_new(&input, NODE_MAP, err), *list = node_new(&input, NODE_LIST, err);
		if (!job || !list)
			return NULL;
		list->key = "pmc";
		job->child = job->last = list;
		for (const char *at = pmc + 4; at < stop;) {
			size_t word = strcspn(at, " \t\r\n#");
			struct node *name = word ? input_word(&input, at, word, err) : NULL;
			if (word && (!name || node_add(&input, list, name, err) < 0))
				return NULL;
			at += word ? word : 1;
		}
		if (!list->child) {
			input_wrong(&input, err, "'pmc:' names no counter");
			return NULL;
		}
		if (node_add(&input, jobs, job, err) < 0)
			return NULL;
	}
	return root;
}

static char *read_file(void **arena, const char *path, size_t *size, struct err *err)
{
	struct stat stat;
	char *text = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		err_set(err, ERR_USAGE, errno, "cannot be read");
		return NULL;
	}
	if (fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode) || stat.st_size > INPUT_MOST)
		err_set(err, ERR_USAGE, 0, "not a file of at most %d bytes", INPUT_MOST);
	else
		text = arena_take(arena, (size_t)stat.st_size + 1, err);
	ssize_t got = text ? read(fd, text, (size_t)stat.st_size) : 0;
	close(fd);
	if (!text)
		return NULL;
	if (got < 0) {
		err_set(err, ERR_USAGE, errno, "cannot be read");
		return NULL;
	}
	if (strlen(text) != (size_t)got) {
		err_set(err, ERR_USAGE, 0, "this is no text");
		return NULL;
	}
	*size = (size_t)got;
	return text;
}

static int at_line(const struct node *node, struct err *err)
{
	return err_wrap(err, "line %u", node->line);
}

static int list_words(struct reading *reading, const struct node *node, struct words *words, struct err *err)
{
	if (node->kind == NODE_TEXT)
		return words_add(&reading->request->owned, words, node->text, err);
	for (const struct node *child = node->child; child; child = child->next) {
		if (child->kind != NODE_TEXT)
			return err_set(err, ERR_USAGE, 0, "line %u: '%s' takes a list of words", child->line, node->key ? node->key : "pmc_groups");
		if (words_add(&reading->request->owned, words, child->text, err) < 0)
			return -1;
	}
	return 0;
}

static int read_groups(struct reading *reading, const struct node *node, struct err *err)
{
	struct said *said = &reading->said;
	size_t n = 0;
	for (const struct node *child = node->child; child; child = child->next)
		n++;
	if (node->kind != NODE_LIST || !n)
		return err_set(err, ERR_USAGE, 0, "line %u: pmc_groups takes a list of lists", node->line);
	said->file_groups = arena_take(&reading->request->owned, n * sizeof *said->file_groups, err);
	for (const struct node *child = node->child; said->file_groups && child; child = child->next) {
		if (child->kind != NODE_LIST || !child->child)
			return err_set(err, ERR_USAGE, 0, "line %u: each of pmc_groups is a list of counters", child->line);
		if (list_words(reading, child, &said->file_groups[said->file_group_count++], err) < 0)
			return -1;
	}
	return said->file_groups ? 0 : -1;
}

/* The same option on the command line must say the same. */
static int check_conflict(struct reading *reading, enum option_id id, const struct option_value *before,
			  const struct option_value *now, struct err *err)
{
	int takes = request_options[id].takes;
	bool same = takes == TAKES_BOOL || takes == TAKES_FLAG ? before->truth == now->truth :
		takes == TAKES_NUMBER || takes == TAKES_AUTO || id == OPT_DURATION ? before->number == now->number :
		before->truth == now->truth && words_equal(&before->words, &now->words);
	if (id == OPT_PID)
		same = reading->said.pids.n == 1;
	if (same)
		return 0;
	err_set(err, ERR_USAGE, 0, "--%s was given on the command line with another value", request_options[id].name);
	return err_remedy(err, "say it in one place only");
}

static int read_option(struct reading *reading, enum option_id id, const struct node *node, struct err *err)
{
	struct said *said = &reading->said;
	struct words words = { .n = 0 };
	struct option_value before = said->v[id];
	int takes = request_options[id].takes;
	if (node->kind == NODE_MAP || (node->kind == NODE_LIST && takes != TAKES_LIST && takes != TAKES_LIST0))
		return err_set(err, ERR_USAGE, 0, "line %u: '%s' takes one value", node->line, node->key);
	if (list_words(reading, node, &words, err) < 0)
		return -1;
	if (!words.n && takes == TAKES_LIST)
		return err_set(err, ERR_USAGE, 0, "line %u: '%s' needs a value", node->line, node->key);
	/* A flag has no word on the command line; here it has. */
	if (takes == TAKES_FLAG) {
		bool truth;
		if (!words.n || bool_word(words.v[0], &truth) < 0)
			return err_set(err, ERR_USAGE, 0, "line %u: '%s' takes true or false", node->line, node->key);
		if (!truth)
			return 0;
	}
	if (id == OPT_PMC && said->group_count) {
		err_set(err, ERR_USAGE, 0, "line %u: several counter passes (--pmc and pmc of the input file) are not compatible with attach mode",
			node->line);
		return err_remedy(err, "give the counters in one place");
	}
	if (options_store(reading, said, id, node->key, &words, err) < 0 ||
	    (before.given && check_conflict(reading, id, &before, &said->v[id], err) < 0))
		return at_line(node, err);
	said->v[id].from_file = true;
	return 0;
}

static enum option_id option_of(const char *key, char name[64])
{
	snprintf(name, 64, "%s", key);
	for (char *at = name; *at; at++)
		if (*at == '_')
			*at = '-';
	return strchr(key, '-') ? OPT_COUNT : options_by_name(STYLE_ROCPROFV3, name, strlen(name));
}

static int read_key(struct reading *reading, const struct node *node, struct err *err)
{
	char name[64];
	if (node->kind == NODE_NULL)
		return 0;
	if (!strcmp(node->key, "pmc_groups"))
		return read_groups(reading, node, err);
	if (!strcmp(node->key, "pmc_group_interval")) {
		if (node->kind == NODE_TEXT && number_word(node->text, false, &reading->said.group_interval))
			return 0;
		return err_set(err, ERR_USAGE, 0, "line %u: pmc_group_interval takes a number", node->line);
	}
	enum option_id id = option_of(node->key, name);
	if (id != OPT_COUNT && id != OPT_INPUT && id != OPT_HELP && id != OPT_VERSION)
		return read_option(reading, id, node, err);
	const char *meant = options_nearest_name(STYLE_ROCPROFV3, name);
	err_set(err, ERR_USAGE, 0, "line %u: there is no option '%.60s' for a job", node->line, node->key);
	if (meant && id == OPT_COUNT) {
		snprintf(name, sizeof name, "%s", meant);
		for (char *at = name; *at; at++)
			if (*at == '-')
				*at = '_';
		err_remedy(err, "did you mean %s?", name);
	}
	return -1;
}

static int read_jobs(struct reading *reading, const struct node *root, struct err *err)
{
	const struct node *jobs = root->kind == NODE_MAP ? root->child : NULL;
	while (jobs && strcmp(jobs->key, "jobs"))
		jobs = jobs->next;
	if (!jobs || jobs->kind != NODE_LIST)
		return err_set(err, ERR_USAGE, 0, "there is no list 'jobs'");
	const struct node *job = jobs->child;
	if (!job)
		return err_set(err, ERR_USAGE, 0, "there is no job in it");
	if (job->next) {
		err_set(err, ERR_USAGE, 0, "line %u: several jobs, that is several counter passes, are not compatible with attach mode",
			job->next->line);
		return err_remedy(err, "leave one job in the file, and attach again for the others");
	}
	if (job->kind != NODE_MAP)
		return err_set(err, ERR_USAGE, 0, "line %u: a job is a mapping of options", job->line);
	for (const struct node *node = job->child; node; node = node->next)
		if (read_key(reading, node, err) < 0)
			return -1;
	return 0;
}

int input_read(struct reading *reading, const char *path, struct err *err)
{
	void **arena = &reading->request->owned;
	const char *dot = strrchr(path, '.');
	size_t size = 0;
	bool json = dot && !strcmp(dot, ".json"), yaml = dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
	bool lines = dot && (!strcmp(dot, ".txt") || !strcmp(dot, ".text"));
	if (!json && !yaml && !lines) {
		err_set(err, ERR_USAGE, 0, "-i %s: what kind of file is this?", path);
		return err_remedy(err, "its name must end in .json, .yaml, .yml, .txt or .text");
	}
	char *text = read_file(arena, path, &size, err);
	struct node *root = !text ? NULL : json ? input_json(arena, text, size, err) :
		yaml ? input_yaml(arena, text, size, err) : input_lines(arena, text, size, err);
	reading->said.folder = lines ? "pmc_" : "pass_";
	if (!root || read_jobs(reading, root, err) < 0)
		return err_wrap(err, "-i %s", path);
	return lines ? request_warn(reading->request, err, "-i %s: text files are out of date, use json or yaml", path) : 0;
}
