/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoder of a batch as an OTLP 1.11 message. The message is written from its end to its beginning:
 * the dictionary first, then resources, scopes, profiles and samples from the last to the first;
 * fields likewise.
 *
 * OTLP requires that all samples of a profile have the same shape. A profile that mixes samples
 * with and without timestamps is written as two profiles; if only some of the samples with
 * timestamps have values, the missing values are written as 1.
 */
#include "format/otlp/encode.h"

static void put_packed(struct proto_writer *w, uint32_t field, const uint32_t *ids, uint32_t n)
{
	size_t mark = proto_mark(w);

	for (uint32_t i = n; i > 0; i--)
		proto_put_varint(w, ids[i - 1]);
	if (n)
		proto_put_header(w, field, mark);
}

static void put_varint_field(struct proto_writer *w, uint32_t field, uint64_t value)
{
	proto_put_varint(w, value);
	proto_put_varint(w, PROTO_TAG(field, PROTO_VARINT));
}

/* Write the content of an AnyValue. Members of a oneof are written even if zero or empty. */
static void put_any_value(struct proto_writer *w, const struct value *v)
{
	uint64_t bits;

	switch (v->kind) {
	case VALUE_EMPTY:
		break;
	case VALUE_STRING:
		proto_put_entry(w, 1, v->s);
		break;
	case VALUE_BOOL:
		put_varint_field(w, 2, v->i != 0);
		break;
	case VALUE_INT:
		put_varint_field(w, 3, (uint64_t)v->i);
		break;
	case VALUE_DOUBLE:
		memcpy(&bits, &v->d, sizeof(bits));
		proto_put_fixed64_raw(w, bits);
		proto_put_varint(w, PROTO_TAG(4, PROTO_FIXED64));
		break;
	case VALUE_BYTES:
		proto_put_entry(w, 7, v->s);
		break;
	case VALUE_LIST:
	case VALUE_MAP:
		proto_put_raw(w, v->s.p, v->s.n);
		break;
	}
}

static void put_value_field(struct proto_writer *w, uint32_t field, const struct value *v)
{
	size_t mark = proto_mark(w);

	if (v->kind == VALUE_EMPTY)
		return;
	put_any_value(w, v);
	proto_put_header(w, field, mark);
}

static void put_mapping(struct proto_writer *w, const struct profile_batch *b, uint32_t i)
{
	const struct mapping *m = &b->mappings.at[i];

	put_packed(w, 5, b->attribute_refs.at + m->attributes.at, m->attributes.n);
	proto_put_uint(w, 4, m->filename);
	proto_put_uint(w, 3, m->offset);
	proto_put_uint(w, 2, m->limit);
	proto_put_uint(w, 1, m->start);
}

static void put_line(struct proto_writer *w, const struct line *l)
{
	size_t mark = proto_mark(w);

	proto_put_int(w, 3, l->column);
	proto_put_int(w, 2, l->line);
	proto_put_uint(w, 1, l->function);
	proto_put_header(w, 3, mark);
}

static void put_location(struct proto_writer *w, const struct profile_batch *b, uint32_t i)
{
	const struct location *l = &b->locations.at[i];

	put_packed(w, 4, b->attribute_refs.at + l->attributes.at, l->attributes.n);
	for (uint32_t k = l->lines.n; k > 0; k--)
		put_line(w, &b->lines.at[l->lines.at + k - 1]);
	proto_put_uint(w, 2, l->address);
	proto_put_uint(w, 1, l->mapping);
}

static void put_function(struct proto_writer *w, const struct profile_batch *b, uint32_t i)
{
	const struct function *f = &b->functions.at[i];

	proto_put_int(w, 4, f->start_line);
	proto_put_uint(w, 3, f->filename);
	proto_put_uint(w, 2, f->system_name);
	proto_put_uint(w, 1, f->name);
}

/* Write a link. Row 0 stays empty because checkers compare it with Link{}. */
static void put_link(struct proto_writer *w, const struct profile_batch *b, uint32_t i)
{
	const struct link *l = &b->links.at[i];

	if (!i)
		return;
	proto_put_entry(w, 2, str_of((const char *)l->span_id, sizeof(l->span_id)));
	proto_put_entry(w, 1, str_of((const char *)l->trace_id, sizeof(l->trace_id)));
}

