/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and values of attributes. Of a merged block the columns of attributes are read by their
 * entries in the index: the names without any piece, values from the pieces of one key. Attributes
 * without a column of their own, events and links are messages, of which one piece each is read.
 * Which of the origins are resources and which are scopes is in the shapes of the groups.
 */
#include "store/sqlite/spans/span_tags.h"

#include "signal/otlp/attributes.h"
#include "signal/trace/trace_fill.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/spans/span_values.h"

enum { SCOPE_NAME = 1, SCOPE_VERSION = 2, EVENT_NAME = 2, LINK_ATTRIBUTES = 4 };

#define SIGN_BIT ((uint64_t)1 << 63)

/* ---- what is selected ---- */

static bool wants_names(const struct span_tags *t, enum trace_scope scope)
{
	return t->select->scopes & 1u << scope;
}

static bool wants_intrinsic(const struct span_tags *t, enum trace_intrinsic which)
{
	const struct store_tag_select *s = t->select;

	return !s->scopes && s->field.scope == TRACE_SCOPE_INTRINSIC && s->field.intrinsic == which;
}

static bool wants_key(const struct span_tags *t, enum trace_scope scope, struct str key)
{
	const struct store_tag_select *s = t->select;

	return !s->scopes && s->field.scope == scope && str_eq(s->field.key, key);
}

static bool wants_scope(const struct span_tags *t, enum trace_scope scope)
{
	const struct store_tag_select *s = t->select;

	return s->scopes ? wants_names(t, scope) : s->field.scope == scope;
}

static bool wants_resources(const struct span_tags *t)
{
	return wants_scope(t, TRACE_SCOPE_RESOURCE) || wants_intrinsic(t, TRACE_SERVICE_NAME);
}

static bool wants_scopes(const struct span_tags *t)
{
	return wants_scope(t, TRACE_SCOPE_INSTRUMENTATION) ||
	       wants_intrinsic(t, TRACE_INSTRUMENTATION_NAME) ||
	       wants_intrinsic(t, TRACE_INSTRUMENTATION_VERSION);
}

static bool wants_field(const struct span_tags *t, uint8_t field)
{
	switch (field) {
	case SPAN_FIELD_WHOLE:
		return true;
	case SPAN_FIELD_ATTRIBUTES:
		return wants_scope(t, TRACE_SCOPE_SPAN);
	case SPAN_FIELD_EVENTS:
		return wants_scope(t, TRACE_SCOPE_EVENT) || wants_intrinsic(t, TRACE_EVENT_NAME);
	case SPAN_FIELD_LINKS:
		return wants_scope(t, TRACE_SCOPE_LINK);
	case SPAN_FIELD_STATUS:
		return wants_intrinsic(t, TRACE_STATUS_MESSAGE);
	default:
		return false;
	}
}

bool span_tags_need_structure(const struct store_tag_select *s)
{
	return !s->scopes && s->field.scope == TRACE_SCOPE_INTRINSIC &&
	       (s->field.intrinsic == TRACE_SPAN_NAME ||
		(s->roots && s->field.intrinsic == TRACE_SERVICE_NAME));
}

/* ---- messages ---- */

static int visit_value(struct span_tags *t, const struct trace_value *v)
{
	int rc = 0;

	if (v->type == TRACE_NIL || v->type == TRACE_JSON)
		return 0;
	if (v->type != TRACE_ARRAY)
		return t->visit(t->ctx, t->select->field.scope, t->select->field.key, v);
	for (uint32_t i = 0; !rc && i < v->n; i++)
		rc = visit_value(t, &v->elements[i]);
	return rc;
}

static int visit_text(struct span_tags *t, struct str text)
{
	struct trace_value v = {.type = TRACE_STRING, .text = text};

	return visit_value(t, &v);
}

/* Visit the fields `field` of a message as text. */
static int visit_texts(struct span_tags *t, struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	struct str text = STR("");

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			text = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	return visit_text(t, text);
}

static int visit_attribute(struct span_tags *t, enum trace_scope scope, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct str key = STR(""), value = STR("");
	struct trace_value v;
	int rc;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			value = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	if (wants_names(t, scope))
		return t->visit(t->ctx, scope, key, NULL);
	if (!wants_key(t, scope, key))
		return 0;
	rc = trace_value_read(value, t->arena, &v);
	return rc ? rc : visit_value(t, &v);
}

