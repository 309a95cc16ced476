/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of commits. */
#include "store/sqlite/metrics/layout/metric_rows.h"

#include "store/sqlite/metrics/layout/metric_histograms.h"

static void widen(const int64_t *t, uint32_t n, int64_t *first, int64_t *last)
{
	for (uint32_t i = 0; i < n; i++) {
		*first = t[i] < *first ? t[i] : *first;
		*last = t[i] > *last ? t[i] : *last;
	}
}

void metric_rows_times(const struct metric_rows *r, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	widen(r->times.at, r->times.n, first, last);
	widen(r->histogram_times.at, r->histogram_times.n, first, last);
}

/* ---- columns of differences ---- */

enum { BLOCK = 1024 };

/* Append differences as columns of up to BLOCK numbers, without memory for all. */
static void put_series(struct buf *out, const uint32_t *v, uint32_t n)
{
	uint64_t part[BLOCK];
	int64_t last = 0;

	for (uint32_t i = 0, k; i < n; i += k) {
		for (k = 0; k < BLOCK && i + k < n; k++) {
			part[k] = zigzag((int64_t)v[i + k] - last);
			last = v[i + k];
		}
		column_put_u64(out, part, k);
	}
}

static void put_times(struct buf *out, const int64_t *v, uint32_t n)
{
	uint64_t part[BLOCK];
	int64_t last = 0;

	for (uint32_t i = 0, k; i < n; i += k) {
		for (k = 0; k < BLOCK && i + k < n; k++) {
			part[k] = zigzag(v[i + k] - last);
			last = v[i + k];
		}
		column_put_u64(out, part, k);
	}
}

static void get_series(struct column_cursor *c, uint32_t *v, uint32_t n)
{
	uint64_t part[BLOCK];
	int64_t last = 0;

	for (uint32_t i = 0, k; i < n; i += k) {
		k = n - i < BLOCK ? n - i : BLOCK;
		column_get_u64(c, part, k);
		for (uint32_t j = 0; j < k; j++) {
			last = (int64_t)((uint64_t)last + (uint64_t)unzigzag(part[j]));
			if (last < 0 || last > UINT32_MAX)
				c->bad = true;
			v[i + j] = (uint32_t)last;
		}
	}
}

static void get_times(struct column_cursor *c, int64_t *v, uint32_t n)
{
	uint64_t part[BLOCK];
	int64_t last = 0;

	for (uint32_t i = 0, k; i < n; i += k) {
		k = n - i < BLOCK ? n - i : BLOCK;
		column_get_u64(c, part, k);
		for (uint32_t j = 0; j < k; j++) {
			last = (int64_t)((uint64_t)last + (uint64_t)unzigzag(part[j]));
			if (last <= 0)
				c->bad = true;
			v[i + j] = last;
		}
	}
}

/* ---- rows ---- */

void metric_rows_put(const struct metric_rows *r, struct buf *out)
{
	column_put_varint(out, r->series.n);
	column_put_varint(out, r->histogram_series.n);
	put_series(out, r->series.at, r->series.n);
	put_times(out, r->times.at, r->times.n);
	buf_put(out, r->bits.at, r->bits.n * sizeof(uint64_t));
	put_series(out, r->histogram_series.at, r->histogram_series.n);
	put_times(out, r->histogram_times.at, r->histogram_times.n);
	for (uint32_t i = 0; i < r->histograms.n; i++)
		metric_histogram_put(out, &r->histograms.at[i], NULL);
}

static int get_histograms(struct metric_rows *r, struct column_cursor *c, uint32_t n,
			  struct arena *a)
{
	int rc = vec_reserve(a, &r->histogram_series, n);

	if (!rc)
		rc = vec_reserve(a, &r->histogram_times, n);
	if (!rc)
		rc = vec_reserve(a, &r->histograms, n);
	if (rc)
		return rc;
	get_series(c, r->histogram_series.at, n);
	get_times(c, r->histogram_times.at, n);
	for (uint32_t i = 0; i < n && !rc && !c->bad; i++)
		rc = metric_histogram_get(c, &r->histograms.at[i], NULL, a);
	r->histogram_series.n = r->histogram_times.n = r->histograms.n = n;
	return rc;
}

