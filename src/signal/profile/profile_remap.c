/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of one program have their rows in nearly the same order (row_predictor.h). After a row is
 * mapped, predict_*() maps the following rows too, as long as dst has them in the predicted order.
 * It adds no rows.
 */
#include "signal/profile/profile_remap.h"

#include <stdlib.h>

#include "base/container/hash.h"
#include "signal/profile/profile_rows.h"

void profile_remap_init(struct profile_remap *m, struct profile_builder *dst, bool copy)
{
	*m = (struct profile_remap){.dst = dst, .copy = copy};
	arena_init(&m->scratch, dst->batch->arena.budget);
}

int profile_remap_begin(struct profile_remap *m, const struct profile_batch *src)
{
	struct {
		uint32_t **ids, rows;
	} tables[] = {
		{&m->strings, src->strings.n},	   {&m->mappings, src->mappings.n},
		{&m->functions, src->functions.n}, {&m->locations, src->locations.n},
		{&m->stacks, src->stacks.n},
	};

	arena_reset(&m->scratch);
	m->src = src;
	memset(&m->ids, 0, sizeof(m->ids));
	memset(&m->more_ids, 0, sizeof(m->more_ids));
	memset(&m->lines, 0, sizeof(m->lines));
	memset(&m->links, 0, sizeof(m->links));
	memset(&m->attributes, 0, sizeof(m->attributes));
	for (size_t i = 0; i < countof(tables); i++) {
		*tables[i].ids = arena_zalloc(&m->scratch, tables[i].rows, sizeof(uint32_t));
		if (!*tables[i].ids)
			return -ENOMEM;
	}
	m->string_count = src->strings.n;
	return profile_remap_extend(m);
}

int profile_remap_extend(struct profile_remap *m)
{
	const struct profile_batch *src = m->src;
	uint32_t links = src->links.n - m->links.n,
		 attributes = src->attributes.n - m->attributes.n;
	int rc = vec_reserve(&m->scratch, &m->links, links);

	if (!rc)
		rc = vec_reserve(&m->scratch, &m->attributes, attributes);
	if (rc)
		return rc;
	memset(m->links.at + m->links.n, 0, links * sizeof(*m->links.at));
	memset(m->attributes.at + m->attributes.n, 0, attributes * sizeof(*m->attributes.at));
	m->links.n += links;
	m->attributes.n += attributes;
	return 0;
}

void profile_remap_fini(struct profile_remap *m)
{
	arena_fini(&m->scratch);
}

/* Return whether row `id` of src is already known to be row `row` of dst. */
static inline bool is_known(const uint32_t *ids, uint32_t id, uint32_t row)
{
	return ids[id] == row && (row || !id);
}

static void predict_strings(struct profile_remap *m, uint32_t id)
{
	const struct profile_batch *src = m->src, *dst = m->dst->batch;
	struct row_predictor *next = &m->dst->next.string;

	while (++id < m->string_count && !m->strings[id]) {
		uint32_t row = row_predictor_guess(next);

		if (row >= dst->strings.n || !str_eq(dst->strings.at[row], src->strings.at[id]))
			return;
		m->strings[id] = row;
		row_predictor_step(next, row);
	}
}

int profile_remap_string(struct profile_remap *m, uint32_t id, uint32_t *out)
{
	struct str s = m->src->strings.at[id];
	int rc = 0;

	if (id && !m->strings[id]) {
		rc = m->copy ? profile_add_string(m->dst, s, &m->strings[id])
			     : profile_borrow_string(m->dst, s, &m->strings[id]);
		if (!rc)
			predict_strings(m, id);
	}
	*out = m->strings[id];
	return rc;
}

int profile_remap_attribute(struct profile_remap *m, uint32_t id, uint32_t *out)
{
	struct attribute row = m->src->attributes.at[id];
	int rc = 0;

	if (id && !m->attributes.at[id]) {
		rc = profile_remap_string(m, row.key, &row.key);
		if (!rc)
			rc = profile_remap_string(m, row.unit, &row.unit);
		if (!rc)
			rc = profile_add_attribute_row(m->dst, row, m->copy, &m->attributes.at[id]);
	}
	*out = m->attributes.at[id];
	return rc;
}

