/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples are added to a part in order until the next one would not fit. The cost of a sample is
 * its own size and that of each dictionary row that the part does not have yet. Sizes are upper
 * bounds of the OTLP protobuf encoding (an index of a part takes at most as many bytes as one of
 * the whole batch), so a part is never larger than the limit and only a few percent smaller. For
 * each row the number of the last part that has it is stored, so nothing is cleared between parts.
 * A sample that does not fit into a part alone is split by observations, with the same stack in
 * each part.
 *
 * A profile that is spread over several parts keeps its id in the first one and gets another id in
 * each of the others, so that receivers that deduplicate by id do not drop a part. Its original
 * payload is in the first part only.
 */
#include "signal/profile/profile_split.h"
#include "signal/profile/profile_ops.h"
#include "signal/profile/profile_remap.h"
#include "wire/proto.h"

struct splitter {
	const struct profile_batch *b;
	struct arena scratch;
	uint32_t part; /* number of the current part, from 1 */
	size_t size;   /* its size so far */
	/* By row: the last part that has it. */
	uint32_t *strings, *mappings, *functions, *locations, *stacks, *links, *attributes;
	uint32_t from; /* the part's first sample */
	uint32_t skip; /* number of observations of that sample in earlier parts */
	/* Number of earlier parts with samples of the first sample's profile. */
	uint32_t continued_part;
	/* Encoded size of the largest index of each table. */
	size_t string_index, mapping_index, function_index, location_index, stack_index, link_index,
		attribute_index;
};

/* Row 0 of seven tables, two bytes each, and the header of the dictionary. */
enum { EMPTY_DICTIONARY = 32 };

/* Return the size of a nested message or string of `n` bytes, with tag and length. */
static size_t nested_size(size_t n)
{
	return 1 + proto_varint_size(n) + n;
}

/* Return the size of a list of `n` packed indices. */
static size_t packed_size(uint32_t n, size_t index)
{
	return n ? nested_size(n * index) : 0;
}

static bool is_new_row(uint32_t *seen, const struct splitter *s, uint32_t id)
{
	if (!id || seen[id] == s->part)
		return false;
	seen[id] = s->part;
	return true;
}

static size_t string_size(struct splitter *s, uint32_t id)
{
	return is_new_row(s->strings, s, id) ? nested_size(s->b->strings.at[id].n) : 0;
}

/* Return the size of an AnyValue with tag and length. */
static size_t value_size(const struct value *v)
{
	switch (v->kind) {
	case VALUE_EMPTY:
		return 2;
	case VALUE_STRING:
	case VALUE_BYTES:
		return nested_size(nested_size(v->s.n));
	case VALUE_LIST:
	case VALUE_MAP:
		return nested_size(v->s.n);
	default:
		return nested_size(11);
	}
}

static size_t attributes_size(struct splitter *s, const uint32_t *ids, uint32_t n)
{
	size_t cost = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct attribute *a = &s->b->attributes.at[ids[i]];

		if (!is_new_row(s->attributes, s, ids[i]))
			continue;
		cost += nested_size(2 + 2 * s->string_index + value_size(&a->value));
		cost += string_size(s, a->key) + string_size(s, a->unit);
	}
	return cost;
}

static size_t attribute_list_size(struct splitter *s, struct list l)
{
	return attributes_size(s, s->b->attribute_refs.at + l.at, l.n);
}

static size_t function_size(struct splitter *s, uint32_t id)
{
	const struct function *f = &s->b->functions.at[id];

	if (!is_new_row(s->functions, s, id))
		return 0;
	return nested_size(3 * (1 + s->string_index) + 1 +
			   proto_varint_size((uint64_t)f->start_line)) +
	       string_size(s, f->name) + string_size(s, f->system_name) +
	       string_size(s, f->filename);
}

