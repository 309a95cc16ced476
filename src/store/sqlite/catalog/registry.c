/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry: series in blocks that never move, a hash index of their encodings, and a list of
 * free numbers. A sweep frees idle series and replaces the index.
 */
#include "store/sqlite/catalog/registry.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/container/hash.h"
#include "store/sqlite/block/columns.h"

int registry_init(struct registry *r)
{
	*r = (struct registry){0};
	pthread_mutex_init(&r->mu, NULL);
	pthread_rwlock_init(&r->use, NULL);
	return idset_init(&r->index, &r->arena, 0);
}

void registry_fini(struct registry *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		free(registry_at(r, i)->memory);
	for (uint32_t i = 0; i < REGISTRY_BLOCKS; i++)
		free(r->blocks[i]);
	free(r->free.at);
	arena_fini(&r->arena);
	pthread_rwlock_destroy(&r->use);
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

static bool find_series(const struct registry *r, struct str encoded, uint64_t hash,
			uint32_t *number)
{
	struct idset_cursor c = idset_seek(&r->index, (uint32_t)hash);

	while (idset_next(&r->index, &c, number)) {
		const struct registry_series *s = registry_get(r, *number);

		if (s->hash == hash && str_eq(s->encoded, encoded))
			return true;
	}
	return false;
}

/* Return the slice of the copy `to` for the slice `s` of `from`. */
static struct str moved(struct str s, const char *from, const char *to)
{
	return (struct str){to + (s.p - from), s.n};
}

/* Allocate the memory of a series, one block for labels and encoding, and set its fields. */
static int make_series(struct registry_series *s, struct str encoded, struct err *e)
{
	struct arena scratch;
	struct label_set labels;
	struct str tenant;
	struct label *at;
	char *bytes;
	int rc;

	arena_init(&scratch, NULL);
	rc = labels_decode(encoded, &scratch, &tenant, &labels, e);
	at = rc ? NULL : malloc(labels.n * sizeof(*at) + encoded.n + 1);
	if (!rc && !at)
		rc = err_errno(e, -ENOMEM, "add a series");
	if (!rc) {
		bytes = (char *)(at + labels.n);
		memcpy(bytes, encoded.p, encoded.n);
		for (uint32_t i = 0; i < labels.n; i++)
			at[i] = (struct label){moved(labels.at[i].name, encoded.p, bytes),
					       moved(labels.at[i].value, encoded.p, bytes)};
		s->memory = at;
		s->labels = (struct label_set){at, labels.n};
		s->tenant = moved(tenant, encoded.p, bytes);
		s->encoded = (struct str){bytes, encoded.n};
	}
	arena_fini(&scratch);
	return rc;
}

/* Set *number to a free or new number without reserving it. */
static int find_number(struct registry *r, uint32_t *number, struct err *e)
{
	uint32_t n = atomic_load(&r->count);
	struct registry_series **block = &r->blocks[n / REGISTRY_BLOCK];

	*number = n;
	if (r->free.n) {
		*number = r->free.at[r->free.n - 1];
		return 0;
	}
	if (n >= (uint32_t)REGISTRY_BLOCK * REGISTRY_BLOCKS)
		return err_set(e, -EOVERFLOW, "there are more than %u series", n);
	if (!*block)
		*block = calloc(REGISTRY_BLOCK, sizeof(**block));
	return *block ? 0 : -ENOMEM;
}

static int append(struct registry *r, struct str encoded, uint64_t hash, uint32_t *number,
		  struct err *e)
{
	struct registry_series s = {.hash = hash}, *to;
	uint32_t n;
	int rc = find_number(r, &n, e);

	if (!rc)
		rc = make_series(&s, encoded, e);
	if (!rc)
		rc = idset_add(&r->index, (uint32_t)hash, n);
	if (rc) {
		free(s.memory);
		return err_errno(e, rc, "add a series");
	}
	to = registry_at(r, n);
	to->tenant = s.tenant;
	to->labels = s.labels;
	to->encoded = s.encoded;
	to->hash = hash;
	to->memory = s.memory;
	atomic_store(&to->refs, 0);
	if (r->free.n)
		r->free.n--;
	else
		atomic_store(&r->count, n + 1);
	*number = n;
	return 0;
}

int registry_add(struct registry *r, struct str encoded, uint32_t *number, struct err *e)
{
	uint64_t hash = hash_bytes(encoded.p, encoded.n);
	int rc = 0;

	pthread_mutex_lock(&r->mu);
	if (!find_series(r, encoded, hash, number))
		rc = append(r, encoded, hash, number, e);
	if (!rc)
		registry_ref(r, *number);
	pthread_mutex_unlock(&r->mu);
	return rc;
}

bool registry_find(struct registry *r, struct str encoded, uint32_t *number)
{
	bool found;

	pthread_mutex_lock(&r->mu);
	found = find_series(r, encoded, hash_bytes(encoded.p, encoded.n), number);
	pthread_mutex_unlock(&r->mu);
	return found;
}

void registry_ref(struct registry *r, uint32_t number)
{
	atomic_fetch_add(&registry_at(r, number)->refs, 1);
}

void registry_unref(struct registry *r, uint32_t number)
{
	struct registry_series *s = registry_at(r, number);

	atomic_store(&s->idle_ns, clock_monotonic_ns()); /* before a sweep can see 0 references */
	atomic_fetch_sub(&s->refs, 1);
}

/* ---- sweeping ---- */

static bool is_idle(const struct registry_series *s, uint64_t before)
{
	return s->encoded.p && !atomic_load(&s->refs) && atomic_load(&s->idle_ns) <= before;
}

/*
 * The idle series, and an index of all others; from one pass, as series may become idle meanwhile.
 */
struct sweep {
	struct arena arena; /* of the index */
	struct idset index;
	struct arena scratch;
	VEC(uint32_t) idle;
};

static int find_idle_series(const struct registry *r, uint64_t before, struct sweep *w)
{
	int rc = idset_init(&w->index, &w->arena, r->index.count);

	for (uint32_t i = 0; !rc && i < r->count; i++) {
		const struct registry_series *s = registry_at(r, i);

		if (is_idle(s, before))
			rc = vec_push(&w->scratch, &w->idle, i);
		else if (s->encoded.p)
			rc = idset_add(&w->index, (uint32_t)s->hash, i);
	}
	return rc;
}

static void free_idle_series(struct registry *r, const struct sweep *w)
{
	for (uint32_t i = 0; i < w->idle.n; i++) {
		struct registry_series *s = registry_at(r, w->idle.at[i]);

		free(s->memory);
		s->memory = NULL;
		s->encoded = s->tenant = (struct str){0};
		s->labels = (struct label_set){0};
		r->free.at[r->free.n++] = w->idle.at[i];
	}
}

/* Free series idle since `before` and return their number. mu is held, and `use` for writing. */
static uint32_t sweep_idle(struct registry *r, uint64_t before)
{
	struct sweep w = {0};
	uint32_t gone = 0, *room = NULL;
	int rc = find_idle_series(r, before, &w);

	if (!rc && w.idle.n)
		room = realloc(r->free.at, (r->free.n + w.idle.n) * sizeof(*room));
	if (room) {
		gone = w.idle.n;
		r->free.at = room;
		free_idle_series(r, &w);
		arena_fini(&r->arena);
		r->arena = w.arena;
		r->index = w.index;
		r->index.arena = &r->arena;
		w.arena = (struct arena){0};
	}
	arena_fini(&w.scratch);
	arena_fini(&w.arena);
	return gone;
}

uint32_t registry_sweep(struct registry *r, uint64_t idle_ns)
{
	uint64_t now = clock_monotonic_ns();
	uint32_t gone = 0;

	if (now < idle_ns || pthread_rwlock_trywrlock(&r->use))
		return 0;
	pthread_mutex_lock(&r->mu);
	gone = sweep_idle(r, now - idle_ns);
	pthread_mutex_unlock(&r->mu);
	pthread_rwlock_unlock(&r->use);
	return gone;
}
