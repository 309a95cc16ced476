/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snappy's framing format: chunks of a type, a length of 24 bits, and data. The first one is the
 * stream identifier, which may be repeated. Chunks of content begin with a masked CRC-32C of it;
 * types from 0x80 on may be skipped. No bytes at all are an empty content: writers omit the
 * identifier if they have nothing to write.
 */
#include <errno.h>

#include "base/crc32c.h"
#include "wire/compress/snappy.h"

enum {
	CHUNK_COMPRESSED = 0x00,
	CHUNK_PLAIN = 0x01,
	CHUNK_IDENTIFIER = 0xff,
	CHUNK_SKIPPABLE = 0x80,
	CHUNK_HEADER = 4,
	CHUNK_SUM = 4,
	CHUNK_CONTENT_MAX = 65536,
};

static const struct str identifier = STR_INIT("\xff\x06\0\0sNaPpY");

static uint32_t masked_sum(struct str content)
{
	uint32_t sum = crc32c(0, content.p, content.n);

	return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

/* Append the content of a chunk, whose data begins with its checksum, at `base` of the input. */
static int append_chunk(struct decompress_sink *s, struct str data, bool compressed, size_t base,
			struct err *e)
{
	struct str block = str_from_at(data, CHUNK_SUM);
	size_t before = s->n;
	int rc;

	if (data.n < CHUNK_SUM)
		return decompress_sink_fail(s, base, e, "expected a checksum, found the end");
	if (compressed) {
		rc = snappy_append_block(s, block, base + CHUNK_SUM, e);
	} else {
		rc = decompress_sink_allows(s, (unsigned long long)s->n + block.n, e);
		rc = rc || !block.n ? rc : decompress_sink_grow(s, s->n + block.n, e);
		if (!rc && block.n) {
			memcpy(s->p + s->n, block.p, block.n);
			s->n += block.n;
		}
	}
	if (rc)
		return rc;
	if (s->n - before > CHUNK_CONTENT_MAX)
		return decompress_sink_fail(s, base, e, "a chunk holds more than 64 KiB");
	if (masked_sum(str_of(s->n ? s->p + before : NULL, s->n - before)) != load32(data.p))
		return decompress_sink_fail(s, base, e, "wrong checksum");
	return 0;
}

static bool is_known_chunk(uint8_t type)
{
	return type == CHUNK_COMPRESSED || type == CHUNK_PLAIN || type >= CHUNK_SKIPPABLE;
}

/* Read the chunk at *at and advance *at past it. */
static int read_chunk(struct decompress_sink *s, struct str in, size_t *at, struct err *e)
{
	size_t begin = *at, left = in.n - begin, n;
	uint8_t type = (uint8_t)in.p[begin];
	struct str data;

	if (!is_known_chunk(type))
		return decompress_sink_fail(s, begin, e, "expected a chunk of a known type");
	if (left < CHUNK_HEADER)
		return decompress_sink_fail(s, begin, e, "expected a chunk, found the end");
	n = load32(in.p + begin) >> 8;
	if (n > left - CHUNK_HEADER)
		return decompress_sink_fail(s, begin, e, "a chunk extends past the end");
	data = str_of(in.p + begin + CHUNK_HEADER, n);
	*at += CHUNK_HEADER + n;
	if (type == CHUNK_IDENTIFIER && !str_eq(data, str_from_at(identifier, CHUNK_HEADER)))
		return decompress_sink_fail(s, begin, e, "expected a stream identifier");
	if (type >= CHUNK_SKIPPABLE)
		return 0;
	return append_chunk(s, data, type == CHUNK_COMPRESSED, begin + CHUNK_HEADER, e);
}

int snappy_framed_body(struct decompress_sink *s, struct str in, struct err *e)
{
	size_t at = 0;
	int rc = 0;

	if (in.n && !str_starts(in, identifier))
		return decompress_sink_fail(s, 0, e, "expected a stream identifier");
	while (at < in.n && !rc)
		rc = read_chunk(s, in, &at, e);
	return rc;
}

static void put_chunk_header(char *at, uint8_t type, size_t n, struct str content)
{
	uint32_t header = (uint32_t)n << 8 | type, sum = masked_sum(content);

	memcpy(at, &header, sizeof(header));
	memcpy(at + CHUNK_HEADER, &sum, sizeof(sum));
}

/* Append a chunk: compressed if that makes it smaller. */
static int put_content(struct buf *out, struct str content)
{
	size_t start = out->n, n;
	int rc;

	if (!buf_reserve(out, CHUNK_HEADER + CHUNK_SUM))
		return -ENOMEM;
	out->n += CHUNK_HEADER + CHUNK_SUM;
	rc = snappy_bytes(out, content);
	if (rc)
		return rc;
	n = out->n - start - CHUNK_HEADER;
	if (n - CHUNK_SUM < content.n) {
		put_chunk_header(out->p + start, CHUNK_COMPRESSED, n, content);
		return 0;
	}
	out->n = start + CHUNK_HEADER + CHUNK_SUM;
	buf_put_str(out, content);
	if (buf_error(out))
		return -ENOMEM;
	put_chunk_header(out->p + start, CHUNK_PLAIN, content.n + CHUNK_SUM, content);
	return 0;
}

int snappy_framed_bytes(struct buf *out, struct str in)
{
	size_t start = out->n;
	int rc;

	buf_put_str(out, identifier);
	rc = buf_error(out);
	for (size_t i = 0; i < in.n && !rc; i += CHUNK_CONTENT_MAX)
		rc = put_content(out, str_head(str_from_at(in, i), CHUNK_CONTENT_MAX));
	if (rc)
		out->n = start;
	return rc;
}