static size_t mapping_size(struct splitter *s, uint32_t id)
{
	const struct mapping *m = &s->b->mappings.at[id];

	if (!is_new_row(s->mappings, s, id))
		return 0;
	return nested_size(4 + proto_varint_size(m->start) + proto_varint_size(m->limit) +
			   proto_varint_size(m->offset) + s->string_index +
			   packed_size(m->attributes.n, s->attribute_index)) +
	       string_size(s, m->filename) + attribute_list_size(s, m->attributes);
}

static size_t location_size(struct splitter *s, uint32_t id)
{
	const struct location *l = &s->b->locations.at[id];
	size_t body, cost;

	if (!is_new_row(s->locations, s, id))
		return 0;
	body = 2 + s->mapping_index + proto_varint_size(l->address) +
	       packed_size(l->attributes.n, s->attribute_index);
	cost = mapping_size(s, l->mapping) + attribute_list_size(s, l->attributes);
	for (uint32_t i = 0; i < l->lines.n; i++) {
		const struct line *line = &s->b->lines.at[l->lines.at + i];

		body += nested_size(3 + s->function_index +
				    proto_varint_size((uint64_t)line->line) +
				    proto_varint_size((uint64_t)line->column));
		cost += function_size(s, line->function);
	}
	return cost + nested_size(body);
}

static size_t stack_size(struct splitter *s, uint32_t id)
{
	uint32_t n;
	const uint32_t *locations = stack_of(s->b, id, &n);
	size_t cost;

	if (!is_new_row(s->stacks, s, id))
		return 0;
	cost = nested_size(packed_size(n, s->location_index));
	for (uint32_t i = 0; i < n; i++)
		cost += location_size(s, locations[i]);
	return cost;
}

static size_t keyvalues_size(const struct profile_batch *b, struct list l)
{
	size_t cost = 0;

	for (uint32_t i = 0; i < l.n; i++)
		cost += nested_size(nested_size(b->keyvalues.at[l.at + i].key.n) +
				    value_size(&b->keyvalues.at[l.at + i].value));
	return cost;
}

/* Return the size of a profile without samples, including its scope and resource. */
static size_t profile_size(struct splitter *s, uint32_t id)
{
	enum { HEADERS = 3 * 10, NUMBERS = 9 + 11 + 11 + 18 + 6 };
	const struct profile *p = &s->b->profiles.at[id];
	const struct scope *scope = &s->b->scopes.at[p->scope];
	const struct resource *r = &s->b->resources.at[scope->resource];
	size_t cost = HEADERS + NUMBERS + 2 * nested_size(2 + 2 * s->string_index);

	cost += string_size(s, p->sample_type.type) + string_size(s, p->sample_type.unit);
	cost += string_size(s, p->period_type.type) + string_size(s, p->period_type.unit);
	cost += packed_size(p->attributes.n, s->attribute_index) +
		attribute_list_size(s, p->attributes);
	if (!s->continued_part)
		cost += nested_size(p->payload.n) + nested_size(p->payload_format.n);
	cost += nested_size(keyvalues_size(s->b, scope->attributes) + nested_size(scope->name.n) +
			    nested_size(scope->version.n) + 6) +
		nested_size(scope->schema_url.n);
	cost += nested_size(keyvalues_size(s->b, r->attributes) + r->entity_refs.n + 6) +
		nested_size(r->schema_url.n);
	return cost;
}

