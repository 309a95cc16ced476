/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_VARINTS_H
#define VARVE_WIRE_VARINTS_H

#include <string.h>

#include "base/base.h"
#if defined(__x86_64__) && !defined(VARINT_PLAIN)
#include <immintrin.h>

/*
 * BMI2, in nearly all processors since 2013. Call TARGET_BMI2 functions only if VARINT_HAS_BMI2 is
 * true.
 */
#define TARGET_BMI2 __attribute__((target("bmi,bmi2,lzcnt,popcnt")))
#define VARINT_HAS_BMI2 __builtin_cpu_supports("bmi2")
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/*
 * Decoding of protobuf varints many bytes at a time, for the hottest loops of decoders. Indices
 * take one to three bytes at random, so reading them byte by byte mostly waits for mispredicted
 * branches. Here the bytes without a continuation bit give the ends of the varints, and the
 * seven-bit groups of each varint are joined without a branch on its length.
 *
 * All of these functions read more bytes than they use: the caller guarantees that they are
 * readable.
 */
enum { VARINT_WINDOW = 64, VARINT_SLACK = 8, VARINT_ROOM = 16 };

/*
 * Return the top bits of the bytes that end a varint; only the first `n` bytes of the word count.
 */
static inline uint64_t varint_stops(uint64_t word, size_t n)
{
	uint64_t stops = ~word & 0x8080808080808080u;

	return n < sizeof(word) ? stops & ((1ull << 8 * n) - 1) : stops;
}

/* Join the seven-bit groups of the lowest `bits` (8, 16, ... 64) of a word: up to 56 bits. */
static inline uint64_t varint_join(uint64_t word, unsigned bits)
{
	word &= UINT64_MAX >> (64 - bits);
	word = (word & 0x007f007f007f007fu) | (word & 0x7f007f007f007f00u) >> 1;
	word = (word & 0x00003fff00003fffu) | (word & 0x3fff00003fff0000u) >> 2;
	return (word & 0x000000000fffffffu) | (word & 0x0fffffff00000000u) >> 4;
}

/* Masks for the seven-bit groups of a varint of n bytes; 0 for more than four bytes. */
extern const uint32_t varint_groups[VARINT_WINDOW + 1];

/*
 * Join the seven-bit groups of the lowest `n` bytes of a word; return 0 for more than four bytes.
 */
static inline uint32_t varint_join_short(uint32_t word, unsigned n)
{
	word &= varint_groups[n];
	word -= (word & 0x7f007f00) >> 1; /* shift the upper group of each pair down by one bit */
	return (word & 0x3fff) | word >> 16 << 14; /* and the upper pair by two */
}

/* Bytes of the longest LEB128 number of 64 bits. */
enum { VARINT_BYTES_MAX = 10 };

/*
 * Read an unsigned LEB128 number of at most VARINT_BYTES_MAX bytes from [p, end). Bits above the
 * 64th are dropped. Return the address after it, or NULL if it does not end within VARINT_BYTES_MAX
 * bytes or before `end`.
 */
static inline const uint8_t *varint_read_bounded(const uint8_t *p, const uint8_t *end,
						 uint64_t *out)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 7 * VARINT_BYTES_MAX && p < end; shift += 7) {
		uint8_t byte = *p++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = value;
			return p;
		}
	}
	return NULL;
}

/*
 * Read a varint of up to eight bytes; eight bytes must be readable. Return the address after it, or
 * NULL if it is longer.
 */
static inline const uint8_t *varint_read(const uint8_t *p, uint64_t *out)
{
	uint64_t word, stops;
	unsigned bits;

	memcpy(&word, p, sizeof(word));
	stops = varint_stops(word, sizeof(word));
	if (unlikely(!stops))
		return NULL;
	bits = (unsigned)__builtin_ctzll(stops) + 1;
	*out = varint_join(word, bits);
	return p + bits / 8;
}

#ifdef VARINT_HAS_BMI2
/* varint_read() in fewer instructions. */
TARGET_BMI2 static inline const uint8_t *varint_read_bmi2(const uint8_t *p, uint64_t *out)
{
	uint64_t word, stops;

	memcpy(&word, p, sizeof(word));
	stops = ~word & 0x8080808080808080u;
	if (unlikely(!stops))
		return NULL;
	*out = _pext_u64(word, _blsmsk_u64(stops) & 0x7f7f7f7f7f7f7f7fu);
	return p + _tzcnt_u64(stops) / 8 + 1;
}
#endif

