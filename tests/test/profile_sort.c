/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts a batch by content. The batch is normalized first. Then the rows of each table are copied
 * in sorted order, starting with the tables that refer to no others (strings), so that the new ids
 * of the rows that a row refers to are their ranks, and rows compare as tuples of numbers.
 */
#include <stdlib.h>

#include "signal/profile/profile_ops.h"
#include "signal/profile/profile_remap.h"
#include "test/profile_sort.h"

/* Context of the comparisons: the normalized batch and the new ids of its rows. */
struct sorter {
	struct profile_batch batch;
	struct profile_remap map;
};

static int order_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int order_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Compare lists by new ids, element by element; the shorter sorts first. */
static int order_ids(const uint32_t *ranks, const uint32_t *a, uint32_t a_n, const uint32_t *b,
		     uint32_t b_n)
{
	for (uint32_t i = 0; i < a_n && i < b_n; i++)
		if (ranks[a[i]] != ranks[b[i]])
			return order_u64(ranks[a[i]], ranks[b[i]]);
	return order_u64(a_n, b_n);
}

static int order_lists(const struct sorter *s, struct list a, struct list b)
{
	const uint32_t *pool = s->batch.attribute_refs.at;

	return order_ids(s->map.attributes.at, pool + a.at, a.n, pool + b.at, b.n);
}

static int compare_strings(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;

	return str_cmp(s->batch.strings.at[*(const uint32_t *)a],
		       s->batch.strings.at[*(const uint32_t *)b]);
}

static int compare_attributes(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;
	const struct attribute *x = &s->batch.attributes.at[*(const uint32_t *)a],
			       *y = &s->batch.attributes.at[*(const uint32_t *)b];
	int order = order_u64(s->map.strings[x->key], s->map.strings[y->key]);

	if (!order)
		order = value_cmp(&x->value, &y->value);
	return order ? order : order_u64(s->map.strings[x->unit], s->map.strings[y->unit]);
}

static int compare_functions(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;
	const struct function *x = &s->batch.functions.at[*(const uint32_t *)a],
			      *y = &s->batch.functions.at[*(const uint32_t *)b];
	int order = order_u64(s->map.strings[x->name], s->map.strings[y->name]);

	if (!order)
		order = order_u64(s->map.strings[x->system_name], s->map.strings[y->system_name]);
	if (!order)
		order = order_u64(s->map.strings[x->filename], s->map.strings[y->filename]);
	return order ? order : order_i64(x->start_line, y->start_line);
}

static int compare_mappings(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;
	const struct mapping *x = &s->batch.mappings.at[*(const uint32_t *)a],
			     *y = &s->batch.mappings.at[*(const uint32_t *)b];
	int order = order_u64(s->map.strings[x->filename], s->map.strings[y->filename]);

	if (!order)
		order = order_u64(x->start, y->start);
	if (!order)
		order = order_u64(x->limit, y->limit);
	if (!order)
		order = order_u64(x->offset, y->offset);
	return order ? order : order_lists(s, x->attributes, y->attributes);
}

static int order_lines(const struct sorter *s, struct list a, struct list b)
{
	int order = 0;

	for (uint32_t i = 0; !order && i < a.n && i < b.n; i++) {
		const struct line *x = &s->batch.lines.at[a.at + i],
				  *y = &s->batch.lines.at[b.at + i];

		order = order_u64(s->map.functions[x->function], s->map.functions[y->function]);
		if (!order)
			order = order_i64(x->line, y->line);
		if (!order)
			order = order_i64(x->column, y->column);
	}
	return order ? order : order_u64(a.n, b.n);
}

static int compare_locations(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;
	const struct location *x = &s->batch.locations.at[*(const uint32_t *)a],
			      *y = &s->batch.locations.at[*(const uint32_t *)b];
	int order = order_u64(s->map.mappings[x->mapping], s->map.mappings[y->mapping]);

	if (!order)
		order = order_u64(x->address, y->address);
	if (!order)
		order = order_lines(s, x->lines, y->lines);
	return order ? order : order_lists(s, x->attributes, y->attributes);
}

static int compare_stacks(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;
	uint32_t x_n, y_n;
	const uint32_t *x = stack_of(&s->batch, *(const uint32_t *)a, &x_n);
	const uint32_t *y = stack_of(&s->batch, *(const uint32_t *)b, &y_n);

	return order_ids(s->map.locations, x, x_n, y, y_n);
}

static int compare_links(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;

	return memcmp(&s->batch.links.at[*(const uint32_t *)a],
		      &s->batch.links.at[*(const uint32_t *)b], sizeof(struct link));
}

