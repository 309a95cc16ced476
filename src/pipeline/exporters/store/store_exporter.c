/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store exporter: passes each delivery to the store and reports the result of its commit. The
 * store belongs to the host, because it stays open during a reload, while two exporters exist.
 */
#include "pipeline/exporters/store/store_exporter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/admission/limits.h"
#include "pipeline/convert/prometheus/prom_names.h"
#include "seal/key_ring.h"

enum { RETRY_MS = 1000, RETRY_DISK_MS = 5000 };

/* A write in progress; recycled when it is done. */
struct pending {
	struct store_write write;
	struct delivery *delivery;
	struct store_exporter *exporter;
	struct pending *next;
};

struct store_exporter {
	struct host *host;
	const char *directory;
	struct key_ring *keys; /* of journals in the directory; the store has its own */
	struct store *store;
	pthread_mutex_t mu; /* guards what follows */
	pthread_cond_t idle;
	struct pending *free;
	unsigned writing;
};

static struct pending *get_pending(struct store_exporter *x)
{
	struct pending *p;

	pthread_mutex_lock(&x->mu);
	p = x->free;
	if (p)
		x->free = p->next;
	else
		p = malloc(sizeof(*p));
	x->writing += p != NULL;
	pthread_mutex_unlock(&x->mu);
	return p;
}

static void put_pending(struct store_exporter *x, struct pending *p)
{
	pthread_mutex_lock(&x->mu);
	p->next = x->free;
	x->free = p;
	if (!--x->writing)
		pthread_cond_broadcast(&x->idle);
	pthread_mutex_unlock(&x->mu);
}

static uint32_t retry_after(int rc)
{
	if (rc == -EAGAIN || rc == -ENOMEM)
		return RETRY_MS;
	return delivery_may_retry(rc) ? RETRY_DISK_MS : 0;
}

static void write_done(struct store_write *w, int rc, const struct err *e)
{
	struct pending *p = w->owner;
	struct store_exporter *x = p->exporter;
	struct delivery *d = p->delivery;
	struct delivery_result result = {.rc = rc,
					 .retry_after_ms = retry_after(rc),
					 .rejected = w->rejected,
					 .duplicates = w->duplicates};

	if (rc && e)
		snprintf(result.reason, sizeof(result.reason), "%s", e->text);
	else if (!rc && w->rejected)
		snprintf(result.reason, sizeof(result.reason), "%s", w->reason);
	d->copied = w->copied;
	delivery_done(d, &result);
	put_pending(x, p); /* last: x may be destroyed as soon as nothing is written */
}

static bool store_exporter_consume(void *instance, struct delivery *d)
{
	struct store_exporter *x = instance;
	struct pending *p = get_pending(x);
	struct err e = {0};
	int rc;

	if (!p) {
		delivery_fail(d, -ENOMEM, RETRY_MS, "out of memory");
		return false;
	}
	*p = (struct pending){
		.write = {.tenant = d->tenant,
			  .batch = d->batch,
			  .series = d->series,
			  .spans = d->spans,
			  .logs = d->logs,
			  .metrics = d->metrics,
			  .received = d->received,
			  .done = write_done,
			  .owner = p},
		.delivery = d,
		.exporter = x,
	};
	limits_quotas(d->account, p->write.quotas);
	rc = x->store->ops->put(x->store, &p->write, &e);
	if (rc >= 0)
		return rc == STORE_COPIED;
	put_pending(x, p);
	delivery_fail(d, rc, retry_after(rc), "%s", e.text[0] ? e.text : "the store is busy");
	return false;
}

/* Wait for the writes in progress. */
static void store_exporter_stop(void *instance)
{
	struct store_exporter *x = instance;

	pthread_mutex_lock(&x->mu);
	while (x->writing)
		pthread_cond_wait(&x->idle, &x->mu);
	pthread_mutex_unlock(&x->mu);
}

static void store_exporter_destroy(void *instance)
{
	struct store_exporter *x = instance;

	if (x->store)
		host_store_close(x->host);
	while (x->free) {
		struct pending *p = x->free;

		x->free = p->next;
		free(p);
	}
	key_ring_unref(x->keys);
	pthread_cond_destroy(&x->idle);
	pthread_mutex_destroy(&x->mu);
	free(x);
}

