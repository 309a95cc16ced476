/* SPDX-License-Identifier: Apache-2.0 */
/* The series of a day: adding, loading, writing. */
#include "store/sqlite/metrics/metric_index.h"

#include <stdlib.h>

#include "base/container/hash.h"
#include "store/sqlite/block/columns.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { SLOTS_MIN = 256, POSTINGS_MIN = 4, PAIRS_MAX = METRIC_LABELS_MAX + 1, SERIES_MAX = 1 << 28 };

struct metric_index *metric_index_new(void)
{
	struct metric_index *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return NULL;
	x->refs = 1;
	pthread_rwlock_init(&x->lock, NULL);
	arena_init(&x->arena, NULL);
	rc = idset_init(&x->by_symbol, &x->arena, 0);
	if (!rc)
		rc = idset_init(&x->by_pair, &x->arena, 0);
	if (!rc)
		rc = idset_init(&x->by_family, &x->arena, 0);
	if (!rc)
		rc = vec_push(&x->arena, &x->first, 0);
	x->slots = calloc(SLOTS_MIN, sizeof(*x->slots));
	x->mask = SLOTS_MIN - 1;
	if (rc || !x->slots) {
		metric_index_unref(x);
		return NULL;
	}
	return x;
}

struct metric_index *metric_index_ref(struct metric_index *x)
{
	atomic_fetch_add(&x->refs, 1);
	return x;
}

void metric_index_unref(struct metric_index *x)
{
	if (!x || atomic_fetch_sub(&x->refs, 1) != 1)
		return;
	pthread_rwlock_destroy(&x->lock);
	arena_fini(&x->arena);
	buf_fini(&x->scratch);
	free(x->slots);
	free(x);
}

/* ---- symbols, pairs ---- */

static bool find_symbol(const struct metric_index *x, struct str text, uint32_t hash, uint32_t *id)
{
	struct idset_cursor c = idset_seek(&x->by_symbol, hash);

	while (idset_next(&x->by_symbol, &c, id))
		if (str_eq(x->symbols.at[*id], text))
			return true;
	return false;
}

static int add_symbol(struct metric_index *x, struct str text, uint32_t *id)
{
	uint32_t hash = hash32(text);
	struct str copy;
	int rc;

	if (find_symbol(x, text, hash, id))
		return 0;
	rc = arena_copy_str(&x->arena, text, &copy);
	if (!rc)
		rc = vec_reserve(&x->arena, &x->symbols, 1);
	if (!rc)
		rc = vec_reserve(&x->arena, &x->name_of, 1);
	if (!rc)
		rc = idset_add(&x->by_symbol, hash, x->symbols.n);
	if (rc)
		return rc;
	*id = x->symbols.n;
	x->symbols.at[x->symbols.n++] = copy;
	x->name_of.at[x->name_of.n++] = 0;
	return 0;
}

static uint32_t hash_pair(uint32_t name, uint32_t value)
{
	return hash_u64((uint64_t)name << 32 | value);
}

static bool find_pair(const struct metric_index *x, uint32_t name, uint32_t value, uint32_t *id)
{
	struct idset_cursor c = idset_seek(&x->by_pair, hash_pair(name, value));

	while (idset_next(&x->by_pair, &c, id))
		if (x->pairs.at[*id].name == name && x->pairs.at[*id].value == value)
			return true;
	return false;
}

/* Add the pair to the values of its name. */
static int list_pair(struct metric_index *x, uint32_t name, uint32_t pair)
{
	int rc = 0;

	if (!x->name_of.at[name]) {
		rc = vec_push(&x->arena, &x->names, (struct metric_label_name){.symbol = name});
		if (rc)
			return rc;
		x->name_of.at[name] = x->names.n;
	}
	return vec_push(&x->arena, &x->names.at[x->name_of.at[name] - 1].pairs, pair);
}

static int add_pair(struct metric_index *x, uint32_t name, uint32_t value, uint32_t *id)
{
	int rc;

	if (find_pair(x, name, value, id))
		return 0;
	rc = vec_reserve(&x->arena, &x->pairs, 1);
	if (!rc)
		rc = list_pair(x, name, x->pairs.n);
	if (!rc)
		rc = idset_add(&x->by_pair, hash_pair(name, value), x->pairs.n);
	if (rc)
		return rc;
	*id = x->pairs.n;
	x->pairs.at[x->pairs.n++] = (struct metric_pair){.name = name, .value = value};
	return 0;
}

