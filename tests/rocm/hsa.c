// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's libhsa-runtime64.so.1, which wants /dev/kfd and in Debian
 * does not know rocprofiler-register.  hsa_init registers the table as AMD's does.
 */
#include <pthread.h>
#include <rocprofiler-register/rocprofiler-register.h>

#include "runtime.h"
#include "sdk_abi.h"

#define VERSION ROCPROFILER_REGISTER_COMPUTE_VERSION_3(1, 18, 0)

ROCPROFILER_REGISTER_DEFINE_IMPORT(hsa, VERSION)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static int registered = -1;

static int shut_down(void)
{
	pthread_mutex_lock(&lock);
	if (users)
		users--;
	pthread_mutex_unlock(&lock);
	return 0;
}

static int system_get_info(int attribute, void *value)
{
	if (attribute != 0 || !value)
		return 0x1001;
	*(uint16_t *)value = 1;
	return 0;
}

static int init_again(void)
{
	pthread_mutex_lock(&lock);
	users++;
	pthread_mutex_unlock(&lock);
	return 0;
}

static struct hsa_core_table core = {
	.version = { 2, sizeof(core), 0, 0 },
	.hsa_init = init_again,
	.hsa_shut_down = shut_down,
	.hsa_system_get_info = system_get_info,
};
static struct hsa_table table = { .version = { 2, sizeof(table), 0, 0 }, .core = &core };

static void register_table(void)
{
	rocprofiler_register_library_indentifier_t id = { 0 };
	void *tables[] = { &table };

	registered = (int)rocprofiler_register_library_api_table("hsa", rocprofiler_register_import_hsa, VERSION, tables, 1,
		&id);
}

PUBLIC int hsa_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, register_table);
	return table.core->hsa_init();
}

PUBLIC int hsa_shut_down(void)
{
	return table.core->hsa_shut_down();
}

PUBLIC int hsa_system_get_info(int attribute, void *value)
{
	return table.core->hsa_system_get_info(attribute, value);
}

/* For tests: what the register answered; -1 before. */
PUBLIC int stand_in_hsa_registered(void)
{
	return registered;
}
