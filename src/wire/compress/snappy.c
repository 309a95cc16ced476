/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snappy blocks: the length of the content as varint, then literals and copies. The two low bits of
 * an element's first byte are its type: 0 literal, 1..3 copy with an offset of 11, 16 or 32 bits.
 *
 * The compressor works on fragments of 64 KiB, so that offsets have 16 bits, and finds matches of 4
 * bytes by a table of the last position of each hash. It moves on faster the longer it finds none.
 */
#include "wire/compress/snappy.h"

#include <errno.h>

enum {
	TAG_LITERAL = 0,
	TAG_COPY1 = 1,
	TAG_COPY2 = 2,
	TAG_COPY4 = 3,
	LENGTH_BYTES_MAX = 5,
	FRAGMENT = 1 << 16,
	HASH_BITS = 13,
	MATCH_MIN = 4,
	COPY_MAX = 64,
	MARGIN = 16, /* no match begins in the last bytes of a fragment */
	WIDE = 16,   /* bytes that a fast copy writes at once */
};

/* A copy of 64 bytes takes at least 3. */
static bool length_is_possible(uint64_t length, size_t input)
{
	return length / 64 <= input / 3 + 1;
}

static int read_length(const struct decompress_sink *s, struct str in, size_t base, size_t *at,
		       uint32_t *length, struct err *e)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < LENGTH_BYTES_MAX; i++) {
		uint8_t byte;

		if (i >= in.n)
			return decompress_sink_fail(s, base + in.n, e,
						    "expected a length, found the end");
		byte = (uint8_t)in.p[i];
		value |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte >= 0x80)
			continue;
		if (value > UINT32_MAX)
			break;
		if (!length_is_possible(value, in.n))
			return decompress_sink_fail(s, base, e,
						    "claims a longer content than its size allows");
		*at = i + 1;
		*length = (uint32_t)value;
		return 0;
	}
	return decompress_sink_fail(s, base, e, "expected a length below 4 GiB");
}

struct snappy_reader {
	const char *at, *end;	/* input */
	char *out, *start, *to; /* output: next byte, first, end */
};

/* Copy `n` bytes that lie `offset` before the output; ranges may overlap and then repeat. */
static bool copy_match(struct snappy_reader *r, size_t offset, size_t n)
{
	char *to = r->out;
	const char *from;

	if (offset - 1 >= (size_t)(to - r->start) || n > (size_t)(r->to - to))
		return false;
	from = to - offset;
	r->out += n;
	if (likely(offset >= WIDE && (size_t)(r->to - to) >= COPY_MAX + WIDE)) {
		for (size_t i = 0; i < n; i += WIDE)
			memcpy(to + i, from + i, WIDE);
		return true;
	}
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
	return true;
}

static bool copy_literal(struct snappy_reader *r, uint8_t tag)
{
	size_t n = tag >> 2;

	if (n >= 60) {
		size_t bytes = n - 59;
		uint32_t value = 0;

		if ((size_t)(r->end - r->at) < bytes)
			return false;
		memcpy(&value, r->at, bytes);
		r->at += bytes;
		n = value;
	}
	n++;
	if (likely(n <= WIDE && r->end - r->at >= WIDE && r->to - r->out >= WIDE)) {
		memcpy(r->out, r->at, WIDE);
	} else {
		if (n > (size_t)(r->end - r->at) || n > (size_t)(r->to - r->out))
			return false;
		memcpy(r->out, r->at, n);
	}
	r->at += n;
	r->out += n;
	return true;
}

static bool read_element(struct snappy_reader *r)
{
	uint8_t tag = (uint8_t)*r->at++;
	size_t left = (size_t)(r->end - r->at), offset;

	switch (tag & 3) {
	case TAG_LITERAL:
		return copy_literal(r, tag);
	case TAG_COPY1:
		if (left < 1)
			return false;
		offset = (size_t)(tag >> 5) << 8 | (uint8_t)*r->at++;
		return copy_match(r, offset, MATCH_MIN + (tag >> 2 & 7));
	case TAG_COPY2:
		if (left < 2)
			return false;
		offset = load16(r->at);
		r->at += 2;
		return copy_match(r, offset, 1 + (size_t)(tag >> 2));
	default:
		if (left < 4)
			return false;
		offset = load32(r->at);
		r->at += 4;
		return copy_match(r, offset, 1 + (size_t)(tag >> 2));
	}
}

