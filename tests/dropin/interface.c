// SPDX-License-Identifier: MIT
/* What can be asked without a process. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "host.h"

static void versions(void)
{
	uint32_t major = 0, minor = 0, patch = 0;
	rocattach_version_triplet_t triplet = { 0, 0, 0 };

	equal(0, api.get_version(&major, &minor, &patch));
	equal(ROCATTACH_VERSION_MAJOR, major);
	equal(ROCATTACH_VERSION_MINOR, minor);
	equal(ROCATTACH_VERSION_PATCH, patch);
	equal(0, api.get_version_triplet(&triplet));
	equal(major, triplet.major);
	equal(minor, triplet.minor);
	equal(patch, triplet.patch);
}

static void nulls(void)
{
	uint32_t minor = 99;

	equal(0, api.get_version(NULL, NULL, NULL));
	equal(0, api.get_version(NULL, &minor, NULL));
	equal(ROCATTACH_VERSION_MINOR, minor);
	equal(2, api.get_version_triplet(NULL));
}

static void words(void)
{
	static const char *const expected[][2] = {
		{ "ROCATTACH_STATUS_SUCCESS", "Success" },
		{ "ROCATTACH_STATUS_ERROR", "General error" },
		{ "ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT", "Invalid function argument" },
		{ "ROCATTACH_STATUS_ERROR_NOT_SUPPORTED", "Attachment not supported on this platform" },
		{ "ROCATTACH_STATUS_ERROR_PTRACE_ERROR", "General ptrace error" },
		{ "ROCATTACH_STATUS_ERROR_PTRACE_OPERATION_NOT_PERMITTED", "ptrace returned EPERM, operation not permitted" },
		{ "ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND", "ptrace returned ESRCH, no such process" },
	};
	static const int none[] = { 7, 8, 1000, -1, -2147483647 };

	for (int i = 0; i < 7; i++) {
		const char *name = api.get_status_name((rocattach_status_t)i);
		const char *text = api.get_status_string((rocattach_status_t)i);

		check(name && !strcmp(name, expected[i][0]), "status %d is called %s", i, name ? name : "NULL");
		check(text && !strcmp(text, expected[i][1]), "status %d means \"%s\"", i, text ? text : "NULL");
	}
	for (unsigned i = 0; i < sizeof(none) / sizeof(*none); i++) {
		check(!api.get_status_name((rocattach_status_t)none[i]), "%d has a name", none[i]);
		check(!api.get_status_string((rocattach_status_t)none[i]), "%d has a text", none[i]);
	}
}

static void no_process_ids(void)
{
	equal(2, api.attach(0));
	equal(2, api.attach(-1));
	equal(2, api.attach_tree(0));
	equal(2, api.attach_tree(-2147483647));
	equal(2, api.detach(-5));
	equal(2, api.detach_tree(0));
	equal(2, api.old_attach(0));
	equal(2, api.old_attach(0x80000001u));
}

static void unknown_sessions(void)
{
	errno = 77;
	equal(2, api.detach(1));
	equal(2, api.detach_tree(1));
	equal(0, api.detach(0));
	equal(2, api.old_detach(0));
	equal(77, errno);
}

void test_interface(void)
{
	test("the version is told", versions);
	test("NULL is no harm", nulls);
	test("every status has a name and a text, others have none", words);
	test("what is no process id is an invalid argument", no_process_ids);
	test("detaching what was not attached is an invalid argument, all of nothing is not", unknown_sessions);
}