static int store_exporter_create(void **instance, const struct component_env *env,
				 const void *settings, struct err *e)
{
	const struct store_settings *s = settings;
	struct host *host = env->host;
	struct store_exporter *x;
	int rc = 0;

	if (!host->open_store)
		return err_set(e, -ENOTSUP, "this program has no store");
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	x->host = host;
	x->directory = s->directory.p;
	pthread_mutex_init(&x->mu, NULL);
	pthread_cond_init(&x->idle, NULL);
	if (s->key_file.n)
		rc = key_ring_open(&x->keys, s->key_file.p, env->log, e);
	if (!rc)
		rc = host_store_open(host, settings, e);
	if (rc) {
		store_exporter_destroy(x);
		return rc;
	}
	x->store = host->store;
	(void)prom_strategy_find(s->metric_names, true, &host->metric_names);
	*instance = x;
	return 0;
}

static const char *store_exporter_directory(const void *instance)
{
	return ((const struct store_exporter *)instance)->directory;
}

static struct key_ring *store_exporter_keys(const void *instance)
{
	return ((const struct store_exporter *)instance)->keys;
}

static const struct setting settings[] = {
	SET_STRING(struct store_settings, directory, "directory", "./varve-data",
		   "Directory of the data; created if it does not exist."),
	SET_DURATION(struct store_settings, retention_ns, "retention", "0",
		     "Delete and refuse data older than this; 0: never."),
	SET_DURATION(struct store_settings, retention_traces_ns, "retention_traces", "0",
		     "Delete and refuse traces older than this, by whole days; 0: as retention."),
	SET_DURATION(struct store_settings, retention_logs_ns, "retention_logs", "0",
		     "Delete and refuse logs older than this, by whole days; 0: as retention."),
	SET_DURATION(struct store_settings, retention_metrics_ns, "retention_metrics", "0",
		     "Delete and refuse metrics older than this, by whole days; 0: as retention."),
	SET_DURATION(struct store_settings, retention_profiles_ns, "retention_profiles", "0",
		     "Delete and refuse profiles older than this, by whole days; 0: as retention."),
	SET_BYTES(struct store_settings, retention_bytes, "retention_bytes", "0",
		  "Delete the oldest days when the data exceeds this size; 0: never."),
	SET_DURATION(
		struct store_settings, future_ns, "reject_newer_than", "1h",
		"Refuse profiles, spans and logs whose time is further in the future; 0: none."),
	SET_INT(struct store_settings, max_stack_nodes, "max_stack_nodes", "1000000000", 0,
		INT64_MAX, "nodes",
		"Refuse new stacks of a service with more stack nodes than this in a day; 0: "
		"never."),
	SET_INT(struct store_settings, max_series, "max_series", "2000000", 0, UINT32_MAX, "series",
		"Refuse samples of new series of metrics of a tenant with more series than this in "
		"a day; 0: never."),
	SET_STRING(struct store_settings, metric_names, "metric_names",
		   "UnderscoreEscapingWithSuffixes",
		   "Names of OpenTelemetry's metrics as names of Prometheus: "
		   "UnderscoreEscapingWithSuffixes, UnderscoreEscapingWithoutSuffixes, "
		   "NoUTF8EscapingWithSuffixes or NoTranslation."),
	SET_BYTES(struct store_settings, memory_bytes, "memory", "0",
		  "Memory of the store's caches; 0: chosen by the store."),
	SET_STRING(struct store_settings, key_file, "encrypt_key_file", "",
		   "File or directory of master keys: new files are encrypted; empty: none is."),
	SET_END,
};

static int store_exporter_check(const void *data, struct err *e)
{
	const struct store_settings *s = data;
	enum prom_strategy ignored;

	if (prom_strategy_find(s->metric_names, true, &ignored))
		return 0;
	return err_set(e, -EINVAL, "\"metric_names\": unknown strategy \"%.*s\"",
		       STR_ARG(str_head(s->metric_names, 64)));
}

const struct component store_exporter = {
	.name = "store",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_LOGS | SIGNAL_METRICS,
	.form = FORM_DECODED,
	.single = true,
	.help = "Stores profiles, traces, logs and metrics in a local directory.",
	.settings = settings,
	.settings_size = sizeof(struct store_settings),
	.check = store_exporter_check,
	.create = store_exporter_create,
	.directory = store_exporter_directory,
	.keys = store_exporter_keys,
	.consume = store_exporter_consume,
	.stop = store_exporter_stop,
	.destroy = store_exporter_destroy,
};
