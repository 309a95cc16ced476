/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoder for OTLP traces. Messages are written back to front: spans are sorted by resource and
 * scope and then written from the last to the first.
 */
#include <errno.h>
#include <stdlib.h>

#include "format/otlp/schema.h"
#include "format/otlp/traces.h"
#include "wire/proto.h"

struct traces_encoder {
	const struct span_batch *in;
	struct proto_writer out;
	const struct span **order; /* by resource and scope, then as in the batch */
};

static int compare_origins(const void *a, const void *b)
{
	const struct span *x = *(const struct span *const *)a;
	const struct span *y = *(const struct span *const *)b;

	if (x->resource != y->resource)
		return x->resource < y->resource ? -1 : 1;
	if (!x->resource && !str_eq(x->service, y->service)) {
		int order = memcmp(x->service.p, y->service.p,
				   x->service.n < y->service.n ? x->service.n : y->service.n);

		return order ? order
			     : (x->service.n > y->service.n) - (x->service.n < y->service.n);
	}
	if (x->scope != y->scope)
		return x->scope < y->scope ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool same_resource(const struct span *a, const struct span *b)
{
	return a->resource == b->resource && (a->resource || str_eq(a->service, b->service));
}

/*
 * The details of a span by their place in the Span message: the trace state, the fields before the
 * status, its message, and the fields after it.
 */
struct split_details {
	struct str state, before, message, after;
};

static struct split_details split_details(struct str details)
{
	struct proto_reader r = proto_reader_of(details), status;
	struct split_details s = {0};
	const char *from = details.p, *state = from;

	for (; proto_next(&r) && proto_field(&r) < SPAN_FIELD_STATUS; from = (const char *)r.at) {
		proto_skip(&r);
		if (r.tag == PROTO_TAG(SPAN_FIELD_TRACE_STATE, PROTO_BYTES) && from == state)
			state = (const char *)r.at;
	}
	if (!details.n)
		return s;
	s.state = str_of(details.p, (size_t)(state - details.p));
	s.before = str_of(state, (size_t)(from - state));
	s.after = str_from_at(details, (size_t)(from - details.p));
	if (s.after.n && r.tag == PROTO_TAG(SPAN_FIELD_STATUS, PROTO_BYTES)) {
		status = proto_message(&r);
		s.after = str_from_at(details, (size_t)((const char *)r.at - details.p));
		if (proto_next(&status))
			s.message = proto_bytes(&status);
	}
	return s;
}

static void put_span(struct proto_writer *w, const struct span *s)
{
	struct split_details details = split_details(s->details);
	size_t end = proto_mark(w), status;

	proto_put_raw(w, details.after.p, details.after.n);
	status = proto_mark(w);
	proto_put_uint(w, SPAN_FIELD_STATUS_CODE, s->status);
	proto_put_bytes(w, SPAN_FIELD_STATUS_MESSAGE, details.message);
	if (proto_mark(w) != status)
		proto_put_header(w, SPAN_FIELD_STATUS, status);
	proto_put_raw(w, details.before.p, details.before.n);
	proto_put_fixed64(w, 8, s->end);
	proto_put_fixed64(w, 7, s->start);
	proto_put_uint(w, 6, s->kind);
	proto_put_bytes(w, 5, s->name);
	if (span_id_is_set(s->parent_id, SPAN_ID_SIZE))
		proto_put_entry(w, 4, str_of((const char *)s->parent_id, SPAN_ID_SIZE));
	proto_put_raw(w, details.state.p, details.state.n);
	proto_put_entry(w, 2, str_of((const char *)s->span_id, SPAN_ID_SIZE));
	proto_put_entry(w, 1, str_of((const char *)s->trace_id, TRACE_ID_SIZE));
	proto_put_header(w, 2, end); /* ScopeSpans.spans */
}

/* Write the Resource of a span whose resource is unknown: the name of its service. */
static void put_service(struct proto_writer *w, struct str service)
{
	size_t resource = proto_mark(w), attribute = resource, value;

	value = proto_mark(w);
	proto_put_entry(w, 1, service);
	proto_put_header(w, 2, value);
	proto_put_entry(w, 1, STR("service.name"));
	proto_put_header(w, 1, attribute);
	proto_put_header(w, 1, resource);
}

/* Return the resource or scope of a span, or NULL if it is unknown. */
static const struct span_origin *origin_of(const struct traces_encoder *t, const struct span *s,
					   bool scope)
{
	if (scope)
		return s->scope ? &t->in->scopes.at[s->scope - 1] : NULL;
	return s->resource ? &t->in->resources.at[s->resource - 1] : NULL;
}

/* Write field 3, the schema URL, and field 1, the message. Spans, field 2, are in between. */
static void put_schema_url(struct traces_encoder *t, const struct span *s, bool scope)
{
	const struct span_origin *o = origin_of(t, s, scope);

	if (o)
		proto_put_bytes(&t->out, 3, o->schema_url);
}

static void put_origin(struct traces_encoder *t, const struct span *s, bool scope)
{
	const struct span_origin *o = origin_of(t, s, scope);

	if (o && o->message.p)
		proto_put_entry(&t->out, 1, o->message);
	else if (!o && !scope)
		put_service(&t->out, s->service);
}

/* Write the spans [from, to) of the order, which have one resource. */
static void put_resource_spans(struct traces_encoder *t, uint32_t from, uint32_t to)
{
	size_t end = proto_mark(&t->out), scope = end;

	put_schema_url(t, t->order[from], false);
	for (uint32_t i = to; i-- > from;) {
		const struct span *s = t->order[i];

		if (i + 1 == to || t->order[i + 1]->scope != s->scope) {
			scope = proto_mark(&t->out);
			put_schema_url(t, s, true);
		}
		put_span(&t->out, s);
		if (i > from && t->order[i - 1]->scope == s->scope)
			continue;
		put_origin(t, s, true);
		proto_put_header(&t->out, 2, scope);
	}
	put_origin(t, t->order[from], false);
	proto_put_header(&t->out, 1, end);
}

/* Write the whole message to t->out. 0 or -ENOMEM. */
static int put_traces(struct traces_encoder *t)
{
	uint32_t n = t->in->spans.n;

	t->order = calloc(n + 1, sizeof(const struct span *));
	if (!t->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		t->order[i] = &t->in->spans.at[i];
	qsort(t->order, n, sizeof(const struct span *), compare_origins);
	for (uint32_t to = n, from; to; to = from) {
		from = to - 1;
		while (from && same_resource(t->order[from - 1], t->order[from]))
			from--;
		put_resource_spans(t, from, to);
	}
	free(t->order);
	return proto_writer_error(&t->out);
}

int otlp_traces_encode(struct buf *out, const struct span_batch *b)
{
	struct traces_encoder t = {.in = b};
	int rc;

	proto_writer_init(&t.out, out->budget);
	rc = put_traces(&t);
	if (!rc)
		buf_put_str(out, proto_writer_str(&t.out));
	proto_writer_fini(&t.out);
	return rc ? rc : buf_error(out);
}

int otlp_traces_encode_json(struct buf *out, const struct span_batch *b)
{
	struct buf message;
	int rc;

	buf_init(&message, out->budget);
	rc = otlp_traces_encode(&message, b);
	if (!rc)
		rc = schema_to_json(out, &otlp_traces_request, buf_str(&message), NULL);
	buf_fini(&message);
	return rc;
}
