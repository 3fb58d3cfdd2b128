/* SPDX-License-Identifier: MIT */
/*
 * A process that could be attached, as far as the pre-flight can see: a live
 * child with a second thread, a made view of the ROCm in it, made library files,
 * and answers of the loader and the file system that each test can change.
 */
#ifndef ROCLATCH_TESTS_MADE_VIEW_H
#define ROCLATCH_TESTS_MADE_VIEW_H

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#include "elf_builder.h"
#include "live_target.h"
#include "rocp/linked.h"
#include "rocp/preflight.h"
#include "rocp/tool_abi.h"

static char folder[32];
static struct rocm_view view;
static struct request request;
static struct preflight preflight;
static struct image reg, attach_library, sdk, tool, hsa, hip, other;
static char reg_path[80], attach_path[80], sdk_path[80], tool_path[80], other_path[64];

/* ---- what the parts below the pre-flight answer ---- */

static const char *not_loadable;        /* this library cannot be loaded */
static const char *by_name;             /* the loader finds this for a bare name */
static bool not_writable, other_services, other_own_services;
static char asked_folder[256];

int loadable_check_from(struct images *in, struct image *from, const char *name, struct loadable *found, struct err *why)
{
	TEST_ASSERT_EQUAL_PTR(&images, in);
	/* the SDK loads tools, the register the SDK; where the program looks does not count */
	TEST_ASSERT_EQUAL_PTR(view.sdk ? view.sdk : view.reg, from);
	const char *path = strchr(name, '/') ? name : by_name;
	if ((not_loadable && strstr(name, not_loadable)) || !path || access(path, F_OK) < 0) {
		err_set(why, ERR_NOT_POSSIBLE, 0, "%s cannot be loaded there", name);
		return err_remedy(why, "install what it needs");
	}
	*found = (struct loadable){ .loaded = false };
	snprintf(found->path, sizeof found->path, "%s", path);
	if (!realpath(path, found->path))
		TEST_FAIL();
	return 0;
}

static struct given asked_given;        /* of ours, to be brought */

int loadable_check_given(struct images *in, struct image *from, const struct given *given, struct err *why)
{
	TEST_ASSERT_EQUAL_PTR(&images, in);
	TEST_ASSERT_EQUAL_PTR(view.sdk ? view.sdk : view.reg, from);
	asked_given = *given;
	if (not_loadable && strstr(given->path, not_loadable)) {
		err_set(why, ERR_NOT_POSSIBLE, 0, "%s cannot be loaded there", given->path);
		return err_remedy(why, "install what it needs");
	}
	return 0;
}

static const char *reg_linked;          /* the register was loaded by this name */

bool linked_name(struct images *in, struct image *image, char *path, size_t size)
{
	TEST_ASSERT_EQUAL_PTR(&images, in);
	TEST_ASSERT_EQUAL_PTR(view.reg, image);
	return reg_linked && snprintf(path, size, "%s", reg_linked) > 0;
}

int writable_check(const struct target *of, const char *in, struct err *why)
{
	(void)of;
	snprintf(asked_folder, sizeof asked_folder, "%s", in);
	if (!not_writable)
		return 0;
	err_set(why, ERR_NOT_POSSIBLE, 0, "user 7 may not write to %s", in);
	return err_remedy(why, "name another folder with -d");
}

int request_same_services(const struct env *before, const struct env *now, struct err *why)
{
	TEST_ASSERT_EQUAL_PTR(&view.environment, before);
	TEST_ASSERT_EQUAL_PTR(&request.env, now);
	if (!other_services)
		return 0;
	err_set(why, ERR_NOT_POSSIBLE, 0, "ROCPROF_KERNEL_TRACE was 1 and would be 0");
	return err_remedy(why, "ask for the same again");
}

int request_same_for_own(const struct env *before, const struct env *now, struct err *why)
{
	(void)before, (void)now;
	if (!other_own_services)
		return 0;
	err_set(why, ERR_NOT_POSSIBLE, 0, "ROCPROF_KERNEL_RENAME was 1 and would be 0");
	return err_remedy(why, "ask for the same again");
}