bool profile_remap_is_attribute(const struct profile_remap *m, const struct attribute *a,
				uint32_t id)
{
	const struct attribute *o = &m->dst->batch->attributes.at[id];

	return is_known(m->strings, a->key, o->key) && is_known(m->strings, a->unit, o->unit) &&
	       value_eq(&a->value, &o->value);
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int profile_remap_attributes(struct profile_remap *m, const uint32_t *ids, uint32_t n)
{
	bool sorted = true;
	int rc = 0;

	m->ids.n = 0;
	for (uint32_t i = 0; !rc && i < n; i++) {
		uint32_t id;

		rc = profile_remap_attribute(m, ids[i], &id);
		if (!rc)
			rc = vec_push(&m->scratch, &m->ids, id);
		if (!rc && i && id < m->ids.at[i - 1])
			sorted = false;
	}
	if (!rc && !sorted)
		qsort(m->ids.at, m->ids.n, sizeof(*m->ids.at), compare_ids);
	return rc;
}

static int remap_list(struct profile_remap *m, struct list l)
{
	return profile_remap_attributes(m, m->src->attribute_refs.at + l.at, l.n);
}

static void predict_functions(struct profile_remap *m, uint32_t id)
{
	const struct profile_batch *src = m->src, *dst = m->dst->batch;
	struct row_predictor *next = &m->dst->next.function;

	while (++id < src->functions.n && !m->functions[id]) {
		uint32_t row = row_predictor_guess(next);
		const struct function *f = &src->functions.at[id], *o = &dst->functions.at[row];

		if (row >= dst->functions.n || f->start_line != o->start_line ||
		    !is_known(m->strings, f->name, o->name) ||
		    !is_known(m->strings, f->system_name, o->system_name) ||
		    !is_known(m->strings, f->filename, o->filename))
			return;
		m->functions[id] = row;
		row_predictor_step(next, row);
	}
}

int profile_remap_function(struct profile_remap *m, uint32_t id, uint32_t *out)
{
	struct function row = m->src->functions.at[id];
	int rc = 0;

	if (id && !m->functions[id]) {
		rc = profile_remap_string(m, row.name, &row.name);
		if (!rc)
			rc = profile_remap_string(m, row.system_name, &row.system_name);
		if (!rc)
			rc = profile_remap_string(m, row.filename, &row.filename);
		if (!rc)
			rc = profile_add_function(m->dst, &row, &m->functions[id]);
		if (!rc)
			predict_functions(m, id);
	}
	*out = m->functions[id];
	return rc;
}

int profile_remap_mapping(struct profile_remap *m, uint32_t id, uint32_t *out)
{
	struct mapping row = m->src->mappings.at[id];
	int rc = 0;

	if (id && !m->mappings[id]) {
		rc = profile_remap_string(m, row.filename, &row.filename);
		if (!rc)
			rc = remap_list(m, row.attributes);
		if (!rc)
			rc = profile_add_mapping(m->dst, &row, m->ids.at, m->ids.n,
						 &m->mappings[id]);
	}
	*out = m->mappings[id];
	return rc;
}

static int map_location(struct profile_remap *m, uint32_t id)
{
	const struct location *row = &m->src->locations.at[id];
	struct location_parts parts = {.address = row->address};
	int rc = profile_remap_mapping(m, row->mapping, &parts.mapping);

	m->lines.n = 0;
	for (uint32_t i = 0; !rc && i < row->lines.n; i++) {
		struct line line = m->src->lines.at[row->lines.at + i];

		rc = profile_remap_function(m, line.function, &line.function);
		if (!rc)
			rc = vec_push(&m->scratch, &m->lines, line);
	}
	if (!rc)
		rc = remap_list(m, row->attributes);
	if (rc)
		return rc;
	parts.lines = m->lines.at;
	parts.line_count = m->lines.n;
	parts.attributes = m->ids.at;
	parts.attribute_count = m->ids.n;
	return profile_add_location(m->dst, &parts, &m->locations[id]);
}

static inline bool is_known_location(const struct profile_remap *m, const struct location *l,
				     const struct location *o)
{
	const struct line *line = m->src->lines.at + l->lines.at,
			  *other = m->dst->batch->lines.at + o->lines.at;

	if (l->address != o->address || l->lines.n != o->lines.n || l->attributes.n ||
	    o->attributes.n || !is_known(m->mappings, l->mapping, o->mapping))
		return false;
	for (uint32_t i = 0; i < l->lines.n; i++)
		if (line[i].line != other[i].line || line[i].column != other[i].column ||
		    !is_known(m->functions, line[i].function, other[i].function))
			return false;
	return true;
}

static void predict_locations(struct profile_remap *m, uint32_t id)
{
	const struct profile_batch *src = m->src, *dst = m->dst->batch;
	struct row_predictor *next = &m->dst->next.location;

	while (++id < src->locations.n && !m->locations[id]) {
		uint32_t row = row_predictor_guess(next);

		if (row >= dst->locations.n ||
		    !is_known_location(m, &src->locations.at[id], &dst->locations.at[row]))
			return;
		m->locations[id] = row;
		row_predictor_step(next, row);
	}
}

int profile_remap_location(struct profile_remap *m, uint32_t id, uint32_t *out)
{
	int rc = 0;

	if (id && !m->locations[id]) {
		rc = map_location(m, id);
		if (!rc)
			predict_locations(m, id);
	}
	*out = m->locations[id];
	return rc;
}

/* Return whether a stack of src is the predicted stack of dst. */
static bool is_predicted_stack(const struct profile_remap *m, const uint32_t *locations, uint32_t n)
{
	const uint32_t *guess = profile_guess_stack(m->dst, n), *known = m->locations;

	if (!guess)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (known[locations[i]] != guess[i])
			return false;
	return true;
}

int profile_remap_locations(struct profile_remap *m, const uint32_t *locations, uint32_t n,
			    uint32_t *out)
{
	uint32_t *ids;
	int rc;

	if (likely(is_predicted_stack(m, locations, n))) {
		*out = m->dst->next.stack++;
		return 0;
	}
	m->more_ids.n = 0;
	rc = vec_reserve(&m->scratch, &m->more_ids, n);
	if (rc)
		return rc;
	ids = m->more_ids.at;
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = profile_remap_location(m, locations[i], &ids[i]);
	return rc ? rc : profile_add_stack(m->dst, ids, n, out);
}

int profile_remap_stack(struct profile_remap *m, uint32_t id, uint32_t *out)
{
	int rc = 0;

	if (id && !m->stacks[id]) {
		uint32_t n;
		const uint32_t *locations = stack_of(m->src, id, &n);

		rc = profile_remap_locations(m, locations, n, &m->stacks[id]);
	}
	*out = m->stacks[id];
	return rc;
}

int profile_remap_link(struct profile_remap *m, uint32_t id, uint32_t *out)
{
	int rc = 0;

	if (id && !m->links.at[id])
		rc = profile_add_link(m->dst, &m->src->links.at[id], &m->links.at[id]);
	*out = m->links.at[id];
	return rc;
}

/* Copy a string into dst's arena, unless strings are borrowed. */
static int copy_bytes(struct profile_remap *m, struct str *s)
{
	if (!m->copy || !s->n)
		return 0;
	return arena_copy_str(&m->dst->batch->arena, *s, s);
}

static int remap_keyvalues(struct profile_remap *m, struct list *l)
{
	struct profile_batch *dst = m->dst->batch;
	struct list from = *l;
	int rc = vec_reserve(&dst->arena, &dst->keyvalues, from.n);

	l->at = from.n ? dst->keyvalues.n : 0;
	for (uint32_t i = 0; !rc && i < from.n; i++) {
		struct keyvalue kv = m->src->keyvalues.at[from.at + i];

		rc = copy_bytes(m, &kv.key);
		if (!rc && m->copy)
			rc = profile_copy_value(&dst->arena, &kv.value);
		if (!rc)
			dst->keyvalues.at[dst->keyvalues.n++] = kv;
	}
	return rc;
}

int profile_remap_resource(struct profile_remap *m, uint32_t id)
{
	struct profile_batch *dst = m->dst->batch;
	struct resource row = m->src->resources.at[id];
	int rc = remap_keyvalues(m, &row.attributes);

	if (!rc)
		rc = copy_bytes(m, &row.schema_url);
	if (!rc)
		rc = copy_bytes(m, &row.entity_refs);
	return rc ? rc : vec_push(&dst->arena, &dst->resources, row);
}

int profile_remap_scope(struct profile_remap *m, uint32_t id)
{
	struct profile_batch *dst = m->dst->batch;
	struct scope row = m->src->scopes.at[id];
	int rc = remap_keyvalues(m, &row.attributes);

	row.resource = dst->resources.n - 1;
	if (!rc)
		rc = copy_bytes(m, &row.name);
	if (!rc)
		rc = copy_bytes(m, &row.version);
	if (!rc)
		rc = copy_bytes(m, &row.schema_url);
	return rc ? rc : vec_push(&dst->arena, &dst->scopes, row);
}

int profile_remap_profile(struct profile_remap *m, uint32_t id)
{
	struct profile row = m->src->profiles.at[id];
	uint32_t *strings[] = {&row.sample_type.type, &row.sample_type.unit, &row.period_type.type,
			       &row.period_type.unit};
	int rc = 0;

	for (size_t i = 0; !rc && i < countof(strings); i++)
		rc = profile_remap_string(m, *strings[i], strings[i]);
	if (!rc)
		rc = copy_bytes(m, &row.payload_format);
	if (!rc)
		rc = copy_bytes(m, &row.payload);
	if (!rc)
		rc = remap_list(m, row.attributes);
	return rc ? rc : profile_add_profile(m->dst, &row, m->ids.at, m->ids.n);
}

/* Return elements [from, to) of the sample's range of a pool, clipped to the range. */
static struct list part_of(const uint32_t *at, uint32_t sample, uint32_t from, uint32_t to)
{
	uint32_t n = at[sample + 1] - at[sample];

	to = to < n ? to : n;
	return from < to ? (struct list){at[sample] + from, to - from} : (struct list){0};
}

int profile_remap_observations(struct profile_remap *m, uint32_t id, uint32_t from, uint32_t to)
{
	const struct profile_batch *src = m->src;
	struct profile_batch *dst = m->dst->batch;
	uint32_t attributes = src->sample_attributes_at[id],
		 n_attributes = src->sample_attributes_at[id + 1] - attributes;
	struct list values = part_of(src->sample_values_at, id, from, to),
		    times = part_of(src->sample_times_at, id, from, to);
	uint32_t stack, link;
	int rc = profile_remap_stack(m, src->sample_stack[id], &stack);

	if (!rc)
		rc = profile_remap_link(m, src->sample_link[id], &link);
	if (!rc)
		rc = profile_remap_attributes(m, src->sample_attributes.at + attributes,
					      n_attributes);
	if (!rc)
		rc = profile_batch_reserve_samples(dst, 1);
	if (!rc)
		rc = vec_reserve(&dst->arena, &dst->sample_attributes, n_attributes);
	if (!rc)
		rc = vec_reserve(&dst->arena, &dst->values, values.n);
	if (!rc)
		rc = vec_reserve(&dst->arena, &dst->times, times.n);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < n_attributes; i++)
		dst->sample_attributes.at[dst->sample_attributes.n++] = m->ids.at[i];
	for (uint32_t i = 0; i < values.n; i++)
		dst->values.at[dst->values.n++] = src->values.at[values.at + i];
	for (uint32_t i = 0; i < times.n; i++)
		dst->times.at[dst->times.n++] = src->times.at[times.at + i];
	return profile_sample_end(dst, stack, link);
}

