/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of numbers and of text. */
#include "store/sqlite/spans/span_values.h"

#include "base/container/hash.h"

/* ---- numbers ---- */

static unsigned width_of(uint64_t v)
{
	return v ? (unsigned)(63 - __builtin_clzll(v)) / 8 + 1 : 0;
}

void span_numbers_put(struct buf *out, struct buf *ends, const uint64_t *v, uint32_t n,
		      uint64_t *min, uint64_t *max)
{
	unsigned width;
	char *p;

	*min = n ? v[0] : 0;
	*max = *min;
	for (uint32_t i = 1; i < n; i++) {
		*min = v[i] < *min ? v[i] : *min;
		*max = v[i] > *max ? v[i] : *max;
	}
	width = width_of(*max - *min);
	column_put_varint(out, *min);
	buf_put_char(out, (char)width);
	for (unsigned k = 0; k < width; k++) {
		p = buf_reserve(out, n);
		if (!p)
			return;
		for (uint32_t i = 0; i < n; i++)
			p[i] = (char)((v[i] - *min) >> 8 * k);
		out->n += n;
		column_end(ends, out);
	}
}

uint64_t *span_numbers_get(struct column_cursor *c, struct arena *a, uint32_t n, int *rc)
{
	uint64_t min = column_varint(c), *out;
	const uint8_t *width = column_bytes(c, 1), *planes;

	if (c->bad || *width > 8) {
		c->bad = true;
		return NULL;
	}
	planes = column_bytes(c, (size_t)n * *width);
	out = planes ? arena_alloc(a, (size_t)n + 1, sizeof(*out)) : NULL;
	if (planes && !out)
		*rc = -ENOMEM;
	if (!out)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		out[i] = min;
	for (unsigned k = 0; k < *width; k++, planes += n)
		for (uint32_t i = 0; i < n; i++)
			out[i] += (uint64_t)planes[i] << 8 * k;
	return out;
}

/* ---- plain text ---- */

static size_t common_prefix(const union span_value *v, uint32_t n)
{
	size_t prefix = n ? v[0].text.n : 0;

	for (uint32_t i = 1; i < n && prefix; i++) {
		size_t k = 0;

		prefix = v[i].text.n < prefix ? v[i].text.n : prefix;
		while (k < prefix && v[i].text.p[k] == v[0].text.p[k])
			k++;
		prefix = k;
	}
	return prefix;
}

static int put_plain(struct buf *out, struct buf *ends, const union span_value *v, uint32_t n,
		     struct arena *a)
{
	size_t prefix = common_prefix(v, n);
	uint64_t *lengths = arena_alloc(a, (size_t)n + 1, sizeof(*lengths)), min, max;

	if (!lengths)
		return -ENOMEM;
	column_put_str(out, n ? str_head(v[0].text, prefix) : (struct str){0});
	for (uint32_t i = 0; i < n; i++)
		lengths[i] = v[i].text.n - prefix;
	span_numbers_put(out, ends, lengths, n, &min, &max);
	for (uint32_t i = 0; i < n; i++)
		buf_put_str(out, str_from_at(v[i].text, prefix));
	column_end(ends, out);
	return 0;
}

static void join_prefix(union span_value *v, uint32_t n, struct str prefix, char *p)
{
	for (uint32_t i = 0; i < n; i++) {
		memcpy(p, prefix.p, prefix.n);
		if (v[i].text.n)
			memcpy(p + prefix.n, v[i].text.p, v[i].text.n);
		v[i].text = str_of(p, prefix.n + v[i].text.n);
		p += v[i].text.n;
	}
}

static union span_value *get_plain(struct column_cursor *c, struct arena *a, uint32_t n, int *rc)
{
	struct str prefix = column_str(c);
	uint64_t *lengths = span_numbers_get(c, a, n, rc);
	union span_value *v = lengths ? arena_alloc(a, (size_t)n + 1, sizeof(*v)) : NULL;
	size_t total = 0;
	char *joined;

	if (lengths && !v)
		*rc = -ENOMEM;
	for (uint32_t i = 0; v && i < n; i++) {
		if (lengths[i] > column_left(c)) {
			c->bad = true;
			return NULL;
		}
		v[i].text = str_of((const char *)column_bytes(c, lengths[i]), lengths[i]);
		total += lengths[i] + prefix.n;
	}
	if (!v || !prefix.n)
		return v;
	joined = arena_alloc(a, total + 1, 1);
	if (!joined) {
		*rc = -ENOMEM;
		return NULL;
	}
	join_prefix(v, n, prefix, joined);
	return v;
}

