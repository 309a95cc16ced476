/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/registry.h"

#include "base/hash.h"
#include "store/sqlite/columns.h"

int registry_init(struct registry *r, struct budget *budget)
{
	*r = (struct registry){0};
	pthread_mutex_init(&r->mu, NULL);
	arena_init(&r->arena, budget);
	return idset_init(&r->index, &r->arena, 0);
}

void registry_fini(struct registry *r)
{
	arena_fini(&r->arena);
	pthread_mutex_destroy(&r->mu);
}

void labels_encode(struct buf *out, struct str tenant, struct label_set labels)
{
	column_put_str(out, tenant);
	column_put_varint(out, labels.n);
	for (uint32_t i = 0; i < labels.n; i++) {
		column_put_str(out, labels.at[i].name);
		column_put_str(out, labels.at[i].value);
	}
}

int labels_decode(struct str bytes, struct arena *arena, struct str *tenant,
		  struct label_set *labels, struct err *e)
{
	struct column_cursor c = column_cursor(bytes);
	struct label *at;
	uint64_t n;

	*tenant = column_str(&c);
	n = column_varint(&c);
	if (c.bad || n > bytes.n / 2)
		return err_set(e, -EUCLEAN, "the labels of a series are damaged");
	at = arena_alloc(arena, n + 1, sizeof(*at));
	if (!at)
		return err_errno(e, -ENOMEM, "read series");
	for (uint64_t i = 0; i < n; i++) {
		at[i].name = column_str(&c);
		at[i].value = column_str(&c);
	}
	if (c.bad || c.p != c.end)
		return err_set(e, -EUCLEAN, "the labels of a series are damaged");
	*labels = (struct label_set){at, (uint32_t)n};
	return 0;
}

static bool find(const struct registry *r, struct str encoded, uint64_t hash, uint32_t *number)
{
	struct idset_cursor c = idset_seek(&r->index, (uint32_t)hash);

	while (idset_next(&r->index, &c, number)) {
		const struct registry_series *s = registry_get(r, *number);

		if (s->hash == hash && str_eq(s->encoded, encoded))
			return true;
	}
	return false;
}

static int append(struct registry *r, struct str encoded, uint64_t hash, uint32_t *number,
		  struct err *e)
{
	uint32_t n = atomic_load(&r->count);
	struct registry_series **block = &r->blocks[n / REGISTRY_BLOCK], s = {.hash = hash};
	int rc;

	if (n >= (uint32_t)REGISTRY_BLOCK * REGISTRY_BLOCKS)
		return err_set(e, -EOVERFLOW, "there are more than %u series", n);
	if (!*block)
		*block = arena_alloc(&r->arena, REGISTRY_BLOCK, sizeof(**block));
	rc = *block ? arena_copy_str(&r->arena, encoded, &s.encoded) : -ENOMEM;
	if (!rc)
		rc = labels_decode(s.encoded, &r->arena, &s.tenant, &s.labels, e);
	if (!rc)
		rc = idset_add(&r->index, (uint32_t)hash, n);
	if (rc)
		return err_errno(e, rc, "add a series");
	(*block)[n % REGISTRY_BLOCK] = s;
	atomic_store(&r->count, n + 1);
	*number = n;
	return 0;
}

int registry_add(struct registry *r, struct str encoded, uint32_t *number, struct err *e)
{
	uint64_t hash = hash_bytes(encoded.p, encoded.n);
	int rc = 0;

	pthread_mutex_lock(&r->mu);
	if (!find(r, encoded, hash, number))
		rc = append(r, encoded, hash, number, e);
	pthread_mutex_unlock(&r->mu);
	return rc;
}
