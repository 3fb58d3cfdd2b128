/* SPDX-License-Identifier: MIT */
/* Stands in for the headers of AMD's HSA and HIP runtimes: a few functions and the tables they go through. */
#ifndef ROCLATCH_TESTS_RUNTIME_H
#define ROCLATCH_TESTS_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* ---- libhsa-runtime64 ------------------------------------------------------------------------ */

struct table_version { uint32_t major, minor, step, reserved; };

struct hsa_core_table {
	struct table_version version;
	int (*hsa_init)(void);
	int (*hsa_shut_down)(void);
	int (*hsa_system_get_info)(int attribute, void *value);
};

struct hsa_table {
	struct table_version version;
	struct hsa_core_table *core;
	void *amd_ext, *finalizer_ext, *image_ext, *tools, *pc_sampling_ext;
};

int hsa_init(void);
int hsa_shut_down(void);
int hsa_system_get_info(int attribute, void *value);

/* ---- libamdhip64 ----------------------------------------------------------------------------- */

struct dim3 { uint32_t x, y, z; };
enum { HIP_SUCCESS = 0, HIP_INVALID_VALUE = 1, HIP_OUT_OF_MEMORY = 2 };
enum { HIP_HOST_TO_DEVICE = 1, HIP_DEVICE_TO_HOST = 2 };

/* result, name, parameters, arguments */
#define HIP_FUNCTIONS(F) \
	F(hipGetDeviceCount, (int *count), (count)) \
	F(hipMalloc, (void **address, size_t size), (address, size)) \
	F(hipFree, (void *address), (address)) \
	F(hipMemcpy, (void *to, const void *from, size_t size, int kind), (to, from, size, kind)) \
	F(hipLaunchKernel, (const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, \
		size_t shared, void *stream), (kernel, grid, block, arguments, shared, stream)) \
	F(hipDeviceSynchronize, (void), ()) \
	F(hipMemcpyAsync, (void *to, const void *from, size_t size, int kind, void *stream), (to, from, size, kind, stream)) \
	F(hipStreamCreate, (void **stream), (stream)) \
	F(hipStreamDestroy, (void *stream), (stream)) \
	F(hipStreamSynchronize, (void *stream), (stream))

#define HIP_MEMBER(name, parameters, arguments) int (*name) parameters;
#define HIP_DECLARE(name, parameters, arguments) int name parameters;

struct hip_table {
	size_t size;
	HIP_FUNCTIONS(HIP_MEMBER)
};

struct hip_compiler_table {
	size_t size;
	void **(*hipRegisterFatBinary)(const void *data);
	void (*hipUnregisterFatBinary)(void **modules);
};

int hipInit(unsigned flags);
HIP_FUNCTIONS(HIP_DECLARE)

/* ---- kernels.c, device.c: what a real driver would know, for the stand-in of the SDK --------- */

struct stand_in_kernel {
	const void *function;           /* that launches name; NULL: none does */
	const char *name;               /* of its symbol */
	unsigned code_object;           /* from 1 on */
};

/* A code object with these kernels is loaded: the program's own, or n made up ones. */
void stand_in_load(const struct stand_in_kernel *list, unsigned n);
void stand_in_make_kernels(unsigned n, uint64_t seed);
const struct stand_in_kernel *stand_in_kernels(unsigned *n);
/* Called when some have been loaded, with the first of them; NULL: not. */
void stand_in_on_load(void (*loaded)(unsigned first, unsigned n));

/* When the thread's last launch or copy ran on the device, and on which queue (from 1 on). */
struct stand_in_span { uint64_t start, end, queue; };
struct stand_in_span stand_in_last_span(void);
uint64_t stand_in_idle_at(void);        /* when all of it will have ended */
void stand_in_be_slow(unsigned times);  /* work on streams takes so many times as long from now on */

#endif
