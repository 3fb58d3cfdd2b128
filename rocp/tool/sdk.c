/* SPDX-License-Identifier: MIT */
#include "rocp/tool/sdk.h"

#include <string.h>

#include "rocp/tool/weak.h"

struct sdk sdk;

static void *look(void *library, const char *name)
{
	void *found = library ? dlsym(library, name) : NULL;
	return found ? found : dlsym(RTLD_DEFAULT, name);
}

/* The caller's library may have been loaded for its user alone; a handle finds its names all the same. */
static void *library_of(const void *caller)
{
	Dl_info info;
	if (!dladdr(caller, &info) || !info.dli_fname)
		return NULL;
	void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	return library ? library : dlopen("librocprofiler-sdk.so.1", RTLD_LAZY | RTLD_NOLOAD);
}

/* A pointer to an object becomes one to a function, which ISO C has no cast for. */
static int take(void *library, const char *name, void *function, int needed)
{
	void *found = look(library, name);
	memcpy(function, &found, sizeof found);
	return found || !needed ? 0 : -1;
}

int sdk_find(const void *caller, uint32_t version)
{
	int missing = 0;
	if (!weak_are_there())
		return -1;
	void *library = library_of(caller);
#define TAKE(answer, name, arguments, needed) missing |= take(library, "rocprofiler_" #name, &sdk.name, needed);
	SDK_FUNCTIONS(TAKE)
#undef TAKE
	take(library, "__cxa_demangle", &sdk.demangle, 0);
	if (library)
		dlclose(library);       /* we are called from it: it stays */
	sdk.version = version;
	return missing;
}

const char *sdk_words(int status)
{
	const char *words = sdk.get_status_string ? sdk.get_status_string(status) : NULL;
	return words ? words : "unknown status";
}
