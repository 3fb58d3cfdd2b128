/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_ROCP_FORMATS_NUMBER_H
#define ROCLATCH_ROCP_FORMATS_NUMBER_H

/* The fewest digits that give the same number back: "0.1", "1e-07", "1234567.5", "3". */
void number_text(double value, char out[32]);

#endif