static int add_posting(struct metric_index *x, struct metric_pair *p, uint32_t series)
{
	uint32_t cap = p->cap ? 2 * p->cap : POSTINGS_MIN, one = p->series.one;
	uint32_t *many;

	if (!p->n) {
		p->series.one = series;
		p->n = 1;
		return 0;
	}
	if (p->n >= p->cap) {
		many = arena_resize(&x->arena, p->cap ? p->series.many : NULL, p->cap, cap,
				    sizeof(*many));
		if (!many)
			return -ENOMEM;
		if (!p->cap)
			many[0] = one;
		p->series.many = many;
		p->cap = cap;
	}
	p->series.many[p->n++] = series;
	return 0;
}

/* ---- series ---- */

static XXH128_hash_t hash_labels(struct str key)
{
	return XXH3_128bits_withSeed(key.p, key.n, hash_seed);
}

static struct metric_series_slot *find_slot(struct metric_series_slot *slots, uint64_t mask,
					    uint64_t hash, uint32_t more)
{
	uint64_t at = hash & mask;

	while (slots[at].id && (slots[at].hash != hash || slots[at].more != more))
		at = (at + 1) & mask;
	return &slots[at];
}

static int grow_slots(struct metric_index *x)
{
	uint64_t mask = 2 * x->mask + 1;
	struct metric_series_slot *grown;

	if (2 * ((uint64_t)x->n + 1) <= x->mask)
		return 0;
	grown = calloc(mask + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	for (uint64_t i = 0; i <= x->mask; i++)
		if (x->slots[i].id)
			*find_slot(grown, mask, x->slots[i].hash, x->slots[i].more) = x->slots[i];
	free(x->slots);
	x->slots = grown;
	x->mask = mask;
	return 0;
}

/* Add a series with pairs that exist. */
static int add_series(struct metric_index *x, const uint32_t *pairs, uint32_t n, uint32_t *series)
{
	uint32_t id = x->n, name = 0;
	int rc = id == SERIES_MAX ? -EDQUOT : 0;

	if (!rc)
		rc = vec_reserve(&x->arena, &x->labels, n);
	if (!rc)
		rc = vec_reserve(&x->arena, &x->first, 1);
	if (!rc)
		rc = vec_reserve(&x->arena, &x->name_pairs, 1);
	for (uint32_t i = 0; i < n && !rc; i++) {
		struct metric_pair *p = &x->pairs.at[pairs[i]];

		x->labels.at[x->labels.n + i] = pairs[i];
		if (str_eq(x->symbols.at[p->name], STR(METRIC_NAME_LABEL)))
			name = pairs[i];
		rc = add_posting(x, p, id);
		if (rc) /* remove it from the pairs before */
			while (i--)
				x->pairs.at[pairs[i]].n--;
		if (rc)
			break;
	}
	if (rc)
		return rc;
	x->labels.n += n;
	x->first.at[x->first.n++] = x->labels.n;
	x->name_pairs.at[x->name_pairs.n++] = name;
	*series = x->n++;
	return 0;
}

/* Return the tenant's number of series. */
static uint32_t tenant_series(const struct metric_index *x, struct str tenant)
{
	const struct metric_pair *p = metric_index_pair(x, STR(""), tenant);

	return p ? p->n : 0;
}

/* Find or add the pairs of the key: tenant and labels. */
static int add_pairs(struct metric_index *x, struct str key, uint32_t *pairs, uint32_t *n)
{
	struct label l;
	int rc = 0;

	*n = 0;
	while (!rc && *n < PAIRS_MAX && metric_labels_next(&key, &l)) {
		uint32_t name, value;

		rc = add_symbol(x, l.name, &name);
		if (!rc)
			rc = add_symbol(x, l.value, &value);
		if (!rc)
			rc = add_pair(x, name, value, &pairs[(*n)++]);
	}
	return rc;
}

/* Put tenant and labels into the scratch buffer, and set *hash. */
static int make_key(struct metric_index *x, struct str tenant, struct str labels,
		    XXH128_hash_t *hash)
{
	int rc;

	buf_clear(&x->scratch);
	metric_labels_put(&x->scratch, STR(""), tenant);
	buf_put_str(&x->scratch, labels);
	rc = buf_error(&x->scratch);
	if (!rc)
		*hash = hash_labels(buf_str(&x->scratch));
	return rc;
}

bool metric_index_find(struct metric_index *x, struct str tenant, struct str labels,
		       uint32_t *series)
{
	const struct metric_series_slot *slot;
	XXH128_hash_t hash;

	if (make_key(x, tenant, labels, &hash))
		return false;
	slot = find_slot(x->slots, x->mask, hash.low64, (uint32_t)hash.high64);
	*series = slot->id - 1;
	return slot->id;
}

int metric_index_add(struct metric_index *x, struct str tenant, struct str labels, uint32_t most,
		     uint32_t *series)
{
	uint32_t pairs[PAIRS_MAX], n;
	struct metric_series_slot *slot;
	XXH128_hash_t hash;
	int rc = make_key(x, tenant, labels, &hash);

	if (rc)
		return rc;
	slot = find_slot(x->slots, x->mask, hash.low64, (uint32_t)hash.high64);
	if (slot->id) {
		*series = slot->id - 1;
		return 0;
	}
	if (most && tenant_series(x, tenant) >= most)
		return -EDQUOT;
	rc = grow_slots(x);
	if (!rc)
		rc = add_pairs(x, buf_str(&x->scratch), pairs, &n);
	if (!rc)
		rc = add_series(x, pairs, n, series);
	if (!rc)
		*find_slot(x->slots, x->mask, hash.low64, (uint32_t)hash.high64) =
			(struct metric_series_slot){hash.low64, (uint32_t)hash.high64, *series + 1};
	return rc;
}

static bool same_family(const struct metric_metadata *a, const struct metric_metadata *b)
{
	return a->type == b->type && str_eq(a->help, b->help) && str_eq(a->unit, b->unit);
}

int metric_index_add_family(struct metric_index *x, struct str tenant,
			    const struct metric_metadata *m)
{
	uint32_t hash = hash32(m->name) ^ hash32(tenant) * 31, id, last = UINT32_MAX;
	struct idset_cursor c = idset_seek(&x->by_family, hash);
	struct metric_family f = {.meta.type = m->type};
	int rc;

	while (idset_next(&x->by_family, &c, &id))
		if (str_eq(x->families.at[id].meta.name, m->name) &&
		    str_eq(x->families.at[id].tenant, tenant) && (last == UINT32_MAX || id > last))
			last = id;
	if (last != UINT32_MAX && same_family(&x->families.at[last].meta, m))
		return 0;
	rc = arena_copy_str(&x->arena, tenant, &f.tenant);
	if (!rc)
		rc = arena_copy_str(&x->arena, m->name, &f.meta.name);
	if (!rc)
		rc = arena_copy_str(&x->arena, m->help, &f.meta.help);
	if (!rc)
		rc = arena_copy_str(&x->arena, m->unit, &f.meta.unit);
	if (!rc)
		rc = idset_add(&x->by_family, hash, x->families.n);
	return rc ? rc : vec_push(&x->arena, &x->families, f);
}

/* ---- reading ---- */

const struct metric_pair *metric_index_pair(const struct metric_index *x, struct str name,
					    struct str value)
{
	uint32_t n, v, id;

	if (!find_symbol(x, name, hash32(name), &n) || !find_symbol(x, value, hash32(value), &v) ||
	    !find_pair(x, n, v, &id))
		return NULL;
	return &x->pairs.at[id];
}

const struct metric_label_name *metric_index_name_of(const struct metric_index *x, struct str name)
{
	uint32_t id;

	if (!find_symbol(x, name, hash32(name), &id) || !x->name_of.at[id])
		return NULL;
	return &x->names.at[x->name_of.at[id] - 1];
}

void metric_index_labels(const struct metric_index *x, uint32_t series, struct buf *out)
{
	/* the first pair is the tenant */
	for (uint32_t i = x->first.at[series] + 1; i < x->first.at[series + 1]; i++) {
		const struct metric_pair *p = &x->pairs.at[x->labels.at[i]];

		metric_labels_put(out, x->symbols.at[p->name], x->symbols.at[p->value]);
	}
}

int metric_index_compare(const struct metric_index *x, uint32_t a, uint32_t b)
{
	const uint32_t *p = &x->labels.at[x->first.at[a]], *q = &x->labels.at[x->first.at[b]];
	uint32_t n = x->first.at[a + 1] - x->first.at[a], m = x->first.at[b + 1] - x->first.at[b];
	uint32_t i = 1; /* after the tenant */
	int order;

	while (i < n && i < m && p[i] == q[i])
		i++;
	if (i == n || i == m)
		return (int)(i < n) - (int)(i < m);
	order = str_cmp(x->symbols.at[x->pairs.at[p[i]].name],
			x->symbols.at[x->pairs.at[q[i]].name]);
	return order ? order
		     : str_cmp(x->symbols.at[x->pairs.at[p[i]].value],
			       x->symbols.at[x->pairs.at[q[i]].value]);
}
