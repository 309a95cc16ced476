/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/exporters/store/store_exporter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/limits.h"

enum { RETRY_MS = 1000, RETRY_DISK_MS = 5000 };

/* A write on its way; kept for the next one when it is done. */
struct pending {
	struct store_write write;
	struct delivery *delivery;
	struct exporter *exporter;
	struct pending *next;
};

struct exporter {
	struct host *host;
	struct store *store;
	pthread_mutex_t mu; /* guards what follows */
	struct pending *free;
};

static struct pending *get_pending(struct exporter *x)
{
	struct pending *p;

	pthread_mutex_lock(&x->mu);
	p = x->free;
	if (p)
		x->free = p->next;
	pthread_mutex_unlock(&x->mu);
	return p ? p : malloc(sizeof(*p));
}

static void put_pending(struct exporter *x, struct pending *p)
{
	pthread_mutex_lock(&x->mu);
	p->next = x->free;
	x->free = p;
	pthread_mutex_unlock(&x->mu);
}

static uint32_t retry_after(int rc)
{
	if (rc == -EAGAIN || rc == -ENOMEM)
		return RETRY_MS;
	return delivery_may_retry(rc) ? RETRY_DISK_MS : 0;
}

static void written(struct store_write *w, int rc, const struct err *e)
{
	struct pending *p = w->owner;
	struct delivery *d = p->delivery;
	struct delivery_result result = {.rc = rc,
					 .retry_after_ms = retry_after(rc),
					 .rejected = w->rejected,
					 .duplicates = w->duplicates};

	if (rc && e)
		snprintf(result.reason, sizeof(result.reason), "%s", e->text);
	else if (!rc && w->rejected)
		snprintf(result.reason, sizeof(result.reason), "%s", w->reason);
	d->taken = w->taken && w->tell_taken;
	put_pending(p->exporter, p);
	delivery_done(d, &result);
}

static void consume(void *instance, struct delivery *d)
{
	struct exporter *x = instance;
	struct pending *p = get_pending(x);
	struct err e = {0};
	int rc;

	if (!p) {
		delivery_fail(d, -ENOMEM, RETRY_MS, "out of memory");
		return;
	}
	*p = (struct pending){
		.write = {.tenant = d->tenant,
			  .batch = d->batch,
			  .series = d->series,
			  .spans = d->spans,
			  .received = d->received,
			  .tell_taken = d->tell_taken,
			  .done = written,
			  .owner = p},
		.delivery = d,
		.exporter = x,
	};
	limits_quotas(d->account, p->write.quotas);
	rc = x->store->ops->put(x->store, &p->write, &e);
	if (!rc)
		return;
	put_pending(x, p);
	delivery_fail(d, rc, retry_after(rc), "%s", e.text[0] ? e.text : "the store is busy");
}

static void destroy(void *instance)
{
	struct exporter *x = instance;

	if (x->store)
		x->store->ops->close(x->store);
	if (x->host->store == x->store)
		x->host->store = NULL;
	while (x->free) {
		struct pending *p = x->free;

		x->free = p->next;
		free(p);
	}
	pthread_mutex_destroy(&x->mu);
	free(x);
}

static int create(void **instance, const struct component_env *env, const void *settings,
		  struct err *e)
{
	struct host *host = env->host;
	struct exporter *x;
	int rc;

	if (!host->open_store)
		return err_set(e, -ENOTSUP, "this program has no store");
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	x->host = host;
	pthread_mutex_init(&x->mu, NULL);
	rc = host->open_store(host->open_store_arg, settings, &x->store, e);
	if (rc) {
		x->store = NULL;
		destroy(x);
		return rc;
	}
	if (!host->store)
		host->store = x->store;
	*instance = x;
	return 0;
}

static const struct setting settings[] = {
	SET_STRING(struct store_settings, directory, "directory", "./varve-data",
		   "Where the data is kept; made if it is not there."),
	SET_DURATION(struct store_settings, retention_ns, "retention", "0",
		     "Drop what is older than this, and refuse it; 0: never."),
	SET_BYTES(struct store_settings, retention_bytes, "retention_bytes", "0",
		  "Drop the oldest days when there is more than this; 0: never."),
	SET_DURATION(struct store_settings, future_ns, "reject_newer_than", "1h",
		     "Refuse profiles and spans whose time is further ahead; 0: none."),
	SET_INT(struct store_settings, max_stack_nodes, "max_stack_nodes", "1000000000", 0,
		INT64_MAX, "nodes",
		"Refuse new stacks of a service that has more nodes than this in a day; 0: never."),
	SET_BYTES(struct store_settings, memory_bytes, "memory", "0",
		  "How much its caches may hold; 0: the store's own choice."),
	SET_END,
};

const struct component store_exporter = {
	.name = "store",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES,
	.help = "Keeps profiles, and the structure of traces, in a directory of this machine.",
	.settings = settings,
	.settings_size = sizeof(struct store_settings),
	.create = create,
	.consume = consume,
	.destroy = destroy,
};
