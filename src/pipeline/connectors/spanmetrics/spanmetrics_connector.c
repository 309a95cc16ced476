/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spanmetrics connector: calls and durations of spans as metrics, at regular intervals. Spans
 * are counted under one lock for each delivery; nothing is allocated for a span whose series
 * exists.
 *
 * Deliveries are answered at once: what was counted is lost if the program is killed before the
 * next interval, as with the OpenTelemetry Collector. When the program stops, the last interval is
 * written.
 */
#include "pipeline/connectors/spanmetrics/spanmetrics_connector.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pipeline/connectors/spanmetrics/spanmetrics_settings.h"
#include "pipeline/connectors/spanmetrics/spanmetrics_write.h"
#include "pipeline/emit.h"
#include "pipeline/receivers/scrape/scrape.h"
#include "signal/otlp/tree.h"

enum { KEY_MAX = 32 * KIB }; /* bytes of the attributes of a series */

/* Which attributes a metric has. */
struct metric_attributes {
	struct span_dimension_list lists[2];
};

struct spanmetrics {
	const struct spanmetrics_settings *settings;
	const struct log *log;
	struct consumer *next;
	struct budget *budget;
	struct scrape_scheduler *scheduler;
	struct metric_attributes calls, duration;
	struct spanmetrics_format format;
	double unit_ns;
	unsigned basics;
	double *bounds;
	struct arena names;
	pthread_mutex_t mu; /* guards the following fields */
	struct span_registry registry;
	struct proto_writer key;
	struct arena arena;	 /* for one delivery */
	uint64_t interval_start; /* nanoseconds since 1970 */
};

/* ---- counting ---- */

static bool is_listed(const struct setting_list *list, struct str name)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (str_eq(list->at[i], name))
			return true;
	return false;
}

static int attribute_order(const void *a, const void *b)
{
	const struct otlp_attribute *x = a, *y = b;
	int order = memcmp(x->key.p, y->key.p, min_size(x->key.n, y->key.n));

	return order ? order : (x->key.n > y->key.n) - (x->key.n < y->key.n);
}

/* Write the key of a resource into x->key: its attributes in the order of their names. */
static int resource_key(struct spanmetrics *x, struct str message, struct str *service)
{
	const struct setting_list *keys = &x->settings->resource_keys;
	struct attributes a = {0};
	int rc = otlp_attributes_read(&a, message, OTLP_RESOURCE_ATTRIBUTES, &x->arena);
	const struct otlp_attribute *name;

	if (rc)
		return rc;
	if (a.list.n > 1)
		qsort(a.list.at, a.list.n, sizeof(*a.list.at), attribute_order);
	proto_writer_clear(&x->key);
	for (uint32_t i = 0; i < a.list.n; i++)
		if (!keys->n || is_listed(keys, a.list.at[i].key))
			otlp_attribute_write(&x->key, 1, a.list.at[i].key, &a.list.at[i].value);
	name = attributes_get(&a, STR("service.name"));
	*service = name && name->value.kind == VALUE_STRING ? name->value.s : (struct str){0};
	return proto_writer_error(&x->key);
}

/* Count a span in one metric. */
static int count_metric(struct spanmetrics *x, const struct span_resource *r,
			struct keyed_table *series, const struct metric_attributes *of,
			const struct span_fields *span, uint64_t now)
{
	double value = (double)(span->end > span->start ? span->end - span->start : 0) / x->unit_ns;
	struct str key;

	proto_writer_clear(&x->key);
	span_dimensions_write(&x->key, x->basics, of->lists, countof(of->lists), span, r->resource,
			      r->service);
	key = proto_writer_str(&x->key);
	if (proto_writer_error(&x->key))
		return -ENOMEM;
	if (key.n > KEY_MAX)
		key = span_overflow_key;
	return span_registry_count(&x->registry, series, key, span, value, now);
}

