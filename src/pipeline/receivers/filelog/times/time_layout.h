/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_TIME_LAYOUT_H
#define VARVE_PIPELINE_FILELOG_TIME_LAYOUT_H

#include "pipeline/receivers/filelog/times/time_zone.h"

/*
 * Layouts of timestamps: directives of strptime as the collector has them (%Y-%m-%d %H:%M:%S.%L), or
 * Go's reference time (2006-01-02T15:04:05.000Z07:00). Both are compiled into the same items.
 */
enum time_item_kind {
	TIME_LITERAL,
	TIME_SPACE, /* any number of blanks */
	TIME_YEAR,
	TIME_SHORT_YEAR,
	TIME_MONTH,
	TIME_MONTH_NAME,
	TIME_DAY,
	TIME_YEAR_DAY,
	TIME_WEEKDAY,
	TIME_HOUR,
	TIME_HALF_HOUR, /* 1 to 12 */
	TIME_MINUTE,
	TIME_SECOND,
	TIME_FRACTION,
	TIME_POINT_FRACTION, /* a point or comma and digits, which may be missing */
	TIME_HALF,	     /* AM, PM */
	TIME_OFFSET,	     /* Z, +01, +0100, +01:00, +01:00:00 */
	TIME_ZONE_NAME,
};

enum { TIME_ITEMS_MAX = 128 };

struct time_layout {
	uint32_t n;
	struct time_item {
		enum time_item_kind kind;
		char literal;
	} items[TIME_ITEMS_MAX];
};

/* Return 0, or -EINVAL with text in `e`. */
MUST_USE int time_layout_strptime(struct time_layout *out, struct str layout, struct err *e);
MUST_USE int time_layout_go(struct time_layout *out, struct str layout, struct err *e);

/* Return whether the layout ends with the letter Z: then its times are UTC. */
bool time_layout_is_zulu(const struct time_layout *l);

/*
 * Parse the whole text. A time without offset is in `zone`. A time without year is in the year of
 * `now`, or in the year before if that is more than 7 days after `now` (nanoseconds since 1970).
 * Return 0 with nanoseconds since 1970, or -EINVAL with text in `e`.
 */
MUST_USE int time_layout_parse(const struct time_layout *l, struct str text,
			       const struct time_zone *zone, uint64_t now, int64_t *ns,
			       struct err *e);

#endif
