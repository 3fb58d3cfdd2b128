/* SPDX-License-Identifier: MIT */
/* How the functions of librocprofiler-sdk-rocattach are declared. */
#ifndef ROCATTACH_DEFINES_H
#define ROCATTACH_DEFINES_H

#ifdef __cplusplus
#define ROCATTACH_EXTERN_C_INIT extern "C" {
#define ROCATTACH_EXTERN_C_FINI }
#else
#define ROCATTACH_EXTERN_C_INIT
#define ROCATTACH_EXTERN_C_FINI
#endif

#if defined(__GNUC__) || defined(__clang__)
#define ROCATTACH_API __attribute__((visibility("default")))
#define ROCATTACH_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#else
#define ROCATTACH_API
#define ROCATTACH_NONNULL(...)
#endif

#endif
