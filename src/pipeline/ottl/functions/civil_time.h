/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_CIVIL_TIME_H
#define VARVE_PIPELINE_OTTL_CIVIL_TIME_H

#include "base/buf.h"

/*
 * Dates and times of day in the Gregorian calendar, and layouts with the directives of strptime(3):
 * fractions of a second are %L (milliseconds), %f (microseconds) and %s (nanoseconds).
 */
struct civil {
	int64_t year, month, day, hour, minute, second, nanosecond;
	int64_t offset;	     /* of the time zone, in seconds */
	int64_t day_of_year; /* 1 ..; when a text was read, 0: month and day count */
	unsigned weekday;    /* Sunday is 0; not of texts */
	bool pm, has_pm;     /* of a text with 12 hours */
};

/* Return the days since 1970 of a date. */
int64_t civil_days(int64_t year, int64_t month, int64_t day);

/* Divide and round down; `b` is positive. */
int64_t civil_divide(int64_t a, int64_t b);

/* Return the date and time in UTC of nanoseconds since 1970. */
struct civil civil_of(int64_t ns);

/* Return false if the date does not exist or is out of range. */
bool civil_to_ns(const struct civil *c, int64_t *ns);

/* Read text by a layout, and advance *in. Return false if it does not fit. */
bool civil_read(struct str *in, struct str layout, struct civil *c);

/* Append a time in UTC by a layout. Return an unknown directive, or 0. */
char civil_write(struct buf *b, struct str layout, const struct civil *c);

#endif
