/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splitting by encoded size. Samples are taken in order until the next one would not fit; what a
 * sample costs is its own bytes and those of each dictionary row that the part does not have yet.
 * Row sizes are upper bounds of their OTLP protobuf encoding (an index of the part takes at most
 * as many bytes as one of the whole), so a part never comes out larger than asked for and only a
 * few percent smaller. Which rows a part has is a table of part numbers: nothing is cleared
 * between parts. A sample that does not fit a part of its own is cut between its observations: so
 * many to each part as fit, the same stack in all of them.
 *
 * A profile that is spread over several parts keeps its id in the first and has another in
 * the others: receivers that drop what they have seen by id must not drop a part. Its original payload
 * is in the first part only.
 */
#include "signal/profile/profile_ops.h"
#include "signal/profile/profile_remap.h"
#include "wire/proto.h"

struct splitter {
	const struct profile_batch *b;
	struct arena scratch;
	uint32_t part; /* from 1 */
	size_t size;   /* of the part so far */
	/* the last part each row was counted in */
	uint32_t *strings, *mappings, *functions, *locations, *stacks, *links, *attributes;
	uint32_t from; /* the part's first sample */
	uint32_t skip; /* observations of that sample that are in earlier parts */
	uint32_t
		continued_part; /* how many parts the profile of the first sample has had before; 0: it begins here */
	size_t string_index, mapping_index, function_index, location_index, stack_index, link_index,
		attribute_index; /* bytes of the largest index of each table */
};

enum {
	EMPTY_DICTIONARY = 32
}; /* row 0 of seven tables, two bytes each, and the header of the dictionary */

/* A nested message or string of `n` bytes, with tag and length. */
static size_t nested(size_t n)
{
	return 1 + proto_varint_size(n) + n;
}

/* A list of `n` packed indices; nothing if it is empty. */
static size_t packed(uint32_t n, size_t index)
{
	return n ? nested(n * index) : 0;
}

static bool is_new(uint32_t *seen, const struct splitter *s, uint32_t id)
{
	if (!id || seen[id] == s->part)
		return false;
	seen[id] = s->part;
	return true;
}

static size_t string_cost(struct splitter *s, uint32_t id)
{
	return is_new(s->strings, s, id) ? nested(s->b->strings.at[id].n) : 0;
}

/* An AnyValue with tag and length. */
static size_t value_cost(const struct value *v)
{
	switch (v->kind) {
	case VALUE_EMPTY:
		return 2;
	case VALUE_STRING:
	case VALUE_BYTES:
		return nested(nested(v->s.n));
	case VALUE_LIST:
	case VALUE_MAP:
		return nested(v->s.n);
	default:
		return nested(11);
	}
}

static size_t attribute_costs(struct splitter *s, const uint32_t *ids, uint32_t n)
{
	size_t cost = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct attribute *a = &s->b->attributes.at[ids[i]];

		if (!is_new(s->attributes, s, ids[i]))
			continue;
		cost += nested(2 + 2 * s->string_index + value_cost(&a->value));
		cost += string_cost(s, a->key) + string_cost(s, a->unit);
	}
	return cost;
}

static size_t list_costs(struct splitter *s, struct list l)
{
	return attribute_costs(s, s->b->attribute_refs.at + l.at, l.n);
}

static size_t function_cost(struct splitter *s, uint32_t id)
{
	const struct function *f = &s->b->functions.at[id];

	if (!is_new(s->functions, s, id))
		return 0;
	return nested(3 * (1 + s->string_index) + 1 + proto_varint_size((uint64_t)f->start_line)) +
	       string_cost(s, f->name) + string_cost(s, f->system_name) +
	       string_cost(s, f->filename);
}

static size_t mapping_cost(struct splitter *s, uint32_t id)
{
	const struct mapping *m = &s->b->mappings.at[id];

	if (!is_new(s->mappings, s, id))
		return 0;
	return nested(4 + proto_varint_size(m->start) + proto_varint_size(m->limit) +
		      proto_varint_size(m->offset) + s->string_index +
		      packed(m->attributes.n, s->attribute_index)) +
	       string_cost(s, m->filename) + list_costs(s, m->attributes);
}

static size_t location_cost(struct splitter *s, uint32_t id)
{
	const struct location *l = &s->b->locations.at[id];
	size_t body, cost;

	if (!is_new(s->locations, s, id))
		return 0;
	body = 2 + s->mapping_index + proto_varint_size(l->address) +
	       packed(l->attributes.n, s->attribute_index);
	cost = mapping_cost(s, l->mapping) + list_costs(s, l->attributes);
	for (uint32_t i = 0; i < l->lines.n; i++) {
		const struct line *line = &s->b->lines.at[l->lines.at + i];

		body += nested(3 + s->function_index + proto_varint_size((uint64_t)line->line) +
			       proto_varint_size((uint64_t)line->column));
		cost += function_cost(s, line->function);
	}
	return cost + nested(body);
}