/* varint_read() for up to four bytes, of which four must be readable. */
static inline const uint8_t *varint_read_short(const uint8_t *p, uint32_t *out)
{
	uint32_t word, stops;
	unsigned n;

	memcpy(&word, p, sizeof(word));
	stops = ~word & 0x80808080u;
	if (unlikely(!stops))
		return NULL;
	n = (unsigned)__builtin_ctz(stops) / 8 + 1;
	*out = varint_join_short(word, n);
	return p + n;
}

/* Return a mask of the bytes of 0x80 or more: of a varint that continues, or of non-ASCII text. */
static inline uint64_t varint_high_bits(const uint8_t *p)
{
	uint64_t high = 0;

#ifdef __SSE2__
	for (unsigned i = 0; i < VARINT_WINDOW; i += 16)
		high |= (uint64_t)(unsigned)_mm_movemask_epi8(
				_mm_loadu_si128((const __m128i *)(const void *)(p + i)))
			<< i;
#else
	for (unsigned i = 0; i < VARINT_WINDOW; i++)
		high |= (uint64_t)(p[i] >> 7) << i;
#endif
	return high;
}

/* Return a mask of the first `n` bytes of a window. */
static inline uint64_t varint_window(size_t n)
{
	return n < VARINT_WINDOW ? (1ull << n) - 1 : UINT64_MAX;
}

/*
 * Return whether the first `bytes` bytes of a window are exactly n numbers of up to eight bytes.
 * `high` is varint_high_bits() of the window; *ends is set to the bytes at which a number ends.
 */
static inline bool varint_window_holds(uint64_t high, size_t bytes, uint32_t n, uint64_t *ends)
{
	uint64_t two, four;

	if (unlikely(bytes - 1 >= VARINT_WINDOW))
		return false;
	high &= varint_window(bytes);
	two = high & high >> 1;
	four = two & two >> 2;
	*ends = ~high & varint_window(bytes);
	return !(four & four >> 4) && !(high >> (bytes - 1)) &&
	       (uint32_t)__builtin_popcountll(*ends) == n;
}

/*
 * A packed list of indices into a table and the array for the decoded indices, which has room for
 * one element per byte and VARINT_ROOM more. `at` and `out` advance.
 */
struct varint_list {
	const uint8_t *at, *end;
	const uint8_t *readable; /* end of the input; not before `end` */
	uint32_t last;		 /* the largest valid index; the smallest is 1 */
	uint32_t offset;	 /* added to each index */
	uint32_t *out;
};

/*
 * Decode indices up to the first that needs the caller's slow path: 0 or above `last`, longer than
 * four bytes, or too near to the end of the input. The caller decodes that one and calls again.
 */
void varint_take_indices(struct varint_list *l);

/*
 * The same for one window of `n` bytes with varints of any length; `high` is varint_high_bits().
 * Return false if an index needs the slow path.
 */
bool varint_take_window(struct varint_list *l, uint64_t high, unsigned n);

/*
 * Return whether the list, with each index mapped by `map` (last + 1 entries, the first is 0),
 * equals these n numbers, none of which is 0. `out` and `offset` are ignored and the list does not
 * advance. A list on which varint_take_indices() would stop early never equals.
 */
bool varint_list_equals(const struct varint_list *l, const uint32_t *map, const uint32_t *numbers,
			uint32_t n);

/*
 * Decode up to `most` numbers of the packed list [*from, end) into to[0], to[stride], ... and
 * return how many there were. Eight bytes after the list must be readable. *from advances to the
 * end or to the first number that has more than eight bytes or extends past the end.
 */
uint32_t varint_take_numbers(const uint8_t **from, const uint8_t *end, int64_t *to, size_t stride,
			     uint32_t most);

/*
 * Add the numbers of a packed list of `bytes` bytes to sums[0], sums[1], ... if there are exactly
 * `n` of at most eight bytes each; otherwise add nothing and return false. VARINT_WINDOW +
 * VARINT_SLACK bytes must be readable.
 */
bool varint_add_numbers(const uint8_t *at, size_t bytes, uint64_t *sums, uint32_t n);

#endif
