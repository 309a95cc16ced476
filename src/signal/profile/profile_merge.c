/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dictionary rows, resources and scopes are added to the output at once. Samples are collected in
 * intermediate tables: a family per scope holds the identities of its samples, found by hash; a
 * group per output profile holds a column of sums with one row per identity of its family. Profiles
 * of one scope with the same samples, such as those of a pprof file with several sample types,
 * share the lookups: all but the first cost one addition per sample. Observations with times are
 * linked lists through one shared array.
 *
 * profile_merge_finish.c writes the groups one after the other, because a batch stores the samples
 * of a profile together.
 */
#include "signal/profile/profile_merge.h"

#include "base/container/hash.h"
#include "signal/profile/profile_merge_parts.h"
#include "signal/profile/profile_ops.h"

int profile_merge_init(struct profile_merge *m, struct profile_batch *out)
{
	struct idset *sets[] = {&m->resource_index, &m->scope_index, &m->group_index,
				&m->identity_index, &m->set_index};
	int rc;

	*m = (struct profile_merge){0};
	arena_init(&m->arena, out->arena.budget);
	rc = profile_builder_init(&m->builder, out);
	profile_remap_init(&m->map, &m->builder, true);
	for (size_t i = 0; !rc && i < countof(sets); i++)
		rc = idset_init(sets[i], &m->arena, 0);
	return rc ? rc
		  /* The pool must not be NULL, because empty sets refer to it. */
		  : vec_reserve(&m->arena, &m->attribute_pool, 1);
}

void profile_merge_fini(struct profile_merge *m)
{
	profile_remap_fini(&m->map);
	arena_fini(&m->arena);
}

/* Find or add the set with a sorted list of attribute ids. */
static int find_or_add_set(struct profile_merge *m, const uint32_t *ids, uint32_t n, uint32_t *set)
{
	uint32_t hash = (uint32_t)hash_bytes(ids, n * sizeof(*ids));
	struct idset_cursor c = idset_seek(&m->set_index, hash);
	int rc;

	while (idset_next(&m->set_index, &c, set)) {
		struct list l = m->attribute_sets.at[*set];

		if (l.n == n && (!n || !memcmp(m->attribute_pool.at + l.at, ids, n * sizeof(*ids))))
			return 0;
	}
	rc = vec_reserve(&m->arena, &m->attribute_sets, 1);
	if (!rc)
		rc = vec_reserve(&m->arena, &m->attribute_pool, n);
	if (!rc)
		rc = idset_add(&m->set_index, hash, m->attribute_sets.n);
	if (rc)
		return rc;
	*set = m->attribute_sets.n++;
	m->attribute_sets.at[*set] = (struct list){m->attribute_pool.n, n};
	for (uint32_t i = 0; i < n; i++)
		m->attribute_pool.at[m->attribute_pool.n++] = ids[i];
	return 0;
}

static int find_or_add_resource(struct profile_merge *m, struct profile_remap *map, uint32_t source,
				uint32_t *id)
{
	struct profile_batch *out = m->builder.batch;
	const struct resource *r = &map->src->resources.at[source];
	uint32_t hash = profile_resource_hash(map->src, r);
	struct idset_cursor c = idset_seek(&m->resource_index, hash);
	int rc;

	while (idset_next(&m->resource_index, &c, id))
		if (profile_resource_eq(out, &out->resources.at[*id], map->src, r))
			return 0;
	rc = profile_remap_resource(map, source);
	*id = out->resources.n - 1;
	return rc ? rc : idset_add(&m->resource_index, hash, *id);
}

static int find_or_add_scope(struct profile_merge *m, struct profile_remap *map, uint32_t source,
			     uint32_t resource, uint32_t *id)
{
	struct profile_batch *out = m->builder.batch;
	const struct scope *s = &map->src->scopes.at[source];
	uint32_t hash = profile_scope_hash(map->src, s) + resource;
	struct idset_cursor c = idset_seek(&m->scope_index, hash);
	int rc;

	while (idset_next(&m->scope_index, &c, id))
		if (out->scopes.at[*id].resource == resource &&
		    profile_scope_eq(out, &out->scopes.at[*id], map->src, s))
			return 0;
	rc = profile_remap_scope(map, source);
	if (rc)
		return rc;
	*id = out->scopes.n - 1;
	out->scopes.at[*id].resource = resource;
	/* Families have the same numbers as scopes. */
	rc = vec_push(&m->arena, &m->families, (struct merge_family){0});
	return rc ? rc : idset_add(&m->scope_index, hash, *id);
}

