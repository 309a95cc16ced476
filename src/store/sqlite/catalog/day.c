/* SPDX-License-Identifier: Apache-2.0 */
/* Names of days; a name is valid only if formatting its day gives the same name. */
#include "store/sqlite/catalog/day.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void day_format(uint32_t day, char out[24])
{
	time_t t = (time_t)day * (time_t)SECONDS_PER_DAY;
	struct tm tm;

	gmtime_r(&t, &tm);
	snprintf(out, 24, "%04d-%02d-%02d", (tm.tm_year + 1900) % 10000, (tm.tm_mon + 1) % 100,
		 tm.tm_mday % 100);
}

bool day_parse(struct str name, uint32_t *day)
{
	struct tm tm = {0};
	char text[24], again[24];
	time_t t;

	if (name.n != 10)
		return false;
	memcpy(text, name.p, 10);
	text[10] = '\0';
	if (sscanf(text, "%4d-%2d-%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday) != 3)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	t = timegm(&tm);
	if (t < 0)
		return false;
	*day = (uint32_t)((uint64_t)t / SECONDS_PER_DAY);
	day_format(*day, again);
	return memcmp(text, again, 11) == 0;
}
