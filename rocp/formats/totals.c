/* SPDX-License-Identifier: MIT */
#include "rocp/formats/totals.h"

/* Chan, Golub and LeVeque: how two variances become that of the union. */
void stat_add(struct stat_row *to, const struct stat_row *more)
{
	const char *name = to->name;
	if (!more->calls)
		return;
	if (!to->calls) {
		*to = *more;
		to->name = name;
		return;
	}
	double a = (double)to->calls, b = (double)more->calls, apart = more->mean - to->mean;
	to->mean += apart * b / (a + b);
	to->m2 += more->m2 + apart * apart * a * b / (a + b);
	to->calls += more->calls;
	to->total += more->total;
	to->least = more->least < to->least ? more->least : to->least;
	to->most = more->most > to->most ? more->most : to->most;
}

struct stat_row stat_total(const struct stats *stats, enum domain domain)
{
	struct stat_row total = { 0 };
	for (size_t i = 0; i < stats->rows[domain]; i++)
		stat_add(&total, &stats->row[domain][i]);
	return total;
}

double stat_percent(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole * 100.0 : 0;
}

bool stat_shown(const struct stats *stats, enum domain domain)
{
	return domain != DOMAIN_COUNTERS && stats->rows[domain] > 0;
}
