/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format descriptor, detection of OTLP protobuf (as opposed to pprof), and decoding of a file.
 */
#include "format/otlp/otlp.h"

#include "format/otlp/decode/decode.h"
#include "format/otlp/decode/framing.h"
#include "format/otlp/decode/layout.h"
#include "format/otlp/encode.h"
#include "format/otlp/prepare.h"

static const char *const otlp_extensions[] = {"otlp", "otlp.gz", "otlp.zst", NULL};

/*
 * Return the number of fields in `s` if all of them are length-delimited and numbered 1 to
 * `fields`, else -1. `s` may be truncated; *cut is set if the last field is incomplete. Both pprof
 * and OTLP begin with field 1 as a message; in OTLP it contains messages (Resource, ScopeProfiles),
 * in pprof (ValueType) it contains numbers.
 */
static int count_nested_fields(struct str s, uint32_t fields, bool *cut)
{
	struct proto_reader r = proto_reader_of(s);
	int n = 0;

	*cut = false;
	while (proto_next(&r)) {
		if ((r.tag & 7) != PROTO_BYTES || proto_field(&r) > fields)
			return -1;

		uint64_t length = proto_varint(&r);

		n++;
		if (r.error || length > (size_t)(r.end - r.at)) {
			*cut = true;
			return n;
		}
		r.at += length;
	}
	*cut = r.error == PROTO_TRUNCATED;
	return r.error && !*cut ? -1 : n;
}

/*
 * Return the content of the first field, truncated where the head ends, and set *field to its
 * number.
 */
static struct str first_child(struct str head, uint32_t *field)
{
	struct proto_reader r = proto_reader_of(head);
	uint64_t n;

	if (!proto_next(&r) || (r.tag & 7) != PROTO_BYTES)
		return (struct str){0};
	*field = proto_field(&r);
	n = proto_varint(&r);
	return str_of((const char *)r.at, min_size((size_t)n, (size_t)(r.end - r.at)));
}

static int sniff_message(struct str head)
{
	uint32_t field = 0;
	struct str child = first_child(head, &field);
	bool cut;

	if (count_nested_fields(head, 2, &cut) < 1)
		return 0;
	if (field == 2) /* the dictionary: tables 1 to 7 */
		return count_nested_fields(child, 7, &cut) > 0 ? 85 : 0;
	if (!child.n)
		return cut ? 0 : 10;
	return count_nested_fields(child, 3, &cut) > 0 ? 90 : 0;
}

static int otlp_sniff(struct str head)
{
	struct proto_reader r;
	uint64_t n;

	if (head.n < 2)
		return 0;
	if ((uint8_t)head.p[0] < 8)
		return head.n > 4 ? sniff_message(str_from_at(head, 4)) : 0;
	int score = sniff_message(head);

	if (score)
		return score;
	r = proto_reader_of(head); /* a message after a varint length */
	n = proto_varint(&r);
	if (r.error || n < 2)
		return 0;
	return sniff_message(
		       str_of((const char *)r.at, min_size((size_t)n, (size_t)(r.end - r.at)))) /
	       2;
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
	if (rc && profile_batch_reset(out)) /* leave no partial batch */
		rc = -ENOMEM;
	return rc;
}

bool otlp_is_current(struct str message)
{
	bool ambiguous;

	return otlp_find_layout(message, &ambiguous) == OTLP_1_11 && !ambiguous;
}

static int otlp_format_encode(struct buf *out, const struct profile_batch *b,
			      const struct encode_options *o, struct err *e)
{
	struct profile_batch ready;
	struct proto_writer w;
	int rc = profile_batch_init(&ready, out->budget);

	(void)o; /* all sample types are written */
	proto_writer_init(&w, out->budget);
	if (!rc)
		rc = otlp_prepare(&ready, b);
	if (!rc)
		rc = otlp_encode(&w, &ready);
	if (!rc) {
		buf_put_str(out, proto_writer_str(&w));
		rc = buf_error(out);
	}
	if (rc)
		err_errno(e, rc, "encode OTLP");
	proto_writer_fini(&w);
	profile_batch_fini(&ready);
	return rc;
}

const struct format format_otlp = {
	.name = "otlp",
	.summary = "OpenTelemetry profiles, protobuf: reads 1.7 to 1.11 and streams of messages, "
		   "writes 1.11",
	.extensions = otlp_extensions,
	.sniff = otlp_sniff,
	.decode = otlp_decode,
	.encode = otlp_format_encode,
};
