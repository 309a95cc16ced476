/* SPDX-License-Identifier: Apache-2.0 */
/* The series of a roll-up and their times: listing the series of a day need not decode points. */
#include "store/sqlite/block/series_times.h"

#include <stdlib.h>

#include "store/sqlite/block/columns.h"

int series_times_add(struct series_times *s, struct arena *a, uint32_t series, uint64_t first,
		     uint64_t last)
{
	struct series_time *t = s->at.n ? &s->at.at[s->at.n - 1] : NULL;

	if (!t || t->series != series)
		return vec_push(a, &s->at, (struct series_time){series, first, last});
	t->first = first < t->first ? first : t->first;
	t->last = last > t->last ? last : t->last;
	return 0;
}

static int compare_series(const void *a, const void *b)
{
	const struct series_time *x = a, *y = b;

	return x->series < y->series ? -1 : x->series > y->series;
}

void series_times_finish(struct series_times *s)
{
	uint32_t n = 0;

	if (s->at.n)
		qsort(s->at.at, s->at.n, sizeof(*s->at.at), compare_series);
	for (uint32_t i = 0; i < s->at.n; i++) {
		const struct series_time *t = &s->at.at[i];
		struct series_time *last = n ? &s->at.at[n - 1] : NULL;

		if (last && last->series == t->series) {
			last->first = t->first < last->first ? t->first : last->first;
			last->last = t->last > last->last ? t->last : last->last;
		} else {
			s->at.at[n++] = *t;
		}
	}
	s->at.n = n;
}

int series_times_encode(struct buf *out, const struct series_times *s)
{
	column_put_varint(out, s->at.n);
	for (uint32_t i = 0; i < s->at.n; i++) {
		const struct series_time *t = &s->at.at[i];

		column_put_varint(out, t->series);
		column_put_varint(out, t->first);
		column_put_varint(out, t->last - t->first);
	}
	return buf_error(out);
}

int series_times_decode(struct series_times *s, struct str bytes, struct arena *a, struct err *e)
{
	struct column_cursor c = column_cursor(bytes);
	uint32_t n = column_count(&c);
	int rc = vec_reserve(a, &s->at, n);

	for (uint32_t i = 0; !rc && i < n && !c.bad; i++) {
		uint64_t series = column_varint(&c), first = column_varint(&c);
		uint64_t last = first + column_varint(&c);

		if (series > UINT32_MAX || last < first)
			c.bad = true;
		s->at.at[s->at.n++] = (struct series_time){(uint32_t)series, first, last};
	}
	if (rc)
		return err_errno(e, rc, "read series");
	return c.bad || c.p != c.end ? err_set(e, -EUCLEAN, "the series of a chunk are damaged")
				     : 0;
}
