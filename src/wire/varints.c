/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Portable and SSE2 versions, which dispatch to varints_wide.h at run time. Tests compare all
 * versions with a byte-by-byte decoder.
 */
#include "wire/varints_wide.h"

enum { PAIRS = 16 };

const uint32_t varint_groups[VARINT_WINDOW + 1] = {0, 0x7f, 0x7f7f, 0x7f7f7f, 0x7f7f7f7f};

#ifdef __SSE2__
/* Join eight pairs of a byte and its successor as numbers of one or two bytes. */
static inline __m128i join_pairs(__m128i pairs)
{
	__m128i goes_on = _mm_srai_epi16(_mm_slli_epi16(pairs, 8), 15);
	__m128i second = _mm_and_si128(_mm_srli_epi16(pairs, 1), _mm_set1_epi16(0x3f80));

	return _mm_or_si128(_mm_and_si128(pairs, _mm_set1_epi16(0x7f)),
			    _mm_and_si128(second, goes_on));
}

/* Set numbers[i] to the number of one or two bytes that begins at p[i], for every i. */
static inline void join_everywhere(const uint8_t *p, uint16_t *numbers)
{
	__m128i here = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i next = _mm_loadu_si128((const __m128i *)(const void *)(p + 1));
	__m128i *out = (__m128i *)(void *)numbers;

	_mm_storeu_si128(out, join_pairs(_mm_unpacklo_epi8(here, next)));
	_mm_storeu_si128(out + 1, join_pairs(_mm_unpackhi_epi8(here, next)));
}
#else
static inline void join_everywhere(const uint8_t *p, uint16_t *numbers)
{
	for (unsigned i = 0; i < PAIRS; i++)
		numbers[i] = (uint16_t)((p[i] & 0x7f) | (p[i] < 0x80 ? 0 : p[i + 1]) << 7);
}
#endif

bool varint_take_window(struct varint_list *l, uint64_t high, unsigned n)
{
	uint64_t ends = ~high & varint_window(n);
	const uint32_t last = l->last, offset = l->offset;
	uint32_t *out = l->out;
	unsigned from = 0;

	for (; ends; ends &= ends - 1) {
		unsigned until = (unsigned)__builtin_ctzll(ends) + 1;
		uint32_t word, index;

		memcpy(&word, l->at + from, sizeof(word));
		index = varint_join_short(word, until - from);
		if (unlikely(index - 1 >= last)) /* 0, too */
			break;
		*out++ = index + offset;
		from = until;
	}
	l->at += from;
	l->out = out;
	return from && !ends;
}

/*
 * Decode a window of n bytes in which all varints have one or two bytes: each byte is joined with
 * its successor, and the results at which a varint begins are used. Return false if an index needs
 * the slow path.
 */
static bool take_pairs(struct varint_list *l, uint64_t high, unsigned n)
{
	uint64_t begins = ~(high << 1) & varint_window(n);
	/* 1 if the last varint continues after the window */
	const unsigned cut = (unsigned)(high >> (n - 1));
	const uint32_t last = l->last, offset = l->offset;
	uint32_t *out = l->out, largest = 0;
	uint16_t numbers[VARINT_WINDOW];

	for (unsigned i = 0; i < n; i += PAIRS)
		join_everywhere(l->at + i, numbers + i);
	begins ^= (uint64_t)cut << (n - 1);
	for (; begins; begins &= begins - 1) {
		uint32_t index = numbers[__builtin_ctzll(begins)];

		/* index 0 wraps to the maximum */
		largest = index - 1 > largest ? index - 1 : largest;
		*out++ = index + offset;
	}
	if (unlikely(largest >= last))
		return varint_take_window(l, high, n); /* up to the index out of range */
	l->at += n - cut;
	l->out = out;
	return n > cut; /* a single truncated varint is left to the caller */
}

#ifdef VARINT_HAS_AVX512
TARGET_AVX512 static uint32_t take_numbers_wide(const uint8_t **from, const uint8_t *end,
						int64_t *to, size_t stride, uint32_t most)
{
	const uint8_t *at = *from;
	uint32_t count = 0;

	while (at < end && count < most) {
		uint64_t word, stops, passed = 0;

		memcpy(&word, at, sizeof(word));
		stops = varint_stops(word, (size_t)(end - at));
		if (unlikely(!stops))
			break;
		do { /* `mask` covers up to the end of the number, `passed` what precedes it */
			uint64_t mask = _blsmsk_u64(stops);

			*to = (int64_t)_pext_u64(word, (mask ^ passed) & 0x7f7f7f7f7f7f7f7fu);
			to += stride;
			passed = mask;
			stops = _blsr_u64(stops);
		} while (stops && ++count < most);
		count += !stops;
		at += _mm_popcnt_u64(passed) / 8;
	}
	*from = at;
	return count;
}

#endif

void varint_take_indices(struct varint_list *l)
{
	bool more = true;

#ifdef VARINT_HAS_AVX512
	if (VARINT_HAS_AVX512) {
		varint_take_indices_wide(l);
		return;
	}
#endif
	while (more && l->at < l->end && l->readable - l->at >= VARINT_WINDOW + VARINT_SLACK) {
		unsigned n = (unsigned)min_size((size_t)(l->end - l->at), VARINT_WINDOW);
		uint64_t high = varint_high_bits(l->at) & varint_window(n);

		more = high & high << 1 ? varint_take_window(l, high, n) : take_pairs(l, high, n);
	}
}

/* Compare one by one. */
static bool list_equals_scalar(const struct varint_list *l, const uint32_t *map,
			       const uint32_t *numbers, uint32_t n)
{
	const uint8_t *at = l->at;
	uint32_t index, count = 0;

	while (at < l->end && count < n) {
		at = varint_read_short(at, &index);
		if (!at || index > l->last || map[index] != numbers[count])
			return false;
		count++;
	}
	return at == l->end && count == n;
}

bool varint_list_equals(const struct varint_list *l, const uint32_t *map, const uint32_t *numbers,
			uint32_t n)
{
	size_t bytes = (size_t)(l->end - l->at);

	if (unlikely(l->readable - l->end < VARINT_WINDOW + VARINT_SLACK))
		return false;
#ifdef VARINT_HAS_AVX512
	if (VARINT_HAS_AVX512 && likely(bytes - 1 < VARINT_WINDOW))
		return varint_list_equals_wide(l, map, numbers, n);
#endif
	return bytes >= n && list_equals_scalar(l, map, numbers, n);
}

uint32_t varint_take_numbers(const uint8_t **from, const uint8_t *end, int64_t *to, size_t stride,
			     uint32_t most)
{
	const uint8_t *at = *from;
	uint32_t count = 0;

#ifdef VARINT_HAS_AVX512
	if (VARINT_HAS_AVX512)
		return take_numbers_wide(from, end, to, stride, most);
#endif
	for (; at < end && count < most; count++) {
		uint64_t value;
		const uint8_t *next = varint_read(at, &value);

		if (unlikely(!next || next > end))
			break;
		*to = (int64_t)value;
		to += stride;
		at = next;
	}
	*from = at;
	return count;
}

bool varint_add_numbers(const uint8_t *at, size_t bytes, uint64_t *sums, uint32_t n)
{
	uint64_t ends;

#ifdef VARINT_HAS_AVX512
	if (VARINT_HAS_AVX512)
		return varint_add_numbers_wide(at, bytes, sums, n);
#endif
	if (!varint_window_holds(varint_high_bits(at), bytes, n, &ends))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t value = 0;

		at = varint_read(at, &value);
		sums[i] += value;
	}
	return true;
}