static int count_span(struct spanmetrics *x, struct span_resource *r, struct str message,
		      uint64_t now)
{
	struct span_fields span;
	int rc;

	if (!span_fields_read(&span, message))
		return -EBADMSG;
	rc = count_metric(x, r, &r->calls, &x->calls, &span, now);
	if (!rc && !x->format.same && !x->format.no_duration)
		rc = count_metric(x, r, &r->times, &x->duration, &span, now);
	return rc;
}

static int count_resource(struct spanmetrics *x, const struct otlp_resource *resource, uint64_t now)
{
	struct span_resource *r;
	struct str service;
	int rc = resource_key(x, resource->resource, &service);

	if (rc)
		return rc;
	r = span_registry_resource(&x->registry, proto_writer_str(&x->key), resource->resource,
				   service, now);
	if (!r)
		return -ENOMEM;
	for (uint32_t i = 0; i < resource->scope_count; i++)
		for (uint32_t k = 0; k < resource->scopes[i].item_count && !rc; k++)
			rc = count_span(x, r, resource->scopes[i].items[k].bytes, now);
	return rc;
}

static bool spanmetrics_consume(void *instance, struct delivery *d)
{
	struct spanmetrics *x = instance;
	struct otlp_tree tree;
	struct err e = {0};
	int rc;

	pthread_mutex_lock(&x->mu);
	rc = otlp_tree_read(&tree, d->payload, &x->arena, &e);
	for (uint32_t i = 0; !rc && i < tree.resource_count; i++)
		rc = count_resource(x, &tree.resources[i], d->received);
	arena_reset(&x->arena);
	pthread_mutex_unlock(&x->mu);
	d->copied = true;
	if (rc)
		delivery_fail(d, rc, 0, "spanmetrics: %s",
			      rc == -ENOMEM ? "out of memory" : "the spans are damaged");
	else
		delivery_done(d, &(struct delivery_result){0});
	return true;
}

/* ---- output ---- */

/* Take what was counted out of the registry, as a message. */
static struct payload *take_metrics(struct spanmetrics *x, uint64_t now)
{
	const struct spanmetrics_settings *s = x->settings;
	struct payload *p;

	pthread_mutex_lock(&x->mu);
	span_registry_expire(&x->registry,
			     s->resource_expiration && now > s->resource_expiration
				     ? now - s->resource_expiration
				     : 0,
			     s->series_expiration && now > s->series_expiration
				     ? now - s->series_expiration
				     : 0);
	p = spanmetrics_write(&x->registry, &x->format, x->interval_start, now, x->budget);
	if (p && x->format.temporality == OTLP_DELTA) {
		span_registry_clear(&x->registry);
		x->interval_start = now;
	}
	pthread_mutex_unlock(&x->mu);
	return p;
}

static void note_failure(void *owner, const struct delivery_result *result)
{
	const struct spanmetrics *x = owner;

	if (result->rc)
		log_warn(x->log, "spanmetrics: an interval was not delivered",
			 LOG_STR("reason", str_from(result->reason)));
}

static void emit_interval(struct spanmetrics *x, uint64_t now)
{
	struct emit_options options = {.done = note_failure, .owner = x};

	emit_payload(x->next, take_metrics(x, now), &options);
}

static void run_interval(void *owner, const struct scrape_run *run)
{
	emit_interval(owner, run->time);
}

/* ---- life cycle ---- */

static int spanmetrics_start(void *instance, struct err *e)
{
	struct spanmetrics *x = instance;
	struct scrape_spec spec = {.interval = x->settings->interval,
				   .delay = x->settings->interval,
				   .run = run_interval,
				   .owner = x};
	int rc;

	x->interval_start = clock_realtime_ns();
	rc = scrape_scheduler_new(&x->scheduler, "spanmetrics", 1, e);
	if (!rc)
		rc = scrape_add(x->scheduler, &spec, NULL);
	return rc ? rc : scrape_scheduler_start(x->scheduler, e);
}

static void spanmetrics_stop(void *instance)
{
	struct spanmetrics *x = instance;

	if (!x->scheduler)
		return;
	scrape_scheduler_stop(x->scheduler);
	emit_interval(x, clock_realtime_ns());
}

