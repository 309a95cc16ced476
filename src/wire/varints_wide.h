/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_VARINTS_WIDE_H
#define VARVE_WIRE_VARINTS_WIDE_H

#include "wire/varints.h"

/*
 * AVX-512 versions of functions of varints.h. They are inline because they take about as long as a
 * call, and can only be inlined into callers that are compiled for the same instruction set.
 */
#if defined(__x86_64__) && !defined(VARINT_PLAIN)

/*
 * AVX-512 with VBMI2, in processors since 2019 (Ice Lake, Zen 4). Call TARGET_AVX512 functions only
 * if VARINT_HAS_AVX512 is true.
 */
#define TARGET_AVX512                                                                              \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,bmi,bmi2,popcnt")))
#define VARINT_HAS_AVX512                                                                          \
	(__builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw") &&            \
	 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))

/*
 * Return the bits by which four mapped indices differ from four numbers, which are loaded at once.
 */
TARGET_AVX512 static inline __m128i varint_differ(const uint16_t *indices, const uint32_t *map,
						  const uint32_t *numbers)
{
	__m128i found = _mm_set_epi32((int)map[indices[3]], (int)map[indices[2]],
				      (int)map[indices[1]], (int)map[indices[0]]);

	return _mm_xor_si128(found, _mm_loadu_si128((const __m128i *)(const void *)numbers));
}

/*
 * Return whether the mapped indices equal the numbers. Indices are looked up one by one, because
 * gather instructions are slow where they are mitigated against side channels. They are compared
 * eight at a time, the last ones partly twice: fewer iterations are easier to predict.
 */
TARGET_AVX512 static inline bool varint_match(const uint16_t *indices, unsigned n,
					      const uint32_t *map, const uint32_t *numbers)
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
 * Compare the numbers of the list that begin in the 32 bytes at `at`, mapped, with `numbers`.
 * Return their count, or 0 if one differs or needs the slow path. `high` marks the bytes that
 * continue, `begins` the bytes at which a number begins.
 */
TARGET_AVX512 static inline unsigned varint_match_pairs(const struct varint_list *l,
							const uint8_t *at, __mmask32 high,
							__mmask32 begins, const uint32_t *map,
							const uint32_t *numbers)
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
	__asm__("" : "+m"(indices)); /* force the store: extracting from the register is slower */
	return varint_match(indices, count, map, numbers) ? count : 0;
}

/* varint_list_equals() for a list of 1 to VARINT_WINDOW bytes. */
TARGET_AVX512 static inline bool varint_list_equals_wide(const struct varint_list *l,
							 const uint32_t *map,
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

/* varint_add_numbers() for up to eight bytes, with less work. */
TARGET_AVX512 static inline bool varint_add_word_wide(const uint8_t *at, size_t bytes,
						      uint64_t *sums, uint32_t n)
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

TARGET_AVX512 static inline bool varint_add_numbers_wide(const uint8_t *at, size_t bytes,
							 uint64_t *sums, uint32_t n)
{
	uint64_t high, ends;
	unsigned from = 0;

	if (bytes - 1 < sizeof(uint64_t))
		return varint_add_word_wide(at, bytes, sums, n);
	high = _mm512_movepi8_mask(_mm512_loadu_si512(at));
	if (!varint_window_holds(high, bytes, n, &ends))
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
 * Decode a window of n bytes in which all varints have one or two bytes: numbers are joined at
 * every byte, and a compress instruction selects those at which a varint begins. Return false if an
 * index needs the slow path.
 */
TARGET_AVX512 static inline bool varint_take_pairs(struct varint_list *l, uint64_t high, unsigned n)
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
		return varint_take_window(l, high, n); /* up to the index out of range */
	l->at += n - cut;
	l->out = out;
	return n > cut;
}

/* varint_take_indices() with AVX-512. */
TARGET_AVX512 static inline void varint_take_indices_wide(struct varint_list *l)
{
	bool more = true;

	while (more && l->at < l->end && l->readable - l->at >= VARINT_WINDOW + VARINT_SLACK) {
		unsigned n = (unsigned)min_size((size_t)(l->end - l->at), VARINT_WINDOW);
		uint64_t high = _mm512_movepi8_mask(_mm512_loadu_si512(l->at)) & varint_window(n);

		more = high & high << 1 ? varint_take_window(l, high, n)
					: varint_take_pairs(l, high, n);
	}
}

#endif
#endif
