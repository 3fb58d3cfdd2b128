/* SPDX-License-Identifier: MIT */
/* The library that the demo loads into the sample. */
long guest_answer(void);

static int constructed;

__attribute__((constructor)) static void construct(void)
{
	constructed = 1;
}

long guest_answer(void)
{
	return constructed ? 42 : -1;
}
