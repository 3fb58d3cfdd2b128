// SPDX-License-Identifier: MIT
/* What roclatch selftest tries a call with, where the system's own is not linked to a C library; with glibc 2.31 it can make
 * no thread. */
#include <unistd.h>

int main(void)
{
	sleep(600);
	return 0;
}
