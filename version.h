/* SPDX-License-Identifier: MIT */
/* The one place that says it.  Man pages, the names of what is packed and its bill of materials follow. */
#define ROCLATCH_VERSION "0.1.0"
#define ROCLATCH_DATE "2026-11-15"      /* of that version, for the man pages */