int snappy_append_block(struct decompress_sink *s, struct str in, size_t base, struct err *e)
{
	struct snappy_reader r;
	uint32_t length = 0;
	size_t at = 0;
	int rc = read_length(s, in, base, &at, &length, e);

	if (rc)
		return rc;
	if (!length)
		return at == in.n ? 0
				  : decompress_sink_fail(s, base + at, e,
							 "expected the end, found other data");
	rc = decompress_sink_allows(s, (unsigned long long)s->n + length, e);
	rc = rc ? rc : decompress_sink_grow(s, s->n + length, e);
	if (rc)
		return rc;
	r = (struct snappy_reader){.at = in.p + at,
				   .end = in.p + in.n,
				   .out = s->p + s->n,
				   .start = s->p + s->n,
				   .to = s->p + s->n + length};
	while (r.at < r.end) {
		const char *element = r.at;

		if (r.out == r.to)
			return decompress_sink_fail(s, base + (size_t)(element - in.p), e,
						    "expected the end, found other data");
		if (!read_element(&r))
			return decompress_sink_fail(s, base + (size_t)(element - in.p), e,
						    "corrupt literal or copy");
	}
	if (r.out != r.to)
		return decompress_sink_fail(s, base + in.n, e,
					    "the content is not as long as its header says");
	s->n += length;
	return 0;
}

int snappy_body(struct decompress_sink *s, struct str in, struct err *e)
{
	return snappy_append_block(s, in, 0, e);
}

/* Write a literal of `n` > 0 bytes. There is room for it. */
static char *put_literal(char *out, const char *p, size_t n)
{
	size_t length = n - 1;

	if (length < 60) {
		*out++ = (char)(length << 2 | TAG_LITERAL);
	} else if (length < 256) {
		*out++ = (char)(60 << 2 | TAG_LITERAL);
		*out++ = (char)length;
	} else { /* a fragment has at most 64 KiB */
		*out++ = (char)(uint8_t)(61 << 2 | TAG_LITERAL);
		*out++ = (char)(length & 0xff);
		*out++ = (char)(length >> 8);
	}
	memcpy(out, p, n);
	return out + n;
}

static char *put_copy2(char *out, size_t offset, size_t n)
{
	*out++ = (char)((n - 1) << 2 | TAG_COPY2);
	*out++ = (char)(offset & 0xff);
	*out++ = (char)(offset >> 8);
	return out;
}

/* Write a copy of `n` >= 4 bytes. */
static char *put_copy(char *out, size_t offset, size_t n)
{
	for (; n >= COPY_MAX + MATCH_MIN; n -= COPY_MAX)
		out = put_copy2(out, offset, COPY_MAX);
	if (n > COPY_MAX) { /* leave at least 4 for the last one */
		out = put_copy2(out, offset, COPY_MAX - MATCH_MIN);
		n -= COPY_MAX - MATCH_MIN;
	}
	if (n >= 12 || offset >= 2048)
		return put_copy2(out, offset, n);
	*out++ = (char)(offset >> 8 << 5 | (n - MATCH_MIN) << 2 | TAG_COPY1);
	*out++ = (char)(offset & 0xff);
	return out;
}

static inline uint32_t match_hash(const char *p)
{
	return load32(p) * 0x1e35a7bdu >> (32 - HASH_BITS);
}

/* Return the number of equal bytes at `a` and `b`, which is after `a`, up to `end`. */
static size_t match_length(const char *a, const char *b, const char *end)
{
	const char *start = b;

	for (; end - b >= 8; a += 8, b += 8) {
		uint64_t differ = load64(a) ^ load64(b);

		if (differ)
			return (size_t)(b - start) + (unsigned)__builtin_ctzll(differ) / 8;
	}
	while (b < end && *a == *b)
		a++, b++;
	return (size_t)(b - start);
}

/* Compress one fragment. The output has room for the worst case. */
static char *put_fragment(char *out, struct str in)
{
	uint16_t table[1 << HASH_BITS];
	const char *base = in.p, *end = in.p + in.n, *literal = base, *p = base + 1;
	const char *last = in.n > MARGIN ? end - MARGIN : base;
	uint32_t misses = 32;

	memset(table, 0, sizeof(table));
	while (p < last) {
		uint32_t hash = match_hash(p);
		const char *candidate = base + table[hash];
		size_t n;

		table[hash] = (uint16_t)(p - base);
		if (load32(candidate) != load32(p)) {
			p += misses++ >> 5;
			continue;
		}
		misses = 32;
		if (p > literal)
			out = put_literal(out, literal, (size_t)(p - literal));
		n = MATCH_MIN + match_length(candidate + MATCH_MIN, p + MATCH_MIN, end);
		out = put_copy(out, (size_t)(p - candidate), n);
		p += n;
		literal = p;
		if (p < last)
			table[match_hash(p - 1)] = (uint16_t)(p - 1 - base);
	}
	return literal < end ? put_literal(out, literal, (size_t)(end - literal)) : out;
}

int snappy_bytes(struct buf *out, struct str in)
{
	size_t bound = LENGTH_BYTES_MAX + in.n + in.n / 6 + 32;
	uint32_t length = (uint32_t)in.n;
	char *at, *start;

	if (in.n > UINT32_MAX)
		return -EFBIG;
	start = at = buf_reserve(out, bound);
	if (!at)
		return -ENOMEM;
	for (; length >= 0x80; length >>= 7)
		*at++ = (char)(length | 0x80);
	*at++ = (char)length;
	for (size_t i = 0; i < in.n; i += FRAGMENT)
		at = put_fragment(at, str_head(str_from_at(in, i), FRAGMENT));
	out->n += (size_t)(at - start);
	return 0;
}
