/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One message, or a stream of them: each behind its length as 4 bytes, big-endian (the collector's
 * file exporter), or as a varint (protobuf's own "delimited" form).
 */
#include "format/otlp/decoder.h"
#include "format/otlp/otlp.h"

enum { LENGTH_SIZE = 4 };

/* Do its top-level fields add up to the end? */
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
	/* a tag is at least 8, and no message is as long as 128 MiB: no overlap */
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

struct otlp_decoder *otlp_decoder_new(struct profile_batch *out, struct str whole,
				      const struct decode_options *o, struct err *e)
{
	struct otlp_decoder *d = arena_alloc(&out->arena, 1, sizeof(*d));

	if (!d)
		return NULL;
	memset(d, 0, offsetof(struct otlp_decoder, parts));
	d->b = out;
	d->o = o;
	d->e = e;
	d->whole = whole;
	return d;
}

int otlp_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
		struct err *e)
{
	struct otlp_decoder *d = otlp_decoder_new(out, in, o, e);
	enum otlp_framing framing = otlp_find_framing(in);
	struct str rest = in, message;
	int rc = d ? 1 : -ENOMEM;

	while (rc > 0) {
		rc = otlp_next_message(framing, in, &rest, &message, e);
		if (rc > 0) {
			rc = otlp_decode_message(d, message);
			rc = rc ? rc : 1;
		}
	}
	if (rc)
		err_errno(e, rc, "decode OTLP");
	if (rc && profile_batch_reset(out)) /* nothing half-read is left behind */
		rc = -ENOMEM;
	return rc;
}
