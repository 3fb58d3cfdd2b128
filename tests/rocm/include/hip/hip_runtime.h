/* SPDX-License-Identifier: MIT */
/*
 * Stands in for HIP's header: enough of it for a C compiler to make a program of rocp/sample.hip that runs on the stand-in
 * of HIP's runtime.  Its kernel has the name there that a compiler for GPUs would give it.
 */
#ifndef ROCLATCH_TESTS_HIP_RUNTIME_H
#define ROCLATCH_TESTS_HIP_RUNTIME_H

#include <stdlib.h>

#include "runtime.h"

#define __global__ static
#define dim3(n) ((struct dim3){ n, 1, 1 })

enum { hipMemcpyHostToDevice = HIP_HOST_TO_DEVICE, hipMemcpyDeviceToHost = HIP_DEVICE_TO_HOST };

static struct dim3 gridDim, blockDim, blockIdx, threadIdx;

static void roclatch_selftest(int *words, int number);

static void run_kernel(void **arguments)
{
	for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
		for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
			roclatch_selftest(*(int **)arguments[0], *(int *)arguments[1]);
}

static inline int hipHostMalloc(void **address, size_t size, unsigned flags)
{
	return hipMalloc(address, flags ? 0 : size);
}

#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, pointer, number) do { \
		void *to_ = pointer, *arguments_[] = { &to_, &number }; \
		gridDim = grid; \
		blockDim = block; \
		if (hipLaunchKernel((const void *)(uintptr_t)run_kernel, grid, block, arguments_, shared, stream)) \
			abort(); \
	} while (0)

__attribute__((constructor)) static void load_kernels(void)
{
	struct stand_in_kernel one = { (const void *)(uintptr_t)run_kernel, "_Z17roclatch_selftestPii.kd", 0 };

	stand_in_load(&one, 1);
}

#endif