static uint64_t hash_keyvalues(const struct profile_batch *b, struct list l)
{
	uint64_t hash = l.n;

	for (uint32_t i = 0; i < l.n; i++) {
		const struct keyvalue *kv = &b->keyvalues.at[l.at + i];
		uint64_t parts[] = {hash, hash_bytes(kv->key.p, kv->key.n), value_hash(&kv->value)};

		hash = hash_bytes(parts, sizeof(parts));
	}
	return hash;
}

static bool keyvalues_eq(const struct profile_batch *a, struct list x,
			 const struct profile_batch *b, struct list y)
{
	if (x.n != y.n)
		return false;
	for (uint32_t i = 0; i < x.n; i++) {
		const struct keyvalue *one = &a->keyvalues.at[x.at + i],
				      *two = &b->keyvalues.at[y.at + i];

		if (!str_eq(one->key, two->key) || !value_eq(&one->value, &two->value))
			return false;
	}
	return true;
}

uint32_t profile_resource_hash(const struct profile_batch *b, const struct resource *r)
{
	return (uint32_t)hash_keyvalues(b, r->attributes);
}

bool profile_resource_eq(const struct profile_batch *a, const struct resource *x,
			 const struct profile_batch *b, const struct resource *y)
{
	return x->dropped_attributes == y->dropped_attributes &&
	       str_eq(x->schema_url, y->schema_url) && str_eq(x->entity_refs, y->entity_refs) &&
	       keyvalues_eq(a, x->attributes, b, y->attributes);
}

uint32_t profile_scope_hash(const struct profile_batch *b, const struct scope *s)
{
	return (uint32_t)hash_keyvalues(b, s->attributes) + hash32(s->name);
}

bool profile_scope_eq(const struct profile_batch *a, const struct scope *x,
		      const struct profile_batch *b, const struct scope *y)
{
	return x->dropped_attributes == y->dropped_attributes && str_eq(x->name, y->name) &&
	       str_eq(x->version, y->version) && str_eq(x->schema_url, y->schema_url) &&
	       keyvalues_eq(a, x->attributes, b, y->attributes);
}
