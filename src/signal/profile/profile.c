/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of the profile batch, and lookups of attributes. */
#include "signal/profile/profile.h"

/* All vectors of the batch. */
#define FOR_EACH_VECTOR(DO)                                                                        \
	DO(strings)                                                                                \
	DO(mappings)                                                                               \
	DO(functions)                                                                              \
	DO(locations)                                                                              \
	DO(stacks)                                                                                 \
	DO(links)                                                                                  \
	DO(attributes)                                                                             \
	DO(lines)                                                                                  \
	DO(stack_locations)                                                                        \
	DO(attribute_refs)                                                                         \
	DO(keyvalues)                                                                              \
	DO(resources)                                                                              \
	DO(scopes)                                                                                 \
	DO(profiles)                                                                               \
	DO(sample_attributes)                                                                      \
	DO(values)                                                                                 \
	DO(times)

/* Add row 0 of each table, and the first entry of the sample columns. */
static int add_first_rows(struct profile_batch *b)
{
	int rc = 0;

#define ADD_ZERO(table)                                                                            \
	if (!rc)                                                                                   \
		rc = vec_push(&b->arena, &b->table, (__typeof__(*b->table.at)){0});
	ADD_ZERO(strings)
	ADD_ZERO(mappings)
	ADD_ZERO(functions)
	ADD_ZERO(locations)
	ADD_ZERO(stacks)
	ADD_ZERO(links)
	ADD_ZERO(attributes)
#undef ADD_ZERO
	if (!rc)
		b->strings.at[0] = STR("");
		/* pools are never NULL: rows may refer to the start of an empty one */
#define ADD_ROOM(pool)                                                                             \
	if (!rc)                                                                                   \
		rc = vec_reserve(&b->arena, &b->pool, 1);
	ADD_ROOM(lines)
	ADD_ROOM(stack_locations)
	ADD_ROOM(attribute_refs)
	ADD_ROOM(keyvalues)
	ADD_ROOM(sample_attributes)
	ADD_ROOM(values)
	ADD_ROOM(times)
#undef ADD_ROOM
	if (!rc)
		rc = profile_batch_reserve_samples(b, 1);
	if (!rc)
		b->sample_attributes_at[0] = b->sample_values_at[0] = b->sample_times_at[0] = 0;
	return rc;
}

int profile_batch_init(struct profile_batch *b, struct budget *budget)
{
	*b = (struct profile_batch){0};
	arena_init(&b->arena, budget);
	return add_first_rows(b);
}

void profile_batch_fini(struct profile_batch *b)
{
	arena_fini(&b->arena);
	*b = (struct profile_batch){0};
}

/* Allocate a vector with its previous capacity, so that a reused batch never copies to grow. */
static void reallocate_vector(struct arena *a, void **at, uint32_t *n, uint32_t *cap, size_t size)
{
	uint32_t room = *cap;

	*at = NULL;
	*n = *cap = 0;
	if (room && vec_grow(a, at, 0, cap, room, size))
		*cap = 0;
}

int profile_batch_reset(struct profile_batch *b)
{
	uint32_t samples = b->sample_cap;
	int rc;

	arena_reset(&b->arena);
#define RENEW(v)                                                                                   \
	reallocate_vector(&b->arena, (void **)&b->v.at, &b->v.n, &b->v.cap, sizeof(*b->v.at));
	FOR_EACH_VECTOR(RENEW)
#undef RENEW
	b->string_keys = NULL;
	b->sample_count = b->sample_cap = 0;
	b->sample_stack = b->sample_link = NULL;
	b->sample_attributes_at = b->sample_values_at = b->sample_times_at = NULL;
	rc = profile_batch_reserve_samples(b, samples);
	return rc ? rc : add_first_rows(b);
}

int profile_key_strings(struct profile_batch *b)
{
	struct bytes_key *keys = arena_alloc(&b->arena, b->strings.n, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->strings.n; i++)
		keys[i] = key_of_bytes(b->strings.at[i].p, b->strings.at[i].n);
	b->string_keys = keys;
	return 0;
}

int profile_batch_reserve_samples(struct profile_batch *b, size_t more)
{
	uint32_t **columns[] = {&b->sample_stack, &b->sample_link, &b->sample_attributes_at,
				&b->sample_values_at, &b->sample_times_at};
	size_t want, room = max_size(64, 2 * (size_t)b->sample_cap);

	/* one more than samples: the *_at columns end with the end of the last sample */
	if (__builtin_add_overflow((size_t)b->sample_count + 1, more, &want) || want > VEC_MAX)
		return -EOVERFLOW;
	if (want <= b->sample_cap)
		return 0;
	room = min_size(max_size(room, want), VEC_MAX);
	for (size_t i = 0; i < countof(columns); i++) {
		uint32_t *grown =
			arena_resize(&b->arena, *columns[i], b->sample_cap, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM; /* columns already grown just exceed sample_cap */
		*columns[i] = grown;
	}
	b->sample_cap = (uint32_t)room;
	return 0;
}

const struct attribute *profile_find_attribute(const struct profile_batch *b, const uint32_t *ids,
					       uint32_t n, struct str key)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct attribute *a = &b->attributes.at[ids[i]];

		if (str_eq(string_of(b, a->key), key))
			return a;
	}
	return NULL;
}

const struct value *profile_find_keyvalue(const struct profile_batch *b, struct list attributes,
					  struct str key)
{
	for (uint32_t i = 0; i < attributes.n; i++) {
		const struct keyvalue *kv = &b->keyvalues.at[attributes.at + i];

		if (str_eq(kv->key, key))
			return &kv->value;
	}
	return NULL;
}

static bool is_service_key(struct str key)
{
	return str_eq(key, STR("service.name")) || str_eq(key, STR("service_name"));
}

static bool has_key(const struct keyvalue *at, uint32_t n, struct str key)
{
	for (uint32_t i = 0; i < n; i++)
		if (str_eq(at[i].key, key) || (is_service_key(at[i].key) && is_service_key(key)))
			return true;
	return false;
}

int profile_set_resource(struct profile_batch *b, const struct keyvalue *at, uint32_t n)
{
	for (uint32_t i = 0; i < b->resources.n && n; i++) {
		struct list old = b->resources.at[i].attributes;
		uint32_t first = b->keyvalues.n;
		int rc = 0;

		for (uint32_t k = 0; k < n && !rc; k++)
			rc = vec_push(&b->arena, &b->keyvalues, at[k]);
		for (uint32_t k = 0; k < old.n && !rc; k++) {
			struct keyvalue kv = b->keyvalues.at[old.at + k];

			if (!has_key(at, n, kv.key))
				rc = vec_push(&b->arena, &b->keyvalues, kv);
		}
		if (rc)
			return rc;
		b->resources.at[i].attributes =
			(struct list){.at = first, .n = b->keyvalues.n - first};
	}
	return 0;
}
