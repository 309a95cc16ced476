/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder follows RFC 7541 section by section; its tables are appendices A and B. */
#include "wire/hpack.h"

#include <errno.h>

enum { ENTRY_OVERHEAD = 32, STATIC_COUNT = 61, CODE_BITS_MIN = 5, CODE_BITS_MAX = 30 };

/* RFC 7541, appendix A; index 1 is the first. */
static const struct {
	const char *name, *value;
} static_table[STATIC_COUNT] = {
	{":authority", ""},
	{":method", "GET"},
	{":method", "POST"},
	{":path", "/"},
	{":path", "/index.html"},
	{":scheme", "http"},
	{":scheme", "https"},
	{":status", "200"},
	{":status", "204"},
	{":status", "206"},
	{":status", "304"},
	{":status", "400"},
	{":status", "404"},
	{":status", "500"},
	{"accept-charset", ""},
	{"accept-encoding", "gzip, deflate"},
	{"accept-language", ""},
	{"accept-ranges", ""},
	{"accept", ""},
	{"access-control-allow-origin", ""},
	{"age", ""},
	{"allow", ""},
	{"authorization", ""},
	{"cache-control", ""},
	{"content-disposition", ""},
	{"content-encoding", ""},
	{"content-language", ""},
	{"content-length", ""},
	{"content-location", ""},
	{"content-range", ""},
	{"content-type", ""},
	{"cookie", ""},
	{"date", ""},
	{"etag", ""},
	{"expect", ""},
	{"expires", ""},
	{"from", ""},
	{"host", ""},
	{"if-match", ""},
	{"if-modified-since", ""},
	{"if-none-match", ""},
	{"if-range", ""},
	{"if-unmodified-since", ""},
	{"last-modified", ""},
	{"link", ""},
	{"location", ""},
	{"max-forwards", ""},
	{"proxy-authenticate", ""},
	{"proxy-authorization", ""},
	{"range", ""},
	{"referer", ""},
	{"refresh", ""},
	{"retry-after", ""},
	{"server", ""},
	{"set-cookie", ""},
	{"strict-transport-security", ""},
	{"transfer-encoding", ""},
	{"user-agent", ""},
	{"vary", ""},
	{"via", ""},
	{"www-authenticate", ""},
};

/*
 * Lengths of the codes of RFC 7541, appendix B. The code is canonical: codes of the same length are
 * consecutive in the order of their bytes, so the lengths define it. The end-of-string code, 30
 * ones, is never part of a valid string.
 */
static const uint8_t code_bits[256] = {
	13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28,
	30, 28, 28, 28, 28, 28, 28, 28, 28, 28, 6,  10, 10, 12, 13, 6,	8,  11, 10, 10, 8,  11,
	8,  6,	6,  6,	5,  5,	5,  6,	6,  6,	6,  6,	6,  6,	7,  8,	15, 6,	12, 10, 13, 6,
	7,  7,	7,  7,	7,  7,	7,  7,	7,  7,	7,  7,	7,  7,	7,  7,	7,  7,	7,  7,	7,  7,
	8,  7,	8,  13, 19, 13, 14, 6,	15, 5,	6,  5,	6,  5,	6,  6,	6,  5,	7,  7,	6,  6,
	6,  5,	6,  7,	6,  5,	5,  6,	7,  7,	7,  7,	7,  15, 11, 14, 13, 28, 20, 22, 20, 20,
	22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21,
	22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
	21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23,
	22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26,
	28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27,
	26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
};

/* Decoding tables, computed once per block that needs them in a few hundred instructions. */
struct huffman {
	/* the first code of each length, and the number of codes */
	uint32_t first[CODE_BITS_MAX + 1], count[CODE_BITS_MAX + 1];
	/* where the bytes of each length begin in `bytes` */
	uint16_t at[CODE_BITS_MAX + 1];
	uint8_t bytes[256];
};

