/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_VARINTS_WIDE_H
#define VARVE_WIRE_VARINTS_WIDE_H

#include "wire/varints.h"

/*
 * What varints.h does, for loops that are compiled for newer processors as a whole. These functions are so short that a
 * call costs about as much as they do, and they can be put in place only where the caller is compiled for the same.
 */
#if defined(__x86_64__) && !defined(VARINT_PLAIN)

/* What processors since 2019 (Ice Lake, Zen 4) have, if nobody hides a part of it: functions with WIDE may be called where VARINT_WIDE says so. */
#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,bmi,bmi2,popcnt")))
#define VARINT_WIDE                                                                                \
	(__builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw") &&            \
	 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))

/* Bits by which four numbers differ from what the indices mean. Compared as one: a load less for each. */
WIDE static inline __m128i varint_differ(const uint16_t *indices, const uint32_t *map,
					 const uint32_t *numbers)
{
	__m128i found = _mm_set_epi32((int)map[indices[3]], (int)map[indices[2]],
				      (int)map[indices[1]], (int)map[indices[0]]);

	return _mm_xor_si128(found, _mm_loadu_si128((const __m128i *)(const void *)numbers));
}

/*
 * Are these indices, looked up, the numbers? One by one: where gathering is safe from spying it is slow. But eight at a time, some of them twice where
 * they are not a multiple of that: the fewer turns there may be, the better they are predicted.
 */
WIDE static inline bool varint_match(const uint16_t *indices, unsigned n, const uint32_t *map,
				     const uint32_t *numbers)
{
	__m128i bad;

	if (n < 4) {
		uint32_t other = 0;

		for (unsigned i = 0; i < n; i++)
			other |= map[indices[i]] ^ numbers[i];
		return !other;
	}
	bad = _mm_or_si128(varint_differ(indices, map, numbers),
			   varint_differ(indices + n - 4, map, numbers + n - 4));
	if (n < 8)
		return _mm_testz_si128(bad, bad);
	bad = _mm_ternarylogic_epi32(bad, varint_differ(indices + 4, map, numbers + 4),
				     varint_differ(indices + n - 8, map, numbers + n - 8), 0xfe);
	for (unsigned i = 8; i + 8 < n; i += 4)
		bad = _mm_or_si128(bad, varint_differ(indices + i, map, numbers + i));
	return _mm_testz_si128(bad, bad);
}

/*
 * The numbers of the list that begin in the 32 bytes at `at`, looked up and compared: how many they were, 0: they differ, or are
 * unusual. `high` tells of these bytes which ones go on, `begins` where a number does.
 */
WIDE static inline unsigned varint_match_pairs(const struct varint_list *l, const uint8_t *at,
					       __mmask32 high, __mmask32 begins,
					       const uint32_t *map, const uint32_t *numbers)
{
	__m256i here = _mm256_loadu_si256((const __m256i *)(const void *)at),
		next = _mm256_loadu_si256((const __m256i *)(const void *)(at + 1));
	__m512i low = _mm512_and_si512(_mm512_cvtepu8_epi16(here), _mm512_set1_epi16(0x7f)),
		upper = _mm512_maskz_slli_epi16(high, _mm512_cvtepu8_epi16(next), 7),
		index = _mm512_maskz_compress_epi16(begins, _mm512_or_si512(low, upper)),
		last = _mm512_set1_epi16((short)(l->last < UINT16_MAX ? l->last : UINT16_MAX));
	unsigned count = (unsigned)__builtin_popcount(begins);
	_Alignas(64) uint16_t indices[32];

	if (unlikely(_mm512_cmpgt_epu16_mask(index, last)))
		return 0;
	_mm512_store_si512(indices, index);
	__asm__("" : "+m"(indices)); /* really: taking them out of the register is slower */
	return varint_match(indices, count, map, numbers) ? count : 0;
}

/* varint_list_is(), for a list of 1 to VARINT_WINDOW bytes. */
WIDE static inline bool varint_list_is_wide(const struct varint_list *l, const uint32_t *map,
					    const uint32_t *numbers, uint32_t n)
{
	unsigned bytes = (unsigned)(l->end - l->at);
	uint64_t high = _mm512_movepi8_mask(_mm512_loadu_si512(l->at)) & varint_window(bytes);
	uint64_t begins = ~(high << 1) & varint_window(bytes);
	unsigned count;

	if ((uint32_t)__builtin_popcountll(begins) != n || (high & high << 1) ||
	    high >> (bytes - 1))
		return false;
	count = varint_match_pairs(l, l->at, (__mmask32)high, (__mmask32)begins, map, numbers);
	if (likely(bytes <= 32) || !count)
		return count == n;
	count += varint_match_pairs(l, l->at + 32, (__mmask32)(high >> 32),
				    (__mmask32)(begins >> 32), map, numbers + count);
	return count == n;
}

/* varint_add_numbers() for up to eight bytes: less work. */
WIDE static inline bool varint_add_word_wide(const uint8_t *at, size_t bytes, uint64_t *sums,
					     uint32_t n)
{
	uint64_t word, stops, passed = 0;

	memcpy(&word, at, sizeof(word));
	stops = ~word & _bzhi_u64(0x8080808080808080u, (unsigned)(8 * bytes));
	if ((uint32_t)_mm_popcnt_u64(stops) != n || !(stops >> (8 * bytes - 1)))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t mask = _blsmsk_u64(stops);

		sums[i] += _pext_u64(word, (mask ^ passed) & 0x7f7f7f7f7f7f7f7fu);
		passed = mask;
		stops = _blsr_u64(stops);
	}
	return true;
}

