// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's libamdhip64.so.7, which wants a GPU.  Its tables are
 * registered at first use, HSA's before them; device memory is the host's and a
 * kernel is a function that is called.
 */
#include <pthread.h>
#include <stdlib.h>
#include <rocprofiler-register/rocprofiler-register.h>

#include "device.h"
#include "runtime.h"
#include "sdk_abi.h"

#define VERSION ROCPROFILER_REGISTER_COMPUTE_VERSION_3(7, 2, 0)

ROCPROFILER_REGISTER_DEFINE_IMPORT(hip, VERSION)
ROCPROFILER_REGISTER_DEFINE_IMPORT(hip_compiler, VERSION)

static int get_device_count(int *count)
{
	if (!count)
		return HIP_INVALID_VALUE;
	*count = 1;
	return HIP_SUCCESS;
}

static int allocate(void **address, size_t size)
{
	if (!address)
		return HIP_INVALID_VALUE;
	*address = malloc(size);
	return *address ? HIP_SUCCESS : HIP_OUT_OF_MEMORY;
}

static int release(void *address)
{
	free(address);
	return HIP_SUCCESS;
}

static int copy_async(void *to, const void *from, size_t size, int kind, void *stream)
{
	if (kind != HIP_HOST_TO_DEVICE && kind != HIP_DEVICE_TO_HOST)
		return HIP_INVALID_VALUE;
	device_copy(to, from, size, stream);
	return HIP_SUCCESS;
}

static int copy(void *to, const void *from, size_t size, int kind)
{
	return copy_async(to, from, size, kind, NULL);
}

static int launch(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared, void *stream)
{
	(void)shared;
	if (!kernel || !grid.x || !block.x)
		return HIP_INVALID_VALUE;
	device_launch((void (*)(void **))(uintptr_t)kernel, arguments, grid, block, stream);
	return HIP_SUCCESS;
}

static int synchronize(void)
{
	device_wait(NULL);
	return HIP_SUCCESS;
}

static int create_stream(void **stream)
{
	*stream = device_stream();
	return *stream ? HIP_SUCCESS : HIP_OUT_OF_MEMORY;
}

static int destroy_stream(void *stream)
{
	device_wait(stream);
	device_stream_end(stream);
	return HIP_SUCCESS;
}

static int synchronize_stream(void *stream)
{
	device_wait(stream);
	return HIP_SUCCESS;
}

static void **register_fat_binary(const void *data)
{
	static void *module;

	module = (void *)(uintptr_t)data;
	return &module;
}

static void unregister_fat_binary(void **modules)
{
	*modules = NULL;
}

static struct hip_table table = { sizeof(table), get_device_count, allocate, release, copy, launch, synchronize,
	copy_async, create_stream, destroy_stream, synchronize_stream };
static struct hip_compiler_table compiler = { sizeof(compiler), register_fat_binary, unregister_fat_binary };

static void register_tables(void)
{
	rocprofiler_register_library_indentifier_t id = { 0 };
	void *runtime[] = { &table }, *compilers[] = { &compiler };

	hsa_init();
	rocprofiler_register_library_api_table("hip", rocprofiler_register_import_hip, VERSION, runtime, 1, &id);
	rocprofiler_register_library_api_table("hip_compiler", rocprofiler_register_import_hip_compiler, VERSION,
		compilers, 1, &id);
}

static const struct hip_table *used(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, register_tables);
	return &table;
}

PUBLIC int hipInit(unsigned flags)
{
	used();
	return flags ? HIP_INVALID_VALUE : HIP_SUCCESS;
}

#define FORWARD(name, parameters, arguments) PUBLIC int name parameters { return used()->name arguments; }
HIP_FUNCTIONS(FORWARD)
