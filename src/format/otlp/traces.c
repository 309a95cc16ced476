/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder for OTLP traces. The message is validated as a whole. Then eight fields of each span are
 * read; the others, its details, are passed on as they are: mostly as one slice of the input. A
 * message that is not valid (text that is not UTF-8, unusual wire types) is repaired before that.
 */
#include "format/otlp/traces.h"

#include <stdio.h>

#include "format/otlp/otlp_names.h"
#include "format/otlp/repair.h"
#include "format/otlp/schema.h"
#include "signal/otlp/validate.h"
#include "wire/proto.h"

struct traces_decoder {
	struct span_batch *out;
	struct str whole;
	struct str service; /* of the current resource */
	uint32_t resource, scope;
	struct buf details; /* of a span whose details are not one slice */
	struct err *e;
};

/* Return 0, or -EBADMSG with `e` set if the reader has failed. */
static int reader_error(const struct traces_decoder *d, const struct proto_reader *r)
{
	return r->error ? proto_fail(r, d->whole, d->e) : 0;
}

/* ---- Resource ---- */

struct text_attribute {
	struct str key, text;
};

static int read_string_value(const struct traces_decoder *d, struct str message, struct str *text)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			*text = proto_bytes(&r);
		else
			proto_skip(&r);
	return reader_error(d, &r);
}

static int read_attribute(const struct traces_decoder *d, struct str message,
			  struct text_attribute *out)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	*out = (struct text_attribute){0};
	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			out->key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			rc = read_string_value(d, proto_nested(&r), &out->text);
		else
			proto_skip(&r);
	}
	return rc ? rc : reader_error(d, &r);
}

static int read_trace_resource(struct traces_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct str service = {0}, program = {0};
	int rc = 0;

	while (!rc && proto_next(&r)) {
		struct text_attribute a;

		if (r.tag != PROTO_TAG(1, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		rc = read_attribute(d, proto_nested(&r), &a);
		if (str_eq(a.key, STR("service.name")) ||
		    (!service.n && str_eq(a.key, STR("service_name"))))
			service = a.text;
		else if (str_eq(a.key, STR("process.executable.name")))
			program = a.text;
	}
	if (!rc)
		rc = reader_error(d, &r);
	return rc ? rc : otlp_service_name(&d->out->arena, service, program, &d->service);
}

/* ---- Spans ---- */

/* The fields of a span before validation. */
struct raw_span {
	struct str trace_id, span_id, parent_id, name, status_message;
	uint64_t start, end, kind, status;
	struct str details; /* the last run of adjacent details */
	struct str flags;   /* the field */
};

static int read_span_status(const struct traces_decoder *d, struct str message,
			    struct raw_span *out)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(SPAN_FIELD_STATUS_MESSAGE, PROTO_BYTES))
			out->status_message = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(SPAN_FIELD_STATUS_CODE, PROTO_VARINT))
			out->status = proto_varint(&r);
		else
			proto_skip(&r);
	return reader_error(d, &r);
}

/* Add the field at `from`, which the reader is in, to the details. */
static void note_detail(struct traces_decoder *d, struct raw_span *out, const uint8_t *from,
			struct proto_reader *r)
{
	proto_skip(r);
	if (out->details.p + out->details.n != (const char *)from) {
		buf_put_str(&d->details, out->details);
		out->details = str_of((const char *)from, 0);
	}
	out->details.n += (size_t)(r->at - from);
}

static void put_detail_length(struct buf *out, uint32_t tag, size_t n)
{
	buf_put_char(out, (char)tag);
	for (; n >= 0x80; n >>= 7)
		buf_put_char(out, (char)(n | 0x80));
	buf_put_char(out, (char)n);
}

/* Append the status message and the flags to the details, in the order of their numbers. */
static void put_last_details(struct traces_decoder *d, struct raw_span *out)
{
	struct str text = out->status_message;

	if (!text.n && out->flags.p == out->details.p + out->details.n) {
		out->details.n += out->flags.n;
		return;
	}
	if (!text.n && !out->details.n && !d->details.n) {
		out->details = out->flags;
		return;
	}
	if (!text.n && !out->flags.n)
		return;
	buf_put_str(&d->details, out->details);
	out->details = (struct str){0};
	if (text.n) {
		put_detail_length(&d->details, PROTO_TAG(SPAN_FIELD_STATUS, PROTO_BYTES),
				  1 + proto_varint_size(text.n) + text.n);
		put_detail_length(&d->details, PROTO_TAG(SPAN_FIELD_STATUS_MESSAGE, PROTO_BYTES),
				  text.n);
		buf_put_str(&d->details, text);
	}
	buf_put_str(&d->details, out->flags);
}