static int visit_attributes(struct span_tags *t, enum trace_scope scope, struct str message,
			    uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			rc = visit_attribute(t, scope, proto_bytes(&r));
		else
			proto_skip(&r);
	}
	return rc;
}

/* Visit a field of details that is a message. */
static int visit_field(struct span_tags *t, uint8_t field, struct str message)
{
	if (!wants_field(t, field))
		return 0;
	switch (field) {
	case SPAN_FIELD_ATTRIBUTES:
		return visit_attribute(t, TRACE_SCOPE_SPAN, message);
	case SPAN_FIELD_EVENTS:
		if (wants_intrinsic(t, TRACE_EVENT_NAME))
			return visit_texts(t, message, EVENT_NAME);
		return visit_attributes(t, TRACE_SCOPE_EVENT, message, OTLP_SPAN_EVENT_ATTRIBUTES);
	case SPAN_FIELD_LINKS:
		return visit_attributes(t, TRACE_SCOPE_LINK, message, LINK_ATTRIBUTES);
	default:
		return visit_texts(t, message, SPAN_FIELD_STATUS_MESSAGE);
	}
}

static int visit_details(struct span_tags *t, struct str details)
{
	struct proto_reader r = proto_reader_of(details);
	bool status = false;
	int rc = 0;

	while (!rc && proto_next(&r)) {
		uint8_t field = (uint8_t)proto_field(&r);

		status |= field == SPAN_FIELD_STATUS;
		if ((r.tag & 7) == PROTO_BYTES && proto_field(&r) <= SPAN_FIELD_FLAGS &&
		    field != SPAN_FIELD_WHOLE)
			rc = visit_field(t, field, proto_bytes(&r));
		else
			proto_skip(&r);
	}
	if (!rc && !status && wants_intrinsic(t, TRACE_STATUS_MESSAGE))
		rc = visit_text(t, STR(""));
	return rc;
}

/* Visit a resource, or a scope. */
static int visit_origin(struct span_tags *t, struct str encoded, bool scope)
{
	struct span_origin o;
	struct value v;

	if (!(scope ? wants_scopes(t) : wants_resources(t)) || !span_origin_get(encoded, &o))
		return 0;
	if (!scope && wants_intrinsic(t, TRACE_SERVICE_NAME)) {
		if (!otlp_attribute_find(o.message, OTLP_RESOURCE_ATTRIBUTES, STR("service.name"),
					 &v) ||
		    v.kind != VALUE_STRING)
			v = VALUE_OF_STR(STR(""));
		return visit_text(t, v.s);
	}
	if (scope && wants_intrinsic(t, TRACE_INSTRUMENTATION_NAME))
		return visit_texts(t, o.message, SCOPE_NAME);
	if (scope && wants_intrinsic(t, TRACE_INSTRUMENTATION_VERSION))
		return visit_texts(t, o.message, SCOPE_VERSION);
	return visit_attributes(t, scope ? TRACE_SCOPE_INSTRUMENTATION : TRACE_SCOPE_RESOURCE,
				o.message,
				scope ? OTLP_SCOPE_ATTRIBUTES : OTLP_RESOURCE_ATTRIBUTES);
}

/* ---- decoded spans ---- */

enum { SEEN_RESOURCE = 1, SEEN_SCOPE = 2, SEEN_TEXT = 4 };

/* Return whether the string is seen for the first time in that use. */
static bool is_first_use(uint8_t *seen, uint32_t string, uint8_t use)
{
	bool first = !(seen[string] & use);

	seen[string] |= use;
	return first;
}

/* Visit the name or the service of a span, which the structure has. */
static int visit_structure(struct span_tags *t, const struct span_rows *rows,
			   const struct kept_span *s, uint8_t *seen)
{
	bool service = wants_intrinsic(t, TRACE_SERVICE_NAME);
	uint32_t string = service ? s->service : s->name;
	struct str text = rows->strings.at[string];

	if ((t->select->roots && span_id_is_set(s->parent_id, SPAN_ID_SIZE)) ||
	    !is_first_use(seen, string, SEEN_TEXT))
		return 0;
	/* queries see the attribute, which such spans do not have */
	return visit_text(t, service && str_eq(text, STR("unknown_service")) ? STR("") : text);
}