static uint32_t hash_group(const struct profile *p)
{
	uint64_t fields[] = {p->scope, p->sample_type.type, p->sample_type.unit,
			     p->period_type.type, p->period_type.unit};

	return (uint32_t)hash_bytes(fields, sizeof(fields));
}

static bool same_group(const struct profile *a, const struct profile *b)
{
	return a->scope == b->scope && a->sample_type.type == b->sample_type.type &&
	       a->sample_type.unit == b->sample_type.unit &&
	       a->period_type.type == b->period_type.type &&
	       a->period_type.unit == b->period_type.unit;
}

/* Return the position of the key among the attributes, or n. */
static uint32_t find_attribute_key(const struct profile_batch *b, const uint32_t *ids, uint32_t n,
				   uint32_t key)
{
	uint32_t i = 0;

	while (i < n && b->attributes.at[ids[i]].key != key)
		i++;
	return i;
}

/* Merge two values of one key: keep the first, but join lists (comments). */
static int join_values(struct profile_merge *m, uint32_t *own, uint32_t other)
{
	struct profile_batch *out = m->builder.batch;
	struct attribute row = out->attributes.at[*own];
	const struct value *value = &out->attributes.at[other].value;
	int rc;

	if (*own == other || row.value.kind != VALUE_LIST || value->kind != VALUE_LIST)
		return 0;
	rc = value_list_join(&out->arena, &row.value, value, &row.value);
	return rc ? rc : profile_add_attribute_row(&m->builder, row, false, own);
}

/* Add the attributes in map->ids to the group. */
static int join_attributes(struct profile_merge *m, struct merge_group *g,
			   struct profile_remap *map)
{
	const struct profile_batch *out = m->builder.batch;
	struct list own = m->attribute_sets.at[g->attributes];
	int rc = 0;

	map->more_ids.n = 0;
	for (uint32_t i = 0; !rc && i < own.n; i++)
		rc = vec_push(&map->scratch, &map->more_ids, m->attribute_pool.at[own.at + i]);
	for (uint32_t i = 0; !rc && i < map->ids.n; i++) {
		uint32_t other = map->ids.at[i];
		uint32_t at = find_attribute_key(out, map->more_ids.at, own.n,
						 out->attributes.at[other].key);

		rc = at < own.n ? join_values(m, &map->more_ids.at[at], other)
				: vec_push(&map->scratch, &map->more_ids, other);
	}
	return rc ? rc : find_or_add_set(m, map->more_ids.at, map->more_ids.n, &g->attributes);
}

static int join_group(struct profile_merge *m, struct merge_group *g, const struct profile *p,
		      struct profile_remap *map)
{
	if (!g->row.time_unix_nano ||
	    (p->time_unix_nano && p->time_unix_nano < g->row.time_unix_nano))
		g->row.time_unix_nano = p->time_unix_nano;
	if (__builtin_add_overflow(g->row.duration_nano, p->duration_nano, &g->row.duration_nano))
		g->row.duration_nano = UINT64_MAX;
	if (g->row.period < p->period)
		g->row.period = p->period;
	g->row.dropped_attributes += p->dropped_attributes;
	return join_attributes(m, g, map);
}

static int new_group(struct profile_merge *m, const struct profile *row, uint32_t hash,
		     struct profile_remap *map, uint32_t *id)
{
	struct merge_group g = {.row = *row, .family = row->scope};
	int rc = find_or_add_set(m, map->ids.at, map->ids.n, &g.attributes);

