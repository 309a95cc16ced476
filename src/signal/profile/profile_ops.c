/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Append, normalize and filter are the same walk over resources, scopes, profiles and samples
 * through a remap; they differ in which samples they copy and whether equal resources and scopes
 * are merged.
 */
#include "signal/profile/profile_ops.h"

#include <stdlib.h>

#include "signal/profile/profile_remap.h"

/* A profile and the first resource and scope that are equal to its own. */
struct profile_place {
	uint32_t resource, scope, profile;
};

static int compare_profile_places(const void *a, const void *b)
{
	const struct profile_place *x = a, *y = b;

	if (x->resource != y->resource)
		return x->resource < y->resource ? -1 : 1;
	if (x->scope != y->scope)
		return x->scope < y->scope ? -1 : 1;
	return (x->profile > y->profile) - (x->profile < y->profile);
}

/* Set first[i] to the first resource equal to resource i. */
static int find_equal_resources(const struct profile_batch *b, struct arena *scratch,
				uint32_t *first)
{
	struct idset seen;
	int rc = idset_init(&seen, scratch, b->resources.n);

	for (uint32_t i = 0; !rc && i < b->resources.n; i++) {
		const struct resource *r = &b->resources.at[i];
		uint32_t hash = profile_resource_hash(b, r), id;
		struct idset_cursor c = idset_seek(&seen, hash);

		first[i] = i;
		while (first[i] == i && idset_next(&seen, &c, &id))
			if (profile_resource_eq(b, &b->resources.at[id], b, r))
				first[i] = id;
		if (first[i] == i)
			rc = idset_add(&seen, hash, i);
	}
	return rc;
}

/* Set first[i] to the first scope equal to scope i with an equal resource. */
static int find_equal_scopes(const struct profile_batch *b, struct arena *scratch,
			     const uint32_t *resources, uint32_t *first)
{
	struct idset seen;
	int rc = idset_init(&seen, scratch, b->scopes.n);

	for (uint32_t i = 0; !rc && i < b->scopes.n; i++) {
		const struct scope *s = &b->scopes.at[i];
		uint32_t hash = profile_scope_hash(b, s) + resources[s->resource], id;
		struct idset_cursor c = idset_seek(&seen, hash);

		first[i] = i;
		while (first[i] == i && idset_next(&seen, &c, &id))
			if (resources[b->scopes.at[id].resource] == resources[s->resource] &&
			    profile_scope_eq(b, &b->scopes.at[id], b, s))
				first[i] = id;
		if (first[i] == i)
			rc = idset_add(&seen, hash, i);
	}
	return rc;
}

/* List the profiles in output order: by resource and scope, merging equal ones if `join`. */
static int sort_profiles(const struct profile_batch *b, struct arena *scratch, bool join,
			 struct profile_place **out)
{
	uint32_t *resources = arena_alloc(scratch, b->resources.n, sizeof(*resources));
	uint32_t *scopes = arena_alloc(scratch, b->scopes.n, sizeof(*scopes));
	struct profile_place *places = arena_alloc(scratch, b->profiles.n, sizeof(*places));
	int rc = 0;

	if (!resources || !scopes || !places)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->resources.n; i++)
		resources[i] = i;
	for (uint32_t i = 0; i < b->scopes.n; i++)
		scopes[i] = i;
	if (join)
		rc = find_equal_resources(b, scratch, resources);
	if (!rc && join)
		rc = find_equal_scopes(b, scratch, resources, scopes);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		uint32_t scope = scopes[b->profiles.at[i].scope];

		places[i] =
			(struct profile_place){resources[b->scopes.at[scope].resource], scope, i};
	}
	qsort(places, b->profiles.n, sizeof(*places), compare_profile_places);
	*out = places;
	return 0;
}