static int compare_samples(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;
	const struct profile_batch *n = &s->batch;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = order_u64(s->map.stacks[n->sample_stack[x]], s->map.stacks[n->sample_stack[y]]);

	if (!order)
		order = order_ids(s->map.attributes.at,
				  n->sample_attributes.at + n->sample_attributes_at[x],
				  n->sample_attributes_at[x + 1] - n->sample_attributes_at[x],
				  n->sample_attributes.at + n->sample_attributes_at[y],
				  n->sample_attributes_at[y + 1] - n->sample_attributes_at[y]);
	if (!order)
		order = order_u64(s->map.links.at[n->sample_link[x]],
				  s->map.links.at[n->sample_link[y]]);
	if (!order && n->sample_times_at[x + 1] > n->sample_times_at[x] &&
	    n->sample_times_at[y + 1] > n->sample_times_at[y])
		order = order_u64(n->times.at[n->sample_times_at[x]],
				  n->times.at[n->sample_times_at[y]]);
	if (!order)
		order = order_i64(sample_total(n, x), sample_total(n, y));
	return order ? order : order_u64(x, y);
}

static int order_keyvalues(const struct profile_batch *b, struct list x, struct list y)
{
	int order = 0;

	for (uint32_t i = 0; !order && i < x.n && i < y.n; i++) {
		const struct keyvalue *one = &b->keyvalues.at[x.at + i],
				      *two = &b->keyvalues.at[y.at + i];

		order = str_cmp(one->key, two->key);
		if (!order)
			order = value_cmp(&one->value, &two->value);
	}
	return order ? order : order_u64(x.n, y.n);
}

static int compare_scopes(const struct profile_batch *b, const struct scope *x,
			  const struct scope *y)
{
	int order = order_keyvalues(b, b->resources.at[x->resource].attributes,
				    b->resources.at[y->resource].attributes);

	if (!order)
		order = order_u64(x->resource, y->resource);
	if (!order)
		order = str_cmp(x->name, y->name);
	if (!order)
		order = str_cmp(x->version, y->version);
	return order ? order : order_keyvalues(b, x->attributes, y->attributes);
}

/* Profiles that differ only in their samples keep their order. */
static int compare_profiles(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct profile *x = &s->batch.profiles.at[i], *y = &s->batch.profiles.at[k];
	const uint32_t *ranks = s->map.strings;
	int order = compare_scopes(&s->batch, &s->batch.scopes.at[x->scope],
				   &s->batch.scopes.at[y->scope]);

	if (!order)
		order = order_u64(x->scope, y->scope);
	if (!order)
		order = order_u64(ranks[x->sample_type.type], ranks[y->sample_type.type]);
	if (!order)
		order = order_u64(ranks[x->sample_type.unit], ranks[y->sample_type.unit]);
	if (!order)
		order = order_u64(x->time_unix_nano, y->time_unix_nano);
	if (!order)
		order = order_u64(x->duration_nano, y->duration_nano);
	return order ? order : order_u64(i, k);
}

static int compare_keyvalues(const void *a, const void *b)
{
	const struct keyvalue *x = a, *y = b;

	return str_cmp(x->key, y->key);
}

static uint32_t *consecutive_ids(struct arena *a, uint32_t first, uint32_t n)
{
	uint32_t *ids = arena_alloc(a, n, sizeof(*ids));

	for (uint32_t i = 0; ids && i < n; i++)
		ids[i] = first + i;
	return ids;
}

typedef int remap_row(struct profile_remap *m, uint32_t id, uint32_t *out);
typedef int compare_rows(const void *a, const void *b, void *arg);

/* Copy the rows of one table in sorted order; row 0 exists already. */
static int copy_sorted(struct sorter *s, uint32_t rows, compare_rows *compare, remap_row *remap)
{
	uint32_t *ids = consecutive_ids(&s->map.scratch, 1, rows - 1), out;
	int rc = ids ? 0 : -ENOMEM;

	if (!rc)
		qsort_r(ids, rows - 1, sizeof(*ids), compare, s);
	for (uint32_t i = 0; !rc && i + 1 < rows; i++)
		rc = remap(&s->map, ids[i], &out);
	return rc;
}

static int compare_new_ids(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;

	return order_u64(s->map.attributes.at[*(const uint32_t *)a],
			 s->map.attributes.at[*(const uint32_t *)b]);
}

