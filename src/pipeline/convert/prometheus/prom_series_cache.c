/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/convert/prometheus/prom_series_cache.h"

/* Lookups for which a cache rests that had fewer hits than entries. */
enum { REST = 1000000 };

void prom_series_cache_fini(struct prom_series_cache *c)
{
	if (c->ready)
		arena_fini(&c->arena);
	*c = (struct prom_series_cache){.budget = c->budget};
}

/* Begin anew. Return false without memory. */
static bool restart(struct prom_series_cache *c)
{
	if (!c->ready)
		arena_init(&c->arena, c->budget);
	else
		arena_reset(&c->arena);
	c->ready = true;
	c->bytes = 0;
	c->hits = 0;
	memset(&c->series, 0, sizeof(c->series));
	if (!intern_init(&c->keys, &c->arena))
		return true;
	prom_series_cache_fini(c);
	return false;
}

struct str prom_series_cache_find(struct prom_series_cache *c, struct str key, uint32_t *id)
{
	*id = PROM_CACHE_NONE;
	if (c->rest) {
		c->rest--;
		return (struct str){0};
	}
	if (c->bytes > PROM_CACHE_BYTES) {
		if (c->hits < c->keys.items.n)
			c->rest = REST;
		if (!restart(c) || c->rest)
			return (struct str){0};
	}
	if ((!c->ready && !restart(c)) || intern_add(&c->keys, key, id)) {
		*id = PROM_CACHE_NONE;
		return (struct str){0};
	}
	if (*id < c->series.n && c->series.at[*id].n) {
		c->hits++;
		return c->series.at[*id];
	}
	return (struct str){0};
}

void prom_series_cache_put(struct prom_series_cache *c, uint32_t id, struct str labels)
{
	while (c->series.n <= id)
		if (vec_push(&c->arena, &c->series, (struct str){0}))
			return;
	if (arena_copy_str(&c->arena, labels, &c->series.at[id]))
		c->series.at[id] = (struct str){0};
	c->bytes += c->keys.items.at[id].n + labels.n + 64;
}
