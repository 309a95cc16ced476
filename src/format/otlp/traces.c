/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP traces, read for their structure. The decoder walks resources, scopes and spans and takes eight fields of each
 * span; attributes, events and links are passed over by their length and never looked into.
 */
#include "format/otlp/traces.h"

#include <stdio.h>

#include "format/otlp/otlp.h"
#include "wire/schema.h"

struct decoder {
	struct span_batch *out;
	struct str whole;
	struct str service; /* of the resource at hand */
	struct err *e;
};

static int bad(const struct decoder *d, const struct proto_reader *r)
{
	return r->error ? proto_fail(r, d->whole, d->e) : 0;
}

/* The bytes of a nested message: of a damaged one there are none, but not at no place. */
static struct str nested(struct proto_reader *r)
{
	struct str s = proto_bytes(r);

	return s.p ? s : STR("");
}

/* Well-formed, and not longer than we keep: cut between characters. */
static int take_text(struct decoder *d, struct str s, struct str *out)
{
	int rc = otlp_mend_text(&d->out->arena, s, out);

	if (rc || out->n <= SPAN_NAME_MAX)
		return rc;
	out->n = SPAN_NAME_MAX;
	while (out->n && ((unsigned char)out->p[out->n] & 0xc0) == 0x80)
		out->n--;
	return 0;
}

/* ---- the resource ---- */

struct text_attribute {
	struct str key, text;
};

static int read_value(const struct decoder *d, struct str message, struct str *text)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			*text = proto_bytes(&r);
		else
			proto_skip(&r);
	return bad(d, &r);
}

static int read_attribute(const struct decoder *d, struct str message, struct text_attribute *out)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	*out = (struct text_attribute){0};
	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			out->key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			rc = read_value(d, nested(&r), &out->text);
		else
			proto_skip(&r);
	}
	return rc ? rc : bad(d, &r);
}

static int name_service(struct decoder *d, struct str service, struct str program)
{
	struct str text = STR("unknown_service");
	int rc = 0;

	if (service.n)
		return take_text(d, service, &d->service);
	if (program.n)
		rc = arena_printf(&d->out->arena, &text, "unknown_service:%.*s", STR_ARG(program));
	return rc ? rc : take_text(d, text, &d->service);
}

static int read_resource(struct decoder *d, struct str message)
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
		rc = read_attribute(d, nested(&r), &a);
		if (str_eq(a.key, STR("service.name")) ||
		    (!service.n && str_eq(a.key, STR("service_name"))))
			service = a.text;
		else if (str_eq(a.key, STR("process.executable.name")))
			program = a.text;
	}
	if (!rc)
		rc = bad(d, &r);
	return rc ? rc : name_service(d, service, program);
}

/* ---- spans ---- */

/* What a span says, before it is judged. */
struct raw_span {
	struct str trace_id, span_id, parent_id, name;
	uint64_t start, end, kind, status;
};

static int read_status(const struct decoder *d, struct str message, uint64_t *code)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(3, PROTO_VARINT))
			*code = proto_varint(&r);
		else
			proto_skip(&r);
	return bad(d, &r);
}

static int read_span(const struct decoder *d, struct str message, struct raw_span *out)
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
			rc = read_status(d, nested(&r), &out->status);
			break;
		default:
			proto_skip(&r);
		}
	}
	return rc ? rc : bad(d, &r);
}

static bool id_is_good(struct str id, size_t size)
{
	return id.n == size && span_id_is_set((const uint8_t *)id.p, size);
}

/* Why it cannot be kept; NULL: it can. */
static const char *judge(const struct raw_span *s)
{
	if (!id_is_good(s->trace_id, TRACE_ID_SIZE))
		return "its trace id is not 16 bytes that are not all zero";
	if (!id_is_good(s->span_id, SPAN_ID_SIZE))
		return "its span id is not 8 bytes that are not all zero";
	if (s->parent_id.n && s->parent_id.n != SPAN_ID_SIZE)
		return "its parent span id is not 8 bytes";
	return NULL;
}

static void reject(struct span_batch *b, const char *why)
{
	if (!b->rejected++)
		snprintf(b->reason, sizeof(b->reason), "span %u: %s", b->spans.n, why);
}

static int add_span(struct decoder *d, const struct raw_span *raw)
{
	const char *why = judge(raw);
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
	rc = take_text(d, raw->name, &s.name);
	return rc ? rc : vec_push(&d->out->arena, &d->out->spans, s);
}

static int read_scope(struct decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct raw_span raw;
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag != PROTO_TAG(2, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		rc = read_span(d, nested(&r), &raw);
		if (!rc)
			rc = add_span(d, &raw);
	}
	return rc ? rc : bad(d, &r);
}

/* Twice: the resource may stand behind the spans. */
static int read_resource_spans(struct decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct str resource = STR("");
	int rc;

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			resource = nested(&r);
		else
			proto_skip(&r);
	rc = bad(d, &r);
	if (!rc)
		rc = read_resource(d, resource);
	r = proto_reader_of(message);
	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			rc = read_scope(d, nested(&r));
		else
			proto_skip(&r);
	}
	return rc;
}

int otlp_traces_decode(struct span_batch *out, struct str in, struct err *e)
{
	struct decoder d = {.out = out, .whole = in, .e = e};
	struct proto_reader r = proto_reader_of(in);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			rc = read_resource_spans(&d, nested(&r));
		else
			proto_skip(&r);
	}
	if (!rc)
		rc = bad(&d, &r);
	if (!rc)
		return 0;
	span_batch_reset(out);
	return err_errno(e, rc, "decode OTLP traces");
}

/* ---- JSON ---- */

/* Only what is read above; other keys are unknown, and unknown keys are passed over. */
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

/* An id of another length is read too: what is wrong with it is a matter of its span, not of the message. */
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