static int walk_samples(struct profile_remap *m, const struct profile_walk *w, uint32_t profile)
{
	const struct profile *p = &m->src->profiles.at[profile];
	uint32_t from = p->sample_first > w->from ? p->sample_first : w->from;
	uint32_t end = p->sample_first + p->sample_count, to = end < w->to ? end : w->to;
	int rc = 0;

	for (uint32_t i = from; !rc && i < to; i++)
		if (!w->keep || w->keep(m->src, profile, i, w->arg))
			rc = profile_remap_observations(m, i, i == w->from ? w->skip : 0,
							i + 1 == w->to && w->take_to ? w->take_to
										     : UINT32_MAX);
	return rc;
}

/* Return whether the profile has samples in the walk's range, or is empty and lies in it. */
static bool is_in_walk(const struct profile_walk *w, const struct profile_batch *b,
		       const struct profile *p)
{
	uint32_t end = p->sample_first + p->sample_count;

	if (p->sample_count)
		return p->sample_first < w->to && end > w->from;
	return !w->skip_empty && p->sample_first >= w->from &&
	       (p->sample_first < w->to || w->to == b->sample_count);
}

/*
 * Change the id of a profile that continues one in an earlier part, so that receivers that
 * deduplicate by id do not drop it. The new id is a function of the old one and the part, so it is
 * the same when the profile is sent again. The payload is in the first part only.
 */
static void mark_continuation(struct profile *p, uint32_t part)
{
	static const uint8_t none[PROFILE_ID_SIZE];
	uint64_t middle, spread = part * 0x9e3779b97f4a7c15u; /* unlike ids made by a counter */

	p->payload = p->payload_format = (struct str){0};
	if (!memcmp(p->id, none, sizeof(none)))
		return;
	memcpy(&middle, p->id + 4, sizeof(middle));
	middle ^= spread;
	memcpy(p->id + 4, &middle, sizeof(middle));
}

int profile_remap_all(struct profile_remap *m, const struct profile_walk *w)
{
	const struct profile_batch *src = m->src;
	struct profile_batch *dst = m->dst->batch;
	const struct profile_place *last = NULL;
	struct profile_place *places = NULL;
	int rc = sort_profiles(src, &m->scratch, w->join, &places);

	for (uint32_t i = 0; !rc && i < src->profiles.n; i++) {
		const struct profile_place *at = &places[i];

		if (!is_in_walk(w, src, &src->profiles.at[at->profile]))
			continue;
		if (!last || last->resource != at->resource)
			rc = profile_remap_resource(m, at->resource);
		if (!rc && (!last || last->scope != at->scope))
			rc = profile_remap_scope(m, at->scope);
		if (!rc)
			rc = profile_remap_profile(m, at->profile);
		if (!rc && w->continued_part &&
		    src->profiles.at[at->profile].sample_first <= w->from)
			mark_continuation(&dst->profiles.at[dst->profiles.n - 1],
					  w->continued_part);
		if (!rc)
			rc = walk_samples(m, w, at->profile);
		last = at;
	}
	return rc;
}

int profile_append(struct profile_builder *dst, const struct profile_batch *src)
{
	struct profile_walk w = {.to = src->sample_count};
	struct profile_remap m;
	int rc;

	profile_remap_init(&m, dst, true);
	rc = profile_remap_begin(&m, src);
	if (!rc)
		rc = profile_remap_all(&m, &w);
	profile_remap_fini(&m);
	return rc;
}

int profile_filter(struct profile_batch *dst, const struct profile_batch *src,
		   bool (*keep)(const struct profile_batch *src, uint32_t profile, uint32_t sample,
				void *arg),
		   void *arg)
{
	struct profile_walk w = {.join = true, .to = src->sample_count, .keep = keep, .arg = arg};
	struct profile_builder b;
	struct profile_remap m;
	int rc = profile_builder_init(&b, dst);

	profile_remap_init(&m, &b, false);
	if (!rc)
		rc = profile_remap_begin(&m, src);
	if (!rc)
		rc = profile_remap_all(&m, &w);
	profile_remap_fini(&m);
	return rc;
}

int profile_normalize(struct profile_batch *dst, const struct profile_batch *src)
{
	return profile_filter(dst, src, NULL, NULL);
}
