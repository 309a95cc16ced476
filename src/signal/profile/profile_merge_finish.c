/* SPDX-License-Identifier: Apache-2.0 */
/* The last step of a merge: sorts scopes by resource, groups by scope, and writes samples. */
#include <stdlib.h>

#include "signal/profile/profile_merge_parts.h"
#include "signal/profile/profile_rows.h"

struct sort_key {
	uint32_t key, id;
};

static int compare_keys(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Sort the scopes by resource, and update the scopes of the groups. */
static int sort_merged_scopes(struct profile_merge *m)
{
	struct profile_batch *out = m->builder.batch;
	uint32_t n = out->scopes.n;
	struct sort_key *order = arena_alloc(&m->arena, n, sizeof(*order));
	struct scope *rows = arena_alloc(&m->arena, n, sizeof(*rows));
	uint32_t *moved = arena_alloc(&m->arena, n, sizeof(*moved));

	if (!order || !rows || !moved)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		order[i] = (struct sort_key){out->scopes.at[i].resource, i};
		rows[i] = out->scopes.at[i];
	}
	qsort(order, n, sizeof(*order), compare_keys);
	for (uint32_t i = 0; i < n; i++) {
		out->scopes.at[i] = rows[order[i].id];
		moved[order[i].id] = i;
	}
	for (uint32_t i = 0; i < m->groups.n; i++)
		m->groups.at[i].row.scope = moved[m->groups.at[i].row.scope];
	return 0;
}

static int compare_observations(const void *a, const void *b)
{
	const struct merge_observation *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

static int write_observations(struct profile_merge *m, const struct merge_cell *cell, bool valued)
{
	struct profile_batch *out = m->builder.batch;
	struct merge_chain chain = {0};
	int rc;

	if (cell->chain)
		chain = m->chains.at[cell->chain - 1];
	m->sorted.n = 0;
	rc = vec_reserve(&m->arena, &m->sorted, chain.count);
	if (!rc)
		rc = vec_reserve(&out->arena, &out->times, chain.count);
	if (!rc && valued)
		rc = vec_reserve(&out->arena, &out->values, chain.count);
	if (rc || !chain.count)
		return rc;
	for (uint32_t o = chain.first; o; o = m->observations.at[o - 1].next)
		m->sorted.at[m->sorted.n++] = m->observations.at[o - 1];
	qsort(m->sorted.at, m->sorted.n, sizeof(*m->sorted.at), compare_observations);
	for (uint32_t i = 0; i < m->sorted.n; i++) {
		out->times.at[out->times.n++] = m->sorted.at[i].time;
		if (valued)
			out->values.at[out->values.n++] = m->sorted.at[i].value;
	}
	return 0;
}

static int write_sample(struct profile_merge *m, const struct merge_group *g, uint32_t row)
{
	struct profile_batch *out = m->builder.batch;
	const struct merge_identity *identity = &m->families.at[g->family].identities.at[row];
	const struct merge_cell *cell = &g->cells.at[row];
	struct list set = m->attribute_sets.at[identity->attributes];
	const uint32_t *ids = m->attribute_pool.at + set.at;
	int rc;

	if (g->untimed)
		return profile_add_sample(&m->builder, identity->stack, identity->link, ids, set.n,
					  cell->sum);
	rc = vec_reserve(&out->arena, &out->sample_attributes, set.n);
	if (!rc)
		rc = profile_batch_reserve_samples(out, 1);
	if (!rc)
		rc = write_observations(m, cell, g->valued);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < set.n; i++)
		out->sample_attributes.at[out->sample_attributes.n++] = ids[i];
	return profile_sample_end(out, identity->stack, identity->link);
}

static int write_group(struct profile_merge *m, const struct merge_group *g)
{
	struct profile_batch *out = m->builder.batch;
	struct list set = m->attribute_sets.at[g->attributes];
	int rc = profile_add_profile(&m->builder, &g->row, m->attribute_pool.at + set.at, set.n);

	if (!rc)
		out->profiles.at[out->profiles.n - 1].scope = g->row.scope;
	for (uint32_t row = 0; !rc && row < g->cells.n; row++)
		if (g->cells.at[row].present)
			rc = write_sample(m, g, row);
	return rc;
}

int profile_merge_finish(struct profile_merge *m)
{
	struct sort_key *order = arena_alloc(&m->arena, m->groups.n, sizeof(*order));
	int rc = order ? sort_merged_scopes(m) : -ENOMEM;

	if (!rc)
		rc = merge_strips_spread(m);
	if (rc)
		return rc;
	for (uint32_t g = 0; g < m->groups.n; g++)
		order[g] = (struct sort_key){m->groups.at[g].row.scope, g};
	qsort(order, m->groups.n, sizeof(*order), compare_keys);
	for (uint32_t i = 0; !rc && i < m->groups.n; i++)
		rc = write_group(m, &m->groups.at[order[i].id]);
	return rc;
}
