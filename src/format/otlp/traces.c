/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder for the structure of OTLP traces. It reads eight fields of each span; attributes, events
 * and links are skipped by their length.
 */
#include "format/otlp/traces.h"

#include <stdio.h>

#include "format/otlp/utf8_repair.h"
#include "wire/proto.h"
#include "wire/schema.h"

struct traces_decoder {
	struct span_batch *out;
	struct str whole;
	struct str service; /* of the current resource */
	struct err *e;
};

/* Return 0, or -EBADMSG with `e` set if the reader has failed. */
static int reader_error(const struct traces_decoder *d, const struct proto_reader *r)
{
	return r->error ? proto_fail(r, d->whole, d->e) : 0;
}

/* Return the bytes of a nested message; an empty slice, never NULL, if it is truncated. */
static struct str nested_message(struct proto_reader *r)
{
	struct str s = proto_bytes(r);

	return s.p ? s : STR("");
}

/*
 * Set *out to `s` as valid UTF-8, truncated between characters to SPAN_NAME_MAX bytes. 0 or
 * -ENOMEM.
 */
static int clean_text(struct traces_decoder *d, struct str s, struct str *out)
{
	int rc = otlp_repair_utf8(&d->out->arena, s, out);

	if (rc || out->n <= SPAN_NAME_MAX)
		return rc;
	out->n = SPAN_NAME_MAX;
	while (out->n && ((unsigned char)out->p[out->n] & 0xc0) == 0x80)
		out->n--;
	return 0;
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
			rc = read_string_value(d, nested_message(&r), &out->text);
		else
			proto_skip(&r);
	}
	return rc ? rc : reader_error(d, &r);
}

/*
 * Set d->service: the service name, else "unknown_service" with the name of the program if known.
 */
static int set_service(struct traces_decoder *d, struct str service, struct str program)
{
	struct str text = STR("unknown_service");
	int rc = 0;

	if (service.n)
		return clean_text(d, service, &d->service);
	if (program.n)
		rc = arena_printf(&d->out->arena, &text, "unknown_service:%.*s", STR_ARG(program));
	return rc ? rc : clean_text(d, text, &d->service);
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
		rc = read_attribute(d, nested_message(&r), &a);
		if (str_eq(a.key, STR("service.name")) ||
		    (!service.n && str_eq(a.key, STR("service_name"))))
			service = a.text;
		else if (str_eq(a.key, STR("process.executable.name")))
			program = a.text;
	}
	if (!rc)
		rc = reader_error(d, &r);
	return rc ? rc : set_service(d, service, program);
}

/* ---- Spans ---- */

/* The fields of a span before validation. */
struct raw_span {
	struct str trace_id, span_id, parent_id, name;
	uint64_t start, end, kind, status;
};

static int read_span_status(const struct traces_decoder *d, struct str message, uint64_t *code)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(3, PROTO_VARINT))
			*code = proto_varint(&r);
		else
			proto_skip(&r);
	return reader_error(d, &r);
}

static int read_span(const struct traces_decoder *d, struct str message, struct raw_span *out)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	*out = (struct raw_span){0};
	while (!rc && proto_next(&r)) {
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
			rc = read_span_status(d, nested_message(&r), &out->status);
			break;
		default:
			proto_skip(&r);
		}
	}
	return rc ? rc : reader_error(d, &r);
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
	rc = clean_text(d, raw->name, &s.name);
	return rc ? rc : vec_push(&d->out->arena, &d->out->spans, s);
}

static int read_scope_spans(struct traces_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct raw_span raw;
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag != PROTO_TAG(2, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		rc = read_span(d, nested_message(&r), &raw);
		if (!rc)
			rc = add_span(d, &raw);
	}
	return rc ? rc : reader_error(d, &r);
}

/* Read the message in two passes, because the resource may follow the spans. */
static int read_resource_spans(struct traces_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct str resource = STR("");
	int rc;

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			resource = nested_message(&r);
		else
			proto_skip(&r);
	rc = reader_error(d, &r);
	if (!rc)
		rc = read_trace_resource(d, resource);
	r = proto_reader_of(message);
	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			rc = read_scope_spans(d, nested_message(&r));
		else
			proto_skip(&r);
	}
	return rc;
}

