/* SPDX-License-Identifier: MIT */
/* --at: a moment of the wall clock, in the forms that people and scripts write. */
#include <ctype.h>
#include <string.h>
#include <time.h>

#include "rocp/options.h"

#define SECOND INT64_C(1000000000)
#define LATE_AT_MOST 60         /* seconds: a time as long ago is taken to be now, as clocks and starts differ */
#define HALF_A_DAY (12 * 3600)
#define SECONDS_MAX INT64_C(9000000000)

/* "dd:dd:dd": digits where the shape has a d, else the same letters. */
static bool shaped(const char *word, const char *shape)
{
	for (; *shape; word++, shape++)
		if (*shape == 'd' ? !isdigit((unsigned char)*word) : *word != *shape)
			return false;
	return true;
}

static int two(const char *digits)
{
	return (digits[0] - '0') * 10 + digits[1] - '0';
}

/* "", ".5": what is behind the seconds; NULL if it is something else. */
static const char *fraction(const char *word, int64_t *ns)
{
	int64_t unit = SECOND;
	*ns = 0;
	if (*word != '.')
		return word;
	if (!isdigit((unsigned char)*++word))
		return NULL;
	for (; isdigit((unsigned char)*word); word++) {
		unit /= 10;
		*ns += unit * (*word - '0');
	}
	return word;
}

/* Hours, minutes and, where they are given, seconds.  What is behind them, or NULL. */
static const char *clock_part(const char *word, struct tm *tm, int64_t *ns)
{
	*ns = 0;
	if (!shaped(word, "dd:dd"))
		return NULL;
	tm->tm_hour = two(word);
	tm->tm_min = two(word + 3);
	tm->tm_sec = 0;
	word += 5;
	if (shaped(word, ":dd")) {
		tm->tm_sec = two(word + 1);
		word = fraction(word + 3, ns);
	}
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 60 ? word : NULL;
}

/* Of today; of tomorrow when that was more than half a day ago, and of yesterday when that was this very minute. */
static bool of_day(const char *word, int64_t now, int64_t *at)
{
	time_t seconds = (time_t)(now / SECOND);
	struct tm tm;
	int64_t ns;
	if (!localtime_r(&seconds, &tm))
		return false;
	const char *rest = clock_part(word, &tm, &ns);
	if (!rest || *rest)
		return false;
	int day = tm.tm_mday;
	for (int step = 0; step < 3; step++) {
		static const int from_today[] = { -1, 0, 1 };
		struct tm one = tm;
		one.tm_mday = day + from_today[step];
		one.tm_isdst = -1;
		*at = (int64_t)mktime(&one) * SECOND + ns;
		if (now - *at < (step ? HALF_A_DAY : LATE_AT_MOST) * SECOND)
			break;
	}
	return true;
}

static bool of_date(const char *word, int64_t *at)
{
	struct tm tm = { .tm_isdst = -1 };
	int64_t ns;
	if (!shaped(word, "dddd-dd-ddT"))
		return false;
	tm.tm_year = two(word) * 100 + two(word + 2) - 1900;
	tm.tm_mon = two(word + 5) - 1;
	tm.tm_mday = two(word + 8);
	const char *rest = clock_part(word + 11, &tm, &ns);
	bool utc = rest && *rest == 'Z';
	if (!rest || rest[utc])
		return false;
	int month = tm.tm_mon, day = tm.tm_mday;
	int64_t seconds = utc ? timegm(&tm) : mktime(&tm);
	if (seconds >= SECONDS_MAX)
		return false;
	*at = seconds * SECOND + ns;
	return tm.tm_year > 70 && tm.tm_mon == month && tm.tm_mday == day;
}

static bool of_seconds(const char *word, int64_t *at)
{
	int64_t seconds = 0, ns;
	const char *first = word;
	for (; isdigit((unsigned char)*word) && seconds < SECONDS_MAX; word++)
		seconds = seconds * 10 + (*word - '0');
	const char *rest = fraction(word, &ns);
	if (word == first || !seconds || seconds >= SECONDS_MAX || !rest || *rest)
		return false;
	*at = seconds * SECOND + ns;
	return true;
}

static bool from_now(const char *word, int64_t now, int64_t *at)
{
	uint64_t ms;
	if (!*word || isdigit((unsigned char)word[strlen(word) - 1]) || !time_word(word, &ms))
		return false;   /* a number alone might be anything */
	*at = now + (int64_t)ms * 1000000;
	return true;
}

int at_word(const char *word, int64_t now, int64_t *at, struct err *err)
{
	bool known = *word == '+' ? from_now(word + 1, now, at) : *word == '@' ? of_seconds(word + 1, at) :
		     of_day(word, now, at) || of_date(word, at);
	if (!known) {
		err_set(err, ERR_USAGE, 0, "--at: '%.100s' is no time", word);
		return err_remedy(err, "14:05:00, 2026-01-31T14:05:00 (of this host's time zone; with Z behind it: UTC), @1767225600.5, +30s");
	}
	if (now - *at < LATE_AT_MOST * SECOND)
		return 0;
	err_set(err, ERR_USAGE, 0, "--at: %.100s was %lld s ago", word, (long long)((now - *at) / SECOND));
	return err_remedy(err, "give a time to come; one less than %d s ago means at once", LATE_AT_MOST);
}