	*id = m->groups.n;
	if (!m->separate) {
		memset(g.row.id, 0, sizeof(g.row.id));
		g.row.payload = g.row.payload_format = (struct str){0};
	} else if (!rc && row->payload.n) {
		rc = arena_copy_str(&m->builder.batch->arena, row->payload, &g.row.payload);
		if (!rc)
			rc = arena_copy_str(&m->builder.batch->arena, row->payload_format,
					    &g.row.payload_format);
	}
	if (!rc)
		rc = vec_push(&m->arena, &m->groups, g);
	return rc ? rc : idset_add(&m->group_index, hash, *id);
}

/* Find or add the group of a profile of src. */
static int find_or_add_group(struct profile_merge *m, struct profile_remap *map, uint32_t source,
			     uint32_t scope, uint32_t *id)
{
	struct profile row = map->src->profiles.at[source];
	uint32_t *strings[] = {&row.sample_type.type, &row.sample_type.unit, &row.period_type.type,
			       &row.period_type.unit};
	struct idset_cursor c;
	uint32_t hash;
	int rc = 0;

	for (size_t i = 0; !rc && i < countof(strings); i++)
		rc = profile_remap_string(map, *strings[i], strings[i]);
	if (!rc)
		rc = profile_remap_attributes(map, map->src->attribute_refs.at + row.attributes.at,
					      row.attributes.n);
	if (rc)
		return rc;
	row.scope = scope;
	hash = hash_group(&row);
	c = idset_seek(&m->group_index, hash);
	while (!m->separate && idset_next(&m->group_index, &c, id))
		if (same_group(&m->groups.at[*id].row, &row))
			return join_group(m, &m->groups.at[*id], &row, map);
	return new_group(m, &row, hash, map, id);
}

static bool same_identity(const struct merge_identity *a, const struct merge_identity *b)
{
	return a->stack == b->stack && a->link == b->link && a->attributes == b->attributes;
}

/*
 * Return the locations of a stack for predictions; none if one is 0, which means "not mapped"
 * there.
 */
static struct list predictable_locations(const struct profile_batch *b, uint32_t stack)
{
	struct list l = b->stacks.at[stack];

	for (uint32_t i = 0; i < l.n; i++)
		if (!b->stack_locations.at[l.at + i])
			return (struct list){0};
	return l;
}

/* Find or add the row of an identity in the family. On entry *row is the predicted row. */
static inline int find_or_add_row(struct profile_merge *m, uint32_t family,
				  const struct merge_identity *wanted, uint32_t *row)
{
	struct merge_family *f = &m->families.at[family];
	struct idset_cursor c;
	uint32_t hash;
	int rc;

	if (*row < f->identities.n && same_identity(&f->identities.at[*row], wanted)) {
		row_predictor_step(&f->next, *row);
		return 0;
	}
	hash = hash_u64(((uint64_t)wanted->stack << 32 | wanted->attributes) +
			((uint64_t)family << 48) + ((uint64_t)wanted->link << 24));
	c = idset_seek(&m->identity_index, hash);
	while (idset_next(&m->identity_index, &c, row)) /* of any family, so check the range */
		if (*row < f->identities.n && same_identity(&f->identities.at[*row], wanted)) {
			row_predictor_learn(&f->next, &m->arena, *row);
			return 0;
		}
	*row = f->identities.n;
	rc = vec_push(&m->arena, &f->identities, *wanted);
	if (!rc) {
		f->identities.at[*row].locations =
			predictable_locations(m->builder.batch, wanted->stack);
		rc = idset_add(&m->identity_index, hash, *row);
	}
	if (!rc)
		row_predictor_learn(&f->next, &m->arena, *row);
	return rc;
}

/* Return the predicted row, and set the builder's predicted stack to that row's. */
static uint32_t predict_row(struct profile_merge *m, uint32_t family)
{
	const struct merge_family *f = &m->families.at[family];
	uint32_t row = row_predictor_guess(&f->next);

	if (likely(row < f->identities.n))
		m->builder.next.stack = f->identities.at[row].stack;
	return row;
}

/*
 * Predict the next row in advance, and prefetch the locations of its stack and the values of the
 * row predicted after it. Without prefetching, a third of the time of merging is spent on cache
 * misses.
 */