static void huffman_init(struct huffman *t)
{
	uint32_t code = 0, n = 0;

	*t = (struct huffman){0};
	for (unsigned bits = CODE_BITS_MIN; bits <= CODE_BITS_MAX; bits++) {
		t->first[bits] = code;
		t->at[bits] = (uint16_t)n;
		for (unsigned byte = 0; byte < 256; byte++)
			if (code_bits[byte] == bits)
				t->bytes[n++] = (uint8_t)byte;
		t->count[bits] = n - t->at[bits];
		code = (code + t->count[bits]) << 1;
	}
}

static int huffman_decode(const struct huffman *t, struct str in, struct buf *out)
{
	uint32_t code = 0;
	unsigned bits = 0;

	for (size_t i = 0; i < in.n; i++) {
		for (int bit = 7; bit >= 0; bit--) {
			code = code << 1 | ((unsigned char)in.p[i] >> bit & 1);
			if (++bits > CODE_BITS_MAX)
				return -EPROTO;
			if (code - t->first[bits] < t->count[bits] && code >= t->first[bits]) {
				buf_put_char(out,
					     (char)t->bytes[t->at[bits] + code - t->first[bits]]);
				code = bits = 0;
			}
		}
		if (out->n > HPACK_STRING_MAX)
			return -EFBIG;
	}
	/* the padding is a prefix of the end-of-string code, shorter than a byte */
	return bits < 8 && code == (1u << bits) - 1 ? 0 : -EPROTO;
}

/* The rest of a block, and the buffers for its decoded strings. */
struct hpack_reader {
	struct str rest;
	struct huffman huffman;
	bool huffman_ready;
	struct buf name, value;
};

static int read_byte(struct hpack_reader *r, unsigned *byte)
{
	if (!r->rest.n)
		return -EPROTO;
	*byte = (unsigned char)r->rest.p[0];
	r->rest = str_from_at(r->rest, 1);
	return 0;
}

/*
 * Read an integer that begins in the low `bits` bits of `first`. Values of 2^28 and more are
 * rejected: no valid length or index is that large.
 */