/* Sort attribute lists by new ids, so that they compare as sets. */
static void sort_attribute_lists(struct sorter *s)
{
	struct profile_batch *b = &s->batch;
	uint32_t *pool = b->attribute_refs.at, *samples = b->sample_attributes.at;

#define SORT_LIST(at, n) qsort_r(at, n, sizeof(uint32_t), compare_new_ids, s)
	for (uint32_t i = 0; pool && i < b->mappings.n; i++)
		SORT_LIST(pool + b->mappings.at[i].attributes.at, b->mappings.at[i].attributes.n);
	for (uint32_t i = 0; pool && i < b->locations.n; i++)
		SORT_LIST(pool + b->locations.at[i].attributes.at, b->locations.at[i].attributes.n);
	for (uint32_t i = 0; samples && i < b->sample_count; i++)
		SORT_LIST(samples + b->sample_attributes_at[i],
			  b->sample_attributes_at[i + 1] - b->sample_attributes_at[i]);
#undef SORT_LIST
	for (uint32_t i = 0; b->keyvalues.at && i < b->resources.n; i++)
		qsort(b->keyvalues.at + b->resources.at[i].attributes.at,
		      b->resources.at[i].attributes.n, sizeof(struct keyvalue), compare_keyvalues);
	for (uint32_t i = 0; b->keyvalues.at && i < b->scopes.n; i++)
		qsort(b->keyvalues.at + b->scopes.at[i].attributes.at, b->scopes.at[i].attributes.n,
		      sizeof(struct keyvalue), compare_keyvalues);
}

static int copy_dictionary(struct sorter *s)
{
	const struct profile_batch *b = &s->batch;
	int rc = copy_sorted(s, b->strings.n, compare_strings, profile_remap_string);

	if (!rc)
		rc = copy_sorted(s, b->attributes.n, compare_attributes, profile_remap_attribute);
	if (!rc)
		sort_attribute_lists(s);
	if (!rc)
		rc = copy_sorted(s, b->functions.n, compare_functions, profile_remap_function);
	if (!rc)
		rc = copy_sorted(s, b->mappings.n, compare_mappings, profile_remap_mapping);
	if (!rc)
		rc = copy_sorted(s, b->locations.n, compare_locations, profile_remap_location);
	if (!rc)
		rc = copy_sorted(s, b->stacks.n, compare_stacks, profile_remap_stack);
	if (!rc)
		rc = copy_sorted(s, b->links.n, compare_links, profile_remap_link);
	return rc;
}

static int copy_profile(struct sorter *s, uint32_t id)
{
	const struct profile *p = &s->batch.profiles.at[id];
	uint32_t *samples = consecutive_ids(&s->map.scratch, p->sample_first, p->sample_count);
	int rc = samples ? profile_remap_profile(&s->map, id) : -ENOMEM;

	if (!rc)
		qsort_r(samples, p->sample_count, sizeof(*samples), compare_samples, s);
	for (uint32_t i = 0; !rc && i < p->sample_count; i++)
		rc = profile_remap_observations(&s->map, samples[i], 0, UINT32_MAX);
	return rc;
}

static int copy_profiles(struct sorter *s)
{
	const struct profile_batch *b = &s->batch;
	uint32_t *order = consecutive_ids(&s->map.scratch, 0, b->profiles.n);
	const struct profile *last = NULL;
	int rc = order ? 0 : -ENOMEM;

	if (!rc)
		qsort_r(order, b->profiles.n, sizeof(*order), compare_profiles, s);
	for (uint32_t i = 0; !rc && i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[order[i]];
		uint32_t resource = b->scopes.at[p->scope].resource;

		if (!last || b->scopes.at[last->scope].resource != resource)
			rc = profile_remap_resource(&s->map, resource);
		if (!rc && (!last || last->scope != p->scope))
			rc = profile_remap_scope(&s->map, p->scope);
		if (!rc)
			rc = copy_profile(s, order[i]);
		last = p;
	}
	return rc;
}

int profile_sort(struct profile_batch *dst, const struct profile_batch *src)
{
	struct profile_builder builder;
	struct sorter s = {0};
	int rc = profile_batch_init(&s.batch, dst->arena.budget);

	if (!rc)
		rc = profile_normalize(&s.batch, src);
	if (!rc)
		rc = profile_builder_init(&builder, dst);
	if (!rc) {
		profile_remap_init(&s.map, &builder, true);
		rc = profile_remap_begin(&s.map, &s.batch);
	}
	if (!rc)
		rc = copy_dictionary(&s);
	if (!rc)
		rc = copy_profiles(&s);
	profile_remap_fini(&s.map);
	profile_batch_fini(&s.batch);
	return rc;
}
