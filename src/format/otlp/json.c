/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP profiles as JSON. Both directions convert through protobuf, so that there is only one
 * decoder and one encoder.
 */
#include "format/otlp/json.h"

#include "format/otlp/decode/decode.h"
#include "format/otlp/otlp.h"
#include "format/otlp/schema.h"

int otlp_json_next(struct str json, size_t *at, struct buf *out, struct arena *scratch,
		   struct err *e)
{
	struct json doc;
	int rc;

	arena_reset(scratch);
	json_init(&doc, scratch);
	rc = json_parse_next(&doc, json, at, e);
	if (rc <= 0)
		return rc;
	buf_clear(out);
	rc = schema_to_proto(out, &otlp_profiles_request, &doc, e);
	return rc ? rc : 1;
}

/*
 * Decode one converted message. The batch borrows from it, so copy it into the batch's arena first.
 */
static int decode_converted(struct otlp_decoder *d, struct buf *proto)
{
	struct str message;
	int rc = arena_copy_str(&d->b->arena, buf_str(proto), &message);

	if (rc)
		return rc;
	d->whole = message;
	return otlp_decode_message(d, message);
}

static int json_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
		       struct err *e)
{
	struct otlp_decoder *d = otlp_decoder_new(out, in, o, e);
	struct buf proto;
	struct arena scratch;
	size_t at = 0;
	int rc = d ? 1 : -ENOMEM;

	buf_init(&proto, out->arena.budget);
	arena_init(&scratch, out->arena.budget);
	if (d)
		d->layout_known = true; /* keys are the same in all layouts that have JSON */
	while (rc > 0) {
		rc = otlp_json_next(in, &at, &proto, &scratch, e);
		if (rc > 0) {
			rc = decode_converted(d, &proto);
			rc = rc ? rc : 1;
		}
	}
	if (rc)
		err_errno(e, rc, "decode OTLP JSON");
	if (rc && profile_batch_reset(out)) /* leave no partial batch */
		rc = -ENOMEM;
	arena_fini(&scratch);
	buf_fini(&proto);
	return rc;
}

static int json_encode(struct buf *out, const struct profile_batch *b,
		       const struct encode_options *o, struct err *e)
{
	struct buf proto;
	int rc;

	buf_init(&proto, out->budget);
	rc = format_otlp.encode(&proto, b, o, e);
	if (!rc)
		rc = schema_to_json(out, &otlp_profiles_request, buf_str(&proto), e);
	if (!rc) {
		buf_put_char(out, '\n');
		rc = buf_error(out);
	}
	if (rc)
		err_errno(e, rc, "encode OTLP JSON");
	buf_fini(&proto);
	return rc;
}

static bool contains(struct str head, struct str part)
{
	return str_find_str(head, part) < head.n;
}

static int json_sniff(struct str head)
{
	struct str text = head;

	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_from_at(text, 3);
	text = str_trim(text);
	if (!text.n || text.p[0] != '{')
		return 0;
	if (contains(head, STR("\"resourceProfiles\"")) ||
	    contains(head, STR("\"resource_profiles\"")))
		return 95;
	if (contains(head, STR("\"dictionary\"")) &&
	    (contains(head, STR("Table\"")) || contains(head, STR("_table\""))))
		return 85;
	return 0;
}

static const char *const json_extensions[] = {"otlp.json", "otlp.json.gz", "otlpjson", "otlp.jsonl",
					      NULL};

const struct format format_otlp_json = {
	.name = "otlp-json",
	.summary = "OpenTelemetry profiles, JSON: one message, or one per line",
	.extensions = json_extensions,
	.sniff = json_sniff,
	.decode = json_decode,
	.encode = json_encode,
};