static void put_string(struct proto_writer *w, const struct profile_batch *b, uint32_t i)
{
	proto_put_raw(w, b->strings.at[i].p, b->strings.at[i].n);
}

static void put_attribute(struct proto_writer *w, const struct profile_batch *b, uint32_t i)
{
	const struct attribute *a = &b->attributes.at[i];

	proto_put_uint(w, 3, a->unit);
	put_value_field(w, 2, &a->value);
	proto_put_uint(w, 1, a->key);
}

static void put_stack(struct proto_writer *w, const struct profile_batch *b, uint32_t i)
{
	uint32_t n;
	const uint32_t *locations = stack_of(b, i, &n);

	put_packed(w, 1, locations, n);
}

static inline void
put_table(struct proto_writer *w, const struct profile_batch *b, uint32_t field, uint32_t rows,
	  void (*put)(struct proto_writer *, const struct profile_batch *, uint32_t))
{
	for (uint32_t i = rows; i > 0; i--) {
		size_t mark = proto_mark(w);

		put(w, b, i - 1);
		proto_put_header(w, field, mark);
	}
}

static void put_dictionary(struct proto_writer *w, const struct profile_batch *b)
{
	size_t mark = proto_mark(w);

	put_table(w, b, 7, b->stacks.n, put_stack);
	put_table(w, b, 6, b->attributes.n, put_attribute);
	put_table(w, b, 5, b->strings.n, put_string);
	put_table(w, b, 4, b->links.n, put_link);
	put_table(w, b, 3, b->functions.n, put_function);
	put_table(w, b, 2, b->locations.n, put_location);
	put_table(w, b, 1, b->mappings.n, put_mapping);
	proto_put_header(w, 2, mark);
}

void otlp_put_keyvalue(struct proto_writer *w, uint32_t field, const struct keyvalue *pair)
{
	size_t mark = proto_mark(w);

	put_value_field(w, 2, &pair->value);
	proto_put_bytes(w, 1, pair->key);
	proto_put_header(w, field, mark);
}

static void put_keyvalues(struct proto_writer *w, const struct profile_batch *b, uint32_t field,
			  struct list l)
{
	for (uint32_t i = l.n; i > 0; i--)
		otlp_put_keyvalue(w, field, &b->keyvalues.at[l.at + i - 1]);
}

/* The shape in which all samples of a profile are written. */
enum shape { SHAPE_VALUE, SHAPE_TIMES, SHAPE_BOTH };

static uint32_t value_count(const struct profile_batch *b, uint32_t sample)
{
	return b->sample_values_at[sample + 1] - b->sample_values_at[sample];
}

static uint32_t time_count(const struct profile_batch *b, uint32_t sample)
{
	return b->sample_times_at[sample + 1] - b->sample_times_at[sample];
}

static void put_values(struct proto_writer *w, const struct profile_batch *b, uint32_t sample,
		       enum shape shape)
{
	size_t mark = proto_mark(w);
	uint32_t at = b->sample_values_at[sample], n = value_count(b, sample);

	if (shape == SHAPE_TIMES)
		return;
	for (uint32_t i = n; i > 0; i--)
		proto_put_varint(w, (uint64_t)b->values.at[at + i - 1]);
	if (!n && shape == SHAPE_VALUE)
		proto_put_varint(w, 0); /* a sample without observations */
	for (uint32_t i = time_count(b, sample); !n && i > 0; i--)
		proto_put_varint(w, 1);
	proto_put_header(w, 4, mark);
}

static void put_profile_sample(struct proto_writer *w, const struct profile_batch *b, uint32_t i,
			       enum shape shape)
{
	size_t mark = proto_mark(w), times = mark;

	proto_put_raw(w, b->times.at + b->sample_times_at[i], time_count(b, i) * sizeof(uint64_t));
	if (time_count(b, i))
		proto_put_header(w, 5, times);
	put_values(w, b, i, shape);
	proto_put_uint(w, 3, b->sample_link[i]);
	put_packed(w, 2, b->sample_attributes.at + b->sample_attributes_at[i],
		   b->sample_attributes_at[i + 1] - b->sample_attributes_at[i]);
	proto_put_uint(w, 1, b->sample_stack[i]);
	proto_put_header(w, 2, mark);
}

static void put_value_type(struct proto_writer *w, uint32_t field, struct value_type t)
{
	size_t mark = proto_mark(w);

	proto_put_uint(w, 2, t.unit);
	proto_put_uint(w, 1, t.type);
	if (proto_mark(w) != mark)
		proto_put_header(w, field, mark);
}