int otlp_traces_decode(struct span_batch *out, struct str in, struct err *e)
{
	struct traces_decoder d = {.out = out, .whole = in, .e = e};
	struct proto_reader r = proto_reader_of(in);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			rc = read_resource_spans(&d, nested_message(&r));
		else
			proto_skip(&r);
	}
	if (!rc)
		rc = reader_error(&d, &r);
	if (!rc)
		return 0;
	span_batch_reset(out);
	return err_errno(e, rc, "decode OTLP traces");
}

/* ---- JSON ---- */

/* The schema has only the fields that are read above; unknown keys are skipped. */
SCHEMA_MESSAGE(any_value, "AnyValue",
	       SCHEMA_FIELD(1, "string_value", "stringValue", STRING, SCHEMA_ONE_OF));

SCHEMA_MESSAGE(key_value, "KeyValue", SCHEMA_FIELD(1, "key", "key", STRING),
	       SCHEMA_NESTED(2, "value", "value", any_value));

SCHEMA_MESSAGE(resource, "Resource",
	       SCHEMA_NESTED(1, "attributes", "attributes", key_value, SCHEMA_MANY));

static const struct schema_enum_name kind_names[] = {
	{STR_INIT("SPAN_KIND_UNSPECIFIED"), 0}, {STR_INIT("SPAN_KIND_INTERNAL"), 1},
	{STR_INIT("SPAN_KIND_SERVER"), 2},	{STR_INIT("SPAN_KIND_CLIENT"), 3},
	{STR_INIT("SPAN_KIND_PRODUCER"), 4},	{STR_INIT("SPAN_KIND_CONSUMER"), 5},
};
static const struct schema_enum kinds = {kind_names, countof(kind_names), false};

static const struct schema_enum_name code_names[] = {
	{STR_INIT("STATUS_CODE_UNSET"), 0},
	{STR_INIT("STATUS_CODE_OK"), 1},
	{STR_INIT("STATUS_CODE_ERROR"), 2},
};
static const struct schema_enum codes = {code_names, countof(code_names), false};

SCHEMA_MESSAGE(status, "Status", SCHEMA_FIELD(3, "code", "code", ENUM, .names = &codes));

/* Ids of a wrong length are accepted here; add_span() rejects only their span. */
SCHEMA_MESSAGE(span, "Span", SCHEMA_FIELD(1, "trace_id", "traceId", ID, .id_size = TRACE_ID_SIZE),
	       SCHEMA_FIELD(2, "span_id", "spanId", ID, .id_size = SPAN_ID_SIZE),
	       SCHEMA_FIELD(4, "parent_span_id", "parentSpanId", ID, .id_size = SPAN_ID_SIZE),
	       SCHEMA_FIELD(5, "name", "name", STRING),
	       SCHEMA_FIELD(6, "kind", "kind", ENUM, .names = &kinds),
	       SCHEMA_FIELD(7, "start_time_unix_nano", "startTimeUnixNano", FIXED64),
	       SCHEMA_FIELD(8, "end_time_unix_nano", "endTimeUnixNano", FIXED64),
	       SCHEMA_NESTED(15, "status", "status", status));

SCHEMA_MESSAGE(scope_spans, "ScopeSpans", SCHEMA_NESTED(2, "spans", "spans", span, SCHEMA_MANY));

SCHEMA_MESSAGE(resource_spans, "ResourceSpans", SCHEMA_NESTED(1, "resource", "resource", resource),
	       SCHEMA_NESTED(2, "scope_spans", "scopeSpans", scope_spans, SCHEMA_MANY));

SCHEMA_MESSAGE(request, "ExportTraceServiceRequest",
	       SCHEMA_NESTED(1, "resource_spans", "resourceSpans", resource_spans, SCHEMA_MANY));

int otlp_traces_decode_json(struct span_batch *out, struct str in, struct err *e)
{
	struct arena scratch;
	struct buf proto;
	struct str message;
	int rc;

	buf_init(&proto, out->arena.budget);
	arena_init(&scratch, out->arena.budget);
	rc = schema_json_to_proto(&proto, &request, in, &scratch, e);
	if (!rc) /* the batch borrows from it */
		rc = arena_copy_str(&out->arena, buf_str(&proto), &message);
	arena_fini(&scratch);
	buf_fini(&proto);
	if (!rc)
		return otlp_traces_decode(out, message, e);
	span_batch_reset(out);
	return err_errno(e, rc, "decode OTLP JSON");
}
