/* SPDX-License-Identifier: MIT */
/* The version of the interface: that of the ROCprofiler-SDK whose rocattach library has the same functions. */
#ifndef ROCATTACH_VERSION_H
#define ROCATTACH_VERSION_H

#define ROCATTACH_VERSION_MAJOR 1
#define ROCATTACH_VERSION_MINOR 3
#define ROCATTACH_VERSION_PATCH 5
/* 1.3.5 is 10305 */
#define ROCATTACH_VERSION (10000 * ROCATTACH_VERSION_MAJOR + 100 * ROCATTACH_VERSION_MINOR + ROCATTACH_VERSION_PATCH)

#endif