/* Make the details one slice, of the input or of the arena. 0 or -ENOMEM. */
static int join_details(struct traces_decoder *d, struct raw_span *out)
{
	int rc;

	put_last_details(d, out);
	if (!d->details.n)
		return 0;
	buf_put_str(&d->details, out->details);
	rc = buf_error(&d->details);
	return rc ? rc : arena_copy_str(&d->out->arena, buf_str(&d->details), &out->details);
}

static int read_span(struct traces_decoder *d, struct str message, struct raw_span *out)
{
	struct proto_reader r = proto_reader_of(message);
	const uint8_t *from = r.at;
	int rc = 0;

	*out = (struct raw_span){0};
	buf_clear(&d->details);
	for (; !rc && proto_next(&r); from = r.at) {
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_BYTES):
			out->trace_id = proto_bytes(&r);
			break;
		case PROTO_TAG(2, PROTO_BYTES):
			out->span_id = proto_bytes(&r);
			break;
		case PROTO_TAG(4, PROTO_BYTES):
			out->parent_id = proto_bytes(&r);
			break;
		case PROTO_TAG(5, PROTO_BYTES):
			out->name = proto_bytes(&r);
			break;
		case PROTO_TAG(6, PROTO_VARINT):
			out->kind = proto_varint(&r);
			break;
		case PROTO_TAG(7, PROTO_FIXED64):
			out->start = proto_fixed64(&r);
			break;
		case PROTO_TAG(8, PROTO_FIXED64):
			out->end = proto_fixed64(&r);
			break;
		case PROTO_TAG(15, PROTO_BYTES):
			rc = read_span_status(d, proto_nested(&r), out);
			break;
		case PROTO_TAG(SPAN_FIELD_TRACE_STATE, PROTO_BYTES):
		case PROTO_TAG(SPAN_FIELD_ATTRIBUTES, PROTO_BYTES):
		case PROTO_TAG(SPAN_FIELD_DROPPED_ATTRIBUTES, PROTO_VARINT):
		case PROTO_TAG(SPAN_FIELD_EVENTS, PROTO_BYTES):
		case PROTO_TAG(SPAN_FIELD_DROPPED_EVENTS, PROTO_VARINT):
		case PROTO_TAG(SPAN_FIELD_LINKS, PROTO_BYTES):
		case PROTO_TAG(SPAN_FIELD_DROPPED_LINKS, PROTO_VARINT):
			note_detail(d, out, from, &r);
			break;
		case PROTO_TAG(SPAN_FIELD_FLAGS, PROTO_FIXED32):
			proto_skip(&r);
			out->flags = str_of((const char *)from, (size_t)(r.at - from));
			break;
		default:
			proto_skip(&r);
		}
	}
	if (!rc)
		rc = reader_error(d, &r);
	return rc ? rc : join_details(d, out);
}

static bool id_is_good(struct str id, size_t size)
{
	return id.n == size && span_id_is_set((const uint8_t *)id.p, size);
}

/* Return why the span is invalid, or NULL if it is valid. */
static const char *span_defect(const struct raw_span *s)
{
	if (!id_is_good(s->trace_id, TRACE_ID_SIZE))
		return "trace id is all zero or not 16 bytes long";
	if (!id_is_good(s->span_id, SPAN_ID_SIZE))
		return "span id is all zero or not 8 bytes long";
	if (s->parent_id.n && s->parent_id.n != SPAN_ID_SIZE)
		return "parent span id is not 8 bytes long";
	if (s->details.n > SPAN_DETAILS_MAX)
		return "attributes, events and links are larger than 4 MiB";
	return NULL;
}

static void reject(struct span_batch *b, const char *why)
{
	if (!b->rejected++)
		snprintf(b->reason, sizeof(b->reason), "span %u: %s", b->spans.n, why);
}

