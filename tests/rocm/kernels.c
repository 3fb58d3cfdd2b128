// SPDX-License-Identifier: MIT
/* Stands in for part of AMD's libamdhip64.so.7: the kernels that are loaded, and names that compilers give them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"
#include "sdk_abi.h"

#define KERNELS 65536

static struct stand_in_kernel kernels[KERNELS];
static unsigned count, code_objects;
static void (*on_load)(unsigned first, unsigned n);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

PUBLIC void stand_in_load(const struct stand_in_kernel *list, unsigned n)
{
	unsigned first;

	pthread_mutex_lock(&lock);
	first = count;
	code_objects++;
	for (unsigned i = 0; i < n && count < KERNELS; i++) {
		kernels[count] = list[i];
		kernels[count++].code_object = code_objects;
	}
	if (on_load)
		on_load(first, count - first);
	pthread_mutex_unlock(&lock);
}

PUBLIC const struct stand_in_kernel *stand_in_kernels(unsigned *n)
{
	*n = count;
	return kernels;
}

PUBLIC void stand_in_on_load(void (*loaded)(unsigned first, unsigned n))
{
	on_load = loaded;
}

/* A C++ name of that many letters. */
static char *long_name(unsigned letters, unsigned number)
{
	char *name = malloc(letters + 64);
	int n = name ? sprintf(name, "_ZN4deep%uk%u_", letters + 2 + (unsigned)snprintf(NULL, 0, "%u", number), number) : 0;

	if (!name)
		abort();
	memset(name + n, 'z', letters);
	strcpy(name + n + letters, "EPKfPfi.kd");
	return name;
}

static char *make_name(unsigned number, uint64_t seed)
{
	static const char *const shapes[] = {
		"_Z5saxpyILj%uEEvPffi.kd",
		"_ZN3gpu6kernelILj%uEfEEvPT0_i.kd",
		"_ZN12_GLOBAL__N_16reduceILj%uEEEvPKfPf.kd",
		"Cijk_Ailk_Bljk_HHS_BH_MT128x%u_SE_APM1_AF0EM8.kd",
		"_ZN2at6native13elementwise_kI6LambdaLi%uEEEviT_.kd",
		"_Z7k\xc3\xbc" "chenILj%uEEvv.kd",
		"plain_c_kernel_%u",
		"spaces, commas and \"quotes\" %u.kd",
		"_Znot_a_name_%u",
		"_ZNK5outer5innerILi%uEEclIJiN3std6vectorIfEEEEEvDpT_.kd",
	};
	char *name = NULL;

	if (number % 31 == 30)
		return long_name(1000 + 3000 * (number % 2), number);
	if (seed & 1 && number % 37 == 36)
		return strdup("");
	if (asprintf(&name, shapes[number % (sizeof(shapes) / sizeof(shapes[0]))], number) < 0)
		abort();
	return name;
}

PUBLIC void stand_in_make_kernels(unsigned n, uint64_t seed)
{
	struct stand_in_kernel *list = calloc(n + 1, sizeof(*list));

	if (!list)
		abort();
	for (unsigned i = 0; i < n; i++)
		list[i].name = make_name(i, seed);
	stand_in_load(list, n);
	free(list);
}