static inline void predict_next_row(struct profile_merge *m, const struct merge_family *f,
				    const struct merge_strip *strip)
{
	uint32_t row = row_predictor_guess(&f->next), later = row_predictor_after(&f->next, row);

	m->begun_next = row;
	m->guess.location_count = 0;
	if (unlikely(row >= f->identities.n || row >= strip->rows))
		return;

	const struct merge_identity *identity = &f->identities.at[row];

	m->builder.next.stack = identity->stack;
	m->guess.locations = m->builder.batch->stack_locations.at + identity->locations.at;
	m->guess.location_count = identity->link ? 0 : identity->locations.n;
	m->guess.attributes = identity->attributes;
	m->guess.sums = strip->sums + (size_t)row * strip->width;
	__builtin_prefetch(m->guess.locations);
	__builtin_prefetch(&f->identities.at[later]);
	__builtin_prefetch(&strip->sums[(size_t)later * strip->width]);
}

/* Find or add the set of a sample's attributes. Sets of one or none are found without hashing. */
static inline int find_sample_set(struct profile_merge *m, struct profile_remap *map,
				  const uint32_t *ids, uint32_t n, uint32_t *set)
{
	uint32_t key = n == 1 ? map->attributes.at[ids[0]] : 0;
	int rc;

	if (n <= 1 && key < m->short_sets.n && m->short_sets.at[key] && (key || !n)) {
		*set = m->short_sets.at[key] - 1;
		return 0;
	}
	rc = profile_remap_attributes(map, ids, n);
	if (!rc)
		rc = find_or_add_set(m, map->ids.at, map->ids.n, set);
	if (rc || n > 1)
		return rc;
	key = n ? map->ids.at[0] : 0;
	while (!rc && m->short_sets.n <= key)
		rc = vec_push(&m->arena, &m->short_sets, 0);
	if (!rc && (key || !n))
		m->short_sets.at[key] = *set + 1;
	return rc;
}

static int find_sample_row(struct profile_merge *m, struct profile_remap *map, uint32_t family,
			   uint32_t i, uint32_t *row)
{
	const struct profile_batch *src = map->src;
	uint32_t attributes = src->sample_attributes_at[i];
	struct merge_identity wanted = {0};
	int rc;

	*row = predict_row(m, family);
	rc = profile_remap_stack(map, src->sample_stack[i], &wanted.stack);

	if (!rc && src->sample_link[i])
		rc = profile_remap_link(map, src->sample_link[i], &wanted.link);
	if (!rc)
		rc = find_sample_set(m, map, src->sample_attributes.at + attributes,
				     src->sample_attributes_at[i + 1] - attributes,
				     &wanted.attributes);
	return rc ? rc : find_or_add_row(m, family, &wanted, row);
}

/* Return whether two profiles have the same samples apart from their values. */
static bool same_samples(const struct profile_batch *b, const struct profile *x,
			 const struct profile *y)
{
	uint32_t one = x->sample_first, two = y->sample_first, n = x->sample_count;
	const uint32_t *at = b->sample_attributes_at;
	uint32_t shift = at[two] - at[one], refs = at[one + n] - at[one], differ = 0;

	if (x->scope != y->scope || n != y->sample_count || !n ||
	    memcmp(b->sample_stack + one, b->sample_stack + two, n * sizeof(*b->sample_stack)) ||
	    memcmp(b->sample_link + one, b->sample_link + two, n * sizeof(*b->sample_link)))
		return false;
	for (uint32_t i = 0; i <= n; i++) /* no early exit, so that the loop is vectorized */
		differ |= at[two + i] - at[one + i] - shift;
	return !differ && (!refs || !memcmp(b->sample_attributes.at + at[one],
					    b->sample_attributes.at + at[two],
					    refs * sizeof(*b->sample_attributes.at)));
}

