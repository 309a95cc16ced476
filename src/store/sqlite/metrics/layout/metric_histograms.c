/* SPDX-License-Identifier: Apache-2.0 */
/* Native histograms as bytes. */
#include "store/sqlite/metrics/layout/metric_histograms.h"

#include <errno.h>

enum { SAME = 1, RESET_SHIFT = 1, RESET_MASK = 3, INTEGERS = 8, HEADS = 16 };

#define INTEGER_MAX 9007199254740992.0

static bool is_integer(double v)
{
	/* -0 is none: it would be restored as 0 */
	return v >= 0 && v < INTEGER_MAX && v == (double)(uint64_t)v &&
	       (v > 0 || !__builtin_signbit(v));
}

static bool side_is_integer(const struct native_side *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (!is_integer(s->counts[i]))
			return false;
	return true;
}

static bool has_integers(const struct native_histogram *h)
{
	return is_integer(h->count) && is_integer(h->zero_count) && side_is_integer(&h->positive) &&
	       side_is_integer(&h->negative);
}

static bool same_spans(const struct native_side *a, const struct native_side *b)
{
	return a->span_count == b->span_count && a->count == b->count &&
	       (!a->span_count ||
		memcmp(a->spans, b->spans, a->span_count * sizeof(*a->spans)) == 0);
}

static bool same_bits(double a, double b)
{
	uint64_t x, y;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return x == y;
}

static bool same_bounds(const struct native_histogram *a, const struct native_histogram *b)
{
	bool same = a->custom_count == b->custom_count;

	for (uint32_t i = 0; same && i < a->custom_count; i++)
		same = same_bits(a->custom[i], b->custom[i]);
	return same;
}

static bool same_layout(const struct native_histogram *a, const struct native_histogram *b)
{
	return a->schema == b->schema && same_bits(a->zero_threshold, b->zero_threshold) &&
	       same_spans(&a->positive, &b->positive) && same_spans(&a->negative, &b->negative) &&
	       same_bounds(a, b);
}

static void put_spans(struct buf *out, const struct native_side *s)
{
	column_put_varint(out, s->span_count);
	for (uint32_t i = 0; i < s->span_count; i++) {
		column_put_varint(out, zigzag(s->spans[i].offset));
		column_put_varint(out, s->spans[i].length);
	}
}

static void put_count(struct buf *out, double v, double before, bool integers)
{
	if (integers)
		column_put_varint(out, zigzag((int64_t)v - (int64_t)before));
	else
		buf_put(out, &v, sizeof(v));
}

static void put_side(struct buf *out, const struct native_side *s, const struct native_side *before,
		     bool integers)
{
	for (uint32_t i = 0; i < s->count; i++)
		put_count(out, s->counts[i], before ? before->counts[i] : 0, integers);
}

void metric_histogram_put(struct buf *out, const struct native_histogram *h,
			  const struct native_histogram *before)
{
	bool same = before && same_layout(h, before), integers = has_integers(h);
	const struct native_histogram *base = same && has_integers(before) ? before : NULL;

	buf_put_char(out, (char)((same ? SAME : 0) | (unsigned)h->reset << RESET_SHIFT |
				 (integers ? INTEGERS : 0)));
	if (!same) {
		column_put_varint(out, zigzag(h->schema));
		buf_put(out, &h->zero_threshold, sizeof(h->zero_threshold));
		put_spans(out, &h->positive);
		put_spans(out, &h->negative);
		column_put_varint(out, h->custom_count);
		if (h->custom_count)
			buf_put(out, h->custom, h->custom_count * sizeof(*h->custom));
	}
	buf_put(out, &h->sum, sizeof(h->sum));
	put_count(out, h->count, base ? base->count : 0, integers);
	put_count(out, h->zero_count, base ? base->zero_count : 0, integers);
	put_side(out, &h->positive, base ? &base->positive : NULL, integers);
	put_side(out, &h->negative, base ? &base->negative : NULL, integers);
}