/* Weak: the real ones serve as well, where they are. */
__attribute__((weak)) const char *env_get(const struct env *env, const char *name)
{
	for (size_t i = 0; i < env->n; i++)
		if (!strcmp(env->v[i].name, name))
			return env->v[i].value;
	return NULL;
}

__attribute__((weak)) void env_unset(struct env *env, const char *name)
{
	for (size_t i = 0; i < env->n; i++)
		if (!strcmp(env->v[i].name, name))
			env->v[i--] = env->v[--env->n];
}

__attribute__((weak)) int env_set(struct env *env, const char *name, const char *value, struct err *why)
{
	(void)why;
	env_unset(env, name);
	env->v = realloc(env->v, (env->n + 1) * sizeof *env->v);
	env->v[env->n++] = (struct env_var){ strdup(name), strdup(value) };
	return 0;
}

__attribute__((weak)) void env_free(struct env *env)
{
	free(env->v);
	*env = (struct env){ 0 };
}

static inline void set(const char *name, const char *value)
{
	TEST_ASSERT_EQUAL(0, env_set(&view.environment, name, value, &err));
}

/* ---- libraries ---- */

#define SYMBOLS_MAX 8

/* A library that exports these (NULL ends them); the image of it is the last one made. */
static inline struct built *library(const char *const *names)
{
	static struct built_symbol symbols[SYMBOLS_MAX];
	size_t n = 0;
	for (; names[n]; n++)
		symbols[n] = (struct built_symbol){ .name = names[n], .value = 0x100 + 16 * n, .size = 8 };
	return build((struct built_plan){ .hash = HASH_GNU, .base = 0x10000, .symbol = symbols, .symbols = n });
}

static inline void make_library(const char *path, const char *const *names)
{
	struct built *built = library(names);
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
	TEST_ASSERT_TRUE(fd >= 0 && write(fd, built->data, built->size) == (ssize_t)built->size);
	close(fd);
}

#define EXPORTS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define ATTACHABLE_TOOL EXPORTS("rocprofiler_configure", "rocprofiler_configure_attach")
#define LATE_TOOL EXPORTS("rocprofiler_configure", TOOL_STATE, TOOL_START, TOOL_STOP)
#define WHOLE_SDK EXPORTS("rocprofiler_set_api_table", "rocprofiler_attach", "rocprofiler_detach")

static inline void image_is(struct image *image, const char *path)
{
	*image = (struct image){ .path = path, .opened = true, .start = 0x10 };
}

static inline void image_exports_too(struct image *image, const char *const *names)
{
	TEST_ASSERT_EQUAL(0, built_open(library(names), &image->elf, &err));
}

static inline void make_folder(const char *name)
{
	char path[96];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	TEST_ASSERT_EQUAL(0, mkdir(path, 0755));
}

static inline void make_files(void)
{
	strcpy(folder, "/tmp/preflight-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	chmod(folder, 0755);
	make_folder("lib");
	make_folder("lib/rocprofiler-sdk");
	snprintf(reg_path, sizeof reg_path, "%s/lib/librocprofiler-register.so.0.6.0", folder);
	snprintf(attach_path, sizeof attach_path, "%s/lib/librocprofiler-sdk-attach.so.1.3.0", folder);
	snprintf(sdk_path, sizeof sdk_path, "%s/lib/librocprofiler-sdk.so", folder);
	snprintf(tool_path, sizeof tool_path, "%s/lib/rocprofiler-sdk/librocprofiler-sdk-tool.so", folder);
	snprintf(other_path, sizeof other_path, "%s/libother.so", folder);
	make_library(sdk_path, WHOLE_SDK);
	make_library(tool_path, ATTACHABLE_TOOL);
}

static inline void remove_files(void)
{
	char command[64];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	TEST_ASSERT_EQUAL(0, system(command));
}

/* ---- the process ---- */

static inline void *sleep_long(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

static inline void have_threads(void)
{
	pthread_t thread;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, sleep_long, NULL))
			_exit(1);
}

static inline pid_t thread_of(pid_t pid, size_t place)
{
	pid_t *tids, tid;
	size_t n;
	TEST_ASSERT_EQUAL(0, proc_threads(pid, &tids, &n, &err));
	TEST_ASSERT_TRUE(n > place);
	tid = tids[place];
	free(tids);
	return tid;
}

