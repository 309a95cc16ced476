/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile with a duration takes constant time, however many buckets it covers: its parts are
 * added to the first and last bucket, and the buckets in between are stored as differences, which
 * spread_read() sums up.
 */
#include "query/time/spread.h"

#include <math.h>

static struct spread_bucket *find_buckets(struct spread *s, uint32_t row)
{
	while (s->rows.n <= row)
		if (vec_push(s->arena, &s->rows, (struct spread_bucket *)NULL))
			return NULL;
	if (!s->rows.at[row])
		s->rows.at[row] =
			arena_zalloc(s->arena, (size_t)s->count + 1, sizeof(struct spread_bucket));
	return s->rows.at[row];
}

static uint64_t end_time(const struct spread *s)
{
	return s->start + s->count * s->step;
}

static uint64_t add_saturating(uint64_t time, uint64_t duration)
{
	return time > UINT64_MAX - duration ? UINT64_MAX : time + duration;
}

static int add_interval(struct spread *s, uint32_t row, uint64_t time, uint64_t duration,
			double value)
{
	uint64_t end = add_saturating(time, duration ? duration : 1);
	uint64_t from = time < s->start ? s->start : time;
	uint64_t to = end > end_time(s) ? end_time(s) : end;
	double rate = value / (double)(end - time);
	struct spread_bucket *b;
	uint64_t first, last;

	if (from >= to)
		return 0;
	b = find_buckets(s, row);
	if (!b)
		return -ENOMEM;
	first = (from - s->start) / s->step;
	last = (to - 1 - s->start) / s->step;
	b[first].covers++;
	b[last + 1].covers--;
	if (first == last) {
		b[first].value += rate * (double)(to - from);
		return 0;
	}
	b[first].value += rate * (double)(s->start + (first + 1) * s->step - from);
	b[last].value += rate * (double)(to - s->start - last * s->step);
	b[first + 1].whole += rate * (double)s->step;
	b[last].whole -= rate * (double)s->step;
	return 0;
}

static int add_level(struct spread *s, uint32_t row, uint64_t time, uint64_t duration, double value)
{
	uint64_t end = add_saturating(time, duration);
	uint64_t from = time < s->start ? s->start : time;
	uint64_t to = end > end_time(s) ? end_time(s) : end;
	struct spread_bucket *b;

	if (from >= to)
		return 0;
	b = find_buckets(s, row);
	if (!b)
		return -ENOMEM;
	for (uint64_t k = (from - s->start) / s->step; from < to; k++) {
		uint64_t next = s->start + (k + 1) * s->step;
		uint64_t stop = next < to ? next : to;

		b[k].value += value * (double)(stop - from);
		if (!b[k].last || from < b[k].first)
			b[k].first = from;
		if (stop > b[k].last)
			b[k].last = stop;
		from = stop;
	}
	return 0;
}

/* Return how long the last level of a series holds: as long as the previous one did. */
static uint64_t last_hold(const struct spread *s)
{
	uint64_t hold = s->held.gap > s->held.duration ? s->held.gap : s->held.duration;

	if (!hold)
		hold = s->step;
	return hold > SPREAD_HOLD_NS ? SPREAD_HOLD_NS : hold;
}

static int add_held(struct spread *s, uint64_t duration)
{
	int rc = add_level(s, s->held.row, s->held.time, duration, s->held.value);

	s->held.set = false;
	return rc;
}

int spread_end(struct spread *s)
{
	return s->held.set ? add_held(s, last_hold(s)) : 0;
}

int spread_add(struct spread *s, uint32_t row, uint32_t series, uint64_t time, uint64_t duration,
	       double value)
{
	uint64_t gap = 0;
	int rc = 0;

	if (!s->gauge)
		return add_interval(s, row, time, duration, value);
	if (s->held.set && s->held.series == series && time >= s->held.time &&
	    time - s->held.time <= SPREAD_HOLD_NS) {
		gap = time - s->held.time;
		rc = add_held(s, gap);
	} else {
		rc = spread_end(s);
	}
	s->held.set = true;
	s->held.row = row;
	s->held.series = series;
	s->held.time = time;
	s->held.duration = duration;
	s->held.gap = gap;
	s->held.value = value;
	return rc;
}

int spread_read(const struct spread *s, uint32_t row,
		int (*put)(void *ctx, uint32_t bucket, double value), void *ctx)
{
	const struct spread_bucket *b = row < s->rows.n ? s->rows.at[row] : NULL;
	double whole = 0;
	int64_t covers = 0;
	int rc = 0;

	for (uint32_t k = 0; b && k < s->count && !rc; k++) {
		whole += b[k].whole;
		covers += b[k].covers;
		if (s->gauge && b[k].last)
			rc = put(ctx, k, b[k].value / (double)(b[k].last - b[k].first));
		else if (!s->gauge && covers > 0) /* thousandths, to hide rounding errors */
			rc = put(ctx, k, round((b[k].value + whole) * 1000) / 1000);
	}
	return rc;
}
