/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the fields that a query needs from the OTLP details of spans, and finds the parents of
 * spans. Attributes that are no field of the query are skipped by their key.
 */
#include "signal/trace/trace_fill.h"

#include "base/container/map.h"
#include "signal/otlp/attributes.h"
#include "wire/text.h"

enum { MESSAGE_NAME = 1, MESSAGE_VERSION = 2 }; /* of an InstrumentationScope */
enum { EVENT_TIME = 1, EVENT_NAME = 2, EVENT_ATTRIBUTES = 3 };
enum { LINK_TRACE_ID = 1, LINK_SPAN_ID = 2, LINK_ATTRIBUTES = 4 };
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE = 2 };
enum { ANY_VALUE_ARRAY = 5, ARRAY_VALUES = 1 };

/* Where values of one scope are put. */
struct field_sink {
	const struct trace_maker *maker;
	struct arena *arena;
	enum trace_scope scope;
	struct trace_value *values; /* by field */
};

/* ---- values ---- */

static enum trace_value_type scalar_type(enum value_kind kind)
{
	switch (kind) {
	case VALUE_STRING:
		return TRACE_STRING;
	case VALUE_BOOL:
		return TRACE_BOOL;
	case VALUE_INT:
		return TRACE_INT;
	case VALUE_DOUBLE:
		return TRACE_DOUBLE;
	default:
		return TRACE_NIL;
	}
}

static struct trace_value scalar_of(const struct value *v)
{
	struct trace_value out = {.type = scalar_type(v->kind)};

	if (out.type == TRACE_STRING)
		out.text = v->s;
	else if (out.type == TRACE_DOUBLE)
		out.real = v->d;
	else if (out.type == TRACE_BOOL)
		out.truth = v->i != 0;
	else
		out.number = v->i;
	return out;
}

/* Read a list whose elements are scalars of one type. Return false for any other list. */
static bool read_array(struct str list, struct arena *a, struct trace_value *out, int *rc)
{
	struct proto_reader r = proto_reader_of(list), inner;
	VEC(struct trace_value) elements = {0};
	struct value v;

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(ANY_VALUE_ARRAY, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		inner = proto_reader_of(proto_bytes(&r));
		while (proto_next(&inner)) {
			struct trace_value x;

			if (inner.tag != PROTO_TAG(ARRAY_VALUES, PROTO_BYTES)) {
				proto_skip(&inner);
				continue;
			}
			if (!otlp_value_read(proto_bytes(&inner), &v))
				return false;
			x = scalar_of(&v);
			if (x.type == TRACE_NIL || (elements.n && x.type != elements.at[0].type))
				return false;
			*rc = vec_push(a, &elements, x);
			if (*rc)
				return false;
		}
	}
	*out = (struct trace_value){.type = TRACE_ARRAY, .n = elements.n};
	out->elements = elements.at;
	return true;
}

/* Maps, bytes and mixed lists as text. */
static int read_text(const struct value *v, struct arena *a, struct trace_value *out)
{
	struct buf text;
	int rc;

	buf_init(&text, NULL);
	rc = otlp_value_text(&text, v) ? 0 : buf_error(&text);
	if (!rc)
		rc = arena_copy_str(a, buf_str(&text), &out->text);
	buf_fini(&text);
	out->type = TRACE_JSON;
	return rc;
}

int trace_value_read(struct str any_value, struct arena *a, struct trace_value *out)
{
	struct value v;
	int rc = 0;

	*out = (struct trace_value){0};
	if (!otlp_value_read(any_value, &v) || v.kind == VALUE_EMPTY)
		return 0;
	if (scalar_type(v.kind) != TRACE_NIL) {
		*out = scalar_of(&v);
		return 0;
	}
	if (v.kind == VALUE_LIST && read_array(v.s, a, out, &rc))
		return 0;
	return rc ? rc : read_text(&v, a, out);
}

/* ---- attributes ---- */