static size_t stack_cost(struct splitter *s, uint32_t id)
{
	uint32_t n;
	const uint32_t *locations = stack_of(s->b, id, &n);
	size_t cost;

	if (!is_new(s->stacks, s, id))
		return 0;
	cost = nested(packed(n, s->location_index));
	for (uint32_t i = 0; i < n; i++)
		cost += location_cost(s, locations[i]);
	return cost;
}

static size_t keyvalue_costs(const struct profile_batch *b, struct list l)
{
	size_t cost = 0;

	for (uint32_t i = 0; i < l.n; i++)
		cost += nested(nested(b->keyvalues.at[l.at + i].key.n) +
			       value_cost(&b->keyvalues.at[l.at + i].value));
	return cost;
}

/* The profile without samples, and its scope and resource; each counted as if it stood alone. */
static size_t profile_cost(struct splitter *s, uint32_t id)
{
	enum { HEADERS = 3 * 10, NUMBERS = 9 + 11 + 11 + 18 + 6 };
	const struct profile *p = &s->b->profiles.at[id];
	const struct scope *scope = &s->b->scopes.at[p->scope];
	const struct resource *r = &s->b->resources.at[scope->resource];
	size_t cost = HEADERS + NUMBERS + 2 * nested(2 + 2 * s->string_index);

	cost += string_cost(s, p->sample_type.type) + string_cost(s, p->sample_type.unit);
	cost += string_cost(s, p->period_type.type) + string_cost(s, p->period_type.unit);
	cost += packed(p->attributes.n, s->attribute_index) + list_costs(s, p->attributes);
	if (!s->continued_part)
		cost += nested(p->payload.n) + nested(p->payload_format.n);
	cost += nested(keyvalue_costs(s->b, scope->attributes) + nested(scope->name.n) +
		       nested(scope->version.n) + 6) +
		nested(scope->schema_url.n);
	cost += nested(keyvalue_costs(s->b, r->attributes) + r->entity_refs.n + 6) +
		nested(r->schema_url.n);
	return cost;
}

/* The sample, or what earlier parts have left of it. */
static size_t sample_cost(struct splitter *s, uint32_t i)
{
	const struct profile_batch *b = s->b;
	uint32_t attributes = b->sample_attributes_at[i],
		 n_attributes = b->sample_attributes_at[i + 1] - attributes,
		 skip = i == s->from ? s->skip : 0,
		 n_times = b->sample_times_at[i + 1] - b->sample_times_at[i] - skip;
	size_t body = 2 + s->stack_index + s->link_index + packed(n_attributes, s->attribute_index);
	size_t values = 0;

	for (uint32_t k = b->sample_values_at[i] + skip; k < b->sample_values_at[i + 1]; k++)
		values += proto_varint_size((uint64_t)b->values.at[k]);
	body += values ? nested(values) : 0;
	body += packed(n_times, sizeof(uint64_t));
	if (is_new(s->links, s, b->sample_link[i]))
		body += nested(sizeof(struct link) + 4);
	return nested(body) + stack_cost(s, b->sample_stack[i]) +
	       attribute_costs(s, b->sample_attributes.at + attributes, n_attributes);
}

static int splitter_init(struct splitter *s, const struct profile_batch *b)
{
	struct {
		uint32_t **seen;
		size_t *index;
		uint32_t rows;
	} tables[] = {
		{&s->strings, &s->string_index, b->strings.n},
		{&s->mappings, &s->mapping_index, b->mappings.n},
		{&s->functions, &s->function_index, b->functions.n},
		{&s->locations, &s->location_index, b->locations.n},
		{&s->stacks, &s->stack_index, b->stacks.n},
		{&s->links, &s->link_index, b->links.n},
		{&s->attributes, &s->attribute_index, b->attributes.n},
	};

	*s = (struct splitter){.b = b, .part = 1, .size = EMPTY_DICTIONARY};
	arena_init(&s->scratch, b->arena.budget);
	for (size_t i = 0; i < countof(tables); i++) {
		*tables[i].seen = arena_zalloc(&s->scratch, tables[i].rows, sizeof(uint32_t));
		*tables[i].index = proto_varint_size(tables[i].rows);
		if (!*tables[i].seen)
			return -ENOMEM;
	}
	return 0;
}