int metric_rows_get(struct metric_rows *r, struct str block, struct arena *a, struct err *e)
{
	struct column_cursor c = column_cursor(block);
	uint64_t floats = column_varint(&c), histograms = column_varint(&c);
	const uint8_t *bits;
	int rc = 0;

	*r = (struct metric_rows){0};
	/* a float has 8 bytes at least, a histogram 12 */
	if (floats > column_left(&c) / 8 || histograms > column_left(&c) / 12)
		c.bad = true;
	if (!c.bad && floats) {
		rc = vec_reserve(a, &r->series, floats);
		if (!rc)
			rc = vec_reserve(a, &r->times, floats);
		if (!rc)
			rc = vec_reserve(a, &r->bits, floats);
		if (rc)
			return err_errno(e, rc, "read metrics");
		get_series(&c, r->series.at, (uint32_t)floats);
		get_times(&c, r->times.at, (uint32_t)floats);
		bits = column_bytes(&c, floats * sizeof(uint64_t));
		if (bits)
			memcpy(r->bits.at, bits, floats * sizeof(uint64_t));
		r->series.n = r->times.n = r->bits.n = (uint32_t)floats;
	}
	if (!c.bad && histograms)
		rc = get_histograms(r, &c, (uint32_t)histograms, a);
	if (rc)
		return err_errno(e, rc, "read metrics");
	return c.bad || column_left(&c) ? err_set(e, -EUCLEAN, "rows of metrics are damaged") : 0;
}

/* ---- exemplars and metadata ---- */

void metric_extras_put(const struct metric_extras *x, struct buf *out)
{
	column_put_varint(out, x->exemplars.n);
	for (uint32_t i = 0; i < x->exemplars.n; i++) {
		const struct metric_exemplar *p = &x->exemplars.at[i];

		column_put_varint(out, p->series);
		column_put_varint(out, (uint64_t)p->time);
		buf_put(out, &p->value, sizeof(p->value));
		column_put_str(out, p->labels);
	}
	column_put_varint(out, x->families.n);
	for (uint32_t i = 0; i < x->families.n; i++) {
		const struct metric_family *f = &x->families.at[i];

		column_put_str(out, f->tenant);
		column_put_varint(out, f->meta.type);
		column_put_str(out, f->meta.name);
		column_put_str(out, f->meta.help);
		column_put_str(out, f->meta.unit);
	}
}

static int get_exemplar(struct metric_extras *x, struct column_cursor *c, struct arena *a)
{
	struct metric_exemplar p = {0};
	uint64_t series = column_varint(c), time = column_varint(c);
	const uint8_t *value = column_bytes(c, sizeof(p.value));

	p.labels = column_str(c);
	if (series > UINT32_MAX || !time || time > INT64_MAX || !value ||
	    metric_labels_check(p.labels)) {
		c->bad = true;
		return 0;
	}
	p.series = (uint32_t)series;
	p.time = (int64_t)time;
	memcpy(&p.value, value, sizeof(p.value));
	return vec_push(a, &x->exemplars, p);
}

static int get_family(struct metric_extras *x, struct column_cursor *c, struct arena *a)
{
	struct metric_family f = {.tenant = column_str(c)};
	uint64_t type = column_varint(c);

	f.meta.name = column_str(c);
	f.meta.help = column_str(c);
	f.meta.unit = column_str(c);
	if (type >= METRIC_TYPES) {
		c->bad = true;
		return 0;
	}
	f.meta.type = (uint8_t)type;
	return vec_push(a, &x->families, f);
}

int metric_extras_get(struct metric_extras *x, struct str block, struct arena *a, struct err *e)
{
	struct column_cursor c = column_cursor(block);
	uint64_t n = column_varint(&c);
	int rc = 0;

	for (uint64_t i = 0; i < n && !rc && !c.bad; i++)
		rc = get_exemplar(x, &c, a);
	n = rc ? 0 : column_varint(&c);
	for (uint64_t i = 0; i < n && !rc && !c.bad; i++)
		rc = get_family(x, &c, a);
	if (rc)
		return err_errno(e, rc, "read metrics");
	return c.bad || column_left(&c) ? err_set(e, -EUCLEAN, "exemplars or metadata are damaged")
					: 0;
}
