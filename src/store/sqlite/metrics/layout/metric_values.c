/* SPDX-License-Identifier: Apache-2.0 */
/* Values as decimal integers where they are such, else as planes of bytes. */
#include "store/sqlite/metrics/layout/metric_values.h"

#include <math.h>

enum {
	DECIMAL = 1,
	PLANES = 2,
	KIND = 7,
	SPECIAL = 8,
	POWERS = 16,
	POWER_SHIFT = 4,
	SPECIAL_PART = 8, /* at most 1/8 of the values may be special */
	SPECIAL_BYTES = 9,
	PLANE_COUNT = 8,
};

/* Beyond this not all integers are doubles. */
#define INTEGER_MAX 9007199254740992.0

static const double powers[POWERS] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,	1e6,  1e7,
				      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

static double value_of(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static uint64_t bits_of_value(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

/* Set *out and return true if the value is an integer divided by this power of ten. */
static inline bool as_decimal(uint64_t bits, unsigned power, int64_t *out)
{
	double scaled = value_of(bits) * powers[power];
	int64_t n;

	if (!(scaled > -INTEGER_MAX && scaled < INTEGER_MAX))
		return false;
	n = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
	*out = n;
	return bits_of_value((double)n / powers[power]) == bits;
}

/*
 * Find the least power of ten that makes integers of all values but a few. Return false if there is
 * none.
 */
static bool find_power(const uint64_t *bits, uint32_t n, unsigned *power)
{
	uint32_t special = 0, most = n / SPECIAL_PART + 1;
	unsigned p = 0;

	for (uint32_t i = 0; i < n; i++) {
		unsigned q = p;
		int64_t number;

		while (q < POWERS && !as_decimal(bits[i], q, &number))
			q++;
		if (q < POWERS)
			p = q;
		else if (++special > most)
			return false;
	}
	*power = p;
	return true;
}

static void put_decimal(struct buf *out, const uint64_t *bits, uint32_t n, unsigned power,
			const struct value_scratch *s)
{
	uint32_t special = 0, last = 0;
	int64_t before = 0;
	size_t head = out->n;

	buf_put_char(out, 0);
	for (uint32_t i = 0; i < n; i++) {
		if (!as_decimal(bits[i], power, &s->ints[i])) {
			s->ints[i] = before;
			special++;
		}
		before = s->ints[i];
	}
	if (special)
		column_put_varint(out, special);
	for (uint32_t i = 0; special && i < n; i++) {
		int64_t number;

		if (as_decimal(bits[i], power, &number))
			continue;
		column_put_varint(out, i - last);
		buf_put(out, &bits[i], sizeof(bits[i]));
		last = i;
	}
	metric_ints_put(out, s->ints, n, &s->of_ints);
	if (!out->failed)
		out->p[head] = (char)(DECIMAL | (special ? SPECIAL : 0) | power << POWER_SHIFT);
}

static void put_planes(struct buf *out, const uint64_t *bits, uint32_t n)
{
	uint64_t any = 0;
	unsigned used = 0;

	for (uint32_t i = 1; i < n; i++)
		any |= bits[i] ^ bits[i - 1];
	for (unsigned k = 0; k < PLANE_COUNT; k++)
		used |= (unsigned)((any >> 8 * k & 0xff) != 0) << k;
	buf_put_char(out, PLANES);
	buf_put_char(out, (char)used);
	buf_put(out, bits, sizeof(bits[0]));
	for (unsigned k = 0; k < PLANE_COUNT; k++) {
		char *at = used >> k & 1 ? buf_reserve(out, n - 1) : NULL;

		if (!at)
			continue;
		for (uint32_t i = 1; i < n; i++)
			*at++ = (char)((bits[i] ^ bits[i - 1]) >> 8 * k);
		out->n += n - 1;
	}
}

void metric_values_put(struct buf *out, const uint64_t *bits, uint32_t n,
		       const struct value_scratch *s)
{
	size_t start = out->n, decimal;
	unsigned power = 0;

	if (!find_power(bits, n, &power)) {
		put_planes(out, bits, n);
		return;
	}
	put_decimal(out, bits, n, power, s);
	decimal = out->n - start;
	/* numbers of many digits: planes compress better than that */
	if (decimal > (size_t)n * 6 && !out->failed) {
		struct buf planes = {.budget = out->budget};

		put_planes(&planes, bits, n);
		if (!planes.failed && planes.n < decimal) {
			out->n = start;
			buf_put(out, planes.p, planes.n);
		}
		buf_fini(&planes);
	}
}

/* ---- decoding ---- */

static void get_decimal(struct column_cursor *c, uint8_t head, uint64_t *bits, uint32_t n,
			int64_t *ints)
{
	double power = powers[head >> POWER_SHIFT];
	uint64_t special = head & SPECIAL ? column_varint(c) : 0, at = 0;
	struct column_cursor specials = *c;

	if (special > n)
		c->bad = true;
	for (uint64_t i = 0; i < special && !c->bad; i++) {
		uint64_t gap = column_varint(c);

		(void)column_bytes(c, sizeof(uint64_t));
		at += gap;
		if (gap >= n || at >= n)
			c->bad = true;
	}
	metric_ints_get(c, ints, n);
	if (head >> POWER_SHIFT)
		for (uint32_t i = 0; i < n; i++)
			bits[i] = bits_of_value((double)ints[i] / power);
	else
		for (uint32_t i = 0; i < n; i++)
			bits[i] = bits_of_value((double)ints[i]);
	at = 0;
	for (uint64_t i = 0; i < special && !c->bad; i++) {
		const uint8_t *p;

		at += column_varint(&specials);
		p = column_bytes(&specials, sizeof(bits[0]));
		if (p)
			memcpy(&bits[at], p, sizeof(bits[0]));
	}
}

static void get_planes(struct column_cursor *c, uint64_t *bits, uint32_t n)
{
	const uint8_t *head = column_bytes(c, 1 + sizeof(bits[0]));

	memset(bits, 0, n * sizeof(*bits));
	for (unsigned k = 0; head && k < PLANE_COUNT; k++) {
		const uint8_t *plane = head[0] >> k & 1 ? column_bytes(c, n - 1) : NULL;

		for (uint32_t i = 1; plane && i < n; i++)
			bits[i] |= (uint64_t)plane[i - 1] << 8 * k;
	}
	if (head)
		memcpy(bits, head + 1, sizeof(bits[0]));
	for (uint32_t i = 1; i < n; i++)
		bits[i] ^= bits[i - 1];
}

void metric_values_get(struct column_cursor *c, uint64_t *bits, uint32_t n, int64_t *ints)
{
	const uint8_t *head = column_bytes(c, 1);

	if (head && (*head & KIND) == DECIMAL) {
		get_decimal(c, *head, bits, n, ints);
		return;
	}
	if (!head || *head != PLANES)
		c->bad = true;
	get_planes(c, bits, n);
}