typedef int emit_batch(const struct profile_batch *part, void *arg);

/* Hand over the samples from s->from up to `to`; of the last one observations up to `take_to`, 0: all. */
static int emit_part(struct splitter *s, uint32_t to, uint32_t take_to, emit_batch *emit, void *arg)
{
	struct profile_walk w = {.join = true,
				 .skip_empty = true,
				 .from = s->from,
				 .to = to,
				 .skip = s->skip,
				 .take_to = take_to,
				 .continued_part = s->continued_part};
	struct profile_batch part;
	struct profile_builder builder;
	struct profile_remap m = {0};
	int rc = profile_batch_init(&part, s->scratch.budget);

	if (!rc)
		rc = profile_builder_init(&builder, &part);
	if (!rc) {
		profile_remap_init(&m, &builder, false);
		rc = profile_remap_begin(&m, s->b);
	}
	if (!rc)
		rc = profile_remap_all(&m, &w);
	if (!rc)
		rc = emit(&part, arg);
	profile_remap_fini(&m);
	profile_batch_fini(&part);
	return rc;
}

/* Begin the next part at that observation of that sample; its profile has had so many parts. */
static void next_part(struct splitter *s, uint32_t sample, uint32_t skip, uint32_t continued_part)
{
	s->part++;
	s->from = sample;
	s->skip = skip;
	s->continued_part = continued_part;
	s->size = EMPTY_DICTIONARY;
}

/* What sample i of profile p costs in the part as it is. */
static size_t next_cost(struct splitter *s, uint32_t p, uint32_t i, bool first_of_profile)
{
	return (first_of_profile ? profile_cost(s, p) : 0) + sample_cost(s, i);
}

/*
 * Up to which observation the part's only sample fits, when the rest of it costs `cost`: s->skip
 * if not one does. A sample that has one observation is never cut.
 */
static uint32_t fitting_observations(const struct splitter *s, size_t cost, size_t max_bytes)
{
	const struct profile_batch *b = s->b;
	uint32_t values = b->sample_values_at[s->from], times = b->sample_times_at[s->from];
	uint32_t n = b->sample_times_at[s->from + 1] - times, k = n;
	bool has_values = b->sample_values_at[s->from + 1] > values;

	for (; k > s->skip && s->size + cost > max_bytes; k--)
		cost -= sizeof(uint64_t) +
			(has_values ? proto_varint_size((uint64_t)b->values.at[values + k - 1])
				    : 0);
	return k;
}

/* Cut the part's only sample, whose rest costs *cost, until what is left of it fits. */
static int cut_sample(struct splitter *s, uint32_t p, size_t *cost, size_t max_bytes,
		      emit_batch *emit, void *arg, struct err *e)
{
	int rc = 0;

	while (!rc && s->size + *cost > max_bytes) {
		uint32_t to = fitting_observations(s, *cost, max_bytes);

		if (to == s->skip)
			return err_set(e, -E2BIG,
				       "an observation of profile %u takes more than the limit of "
				       "%zu bytes with its stack",
				       p, max_bytes);
		rc = emit_part(s, s->from + 1, to, emit, arg);
		next_part(s, s->from, to, s->continued_part + 1);
		*cost = next_cost(s, p, s->from, true);
	}
	return rc;
}

/* How many parts have samples of the profile that begins at `first`, when the next one begins at i. */
static uint32_t parts_before(const struct splitter *s, uint32_t first, uint32_t i)
{
	if (i == first)
		return 0;
	return s->from >= first ? s->continued_part + 1 : 1;
}

int profile_split(const struct profile_batch *src, size_t max_bytes, emit_batch *emit, void *arg,
		  struct err *e)
{
	struct splitter s;
	int rc = splitter_init(&s, src);

	for (uint32_t p = 0; !rc && p < src->profiles.n; p++) {
		uint32_t first = src->profiles.at[p].sample_first,
			 end = first + src->profiles.at[p].sample_count;

		for (uint32_t i = first; !rc && i < end; i++) {
			size_t cost = next_cost(&s, p, i, i == first);

			if (s.size + cost > max_bytes && i > s.from) {
				rc = emit_part(&s, i, 0, emit, arg);
				next_part(&s, i, 0, parts_before(&s, first, i));
				cost = next_cost(&s, p, i, true);
			}
			if (!rc)
				rc = cut_sample(&s, p, &cost, max_bytes, emit, arg, e);
			s.size += cost;
		}
	}
	if (!rc && s.from < src->sample_count)
		rc = emit_part(&s, src->sample_count, 0, emit, arg);
	arena_fini(&s.scratch);
	return rc;
}