static int read_hpack_integer(struct hpack_reader *r, unsigned first, unsigned bits, uint32_t *out)
{
	uint32_t max = (1u << bits) - 1, value = first & max;
	unsigned byte, shift = 0;

	if (value < max) {
		*out = value;
		return 0;
	}
	do {
		if (shift > 21 || read_byte(r, &byte))
			return -EPROTO;
		value += (uint32_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	*out = value;
	return 0;
}

static int read_hpack_string(struct hpack_reader *r, struct buf *out)
{
	unsigned first;
	uint32_t n;
	struct str text;
	int rc = read_byte(r, &first);

	rc = rc ? rc : read_hpack_integer(r, first, 7, &n);
	if (rc || n > r->rest.n)
		return -EPROTO;
	text = str_head(r->rest, n);
	r->rest = str_from_at(r->rest, n);
	buf_clear(out);
	if (text.n > HPACK_STRING_MAX)
		return -EFBIG;
	if (!(first & 0x80)) {
		buf_put_str(out, text);
		return buf_error(out);
	}
	if (!r->huffman_ready)
		huffman_init(&r->huffman);
	r->huffman_ready = true;
	rc = huffman_decode(&r->huffman, text, out);
	return rc ? rc : buf_error(out);
}

void hpack_init(struct hpack *h)
{
	h->limit = HPACK_TABLE_MAX;
	h->size = h->count = 0;
}

static void hpack_evict(struct hpack *h, uint32_t limit)
{
	uint32_t gone = 0, bytes = 0, size = h->size;

	while (gone < h->count && size > limit) {
		uint32_t n = (uint32_t)h->entries[gone].name + h->entries[gone].value;

		bytes += n;
		size -= n + ENTRY_OVERHEAD;
		gone++;
	}
	if (!gone)
		return;
	h->size = size;
	h->count -= gone;
	memmove(h->entries, h->entries + gone, h->count * sizeof(h->entries[0]));
	memmove(h->bytes, h->bytes + bytes, size - h->count * ENTRY_OVERHEAD);
}

static void hpack_add_entry(struct hpack *h, struct str name, struct str value)
{
	size_t size = name.n + value.n + ENTRY_OVERHEAD;
	char *at;

	hpack_evict(h, size > h->limit ? 0 : h->limit - (uint32_t)size);
	if (size > h->limit)
		return; /* an entry larger than the table empties it */
	at = h->bytes + h->size - h->count * ENTRY_OVERHEAD;
	if (name.n)
		memcpy(at, name.p, name.n);
	if (value.n)
		memcpy(at + name.n, value.p, value.n);
	h->entries[h->count].name = (uint16_t)name.n;
	h->entries[h->count++].value = (uint16_t)value.n;
	h->size += (uint32_t)size;
}

/* Copy the entry with that index of both tables: adding an entry moves the others. */
static int hpack_copy_entry(const struct hpack *h, uint32_t index, struct buf *name,
			    struct buf *value)
{
	uint32_t number, at = 0;

	buf_clear(name);
	buf_clear(value);
	if (!index || index > STATIC_COUNT + h->count)
		return -EPROTO;
	if (index <= STATIC_COUNT) {
		buf_put_str(name, str_from(static_table[index - 1].name));
		buf_put_str(value, str_from(static_table[index - 1].value));
	} else {
		number = h->count - (index - STATIC_COUNT); /* the newest has the lowest index */
		for (uint32_t i = 0; i < number; i++)
			at += (uint32_t)h->entries[i].name + h->entries[i].value;
		buf_put(name, h->bytes + at, h->entries[number].name);
		buf_put(value, h->bytes + at + h->entries[number].name, h->entries[number].value);
	}
	return buf_error(name) ? -ENOMEM : buf_error(value);
}

/* Read a literal: its name by index or as a string, then its value. `bits`: of the prefix. */
static int read_literal(struct hpack *h, struct hpack_reader *r, unsigned first, unsigned bits)
{
	uint32_t index;
	int rc = read_hpack_integer(r, first, bits, &index);

	if (!rc)
		rc = index ? hpack_copy_entry(h, index, &r->name, &r->value)
			   : read_hpack_string(r, &r->name);
	return rc ? rc : read_hpack_string(r, &r->value);
}

/* Read one representation. *header: it is a header, in r->name and r->value. */
static int read_representation(struct hpack *h, struct hpack_reader *r, bool *header)
{
	unsigned first;
	uint32_t number = 0;
	int rc = read_byte(r, &first);

	*header = true;
	if (rc)
		return rc;
	if (first & 0x80) {
		rc = read_hpack_integer(r, first, 7, &number);
		return rc ? rc : hpack_copy_entry(h, number, &r->name, &r->value);
	}
	if (first & 0x40) {
		rc = read_literal(h, r, first, 6);
		if (!rc)
			hpack_add_entry(h, buf_str(&r->name), buf_str(&r->value));
		return rc;
	}
	if (!(first & 0x20))
		return read_literal(h, r, first, 4);
	*header = false;
	rc = read_hpack_integer(r, first, 5, &number);
	if (rc || number > HPACK_TABLE_MAX)
		return -EPROTO;
	h->limit = number;
	hpack_evict(h, number);
	return 0;
}

int hpack_decode(struct hpack *h, struct str block, hpack_header *on_header, void *arg)
{
	struct hpack_reader r = {.rest = block};
	bool header;
	int rc = 0;

	while (!rc && r.rest.n) {
		rc = read_representation(h, &r, &header);
		if (!rc && header)
			on_header(arg, buf_str(&r.name), buf_str(&r.value));
	}
	buf_fini(&r.name);
	buf_fini(&r.value);
	return rc;
}

static void put_literal_string(struct buf *out, struct str s)
{
	size_t n = s.n;

	if (n < 0x7f) {
		buf_put_char(out, (char)n);
	} else {
		buf_put_char(out, 0x7f);
		for (n -= 0x7f; n >= 0x80; n >>= 7)
			buf_put_char(out, (char)(n | 0x80));
		buf_put_char(out, (char)n);
	}
	buf_put_str(out, s);
}

void hpack_put(struct buf *out, struct str name, struct str value)
{
	buf_put_char(out, 0);
	put_literal_string(out, name);
	put_literal_string(out, value);
}