/* ---- dictionaries ---- */

struct text_dictionary {
	uint32_t *slots; /* index of `distinct` + 1; 0: free */
	uint32_t mask, n;
	union span_value *distinct;
	uint32_t *hashes;
	uint64_t *indexes; /* of each value */
};

/* Add a value and return its index. */
static uint32_t dictionary_add(struct text_dictionary *d, struct str text)
{
	uint32_t hash = hash32(text), at = hash & d->mask;

	for (; d->slots[at]; at = (at + 1) & d->mask) {
		uint32_t id = d->slots[at] - 1;

		if (d->hashes[id] == hash && str_eq(d->distinct[id].text, text))
			return id;
	}
	d->distinct[d->n].text = text;
	d->hashes[d->n] = hash;
	d->slots[at] = ++d->n;
	return d->n - 1;
}

static int dictionary_init(struct text_dictionary *d, uint32_t n, struct arena *a)
{
	uint32_t slots = 16;

	while (slots < n)
		slots *= 2; /* at most n / 2 + 9 distinct values */
	*d = (struct text_dictionary){
		.mask = slots * 2 - 1,
		.slots = arena_zalloc(a, (size_t)slots * 2, sizeof(*d->slots)),
		.distinct = arena_alloc(a, (size_t)n + 1, sizeof(*d->distinct)),
		.hashes = arena_alloc(a, (size_t)n + 1, sizeof(*d->hashes)),
		.indexes = arena_alloc(a, (size_t)n + 1, sizeof(*d->indexes)),
	};
	return d->slots && d->distinct && d->hashes && d->indexes ? 0 : -ENOMEM;
}

/* Index the values. Return false if too many are distinct for a dictionary to pay off. */
static bool dictionary_fill(struct text_dictionary *d, const union span_value *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		bool same = i && str_eq(v[i].text, v[i - 1].text);

		d->indexes[i] = same ? d->indexes[i - 1] : dictionary_add(d, v[i].text);
		if (d->n > i / 2 + 64)
			return false;
	}
	return d->n <= n / 2;
}

int span_text_put(struct buf *out, struct buf *ends, const union span_value *v, uint32_t n,
		  struct arena *a)
{
	struct text_dictionary d;
	uint64_t min, max;
	int rc = dictionary_init(&d, n, a);

	if (rc)
		return rc;
	if (!dictionary_fill(&d, v, n)) {
		rc = put_plain(out, ends, v, n, a);
		return rc ? rc : SPAN_TEXT;
	}
	column_put_varint(out, d.n);
	rc = put_plain(out, ends, d.distinct, d.n, a);
	span_numbers_put(out, ends, d.indexes, n, &min, &max);
	return rc ? rc : SPAN_DICTIONARY;
}

static union span_value *get_dictionary(struct column_cursor *c, struct arena *a, uint32_t n,
					int *rc)
{
	uint64_t distinct = column_varint(c), *indexes;
	union span_value *texts = NULL, *v;

	if (distinct > n)
		c->bad = true;
	else
		texts = get_plain(c, a, (uint32_t)distinct, rc);
	indexes = texts ? span_numbers_get(c, a, n, rc) : NULL;
	v = indexes ? arena_alloc(a, (size_t)n + 1, sizeof(*v)) : NULL;
	if (indexes && !v)
		*rc = -ENOMEM;
	for (uint32_t i = 0; v && i < n; i++) {
		if (indexes[i] >= distinct) {
			c->bad = true;
			return NULL;
		}
		v[i] = texts[indexes[i]];
	}
	return v;
}

union span_value *span_values_get(struct column_cursor *c, struct arena *a,
				  enum span_encoding encoding, uint32_t n, int *rc)
{
	uint64_t *numbers;
	union span_value *v;

	if (encoding == SPAN_TEXT)
		return get_plain(c, a, n, rc);
	if (encoding == SPAN_DICTIONARY)
		return get_dictionary(c, a, n, rc);
	numbers = span_numbers_get(c, a, n, rc);
	v = numbers ? arena_alloc(a, (size_t)n + 1, sizeof(*v)) : NULL;
	if (numbers && !v)
		*rc = -ENOMEM;
	for (uint32_t i = 0; v && i < n; i++)
		v[i].number = numbers[i];
	return v;
}
