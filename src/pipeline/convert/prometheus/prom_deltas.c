/* SPDX-License-Identifier: Apache-2.0 */
/* A table of totals; when it is full, those that were not used for an hour are dropped. */
#include "pipeline/convert/prometheus/prom_deltas.h"

#include <errno.h>

#include "base/container/hash.h"

enum { TOTALS_MAX = 1 << 20, FORGET_MS = 3600000, EXPECTED = 64 };

int prom_deltas_init(struct prom_deltas *d)
{
	*d = (struct prom_deltas){0};
	pthread_mutex_init(&d->mu, NULL);
	arena_init(&d->arena, NULL);
	return map_init(&d->by_key, &d->arena, EXPECTED);
}

void prom_deltas_fini(struct prom_deltas *d)
{
	if (!d->by_key.arena)
		return;
	arena_fini(&d->arena);
	pthread_mutex_destroy(&d->mu);
	*d = (struct prom_deltas){0};
}

/* Make a new table of the totals that are in use. */
static int forget_old(struct prom_deltas *d, int64_t now)
{
	struct prom_deltas kept = {0};
	int rc;

	arena_init(&kept.arena, NULL);
	rc = map_init(&kept.by_key, &kept.arena, EXPECTED);
	for (uint32_t i = 0; i < d->list.n && !rc; i++) {
		if (d->list.at[i].time + FORGET_MS < now)
			continue;
		rc = vec_push(&kept.arena, &kept.list, d->list.at[i]);
		if (!rc)
			rc = map_set(&kept.by_key, d->list.at[i].key, kept.list.n);
	}
	if (rc) {
		arena_fini(&kept.arena);
		return rc;
	}
	arena_fini(&d->arena);
	d->arena = kept.arena;
	d->by_key = kept.by_key;
	d->by_key.arena = &d->arena;
	d->list.at = kept.list.at;
	d->list.n = kept.list.n;
	d->list.cap = kept.list.cap;
	return d->list.n < TOTALS_MAX ? 0 : -ENOMEM;
}

static struct prom_total *total_of(struct prom_deltas *d, uint64_t key, int64_t time)
{
	uint64_t *at;
	bool added;

	if (d->list.n >= TOTALS_MAX && !map_get(&d->by_key, key, &(uint64_t){0}) &&
	    forget_old(d, time))
		return NULL;
	at = map_at(&d->by_key, key, &added);
	if (at && added) {
		if (vec_push(&d->arena, &d->list, (struct prom_total){.key = key}))
			return NULL;
		*at = d->list.n;
	}
	return at && *at ? &d->list.at[*at - 1] : NULL;
}

bool prom_deltas_add(struct prom_deltas *d, struct str tenant, struct str labels, int64_t time,
		     double value, double *total)
{
	uint64_t key = hash_bytes(labels.p, labels.n) ^ hash_bytes(tenant.p, tenant.n) << 1;
	struct prom_total *t;
	bool newer;

	pthread_mutex_lock(&d->mu);
	t = total_of(d, key, time);
	newer = t && time > t->time;
	if (newer) {
		t->total += value;
		t->time = time;
		*total = t->total;
	}
	pthread_mutex_unlock(&d->mu);
	return newer;
}