static int visit_span(struct span_tags *t, const struct span_rows *rows, const struct kept_span *s,
		      uint8_t *seen)
{
	bool structure = span_tags_need_structure(t->select) ||
			 (!s->resource && wants_intrinsic(t, TRACE_SERVICE_NAME));
	int rc = 0;

	if (structure)
		return visit_structure(t, rows, s, seen);
	if (s->resource && is_first_use(seen, s->resource - 1, SEEN_RESOURCE))
		rc = visit_origin(t, rows->strings.at[s->resource - 1], false);
	if (!rc && s->scope && is_first_use(seen, s->scope - 1, SEEN_SCOPE))
		rc = visit_origin(t, rows->strings.at[s->scope - 1], true);
	return rc ? rc : visit_details(t, s->details);
}

int span_tags_rows(struct span_tags *t, const struct span_rows *rows)
{
	uint8_t *seen = arena_zalloc(t->arena, rows->strings.n + 1u, 1);
	int rc = seen ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < rows->spans.n; i++)
		if (str_eq(rows->strings.at[rows->spans.at[i].tenant], t->select->tenant))
			rc = visit_span(t, rows, &rows->spans.at[i], seen);
	return rc;
}

/* ---- columns ---- */

struct tag_columns {
	struct span_tags *tags;
	const struct span_rows *rows; /* strings: the origins */
	const struct span_index *index;
	uint32_t first_origin;
	const struct span_tag_pieces *source;
	struct str pieces;
	bool loaded;
	uint8_t *seen; /* by origin */
	struct err *e;
};

static int damaged(struct tag_columns *c)
{
	return err_set(c->e, -EUCLEAN, "columns of spans are damaged");
}

/* Unpack the piece at an offset of the pieces. */
static int open_piece(struct tag_columns *c, size_t at, uint32_t raw, uint32_t packed,
		      struct column_cursor *out)
{
	char *p;
	int rc = c->loaded ? 0 : c->source->load(c->source->ctx, &c->pieces, c->e);

	if (rc)
		return rc;
	c->loaded = true;
	if (at > c->pieces.n || packed > c->pieces.n - at)
		return damaged(c);
	p = arena_alloc(c->tags->arena, (size_t)raw + 1, 1);
	if (!p)
		return -ENOMEM;
	if (frame_unpack_piece(c->source->unpacker, str_head(str_from_at(c->pieces, at), packed), p,
			       raw))
		return damaged(c);
	*out = column_cursor(str_of(p, raw));
	return 0;
}

static struct trace_value number_value(uint8_t type, uint64_t n)
{
	struct trace_value v = {.type = TRACE_INT};
	uint64_t bits = n & SIGN_BIT ? n & ~SIGN_BIT : ~n;

	switch (type) {
	case SPAN_VALUE_BOOL:
		v.type = TRACE_BOOL;
		v.truth = n != 0;
		break;
	case SPAN_VALUE_INT:
		v.number = (int64_t)(n ^ SIGN_BIT);
		break;
	default:
		v.type = TRACE_DOUBLE;
		memcpy(&v.real, &bits, sizeof(v.real));
	}
	return v;
}

/* Visit the values of a column of one attribute. */
static int visit_column(struct tag_columns *c, const struct span_column *column, size_t at)
{
	struct column_cursor piece;
	const union span_value *v;
	int rc = 0;

	if (span_column_has_numbers(column) && column->min == column->max) {
		struct trace_value x = number_value(column->type, column->min);

		return visit_value(c->tags, &x);
	}
	rc = open_piece(c, at, column->raw, column->packed, &piece);
	if (rc)
		return rc;
	v = span_values_get(&piece, c->tags->arena, column->encoding, column->count, &rc);
	if (!rc && (!v || piece.bad))
		return damaged(c);
	for (uint32_t i = 0; !rc && i < column->count; i++) {
		struct trace_value x = {.type = TRACE_STRING};

		if (span_column_has_numbers(column)) {
			if (i && v[i].number == v[i - 1].number)
				continue;
			x = number_value(column->type, v[i].number);
		} else {
			if (i && v[i].text.p == v[i - 1].text.p && v[i].text.n == v[i - 1].text.n)
				continue; /* of a dictionary */
			x.text = v[i].text;
		}
		rc = visit_value(c->tags, &x);
	}
	return rc;
}

