// SPDX-License-Identifier: MIT
// What roclatch selftest attaches to: copies, launches one kernel, copies back and compares, about 500 times a
// second, and tells now and then how often.  Ends when its standard input does.  Both HIP and C.
#include <hip/hip_runtime.h>
#include <poll.h>
#include <stdio.h>

#define WORDS 32768      // smaller copies are made by kernels, and are not recorded as copies
#define BLOCK 256

__global__ void roclatch_selftest(int *words, int number)
{
	words[blockIdx.x * blockDim.x + threadIdx.x] += number;
}

static int failed(int status, const char *what)
{
	if (status)
		printf("%s answered %d\n", what, status);
	return status;
}

static int round_trip(int *words, int *device, int number)
{
	int i;

	for (i = 0; i < WORDS; i++)
		words[i] = i;
	if (failed(hipMemcpy(device, words, WORDS * sizeof(int), hipMemcpyHostToDevice), "hipMemcpy to the GPU"))
		return 1;
	hipLaunchKernelGGL(roclatch_selftest, dim3(WORDS / BLOCK), dim3(BLOCK), 0, 0, device, number);
	if (failed(hipDeviceSynchronize(), "the kernel") ||
	    failed(hipMemcpy(words, device, WORDS * sizeof(int), hipMemcpyDeviceToHost), "hipMemcpy from the GPU"))
		return 1;
	for (i = 0; i < WORDS; i++)
		if (words[i] != i + number)
			return printf("word %d is %d and not %d\n", i, words[i], i + number);
	return 0;
}

int main(void)
{
	struct pollfd end = { 0, 0, 0 };
	void *words = NULL, *device = NULL;
	int n;

	if (failed(hipHostMalloc(&words, WORDS * sizeof(int), 0), "hipHostMalloc") ||
	    failed(hipMalloc(&device, WORDS * sizeof(int)), "hipMalloc"))
		return 1;
	for (n = 1; !end.revents; n++) {
		if (round_trip((int *)words, (int *)device, n))
			return 1;
		if (n % 20 == 0) {
			printf("launched %d\n", n);
			fflush(stdout);
		}
		poll(&end, 1, 1);
	}
	return 0;
}