/* Put the attribute into the fields that want it; of repeated keys the first one counts. */
static int sink_attribute(struct field_sink *s, struct str key_value)
{
	struct proto_reader r = proto_reader_of(key_value);
	struct str key = STR(""), value = STR("");
	int rc = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(KEY_VALUE_KEY, PROTO_BYTES))
			key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(KEY_VALUE_VALUE, PROTO_BYTES))
			value = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	for (uint32_t i = 0; !rc && i < s->maker->field_count; i++) {
		const struct trace_field *f = &s->maker->fields[i];
		bool service = s->scope == TRACE_SCOPE_RESOURCE &&
			       f->scope == TRACE_SCOPE_INTRINSIC &&
			       f->intrinsic == TRACE_SERVICE_NAME;
		struct str wanted = service ? STR("service.name") : f->key;

		if ((!service && f->scope != s->scope) || !str_eq(wanted, key) ||
		    s->values[i].type != TRACE_NIL)
			continue;
		rc = trace_value_read(value, s->arena, &s->values[i]);
	}
	return rc;
}

static int sink_attributes(struct field_sink *s, struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			rc = sink_attribute(s, proto_bytes(&r));
		else
			proto_skip(&r);
	}
	return rc;
}

/* Set the fields of an intrinsic. */
static void sink_intrinsic(struct field_sink *s, enum trace_intrinsic intrinsic,
			   struct trace_value v)
{
	for (uint32_t i = 0; i < s->maker->field_count; i++)
		if (s->maker->fields[i].scope == TRACE_SCOPE_INTRINSIC &&
		    s->maker->fields[i].intrinsic == intrinsic)
			s->values[i] = v;
}

static struct trace_value text_value(struct str text)
{
	struct trace_value v = {.type = TRACE_STRING};

	v.text = text;
	return v;
}

/* Return the bytes of the last field of that number in a message. */
static struct str message_text(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	struct str out = STR("");

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			out = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	return out;
}

/* ---- resources and scopes ---- */

int trace_maker_init(struct trace_maker *m, const struct span_batch *batch,
		     const struct trace_field *fields, uint32_t field_count, struct arena *arena)
{
	*m = (struct trace_maker){
		.batch = batch, .fields = fields, .field_count = field_count, .arena = arena};
	m->resources = arena_zalloc(arena, batch->resources.n + 1u, sizeof(*m->resources));
	m->scopes = arena_zalloc(arena, batch->scopes.n + 1u, sizeof(*m->scopes));
	return m->resources && m->scopes ? 0 : -ENOMEM;
}

/* Read the fields of a resource or a scope, if that was not done yet. */
static int read_origin_fields(struct trace_maker *m, enum trace_scope scope, uint32_t number,
			      struct trace_value **slot)
{
	bool resource = scope == TRACE_SCOPE_RESOURCE;
	struct str message = STR("");
	struct field_sink s = {.maker = m, .arena = m->arena, .scope = scope};

	if (*slot)
		return 0;
	s.values = *slot = arena_zalloc(m->arena, m->field_count + 1u, sizeof(**slot));
	if (!s.values)
		return -ENOMEM;
	if (number)
		message = resource ? m->batch->resources.at[number - 1].message
				   : m->batch->scopes.at[number - 1].message;
	if (resource) {
		int rc = sink_attributes(&s, message, OTLP_RESOURCE_ATTRIBUTES);

		/* a resource without the attribute has the service "" */
		for (uint32_t i = 0; !rc && i < m->field_count; i++)
			if (m->fields[i].scope == TRACE_SCOPE_INTRINSIC &&
			    m->fields[i].intrinsic == TRACE_SERVICE_NAME && !s.values[i].type)
				s.values[i] = text_value(STR(""));
		return rc;
	}
	sink_intrinsic(&s, TRACE_INSTRUMENTATION_NAME,
		       text_value(message_text(message, MESSAGE_NAME)));
	sink_intrinsic(&s, TRACE_INSTRUMENTATION_VERSION,
		       text_value(message_text(message, MESSAGE_VERSION)));
	return sink_attributes(&s, message, OTLP_SCOPE_ATTRIBUTES);
}

/* ---- spans ---- */

static int fill_span(struct trace_maker *m, const struct span *span, struct arena *a,
		     struct trace_value *values)
{
	struct field_sink s = {.maker = m, .arena = a, .scope = TRACE_SCOPE_SPAN, .values = values};
	struct trace_value **resource = &m->resources[span->resource];
	struct trace_value **scope = &m->scopes[span->scope];
	int rc = read_origin_fields(m, TRACE_SCOPE_RESOURCE, span->resource, resource);