/* Visit the messages of a column: attributes, events, links, status, or whole details. */
static int visit_messages(struct tag_columns *c, const struct span_column *column, size_t at)
{
	struct column_cursor piece;
	const union span_value *v;
	int rc = open_piece(c, at, column->raw, column->packed, &piece);

	if (rc)
		return rc;
	v = span_values_get(&piece, c->tags->arena, column->encoding, column->count, &rc);
	if (!rc && (!v || piece.bad))
		return damaged(c);
	for (uint32_t i = 0; !rc && i < column->count; i++) {
		if (i && v[i].text.p == v[i - 1].text.p && v[i].text.n == v[i - 1].text.n)
			continue;
		rc = column->field == SPAN_FIELD_WHOLE
			     ? visit_details(c->tags, v[i].text)
			     : visit_field(c->tags, column->field, v[i].text);
	}
	return rc;
}

static int visit_columns(struct tag_columns *c, const struct span_group *g)
{
	struct span_tags *t = c->tags;
	size_t at = g->at + g->packed;
	uint32_t messages = 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < g->column_count; at += g->columns[i++].packed) {
		const struct span_column *column = &g->columns[i];
		bool plain = column->field == SPAN_FIELD_ATTRIBUTES && column->type;

		messages += column->field == SPAN_FIELD_STATUS ? column->count : 0;
		if (!column->count || !wants_field(t, column->field))
			continue;
		if (!plain)
			rc = visit_messages(c, column, at);
		else if (wants_names(t, TRACE_SCOPE_SPAN))
			rc = t->visit(t->ctx, TRACE_SCOPE_SPAN, column->key, NULL);
		else if (wants_key(t, TRACE_SCOPE_SPAN, column->key))
			rc = visit_column(c, column, at);
	}
	if (!rc && wants_intrinsic(t, TRACE_STATUS_MESSAGE) && messages < g->rows)
		rc = visit_text(t, STR(""));
	return rc;
}

/* ---- origins ---- */

/* Visit the origins that the group uses for the first time. */
static int visit_uses(struct tag_columns *c, const uint64_t *origins, uint32_t n, bool scope)
{
	uint8_t use = scope ? SEEN_SCOPE : SEEN_RESOURCE;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++) {
		uint64_t o = origins[i];

		if (!o || (i && o == origins[i - 1]))
			continue;
		if (o > c->index->origin_count)
			return damaged(c);
		if (is_first_use(c->seen, (uint32_t)o - 1, use))
			rc = visit_origin(c->tags, c->rows->strings.at[c->first_origin + o - 1],
					  scope);
	}
	return rc;
}

static int visit_origins(struct tag_columns *c, const struct span_group *g)
{
	struct arena *a = c->tags->arena;
	const uint64_t *shapes, *resources = NULL, *scopes = NULL;
	struct column_cursor piece;
	uint32_t n;
	int rc = open_piece(c, g->at, g->raw, g->packed, &piece);

	if (rc)
		return rc;
	n = column_count(&piece);
	for (uint32_t i = 0; i < n && !piece.bad; i++)
		for (uint64_t k = column_varint(&piece); k && !piece.bad; k--)
			(void)column_varint(&piece);
	shapes = span_numbers_get(&piece, a, g->rows, &rc);
	if (shapes)
		resources = span_numbers_get(&piece, a, g->rows, &rc);
	if (resources)
		scopes = span_numbers_get(&piece, a, g->rows, &rc);
	if (!rc && (!scopes || piece.bad))
		return damaged(c);
	if (!rc)
		rc = visit_uses(c, resources, g->rows, false);
	return rc ? rc : visit_uses(c, scopes, g->rows, true);
}

int span_tags_columns(struct span_tags *t, struct span_rows *rows, struct str index,
		      const struct span_tag_pieces *pieces, struct err *e)
{
	struct tag_columns c = {
		.tags = t, .rows = rows, .first_origin = rows->strings.n, .source = pieces, .e = e};
	struct arena *whole = t->arena, group;
	struct span_index in;
	int rc = span_index_get(&in, rows, index, whole, e);

	if (rc)
		return rc;
	c.index = &in;
	c.seen = arena_zalloc(whole, in.origin_count + 1u, 1);
	if (!c.seen)
		return -ENOMEM;
	arena_init(&group, whole->budget);
	t->arena = &group;
	for (uint32_t i = 0; !rc && i < in.group_count; i++) {
		rc = visit_columns(&c, &in.groups[i]);
		if (!rc && (wants_resources(t) || wants_scopes(t)))
			rc = visit_origins(&c, &in.groups[i]);
		arena_reset(&group);
	}
	t->arena = whole;
	arena_fini(&group);
	return rc;
}
