/* SPDX-License-Identifier: Apache-2.0 */
#include "api/drift/drift_series.h"

#include <pthread.h>

#include "base/clock.h"

#define METRIC "varve_drift_active"

/* A function of an active event; strings are copies. */
struct active {
	struct str tenant, service, type, function, kind;
	double value;
	bool written;
};

struct active_functions {
	struct arena arena;
	VEC(struct active) list;
	uint64_t now;
	int rc;
};

static int keep_function(struct active_functions *all, const struct drift_event *at, uint32_t i)
{
	struct active a = {.kind = drift_kind_name(at->kind), .value = drift_event_ratio(at, i)};
	int rc = arena_copy_str(&all->arena, at->tenant, &a.tenant);

	rc = rc ? rc : arena_copy_str(&all->arena, at->service, &a.service);
	rc = rc ? rc : arena_copy_str(&all->arena, at->type, &a.type);
	rc = rc ? rc : arena_copy_str(&all->arena, at->functions[i].name, &a.function);
	return rc ? rc : vec_push(&all->arena, &all->list, a);
}

static void keep_active(void *ctx, const struct drift_event *at)
{
	struct active_functions *all = ctx;

	if (!drift_event_active(at, all->now))
		return;
	for (uint32_t i = 0; !all->rc && i < at->function_n; i++)
		all->rc = keep_function(all, at, i);
}

/* ---- a write ---- */

struct wait {
	pthread_mutex_t mu;
	pthread_cond_t cond;
	bool done;
	int rc;
};

static void note_done(struct store_write *w, int rc, const struct err *e)
{
	struct wait *wait = w->owner;

	(void)e;
	pthread_mutex_lock(&wait->mu);
	wait->done = true;
	wait->rc = rc;
	pthread_cond_signal(&wait->cond);
	pthread_mutex_unlock(&wait->mu);
}

static int put_batch(struct store *store, struct str tenant, const struct metric_batch *b,
		     uint64_t now, struct err *e)
{
	struct wait wait = {.mu = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER};
	struct store_write w = {
		.tenant = tenant, .metrics = b, .received = now, .done = note_done, .owner = &wait};
	int rc = store->ops->put(store, &w, e);

	if (rc < 0)
		return rc;
	pthread_mutex_lock(&wait.mu);
	while (!wait.done)
		pthread_cond_wait(&wait.cond, &wait.mu);
	pthread_mutex_unlock(&wait.mu);
	return wait.rc ? err_errno(e, wait.rc, "write " METRIC) : 0;
}

static int add_sample(struct metric_batch *b, const struct active *a, uint64_t now)
{
	struct label labels[] = {{STR("__name__"), STR(METRIC)},
				 {STR("function"), a->function},
				 {STR("kind"), a->kind},
				 {STR("service"), a->service},
				 {STR("type"), a->type}};
	const char *wrong;
	uint32_t series;
	int rc = metric_batch_series(b, labels, countof(labels), &series, &wrong);

	if (rc)
		return rc < 0 ? rc : 0; /* a name that is no label value */
	return vec_push(
		&b->arena, &b->samples,
		(struct metric_sample){series, (int64_t)(now / NS_PER_MS), metric_bits(a->value)});
}

static int put_tenant(struct active_functions *all, struct store *store, struct str tenant,
		      struct err *e)
{
	struct metric_batch b;
	int rc = 0;

	metric_batch_init(&b, NULL);
	for (uint32_t i = 0; !rc && i < all->list.n; i++) {
		struct active *a = &all->list.at[i];

		if (a->written || !str_eq(a->tenant, tenant))
			continue;
		rc = add_sample(&b, a, all->now);
		a->written = true;
	}
	if (rc)
		err_set(e, rc, "out of memory");
	else if (b.samples.n)
		rc = put_batch(store, tenant, &b, all->now, e);
	metric_batch_fini(&b);
	return rc;
}

int drift_series_write(struct drift_log *l, struct store *store, uint64_t now, struct err *e)
{
	struct active_functions all = {.now = now};
	int rc;

	if (!store->ops->metrics)
		return 0;
	arena_init(&all.arena, NULL);
	drift_log_each(l, keep_active, &all);
	rc = all.rc ? err_set(e, all.rc, "out of memory") : 0;
	for (uint32_t i = 0; !rc && i < all.list.n; i++)
		if (!all.list.at[i].written)
			rc = put_tenant(&all, store, all.list.at[i].tenant, e);
	arena_fini(&all.arena);
	return rc;
}