/* ---- reading ---- */

static double get_double(struct column_cursor *c)
{
	const uint8_t *p = column_bytes(c, sizeof(double));
	double v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static int get_spans(struct column_cursor *c, struct native_side *s, struct arena *a)
{
	uint64_t total = 0;

	s->span_count = column_count(c);
	if (s->span_count > NATIVE_BUCKETS_MAX || c->bad) {
		c->bad = true;
		s->span_count = 0;
		return 0;
	}
	s->spans = arena_alloc(a, s->span_count + 1, sizeof(*s->spans));
	if (!s->spans)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->span_count; i++) {
		s->spans[i].offset = (int32_t)unzigzag(column_varint(c));
		s->spans[i].length = (uint32_t)column_varint(c);
		total += s->spans[i].length;
	}
	if (total > column_left(c)) /* each bucket has a byte at least */
		c->bad = true;
	s->count = c->bad ? 0 : (uint32_t)total;
	return 0;
}

static int get_layout(struct column_cursor *c, struct native_histogram *h, struct arena *a)
{
	uint32_t customs;
	double *custom;
	int rc;

	h->schema = (int32_t)unzigzag(column_varint(c));
	h->zero_threshold = get_double(c);
	rc = get_spans(c, &h->positive, a);
	if (!rc)
		rc = get_spans(c, &h->negative, a);
	customs = column_count(c);
	if (rc || c->bad || !customs)
		return rc;
	if (column_left(c) / sizeof(*custom) < customs) {
		c->bad = true;
		return 0;
	}
	custom = arena_alloc(a, customs, sizeof(*custom));
	if (!custom)
		return -ENOMEM;
	memcpy(custom, column_bytes(c, customs * sizeof(*custom)), customs * sizeof(*custom));
	h->custom = custom;
	h->custom_count = customs;
	return 0;
}

static double get_count(struct column_cursor *c, double before, bool integers)
{
	int64_t n;

	if (!integers)
		return get_double(c);
	n = (int64_t)((uint64_t)unzigzag(column_varint(c)) + (uint64_t)(int64_t)before);
	if (n < 0 || (double)n >= INTEGER_MAX)
		c->bad = true;
	return c->bad ? 0 : (double)n;
}

static int get_side(struct column_cursor *c, struct native_side *s,
		    const struct native_side *before, bool integers, struct arena *a)
{
	if (s->count > column_left(c)) {
		c->bad = true;
		return 0;
	}
	s->counts = arena_alloc(a, s->count + 1, sizeof(*s->counts));
	if (!s->counts)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->count; i++)
		s->counts[i] = get_count(c, before ? before->counts[i] : 0, integers);
	return 0;
}

int metric_histogram_get(struct column_cursor *c, struct native_histogram *h,
			 const struct native_histogram *before, struct arena *a)
{
	const uint8_t *head = column_bytes(c, 1);
	bool same = head && *head & SAME, integers = head && *head & INTEGERS;
	const struct native_histogram *base = NULL;
	int rc = 0;

	*h = (struct native_histogram){0};
	if (!head || *head >= HEADS || (same && !before)) {
		c->bad = true;
		return 0;
	}
	if (same) {
		*h = *before;
		base = has_integers(before) ? before : NULL;
	} else {
		rc = get_layout(c, h, a);
	}
	h->reset = (enum native_reset)(*head >> RESET_SHIFT & RESET_MASK);
	h->sum = get_double(c);
	h->count = get_count(c, base ? base->count : 0, integers);
	h->zero_count = get_count(c, base ? base->zero_count : 0, integers);
	if (!rc && !c->bad)
		rc = get_side(c, &h->positive, base ? &base->positive : NULL, integers, a);
	if (!rc && !c->bad)
		rc = get_side(c, &h->negative, base ? &base->negative : NULL, integers, a);
	if (!rc && !c->bad && native_check(h))
		c->bad = true;
	if (c->bad || rc)
		*h = (struct native_histogram){0};
	return rc;
}