WIDE static inline bool varint_add_numbers_wide(const uint8_t *at, size_t bytes, uint64_t *sums,
						uint32_t n)
{
	uint64_t high, ends;
	unsigned from = 0;

	if (bytes - 1 < sizeof(uint64_t))
		return varint_add_word_wide(at, bytes, sums, n);
	high = _mm512_movepi8_mask(_mm512_loadu_si512(at));
	if (!varint_can_add(high, bytes, n, &ends))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		unsigned until = (unsigned)_tzcnt_u64(ends) + 1;
		uint64_t word;

		memcpy(&word, at + from, sizeof(word));
		sums[i] += _pext_u64(word, _bzhi_u64(0x7f7f7f7f7f7f7f7fu, 8 * (until - from)));
		ends = _blsr_u64(ends);
		from = until;
	}
	return true;
}

/*
 * A window of n bytes where all varints have one or two bytes: the processor presses the numbers together that stand
 * where a varint begins. False: one was unusual.
 */
WIDE static inline bool varint_take_pairs(struct varint_list *l, uint64_t high, unsigned n)
{
	const unsigned cut = (unsigned)(high >> (n - 1));
	const uint64_t begins = ~(high << 1) & varint_window(n - cut);
	const __m512i offset = _mm512_set1_epi32((int)l->offset), one = _mm512_set1_epi32(1),
		      last = _mm512_set1_epi32((int)l->last);
	uint32_t *out = l->out;
	unsigned bad = 0;

	for (unsigned i = 0; i < n; i += 16) {
		__m128i here = _mm_loadu_si128((const __m128i *)(const void *)(l->at + i)),
			next = _mm_loadu_si128((const __m128i *)(const void *)(l->at + i + 1));
		__m256i low = _mm256_and_si256(_mm256_cvtepu8_epi16(here), _mm256_set1_epi16(0x7f)),
			upper = _mm256_maskz_slli_epi16((__mmask16)(high >> i),
							_mm256_cvtepu8_epi16(next), 7);
		__mmask16 starts = (__mmask16)(begins >> i);
		unsigned count = (unsigned)__builtin_popcount(starts);
		__mmask16 lanes = (__mmask16)((1u << count) - 1);
		__m512i index = _mm512_cvtepu16_epi32(
			_mm256_maskz_compress_epi16(starts, _mm256_or_si256(low, upper)));

		bad |= _mm512_mask_cmpge_epu32_mask(lanes, _mm512_sub_epi32(index, one), last);
		_mm512_storeu_si512(out, _mm512_add_epi32(index, offset));
		out += count;
	}
	if (unlikely(bad))
		return varint_take_any(l, high, n); /* up to the one that is out of range */
	l->at += n - cut;
	l->out = out;
	return n > cut;
}

/* varint_take_indices() */
WIDE static inline void varint_take_indices_wide(struct varint_list *l)
{
	bool usual = true;

	while (usual && l->at < l->end && l->readable - l->at >= VARINT_WINDOW + VARINT_SLACK) {
		unsigned n = (unsigned)min_size((size_t)(l->end - l->at), VARINT_WINDOW);
		uint64_t high = _mm512_movepi8_mask(_mm512_loadu_si512(l->at)) & varint_window(n);

		usual = high & high << 1 ? varint_take_any(l, high, n)
					 : varint_take_pairs(l, high, n);
	}
}

#endif
#endif