/* Write the profile with only its samples without timestamps (SHAPE_VALUE) or only those with. */
static void put_profile_part(struct proto_writer *w, const struct profile_batch *b,
			     const struct profile *p, enum shape shape, bool with_id)
{
	static const uint8_t no_id[PROFILE_ID_SIZE];
	size_t mark = proto_mark(w);

	put_packed(w, 11, b->attribute_refs.at + p->attributes.at, p->attributes.n);
	if (p->payload.n && p->payload_format.n) { /* one without the other is invalid */
		proto_put_bytes(w, 10, p->payload);
		proto_put_bytes(w, 9, p->payload_format);
	}
	proto_put_uint(w, 8, p->dropped_attributes);
	if (with_id && memcmp(p->id, no_id, sizeof(no_id)) != 0)
		proto_put_entry(w, 7, str_of((const char *)p->id, sizeof(p->id)));
	proto_put_int(w, 6, p->period);
	put_value_type(w, 5, p->period_type);
	proto_put_uint(w, 4, p->duration_nano);
	proto_put_fixed64(w, 3, p->time_unix_nano);
	for (uint32_t i = p->sample_count; i > 0; i--) {
		uint32_t sample = p->sample_first + i - 1;

		if ((time_count(b, sample) != 0) == (shape != SHAPE_VALUE))
			put_profile_sample(w, b, sample, shape);
	}
	put_value_type(w, 1, p->sample_type);
	proto_put_header(w, 2, mark);
}

static void put_profile(struct proto_writer *w, const struct profile_batch *b, uint32_t i)
{
	const struct profile *p = &b->profiles.at[i];
	bool with_times = false, without_times = false, values = false;

	for (uint32_t k = 0; k < p->sample_count; k++) {
		uint32_t sample = p->sample_first + k;
		bool times = time_count(b, sample) != 0;

		with_times |= times;
		without_times |= !times;
		values |= times && value_count(b, sample);
	}
	if (with_times)
		put_profile_part(w, b, p, values ? SHAPE_BOTH : SHAPE_TIMES, !without_times);
	if (without_times || !with_times)
		put_profile_part(w, b, p, SHAPE_VALUE, true);
}

/* Write the scope and its profiles, which are the last ones before *end; move *end before them. */
static void put_scope(struct proto_writer *w, const struct profile_batch *b, uint32_t i,
		      uint32_t *end)
{
	const struct scope *s = &b->scopes.at[i];
	size_t mark = proto_mark(w), scope;

	proto_put_bytes(w, 3, s->schema_url);
	for (; *end > 0 && b->profiles.at[*end - 1].scope == i; --*end)
		put_profile(w, b, *end - 1);
	scope = proto_mark(w);
	proto_put_uint(w, 4, s->dropped_attributes);
	put_keyvalues(w, b, 3, s->attributes);
	proto_put_bytes(w, 2, s->version);
	proto_put_bytes(w, 1, s->name);
	if (proto_mark(w) != scope)
		proto_put_header(w, 1, scope);
	proto_put_header(w, 2, mark);
}

static void put_resource(struct proto_writer *w, const struct profile_batch *b, uint32_t i,
			 uint32_t *scope_end, uint32_t *profile_end)
{
	const struct resource *row = &b->resources.at[i];
	size_t mark = proto_mark(w), resource;

	proto_put_bytes(w, 3, row->schema_url);
	for (; *scope_end > 0 && b->scopes.at[*scope_end - 1].resource == i; --*scope_end)
		put_scope(w, b, *scope_end - 1, profile_end);
	resource = proto_mark(w);
	proto_put_raw(w, row->entity_refs.p, row->entity_refs.n);
	proto_put_uint(w, 2, row->dropped_attributes);
	put_keyvalues(w, b, 1, row->attributes);
	if (proto_mark(w) != resource)
		proto_put_header(w, 1, resource);
	proto_put_header(w, 1, mark);
}

int otlp_encode(struct proto_writer *w, const struct profile_batch *b)
{
	uint32_t scopes = b->scopes.n, profiles = b->profiles.n;

	put_dictionary(w, b);
	for (uint32_t i = b->resources.n; i > 0; i--)
		put_resource(w, b, i - 1, &scopes, &profiles);
	return proto_writer_error(w);
}