/* Set m->rows to the row of each sample of the profile. */
static int find_sample_rows(struct profile_merge *m, struct profile_remap *map, uint32_t profile,
			    uint32_t family)
{
	const struct profile *p = &map->src->profiles.at[profile];
	int rc = 0;

	if (profile && same_samples(map->src, p - 1, p))
		return 0; /* m->rows is the same as for the previous profile */
	m->rows.n = 0;
	rc = vec_reserve(&m->arena, &m->rows, p->sample_count);
	for (uint32_t i = 0; !rc && i < p->sample_count; i++)
		rc = find_sample_row(m, map, family, p->sample_first + i, &m->rows.at[m->rows.n++]);
	return rc;
}

static int add_observation(struct profile_merge *m, struct merge_cell *cell, uint64_t time,
			   int64_t value)
{
	struct merge_observation o = {.time = time, .value = value};
	struct merge_chain *chain;
	int rc = 0;

	if (!cell->chain) {
		rc = vec_push(&m->arena, &m->chains, (struct merge_chain){0});
		if (rc)
			return rc;
		cell->chain = m->chains.n;
	}
	rc = vec_push(&m->arena, &m->observations, o);
	if (rc)
		return rc;
	chain = &m->chains.at[cell->chain - 1];
	if (chain->last)
		m->observations.at[chain->last - 1].next = m->observations.n;
	else
		chain->first = m->observations.n;
	chain->last = m->observations.n;
	chain->count++;
	return 0;
}

static int add_observations(struct profile_merge *m, struct merge_group *g, struct merge_cell *cell,
			    const struct profile_batch *src, uint32_t i)
{
	uint32_t times = src->sample_times_at[i], n_times = src->sample_times_at[i + 1] - times;
	uint32_t values = src->sample_values_at[i],
		 n_values = src->sample_values_at[i + 1] - values;
	int rc = 0;

	g->untimed |= n_values && !n_times;
	g->valued |= n_values != 0;
	for (uint32_t k = 0; !rc && !g->untimed && k < n_times; k++)
		rc = add_observation(m, cell, src->times.at[times + k],
				     n_values ? src->values.at[values + k] : 1);
	return rc;
}

/* Return whether each sample of the profile has one value, so that values are contiguous. */
static bool has_single_values(const struct profile_batch *b, const struct profile *p)
{
	uint32_t end = p->sample_first + p->sample_count;

	return b->sample_times_at[end] == b->sample_times_at[p->sample_first] &&
	       b->sample_values_at[end] - b->sample_values_at[p->sample_first] == p->sample_count;
}

/* Add the samples of a profile to its group. Their rows are in m->rows. */
static int add_profile_samples(struct profile_merge *m, struct merge_group *g,
			       const struct profile_batch *src, const struct profile *p)
{
	const uint32_t *rows = m->rows.at;
	int rc = merge_group_grow(m, g);

	if (!rc && p->sample_count && has_single_values(src, p)) {
		const int64_t *values = src->values.at + src->sample_values_at[p->sample_first];
		struct merge_cell *cells = g->cells.at;

		g->untimed = g->valued = true;
		for (uint32_t i = 0; i < p->sample_count; i++)
			merge_cell_add(&cells[rows[i]], values[i]);
		return 0;
	}
	for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
		struct merge_cell *cell = &g->cells.at[rows[i]];

		merge_cell_add(cell, sample_total(src, p->sample_first + i));
		rc = add_observations(m, g, cell, src, p->sample_first + i);
	}
	return rc;
}

int profile_merge_begin(struct profile_merge *m, const struct profile_batch *src)
{
	struct profile_remap *map = &m->map;
	uint32_t resource = 0, scope = 0, group;
	int rc = profile_remap_begin(map, src);

	m->begun = src;
	m->begun_groups.n = 0;
	m->begun_family = m->begun_strip = m->begun_next = 0;
	m->guess = (struct merge_guess){.known = map->locations};
	for (uint32_t p = 0; !rc && p < src->profiles.n; p++) {
		const struct profile *row = &src->profiles.at[p];

		rc = find_or_add_resource(m, map, src->scopes.at[row->scope].resource, &resource);
		if (!rc)
			rc = find_or_add_scope(m, map, row->scope, resource, &scope);
		if (!rc)
			rc = find_or_add_group(m, map, p, scope, &group);
		if (!rc)
			rc = vec_push(&m->arena, &m->begun_groups, group);
	}
	m->begun_family = scope; /* families have the same numbers as scopes */
	return rc;
}