static inline void make_view(void)
{
	image_is(&reg, reg_path);
	image_is(&attach_library, attach_path);
	image_is(&sdk, sdk_path);
	image_is(&tool, tool_path);
	image_is(&other, other_path);
	image_is(&hsa, "/opt/rocm/lib/libhsa-runtime64.so.1");
	image_is(&hip, "/opt/rocm/lib/libamdhip64.so.7");
	reg.elf.build_id_size = 2;
	memcpy(reg.elf.build_id, "\xab\xcd", 2);
	view = (struct rocm_view){
		.images = &images, .environment_known = true, .reg = &reg, .regs = 1, .register_version = "0.6.0",
		.register_can_attach = true, .register_can_late = true, .attach_library = &attach_library, .hsa = &hsa,
		.hip = &hip, .registered = API_HSA | API_HIP | API_ROCATTACH, .registered_known = true,
		.listener = thread_of(target.pid, 1),
	};
	set("ROCP_TOOL_ATTACH", "1");
	request = (struct request){ .children = true };
	TEST_ASSERT_EQUAL(0, env_set(&request.env, "ROCPROF_OUTPUT_PATH", "/tmp", &err));
	by_name = sdk_path;
	reg_linked = reg_path;
	not_loadable = NULL;
	not_writable = other_services = other_own_services = false;
}

static inline void free_view(void)
{
	env_free(&view.environment);
	env_free(&request.env);
}

static inline void look(void)
{
	/* a brief look leaves out lines, but tells the same reasons */
	struct preflight all;
	TEST_ASSERT_EQUAL_MESSAGE(0, preflight_look(&all, &view, &request, &err), err.text);
	request.brief = true;
	TEST_ASSERT_EQUAL_MESSAGE(0, preflight_look(&preflight, &view, &request, &err), err.text);
	request.brief = false;
	const struct check *no = preflight_first_no(&all), *brief_no = preflight_first_no(&preflight);
	TEST_ASSERT_TRUE(preflight.n <= all.n && all.can_attach == preflight.can_attach && all.can_late == preflight.can_late);
	TEST_ASSERT_EQUAL_STRING(all.why_not_late, preflight.why_not_late);
	TEST_ASSERT_EQUAL_STRING(no ? no->text : "", brief_no ? brief_no->text : "");
	TEST_ASSERT_EQUAL_STRING(no ? no->remedy : "", brief_no ? brief_no->remedy : "");
	preflight = all;
}

static inline const struct check *line(const char *name)
{
	for (size_t i = 0; i < preflight.n; i++)
		if (!strcmp(preflight.v[i].name, name))
			return &preflight.v[i];
	TEST_FAIL_MESSAGE(name);
	return NULL;
}

static inline void expect_line(const char *name, enum verdict verdict, const char *text, const char *remedy)
{
	const struct check *check = line(name);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(verdict_name(verdict), verdict_name(check->verdict), check->text);
	EXPECT_HAS(text, check->text);
	EXPECT_HAS(remedy, check->remedy);
	if (verdict == VERDICT_NO)
		TEST_ASSERT_TRUE_MESSAGE(check->remedy[0], "a NO without a remedy");
}

static inline void expect_can(bool attach, bool late)
{
	TEST_ASSERT_EQUAL_MESSAGE(attach, preflight.can_attach, "can_attach");
	TEST_ASSERT_EQUAL_MESSAGE(late, preflight.can_late, preflight.why_not_late);
	/* what is told and what is done are the same */
	struct err why = { 0 };
	int rc = preflight_error(&preflight, &request, &why);
	TEST_ASSERT_EQUAL_MESSAGE((request.late ? late : attach) ? 0 : -1, rc, why.text);
	if (rc < 0)
		TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, why.code);
}

/* Look; this line says no to what was asked, and the whole says so. */
static inline void expect_refused(const char *name, const char *text, const char *remedy)
{
	struct err why = { 0 };
	look();
	expect_line(name, VERDICT_NO, text, remedy);
	TEST_ASSERT_EQUAL(-1, preflight_error(&preflight, &request, &why));
	TEST_ASSERT_FALSE(request.late ? preflight.can_late : preflight.can_attach);
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, why.code);
}

#endif