	if (!rc)
		rc = read_origin_fields(m, TRACE_SCOPE_INSTRUMENTATION, span->scope, scope);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < m->field_count; i++)
		values[i] = (*resource)[i].type ? (*resource)[i] : (*scope)[i];
	sink_intrinsic(&s, TRACE_SPAN_NAME, text_value(span->name));
	sink_intrinsic(&s, TRACE_STATUS_MESSAGE,
		       text_value(message_text(message_text(span->details, SPAN_FIELD_STATUS),
					       SPAN_FIELD_STATUS_MESSAGE)));
	return sink_attributes(&s, span->details, OTLP_SPAN_ATTRIBUTES);
}

/* ---- events and links ---- */

static int fill_event(struct field_sink *s, struct str message, uint64_t start)
{
	struct proto_reader r = proto_reader_of(message);
	struct trace_value since = {.type = TRACE_INT};
	uint64_t time = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(EVENT_TIME, PROTO_FIXED64))
			time = proto_fixed64(&r);
		else
			proto_skip(&r);
	}
	since.number = (int64_t)(time - start);
	sink_intrinsic(s, TRACE_EVENT_TIME, since);
	sink_intrinsic(s, TRACE_EVENT_NAME, text_value(message_text(message, EVENT_NAME)));
	return sink_attributes(s, message, EVENT_ATTRIBUTES);
}

static int hex_value(struct field_sink *s, enum trace_intrinsic intrinsic, struct str id)
{
	char *text = arena_alloc(s->arena, 2 * id.n + 1, 1);

	if (!text)
		return -ENOMEM;
	hex_digits(text, id);
	sink_intrinsic(s, intrinsic, text_value(str_of(text, 2 * id.n)));
	return 0;
}

static int fill_link(struct field_sink *s, struct str message)
{
	int rc = hex_value(s, TRACE_LINK_TRACE_ID, message_text(message, LINK_TRACE_ID));

	if (!rc)
		rc = hex_value(s, TRACE_LINK_SPAN_ID, message_text(message, LINK_SPAN_ID));
	return rc ? rc : sink_attributes(s, message, LINK_ATTRIBUTES);
}

static bool wants_items(const struct trace_maker *m, enum trace_scope scope,
			enum trace_intrinsic first, enum trace_intrinsic last)
{
	for (uint32_t i = 0; i < m->field_count; i++) {
		const struct trace_field *f = &m->fields[i];

		if (f->scope == scope || (f->scope == TRACE_SCOPE_INTRINSIC &&
					  f->intrinsic >= first && f->intrinsic <= last))
			return true;
	}
	return false;
}

/* Read the events or the links of all spans. */
static int fill_items(struct trace_maker *m, const uint32_t *rows, uint32_t n, bool events,
		      struct arena *a, struct trace_items *out)
{
	uint32_t field = events ? SPAN_FIELD_EVENTS : SPAN_FIELD_LINKS;
	uint32_t *first = arena_alloc(a, n + 1u, sizeof(*first));
	VEC(struct trace_value) values = {0};
	uint32_t items = 0;
	int rc = first ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n; i++) {
		const struct span *span = &m->batch->spans.at[rows[i]];
		struct proto_reader r = proto_reader_of(span->details);

		first[i] = items;
		while (!rc && proto_next(&r)) {
			struct field_sink s = {.maker = m,
					       .arena = a,
					       .scope = events ? TRACE_SCOPE_EVENT
							       : TRACE_SCOPE_LINK};
			struct str message;

			if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
				proto_skip(&r);
				continue;
			}
			message = proto_bytes(&r);
			rc = vec_reserve(a, &values, m->field_count);
			if (rc)
				break;
			s.values = values.at + values.n;
			memset(s.values, 0, m->field_count * sizeof(*s.values));
			values.n += m->field_count;
			items++;
			rc = events ? fill_event(&s, message, span->start) : fill_link(&s, message);
		}
	}
	if (!rc)
		first[n] = items;
	*out = (struct trace_items){.first = first, .values = values.at};
	return rc;
}

/* ---- structure ---- */

static uint64_t id_number(const uint8_t *id)
{
	uint64_t n;

	memcpy(&n, id, sizeof(n));
	return n;
}

static bool has_id(const uint8_t *id)
{
	return id_number(id) != 0;
}

/*
 * Find the parents. An id that two spans have is a client and the server that it called (Zipkin):
 * the server is the parent of others, and the client that of the server.
 */