/* Add the values of a sample to a row. */
static inline int add_row_values(struct profile_merge *m, struct merge_strip *s, uint32_t row,
				 const int64_t *values)
{
	int rc = likely(row < s->rows) ? 0 : merge_strip_grow(m, s, row);

	if (unlikely(rc))
		return rc;

	uint64_t *sums = s->sums + (size_t)row * s->width;

	s->present[row] = true;
	for (uint32_t i = 0, n = s->width; i < n; i++)
		sums[i] += (uint64_t)values[i];
	return 0;
}

/* Map the identity of a sample to ids of the output. */
static inline int map_identity(struct profile_merge *m, const struct merge_sample *s,
			       struct merge_identity *wanted)
{
	struct profile_remap *map = &m->map;
	int rc = 0;

	if (unlikely(map->src->attributes.n > map->attributes.n ||
		     map->src->links.n > map->links.n))
		rc = profile_remap_extend(map);
	if (!rc && s->location_count)
		rc = profile_remap_locations(map, s->locations, s->location_count, &wanted->stack);
	if (!rc && s->link)
		rc = profile_remap_link(map, s->link, &wanted->link);
	return rc ? rc
		  : find_sample_set(m, map, s->attributes, s->attribute_count, &wanted->attributes);
}

int profile_merge_sample(struct profile_merge *m, const struct merge_sample *s)
{
	uint32_t family = m->begun_family, row = m->begun_next;
	struct merge_identity wanted = {0};
	struct merge_strip *strip;
	int rc = map_identity(m, s, &wanted);

	if (!rc && unlikely(!m->begun_strip))
		rc = merge_strip_begin(m);
	if (!rc)
		rc = find_or_add_row(m, family, &wanted, &row);
	if (rc)
		return rc;
	m->set = wanted.attributes;
	strip = &m->strips.at[m->begun_strip - 1];
	rc = add_row_values(m, strip, row, s->values);
	predict_next_row(m, &m->families.at[family], strip);
	return rc;
}

void profile_merge_guessed(struct profile_merge *m)
{
	struct merge_family *family = &m->families.at[m->begun_family];
	struct merge_strip *strip = &m->strips.at[m->begun_strip - 1];

	strip->present[m->begun_next] = true;
	row_predictor_step(&family->next, m->begun_next);
	predict_next_row(m, family, strip);
}

bool profile_merge_is_set(const struct profile_merge *m, uint32_t set, const struct attribute *only)
{
	struct list l = m->attribute_sets.at[set];

	return only ? l.n == 1 &&
			       profile_remap_is_attribute(&m->map, only, m->attribute_pool.at[l.at])
		    : !l.n;
}

int profile_merge_add(struct profile_merge *m, const struct profile_batch *src)
{
	int rc = m->begun == src ? profile_remap_extend(&m->map) : profile_merge_begin(m, src);

	m->rows.n = 0;
	for (uint32_t p = 0; !rc && p < src->profiles.n; p++) {
		uint32_t group = m->begun_groups.at[p];

		rc = find_sample_rows(m, &m->map, p, m->groups.at[group].family);
		if (!rc)
			rc = add_profile_samples(m, &m->groups.at[group], src,
						 &src->profiles.at[p]);
	}
	m->begun = NULL;
	return rc;
}

static int merge_batch(struct profile_batch *dst, const struct profile_batch *src, bool separate)
{
	struct profile_merge m;
	int rc = profile_merge_init(&m, dst);

	m.separate = separate;
	if (!rc)
		rc = profile_merge_add(&m, src);
	if (!rc)
		rc = profile_merge_finish(&m);
	profile_merge_fini(&m);
	return rc;
}

int profile_combine(struct profile_batch *dst, const struct profile_batch *src)
{
	return merge_batch(dst, src, false);
}

int profile_aggregate(struct profile_batch *dst, const struct profile_batch *src)
{
	return merge_batch(dst, src, true);
}