static int add_span(struct traces_decoder *d, const struct raw_span *raw)
{
	const char *why = span_defect(raw);
	struct span s = {
		.service = d->service,
		.start = raw->start,
		.end = raw->end > raw->start ? raw->end : raw->start,
		.kind = raw->kind < SPAN_KINDS ? (uint8_t)raw->kind : 0,
		.status = raw->status < SPAN_STATUSES ? (uint8_t)raw->status : 0,
		.resource = d->resource,
		.scope = d->scope,
		.details = raw->details,
	};
	int rc;

	if (why) {
		reject(d->out, why);
		return 0;
	}
	memcpy(s.trace_id, raw->trace_id.p, sizeof(s.trace_id));
	memcpy(s.span_id, raw->span_id.p, sizeof(s.span_id));
	if (raw->parent_id.n)
		memcpy(s.parent_id, raw->parent_id.p, sizeof(s.parent_id));
	rc = otlp_repair_name(&d->out->arena, raw->name, &s.name);
	return rc ? rc : vec_push(&d->out->arena, &d->out->spans, s);
}

/*
 * Read the fields 1, a Resource or InstrumentationScope, and 3, the schema URL, of a message whose
 * spans may precede them.
 */
static int read_origin(const struct traces_decoder *d, struct str message, struct span_origin *out)
{
	struct proto_reader r = proto_reader_of(message);

	*out = (struct span_origin){0};
	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			out->message = proto_nested(&r);
		else if (r.tag == PROTO_TAG(3, PROTO_BYTES))
			out->schema_url = proto_bytes(&r);
		else
			proto_skip(&r);
	return reader_error(d, &r);
}

static int read_scope_spans(struct traces_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct span_origin scope;
	struct raw_span raw;
	int rc = read_origin(d, message, &scope);

	if (!rc)
		rc = vec_push(&d->out->arena, &d->out->scopes, scope);
	d->scope = d->out->scopes.n;
	while (!rc && proto_next(&r)) {
		if (r.tag != PROTO_TAG(2, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		rc = read_span(d, proto_nested(&r), &raw);
		if (!rc)
			rc = add_span(d, &raw);
	}
	return rc ? rc : reader_error(d, &r);
}

static int read_resource_spans(struct traces_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct span_origin resource;
	int rc = read_origin(d, message, &resource);

	if (!rc)
		rc = vec_push(&d->out->arena, &d->out->resources, resource);
	d->resource = d->out->resources.n;
	if (!rc)
		rc = read_trace_resource(d, resource.message);
	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			rc = read_scope_spans(d, proto_nested(&r));
		else
			proto_skip(&r);
	}
	return rc;
}

static int read_request(struct traces_decoder *d)
{
	struct proto_reader r = proto_reader_of(d->whole);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			rc = read_resource_spans(d, proto_nested(&r));
		else
			proto_skip(&r);
	}
	return rc ? rc : reader_error(d, &r);
}

int otlp_traces_decode(struct span_batch *out, struct str in, struct err *e)
{
	struct traces_decoder d = {.out = out, .whole = in, .e = e};
	uint32_t items;
	int rc = 0;

	buf_init(&d.details, out->arena.budget);
	if (otlp_validate(SIGNAL_TRACES, in, &items, NULL))
		rc = otlp_repair_message(&otlp_traces_request, in, &out->arena, &d.whole, e);
	if (!rc)
		rc = read_request(&d);
	buf_fini(&d.details);
	if (!rc)
		return 0;
	span_batch_reset(out);
	return err_errno(e, rc, "decode OTLP traces");
}

/* ---- JSON ---- */

int otlp_traces_decode_json(struct span_batch *out, struct str in, struct err *e)
{
	struct arena scratch;
	struct buf proto;
	struct str message;
	int rc;

	buf_init(&proto, out->arena.budget);
	arena_init(&scratch, out->arena.budget);
	rc = schema_json_to_proto(&proto, &otlp_traces_request, in, &scratch, e);
	if (!rc) /* the batch borrows from it */
		rc = arena_copy_str(&out->arena, buf_str(&proto), &message);
	arena_fini(&scratch);
	buf_fini(&proto);
	if (!rc)
		return otlp_traces_decode(out, message, e);
	span_batch_reset(out);
	return err_errno(e, rc, "decode OTLP JSON");
}