static int fill_parents(struct trace_span *spans, uint32_t n, struct arena *a)
{
	struct map clients, rows;
	int rc = map_init(&rows, a, n);

	if (!rc)
		rc = map_init(&clients, a, 1);
	for (uint32_t i = 0; !rc && i < n; i++) {
		bool added;
		uint64_t *row = map_at(&rows, id_number(spans[i].id), &added);

		if (!row)
			return -ENOMEM;
		if (!added && spans[i].kind == SPAN_KIND_SERVER)
			rc = map_set(&clients, id_number(spans[i].id), *row);
		else if (!added && spans[*row].kind == SPAN_KIND_SERVER)
			rc = map_set(&clients, id_number(spans[i].id), i);
		if (added || spans[i].kind == SPAN_KIND_SERVER)
			*row = i;
	}
	for (uint32_t i = 0; !rc && i < n; i++) {
		uint64_t parent = i;

		spans[i].parent = has_id(spans[i].parent_id) ? TRACE_LOST_PARENT : TRACE_NO_PARENT;
		if (spans[i].kind == SPAN_KIND_SERVER)
			(void)map_get(&clients, id_number(spans[i].id), &parent);
		if (parent == i && has_id(spans[i].parent_id))
			(void)map_get(&rows, id_number(spans[i].parent_id), &parent);
		if (parent != i)
			spans[i].parent = (int32_t)parent;
	}
	return rc;
}

/* Make the view without parents. */
static int fill_view(struct trace_maker *m, const uint32_t *rows, uint32_t n, struct arena *a,
		     struct trace_span *spans, struct trace_view *out)
{
	struct trace_value *values =
		arena_alloc(a, (size_t)n * m->field_count + 1u, sizeof(*values));
	int rc = spans && values ? 0 : -ENOMEM;

	*out = (struct trace_view){
		.span_count = n, .field_count = m->field_count, .spans = spans, .values = values};
	for (uint32_t i = 0; !rc && i < n; i++) {
		const struct span *s = &m->batch->spans.at[rows[i]];

		memcpy(out->id, s->trace_id, sizeof(out->id));
		memcpy(spans[i].id, s->span_id, sizeof(spans[i].id));
		memcpy(spans[i].parent_id, s->parent_id, sizeof(spans[i].parent_id));
		spans[i].kind = s->kind;
		spans[i].status = s->status;
		spans[i].start = s->start;
		spans[i].duration = s->end - s->start;
		rc = fill_span(m, s, a, values + (size_t)i * m->field_count);
	}
	if (!rc && wants_items(m, TRACE_SCOPE_EVENT, TRACE_EVENT_NAME, TRACE_EVENT_TIME))
		rc = fill_items(m, rows, n, true, a, &out->events);
	if (!rc && wants_items(m, TRACE_SCOPE_LINK, TRACE_LINK_TRACE_ID, TRACE_LINK_SPAN_ID))
		rc = fill_items(m, rows, n, false, a, &out->links);
	return rc;
}

int trace_maker_view(struct trace_maker *m, const uint32_t *rows, uint32_t n, struct arena *a,
		     struct trace_view *out)
{
	struct trace_span *spans = arena_zalloc(a, n + (size_t)1, sizeof(*spans));
	int rc = fill_view(m, rows, n, a, spans, out);

	return rc ? rc : fill_parents(spans, n, a);
}

int trace_maker_spans(struct trace_maker *m, struct arena *a, struct trace_view *out)
{
	uint32_t n = m->batch->spans.n;
	struct trace_span *spans = arena_zalloc(a, n + (size_t)1, sizeof(*spans));
	uint32_t *rows = arena_alloc(a, n + (size_t)1, sizeof(*rows));
	uint8_t(*ids)[TRACE_ID_SIZE] = arena_alloc(a, n + (size_t)1, sizeof(*ids));
	int rc = rows && ids ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n; i++) {
		rows[i] = i;
		memcpy(ids[i], m->batch->spans.at[i].trace_id, TRACE_ID_SIZE);
	}
	if (!rc)
		rc = fill_view(m, rows, n, a, spans, out);
	for (uint32_t i = 0; !rc && i < n; i++)
		spans[i].parent = has_id(spans[i].parent_id) ? TRACE_LOST_PARENT : TRACE_NO_PARENT;
	out->ids = (const uint8_t(*)[TRACE_ID_SIZE])ids;
	return rc;
}