static void spanmetrics_destroy(void *instance)
{
	struct spanmetrics *x = instance;

	scrape_scheduler_free(x->scheduler);
	span_registry_clear(&x->registry);
	proto_writer_fini(&x->key);
	arena_fini(&x->arena);
	pthread_mutex_destroy(&x->mu);
	free(x->bounds);
	arena_fini(&x->names);
	free(x);
}

static int fill_bounds(struct spanmetrics *x, const struct bucket_list *buckets)
{
	static const unsigned usual_ms[] = {2,	 4,   6,    8,	  10,	50,   100,   200,
					    400, 800, 1000, 1400, 2000, 5000, 10000, 15000};
	uint32_t n = buckets->at ? buckets->n : countof(usual_ms);

	x->bounds = calloc(n + 1, sizeof(*x->bounds));
	if (!x->bounds)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		x->bounds[i] = (double)(buckets->at ? buckets->at[i] : usual_ms[i] * NS_PER_MS) /
			       x->unit_ns;
	span_registry_init(&x->registry,
			   &(struct span_limits){
				   .resources = (uint32_t)x->settings->resources,
				   .series = (uint64_t)x->settings->cardinality,
				   .series_in_all = SPANMETRICS_SERIES_MAX,
				   .exemplars = x->settings->exemplars.enabled
							? (uint32_t)x->settings->exemplars.max
							: 0,
				   .bounds = x->bounds,
				   .bound_count = n,
			   });
	return 0;
}

static int spanmetrics_create(void **instance, const struct component_env *env,
			      const void *settings, struct err *e)
{
	const struct spanmetrics_settings *s = settings;
	struct spanmetrics *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return err_errno(e, -ENOMEM, "spanmetrics");
	x->settings = s;
	x->log = env->log;
	x->next = env->next[signal_index(SIGNAL_METRICS)];
	x->budget = &env->host->memory;
	x->unit_ns = (double)(str_eq(s->histogram.unit, STR("s")) ? NS_PER_SECOND : NS_PER_MS);
	x->calls = (struct metric_attributes){{s->dimensions, s->calls_dimensions}};
	x->duration = (struct metric_attributes){{s->dimensions, s->histogram.dimensions}};
	x->format = (struct spanmetrics_format){
		.unit = s->histogram.unit,
		.no_duration = s->histogram.disable,
		.same = !s->calls_dimensions.n && !s->histogram.dimensions.n,
		.temporality = spanmetrics_is_delta(s) ? OTLP_DELTA : OTLP_CUMULATIVE,
	};
	pthread_mutex_init(&x->mu, NULL);
	arena_init(&x->names, NULL);
	arena_init(&x->arena, NULL);
	proto_writer_init(&x->key, NULL);
	rc = span_basics_of(s->excluded, &x->basics, e);
	if (!rc)
		rc = arena_printf(&x->names, &x->format.calls, "%.*s%scalls", STR_ARG(s->namespace),
				  s->namespace.n ? "." : "");
	if (!rc)
		rc = arena_printf(&x->names, &x->format.duration, "%.*s%sduration",
				  STR_ARG(s->namespace), s->namespace.n ? "." : "");
	if (!rc)
		rc = fill_bounds(x, &s->histogram.explicit.buckets);
	if (rc) {
		err_errno(e, rc, "spanmetrics");
		spanmetrics_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

const struct component spanmetrics_connector = {
	.name = "spanmetrics",
	.aliases = (const char *const[]){"span_metrics", NULL},
	.kind = COMPONENT_CONNECTOR,
	.signals = SIGNAL_TRACES,
	.emits = {[1] = SIGNAL_METRICS},
	.form = FORM_PAYLOAD,
	.help = "Makes metrics of spans: calls and durations by service, name, kind and status.",
	.settings = spanmetrics_table,
	.settings_size = sizeof(struct spanmetrics_settings),
	.check = spanmetrics_check,
	.create = spanmetrics_create,
	.start = spanmetrics_start,
	.consume = spanmetrics_consume,
	.stop = spanmetrics_stop,
	.destroy = spanmetrics_destroy,
};
