/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Division of the input into messages: a single message, or a stream in which each message is
 * preceded by its length, as 4 bytes, big-endian (the collector's file exporter), or as a varint
 * (protobuf's own "delimited" form).
 */
#include "format/otlp/decode/framing.h"

#include <errno.h>

#include "wire/proto.h"

enum { LENGTH_SIZE = 4 };

/* Return whether the top-level fields of `s` end exactly at its end. */
static bool is_message(struct str s)
{
	struct proto_reader r = proto_reader_of(s);

	while (proto_next(&r)) {
		if (proto_field(&r) <= 2 && (r.tag & 7) != PROTO_BYTES)
			return false;
		proto_skip(&r);
	}
	return !r.error;
}

static bool is_varint_stream(struct str in)
{
	struct str message;

	while (in.n) {
		if (otlp_next_message(OTLP_VARINT, in, &in, &message, NULL) < 0 ||
		    !is_message(message))
			return false;
	}
	return true;
}

enum otlp_framing otlp_find_framing(struct str in)
{
	/*
	 * Unambiguous: the first tag of a message is at least 8, and a first length byte of 8 or
	 * more would mean a message of at least 128 MiB.
	 */
	if (in.n >= LENGTH_SIZE && (uint8_t)in.p[0] < 8)
		return OTLP_BIG_ENDIAN;
	if (!in.n || is_message(in) || !is_varint_stream(in))
		return OTLP_PLAIN;
	return OTLP_VARINT;
}

static uint32_t big_endian(const char *p)
{
	const uint8_t *b = (const uint8_t *)p;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

int otlp_next_message(enum otlp_framing framing, struct str whole, struct str *rest,
		      struct str *message, struct err *e)
{
	size_t at = whole.n - rest->n;
	struct proto_reader r = proto_reader_of(*rest);
	uint64_t n;

	if (!rest->n)
		return 0;
	switch (framing) {
	case OTLP_BIG_ENDIAN:
		if (rest->n < LENGTH_SIZE)
			return err_set(e, -EBADMSG,
				       "at byte %zu: expected a 4-byte length, found %zu bytes", at,
				       rest->n);
		n = big_endian(rest->p);
		r.at += LENGTH_SIZE;
		break;
	case OTLP_VARINT:
		n = proto_varint(&r);
		if (r.error)
			return proto_fail(&r, whole, e);
		break;
	default:
		n = rest->n;
	}
	if (n > (size_t)(r.end - r.at))
		return err_set(e, -EBADMSG,
			       "at byte %zu: expected a message of %llu bytes, found %zu", at,
			       (unsigned long long)n, (size_t)(r.end - r.at));
	*message = str_of((const char *)r.at, (size_t)n);
	r.at += n;
	*rest = str_of((const char *)r.at, (size_t)(r.end - r.at));
	return 1;
}
