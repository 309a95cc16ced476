/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/varints.h"

enum { PAIRS = 16 };

const uint32_t varint_groups[VARINT_WINDOW + 1] = {0, 0x7f, 0x7f7f, 0x7f7f7f, 0x7f7f7f7f};

#ifdef __SSE2__
/* For eight pairs of a byte and the one behind it: the number that begins there, of one or two bytes. */
static inline __m128i join_pairs(__m128i pairs)
{
	__m128i goes_on = _mm_srai_epi16(_mm_slli_epi16(pairs, 8), 15);
	__m128i second = _mm_and_si128(_mm_srli_epi16(pairs, 1), _mm_set1_epi16(0x3f80));

	return _mm_or_si128(_mm_and_si128(pairs, _mm_set1_epi16(0x7f)),
			    _mm_and_si128(second, goes_on));
}

/* numbers[i]: the number of one or two bytes that begins at p[i], if one does. */
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

/*
 * A window of n bytes where all varints have one or two bytes: every place is joined with the next, and what stands
 * where a varint begins is taken. False: one was unusual.
 */
static bool take_pairs(struct varint_list *l, uint64_t high, unsigned n)
{
	uint64_t begins = ~(high << 1) & varint_window(n);
	const unsigned cut =
		(unsigned)(high >> (n - 1)); /* the last one goes on behind the window */
	const uint32_t last = l->last, offset = l->offset;
	uint32_t *out = l->out;
	uint16_t numbers[VARINT_WINDOW];

	for (unsigned i = 0; i < n; i += PAIRS)
		join_everywhere(l->at + i, numbers + i);
	begins ^= (uint64_t)cut << (n - 1);
	for (; begins; begins &= begins - 1) {
		unsigned i = (unsigned)__builtin_ctzll(begins);

		if (unlikely((uint32_t)numbers[i] - 1 >= last)) {
			l->at += i;
			l->out = out;
			return false;
		}
		*out++ = numbers[i] + offset;
	}
	l->at += n - cut;
	l->out = out;
	return n > cut; /* a cut one alone is what the caller has to look at */
}

/* A window of any varints. False: one was unusual. */
static bool take_any(struct varint_list *l, uint64_t high, unsigned n)
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

void varint_take_indices(struct varint_list *l)
{
	bool usual = true;

	while (usual && l->at < l->end && l->readable - l->at >= VARINT_WINDOW + VARINT_SLACK) {
		unsigned n = (unsigned)min_size((size_t)(l->end - l->at), VARINT_WINDOW);
		uint64_t high = varint_high_bits(l->at) & varint_window(n);

		usual = high & high << 1 ? take_any(l, high, n) : take_pairs(l, high, n);
	}
}
