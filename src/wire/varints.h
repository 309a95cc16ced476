/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_VARINTS_H
#define VARVE_WIRE_VARINTS_H

#include <string.h>

#include "base/base.h"
#if defined(__x86_64__) && !defined(VARINT_PLAIN)
#include <immintrin.h>

/* What nearly all processors since 2013 have: functions with BY_BITS may be called where VARINT_PICK says so. */
#define BY_BITS __attribute__((target("bmi,bmi2,lzcnt,popcnt")))
#define VARINT_PICK __builtin_cpu_supports("bmi2")
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/*
 * Protobuf varints many bytes at a time, for decoders whose time they are. Indices take one to
 * three bytes at random, so reading byte by byte mostly waits for mispredicted branches. Here the
 * bytes without a continuation bit say where varints end, and the seven-bit groups of each are
 * put together without looking at its length.
 *
 * All of these read more bytes than they use: the caller knows that they are there.
 */
enum { VARINT_WINDOW = 64, VARINT_SLACK = 8, VARINT_ROOM = 16 };

/* The bits of a word of eight bytes that end a varint; only its first `n` bytes count. */
static inline uint64_t varint_stops(uint64_t word, size_t n)
{
	uint64_t stops = ~word & 0x8080808080808080u;

	return n < sizeof(word) ? stops & ((1ull << 8 * n) - 1) : stops;
}

/* The number in the lowest `bits` (8, 16, ... 64) of a word: up to 56 of its own. */
static inline uint64_t varint_join(uint64_t word, unsigned bits)
{
	word &= UINT64_MAX >> (64 - bits);
	word = (word & 0x007f007f007f007fu) | (word & 0x7f007f007f007f00u) >> 1;
	word = (word & 0x00003fff00003fffu) | (word & 0x3fff00003fff0000u) >> 2;
	return (word & 0x000000000fffffffu) | (word & 0x0fffffff00000000u) >> 4;
}

/* The seven-bit groups of a varint of n bytes; none of one that is longer than four. */
extern const uint32_t varint_groups[VARINT_WINDOW + 1];

/* The number in the lowest `n` bytes of a word; 0 when it has more than four. */
static inline uint32_t varint_join_short(uint32_t word, unsigned n)
{
	word &= varint_groups[n];
	word -= (word & 0x7f007f00) >> 1; /* the upper group of each pair moves down by a bit ... */
	return (word & 0x3fff) | word >> 16 << 14; /* ... and the upper pair by two */
}

/* One varint of up to eight bytes, of which eight are readable: what follows it, or NULL when it is longer. */
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

#ifdef VARINT_PICK
/* The same in fewer steps. */
BY_BITS static inline const uint8_t *varint_read_bits(const uint8_t *p, uint64_t *out)
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

/* The same for one of up to four bytes: less work. */
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

/* Bit i: the byte p[i] is 0x80 or more, so that a varint goes on, or text is not ASCII. */
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

/* The bits of the first `n` bytes of a window. */
static inline uint64_t varint_window(size_t n)
{
	return n < VARINT_WINDOW ? (1ull << n) - 1 : UINT64_MAX;
}

/*
 * Are the first `bytes` bytes of a window just n numbers of up to eight bytes? `high` tells which ones go on, *ends becomes those where a number ends.
 */
static inline bool varint_can_add(uint64_t high, size_t bytes, uint32_t n, uint64_t *ends)
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
 * A packed list of indices of a table, to be read into `out`, which has room for one a byte and VARINT_ROOM more. All
 * that varint_take_indices() needs; `at` and `out` move on.
 */
struct varint_list {
	const uint8_t *at, *end;
	const uint8_t *readable; /* where the input ends: not before `end` */
	uint32_t last;		 /* index; they begin with 1 */
	uint32_t offset;	 /* is added to each */
	uint32_t *out;
};

/*
 * Take indices up to the first that is unusual: 0 or behind the last, longer than four bytes, or too near
 * to the end of the input. The caller reads that one, and calls again.
 */
void varint_take_indices(struct varint_list *l);

/*
 * The same for one window of `n` bytes, of which `high` tells which ones go on, and varints of any length. False: one
 * was unusual.
 */
bool varint_take_any(struct varint_list *l, uint64_t high, unsigned n);

/*
 * Is the list, each index looked up in `map` (of last + 1 entries, the first of them 0), just these numbers, none of which is 0? `out` and `offset` do
 * not count, nothing moves on. Lists of which varint_take_indices() would leave something are never the same.
 */
bool varint_list_is(const struct varint_list *l, const uint32_t *map, const uint32_t *numbers,
		    uint32_t n);

/*
 * Take up to `most` numbers of the packed list [at, end) into to[0], to[stride], ...: how many they were. Eight bytes behind
 * the list are readable. *from moves on, up to the end or the first that has more than eight bytes or goes past it.
 */
uint32_t varint_take_numbers(const uint8_t **from, const uint8_t *end, int64_t *to, size_t stride,
			     uint32_t most);

/*
 * Add the numbers of a packed list of `bytes` bytes to sums[0], sums[1], ... if they are just `n`, none of them longer than eight bytes; else
 * nothing is added. VARINT_WINDOW + VARINT_SLACK
 * bytes are readable.
 */
bool varint_add_numbers(const uint8_t *at, size_t bytes, uint64_t *sums, uint32_t n);

#endif
