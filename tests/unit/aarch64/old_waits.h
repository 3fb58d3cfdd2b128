/* SPDX-License-Identifier: MIT */
/* System calls that newer CPUs do not have: this one has none of them. */
#ifndef ROCLATCH_TESTS_OLD_WAITS_H
#define ROCLATCH_TESTS_OLD_WAITS_H

#define OLD_WAITS

#endif