/* Return the size of a sample without the observations that earlier parts have. */
static size_t sample_size(struct splitter *s, uint32_t i)
{
	const struct profile_batch *b = s->b;
	uint32_t attributes = b->sample_attributes_at[i],
		 n_attributes = b->sample_attributes_at[i + 1] - attributes,
		 skip = i == s->from ? s->skip : 0,
		 n_times = b->sample_times_at[i + 1] - b->sample_times_at[i] - skip;
	size_t body =
		2 + s->stack_index + s->link_index + packed_size(n_attributes, s->attribute_index);
	size_t values = 0;

	for (uint32_t k = b->sample_values_at[i] + skip; k < b->sample_values_at[i + 1]; k++)
		values += proto_varint_size((uint64_t)b->values.at[k]);
	body += values ? nested_size(values) : 0;
	body += packed_size(n_times, sizeof(uint64_t));
	if (is_new_row(s->links, s, b->sample_link[i]))
		body += nested_size(sizeof(struct link) + 4);
	return nested_size(body) + stack_size(s, b->sample_stack[i]) +
	       attributes_size(s, b->sample_attributes.at + attributes, n_attributes);
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

/* Emit the samples [s->from, to); of the last one the observations up to `take_to`, 0: all. */
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

/* Begin the next part at observation `skip` of the sample; `continued_part` is as in the struct. */
static void next_part(struct splitter *s, uint32_t sample, uint32_t skip, uint32_t continued_part)
{
	s->part++;
	s->from = sample;
	s->skip = skip;
	s->continued_part = continued_part;
	s->size = EMPTY_DICTIONARY;
}

/* Return the size that sample i of profile p adds to the current part. */
static size_t next_sample_size(struct splitter *s, uint32_t p, uint32_t i, bool first_of_profile)
{
	return (first_of_profile ? profile_size(s, p) : 0) + sample_size(s, i);
}

/*
 * Return up to which observation the part's only sample, of size `cost`, fits; s->skip if none
 * does.
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

/* Emit parts of the current part's only sample, of size *cost, until the rest of it fits. */
static int split_sample(struct splitter *s, uint32_t p, size_t *cost, size_t max_bytes,
			emit_batch *emit, void *arg, struct err *e)
{
	int rc = 0;

	while (!rc && s->size + *cost > max_bytes) {
		uint32_t to = fitting_observations(s, *cost, max_bytes);

		if (to == s->skip)
			return err_set(e, -E2BIG,
				       "an observation of profile %u with its stack exceeds the "
				       "limit of %zu bytes",
				       p, max_bytes);
		rc = emit_part(s, s->from + 1, to, emit, arg);
		next_part(s, s->from, to, s->continued_part + 1);
		*cost = next_sample_size(s, p, s->from, true);
	}
	return rc;
}

/* Return how many parts have samples of the profile that starts at `first` and are before i. */
static uint32_t parts_before(const struct splitter *s, uint32_t first, uint32_t i)
{
	if (i == first)
		return 0;
	return s->from >= first ? s->continued_part + 1 : 1;
}

/* Return whether the next sample, of size `cost`, belongs to another part. */
static bool is_full(const struct splitter *s, const struct profile_split_limits *limits,
		    uint32_t next, size_t cost)
{
	return next > s->from &&
	       (s->size + cost > limits->bytes || next - s->from >= limits->samples);
}

int profile_split(const struct profile_batch *src, const struct profile_split_limits *limits,
		  emit_batch *emit, void *arg, struct err *e)
{
	struct splitter s;
	int rc = splitter_init(&s, src);

	for (uint32_t p = 0; !rc && p < src->profiles.n; p++) {
		uint32_t first = src->profiles.at[p].sample_first,
			 end = first + src->profiles.at[p].sample_count;

		for (uint32_t i = first; !rc && i < end; i++) {
			size_t cost = next_sample_size(&s, p, i, i == first);

			if (is_full(&s, limits, i, cost)) {
				rc = emit_part(&s, i, 0, emit, arg);
				next_part(&s, i, 0, parts_before(&s, first, i));
				cost = next_sample_size(&s, p, i, true);
			}
			if (!rc)
				rc = split_sample(&s, p, &cost, limits->bytes, emit, arg, e);
			s.size += cost;
		}
	}
	if (!rc && s.from < src->sample_count)
		rc = emit_part(&s, src->sample_count, 0, emit, arg);
	arena_fini(&s.scratch);
	return rc;
}
