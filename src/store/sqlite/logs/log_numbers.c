/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of numbers, packed by bits. */
#include "store/sqlite/logs/log_numbers.h"

enum { CONSTANT, PACKED, GROUP = 128 };

static unsigned bits_of(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* Return the bytes of a packed group. */
static size_t packed_size(uint32_t n, unsigned bits)
{
	return ((size_t)n * bits + 7) / 8;
}

static void pack_group(uint8_t *out, const uint64_t *v, uint32_t n, uint64_t base, uint64_t divisor,
		       unsigned bits)
{
	unsigned __int128 held = 0;
	unsigned have = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t x = divisor == 1 ? v[i] - base : (v[i] - base) / divisor;

		held |= (unsigned __int128)x << have;
		for (have += bits; have >= 8; have -= 8) {
			*out++ = (uint8_t)held;
			held >>= 8;
		}
	}
	if (have)
		*out = (uint8_t)held;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Return the greatest divisor of all differences to `base`; 1 soon for most columns. */
static uint64_t common_divisor(const uint64_t *v, uint32_t n, uint64_t base)
{
	uint64_t d = 0;

	for (uint32_t i = 0; i < n && d != 1; i++)
		d = gcd(v[i] - base, d);
	return d ? d : 1;
}

static void least_and_largest(const uint64_t *v, uint32_t n, uint64_t *min, uint64_t *max)
{
	*min = *max = v[0];
	for (uint32_t i = 1; i < n; i++) {
		*min = v[i] < *min ? v[i] : *min;
		*max = v[i] > *max ? v[i] : *max;
	}
}

void log_numbers_put(struct buf *out, const uint64_t *v, uint32_t n)
{
	uint64_t min, max, divisor, base;

	if (!n)
		return;
	least_and_largest(v, n, &base, &max);
	if (base == max) {
		buf_put_char(out, CONSTANT);
		column_put_varint(out, base);
		return;
	}
	divisor = common_divisor(v, n, base);
	buf_put_char(out, PACKED);
	column_put_varint(out, base);
	column_put_varint(out, divisor);
	for (uint32_t i = 0; i < n; i += GROUP) {
		uint32_t count = n - i < GROUP ? n - i : GROUP;
		unsigned bits;
		size_t size;
		char *at;

		least_and_largest(v + i, count, &min, &max);
		bits = bits_of((max - min) / divisor);
		size = packed_size(count, bits);
		column_put_varint(out, (min - base) / divisor);
		buf_put_char(out, (char)bits);
		at = buf_reserve(out, size + 1);
		if (!at)
			return;
		pack_group((uint8_t *)at, v + i, count, min, divisor, bits);
		out->n += size;
	}
}

static void unpack_group(uint64_t *out, const uint8_t *p, const uint8_t *end, uint32_t n,
			 uint64_t base, uint64_t divisor, unsigned bits)
{
	uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	size_t bit = 0;

	for (uint32_t i = 0; i < n; i++, bit += bits) {
		const uint8_t *at = p + bit / 8;
		unsigned shift = bit % 8;
		uint64_t x = 0;

		if (end - at >= 9) {
			memcpy(&x, at, sizeof(x));
			x >>= shift;
			if (shift + bits > 64)
				x |= (uint64_t)at[8] << (64 - shift);
		} else {
			unsigned __int128 wide = 0;

			for (unsigned k = 0; at + k < end && k < 9; k++)
				wide |= (unsigned __int128)at[k] << 8 * k;
			x = (uint64_t)(wide >> shift);
		}
		out[i] = base + (x & mask) * divisor;
	}
}

static void get_packed(struct column_cursor *c, uint64_t *out, uint32_t n)
{
	uint64_t base = column_varint(c), divisor = column_varint(c);

	for (uint32_t i = 0; i < n && !c->bad; i += GROUP) {
		uint32_t count = n - i < GROUP ? n - i : GROUP;
		uint64_t min = base + column_varint(c) * divisor;
		const uint8_t *bits = column_bytes(c, 1), *p;

		if (!bits || *bits > 64) {
			c->bad = true;
			return;
		}
		p = column_bytes(c, packed_size(count, *bits));
		if (*bits && p)
			unpack_group(out + i, p, c->p, count, min, divisor, *bits);
		else
			for (uint32_t k = 0; k < count; k++)
				out[i + k] = min;
	}
}

uint64_t *log_numbers_get(struct column_cursor *c, struct arena *a, uint32_t n, int *rc)
{
	const uint8_t *kind;
	uint64_t *out;

	/* a constant column of any length takes two bytes: the caller has checked n */
	out = *rc || c->bad ? NULL : arena_alloc(a, n + (size_t)1, sizeof(*out));
	if (!out) {
		*rc = *rc || c->bad ? *rc : -ENOMEM;
		return NULL;
	}
	out[0] = 0;
	if (!n)
		return out;
	kind = column_bytes(c, 1);
	if (kind && *kind == CONSTANT) {
		uint64_t value = column_varint(c);

		for (uint32_t i = 0; i < n; i++)
			out[i] = value;
	} else if (kind && *kind == PACKED) {
		get_packed(c, out, n);
	} else {
		c->bad = true;
	}
	return c->bad ? NULL : out;
}

void log_numbers_put_u32(struct buf *out, const uint32_t *v, uint32_t n, uint64_t *scratch)
{
	for (uint32_t i = 0; i < n; i++)
		scratch[i] = v[i];
	log_numbers_put(out, scratch, n);
}

uint32_t *log_numbers_get_u32(struct column_cursor *c, struct arena *a, uint32_t n, int *rc)
{
	uint64_t *wide = log_numbers_get(c, a, n, rc);
	uint32_t *out = (uint32_t *)wide;

	if (!wide)
		return NULL;
	/* in place: each number is read before its room is written */
	for (uint32_t i = 0; i < n; i++) {
		uint64_t x;

		memcpy(&x, (const char *)wide + i * sizeof(x), sizeof(x));
		c->bad |= x > UINT32_MAX;
		memcpy((char *)wide + i * sizeof(uint32_t), &(uint32_t){(uint32_t)x},
		       sizeof(uint32_t));
	}
	return c->bad ? NULL : out;
}
