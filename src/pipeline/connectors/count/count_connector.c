/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each batch becomes one message of metrics, with the counts of each of its resources. A sender is
 * answered when that message was taken.
 */
#include "pipeline/connectors/count/count_connector.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/connectors/count/count_items.h"
#include "pipeline/emit.h"
#include "pipeline/processors/resource/plain_resources.h"

enum { COUNT_RETRY_MS = 1000 };

/* A metric that is counted. */
struct counted_metric {
	const struct count_metric *def;
	struct ottl_program *conditions; /* NULL: all items */
};

struct counted_kind {
	struct counted_metric *at;
	uint32_t n;
	bool has_conditions;
};

struct count {
	struct ottl *ottl;
	struct budget *budget;
	struct consumer *next;
	struct counted_kind kinds[COUNTED_KINDS];
};

/* A batch that is being counted. */
struct counting {
	const struct count *count;
	struct ottl_eval *ev;
	struct otlp_tree *tree;
	struct arena *arena; /* of the evaluation */
	struct count_dictionary dictionary;
	struct count_sums sums[COUNTED_KINDS]; /* of the resource */
	struct proto_writer key;
	struct otlp_builder builder;
	uint64_t now;
	struct err *e;
};

/* ---- counting ---- */

/* Write the attributes of a metric for an item to x->key. Return false if the item lacks one. */
static bool write_count_key(struct counting *x, const struct count_attributes *attributes,
			    const struct counted_item *item)
{
	proto_writer_clear(&x->key);
	for (uint32_t i = attributes->n; i-- > 0;) {
		const struct count_attribute *a = &attributes->at[i];
		struct value v = a->fallback.value;

		if (!counted_item_attribute(item, a->key, &v) && !a->fallback.set)
			return false;
		otlp_attribute_write(&x->key, 1, a->key, &v);
	}
	return true;
}

/* Count the item at the current place of the evaluation. */
static int count_item(struct counting *x, const struct counted_item *item)
{
	const struct counted_kind *kind = &x->count->kinds[item->kind];
	struct count_span_of_time time = counted_item_time(item);
	int rc = 0;

	for (uint32_t i = 0; i < kind->n && rc >= 0; i++) {
		const struct counted_metric *m = &kind->at[i];

		if (!write_count_key(x, &m->def->attributes, item))
			continue;
		rc = m->conditions ? ottl_test(x->ev, m->conditions, x->e) : 1;
		if (rc == 1)
			rc = proto_writer_error(&x->key)
				     ? -ENOMEM
				     : count_sums_add(&x->sums[item->kind], i,
						      proto_writer_str(&x->key), 1, time);
	}
	return rc < 0 ? rc : 0;
}

/* Count the events of a span, or the data points of a metric. */
static int count_parts(struct counting *x, const struct counted_item *item)
{
	struct counted_item part = *item;
	struct proto_reader r;
	struct str of = item->message;
	int rc = 0;

	part.kind = item->kind == COUNTED_SPANS ? COUNTED_SPAN_EVENTS : COUNTED_DATA_POINTS;
	if (!x->count->kinds[part.kind].n)
		return 0;
	if (part.kind == COUNTED_DATA_POINTS)
		part.data = otlp_metric_data(item->message, &of);
	if (part.kind == COUNTED_DATA_POINTS && !part.data)
		return 0;
	if (x->count->kinds[part.kind].has_conditions)
		ottl_part_count(x->ev); /* reads them, for ottl_at_part() */
	r = proto_reader_of(of);
	for (uint32_t i = 0; !rc && count_next_part(&r, part.kind, &part.message); i++) {
		if (x->count->kinds[part.kind].has_conditions)
			ottl_at_part(x->ev, i);
		rc = count_item(x, &part);
	}
	return rc;
}

static enum count_kind item_kind(enum signal_kind signal)
{
	static const enum count_kind kinds[SIGNALS] = {COUNTED_PROFILES, COUNTED_SPANS,
						       COUNTED_METRICS, COUNTED_LOGS};

	return kinds[signal_index(signal)];
}

static int count_scope(struct counting *x, struct otlp_scope *scope, struct counted_item *item)
{
	int rc = 0;

	item->scope = scope->scope;
	ottl_at_scope(x->ev, scope);
	for (uint32_t i = 0; i < scope->item_count && !rc; i++) {
		ottl_at_item(x->ev, i);
		item->message = scope->items[i].bytes;
		rc = count_item(x, item);
		if (!rc && (item->kind == COUNTED_SPANS || item->kind == COUNTED_METRICS))
			rc = count_parts(x, item);
	}
	return rc;
}

/* ---- output ---- */

static int write_counts(struct counting *x, const struct otlp_resource *resource)
{
	struct attributes attributes = {0};
	int rc = otlp_attributes_read(&attributes, resource->resource, OTLP_RESOURCE_ATTRIBUTES,
				      x->arena);

	if (rc)
		return rc;
	otlp_begin_resource(&x->builder, &attributes, resource->schema_url);
	otlp_begin_scope(&x->builder, STR("countconnector"), STR(""));
	for (unsigned k = 0; k < COUNTED_KINDS; k++) {
		for (uint32_t i = 0; i < x->count->kinds[k].n && x->sums[k].rows.n && !rc; i++) {
			const struct count_metric *def = x->count->kinds[k].at[i].def;

			otlp_begin_metric(&x->builder,
					  &(struct otlp_metric){.name = def->name,
								.description = def->description,
								.kind = OTLP_SUM,
								.temporality = OTLP_DELTA,
								.monotonic = true});
			rc = count_sums_write(&x->sums[k], i, x->now, &x->builder);
		}
	}
	return rc;
}

static int count_one_resource(struct counting *x, struct otlp_resource *resource)
{
	struct counted_item item = {.kind = item_kind(x->tree->signal),
				    .resource = resource->resource,
				    .dictionary = &x->dictionary};
	int rc = 0;

	for (unsigned k = 0; k < COUNTED_KINDS && !rc; k++)
		rc = count_sums_init(&x->sums[k], x->arena);
	ottl_at_resource(x->ev, resource);
	for (uint32_t i = 0; i < resource->scope_count && !rc; i++)
		rc = count_scope(x, &resource->scopes[i], &item);
	return rc ? rc : write_counts(x, resource);
}

static int count_batch(struct counting *x, const struct payload *p)
{
	int rc = otlp_tree_read(x->tree, p, x->arena, x->e);

	if (!rc)
		rc = plain_resources(x->tree, x->arena);
	if (!rc)
		rc = count_dictionary_read(&x->dictionary, x->tree, x->arena);
	for (uint32_t i = 0; !rc && i < x->tree->resource_count; i++)
		rc = count_one_resource(x, &x->tree->resources[i]);
	return rc;
}

/* Return in *out the metrics of a delivery. */
static int count_delivery(const struct count *c, const struct delivery *d, struct payload **out,
			  struct err *e)
{
	struct otlp_tree tree = {.signal = d->signal};
	struct counting x = {.count = c, .tree = &tree, .now = d->received, .e = e};
	int rc;

	x.ev = ottl_begin(c->ottl, d, &tree);
	if (!x.ev)
		return -ENOMEM;
	x.arena = ottl_arena(x.ev);
	proto_writer_init(&x.key, c->budget);
	otlp_builder_init(&x.builder, SIGNAL_METRICS, c->budget);
	rc = count_batch(&x, d->payload);
	if (!rc) {
		*out = otlp_builder_finish(&x.builder);
		rc = *out ? 0 : -ENOMEM;
	}
	otlp_builder_fini(&x.builder);
	proto_writer_fini(&x.key);
	ottl_end(x.ev);
	return rc;
}

static void counted_done(void *owner, const struct delivery_result *result)
{
	struct delivery_result both = *result;

	both.rejected = both.duplicates = 0; /* of the metrics */
	delivery_done(owner, &both);
}

static bool count_consume(void *instance, struct delivery *d)
{
	struct count *c = instance;
	struct payload *p = NULL;
	struct err e = {0};
	struct emit_options options = {.tenant = d->tenant,
				       .transport = d->transport,
				       .metadata = d->metadata,
				       .metadata_count = d->metadata_count,
				       .done = counted_done,
				       .owner = d};
	int rc = count_delivery(c, d, &p, &e);

	d->copied = true;
	if (rc)
		delivery_fail(d, rc, delivery_may_retry(rc) ? COUNT_RETRY_MS : 0, "count: %s",
			      e.text[0]	      ? e.text
			      : rc == -ENOMEM ? "out of memory"
					      : "the data is damaged");
	else
		emit_payload(c->next, p, &options);
	return true;
}

/* ---- the component ---- */

static void count_destroy(void *instance)
{
	struct count *c = instance;

	for (unsigned k = 0; k < COUNTED_KINDS; k++)
		free(c->kinds[k].at);
	ottl_free(c->ottl);
	free(c);
}

static int compile_count_kind(struct count *c, const struct count_settings *s, enum count_kind k,
			      struct err *e)
{
	const struct count_metrics metrics = count_metrics_of(s, k);
	struct ottl_options options = {.signal = count_kinds[k].signal,
				       .context = count_kinds[k].context,
				       .error_mode = OTTL_IGNORE};
	struct counted_kind *kind = &c->kinds[k];
	int rc = 0;

	/* The default metric is part of the table of kinds, or of the settings: both outlive this. */
	kind->at = calloc(metrics.n + 1, sizeof(*kind->at));
	if (!kind->at)
		return -ENOMEM;
	for (uint32_t i = 0; i < metrics.n && !rc; i++) {
		const struct count_metric *m = &metrics.at[i];

		kind->at[i].def = m;
		kind->n++;
		if (!m->conditions || (!m->conditions->first && m->conditions->kind == CONFIG_LIST))
			continue;
		kind->has_conditions = true;
		rc = ottl_compile(c->ottl, &options, m->conditions, &kind->at[i].conditions, e);
	}
	return rc;
}

static int compile_count(const struct count_settings *s, const struct log *log,
			 struct budget *budget, struct count **out, struct err *e)
{
	struct count *c = calloc(1, sizeof(*c));
	int rc = c ? ottl_new(&c->ottl, log, budget) : -ENOMEM;

	for (unsigned k = 0; k < COUNTED_KINDS && !rc; k++)
		rc = compile_count_kind(c, s, (enum count_kind)k, e);
	if (!rc) {
		*out = c;
		return 0;
	}
	if (c)
		count_destroy(c);
	return rc == -ENOMEM ? err_errno(e, rc, "count") : rc;
}

static int count_check(const void *settings, struct err *e)
{
	const struct count_settings *s = settings;
	struct count *c;
	int rc;

	for (uint32_t i = 0; i < s->kinds[COUNTED_METRICS].n; i++)
		if (s->kinds[COUNTED_METRICS].at[i].attributes.n)
			return err_set(e, -EINVAL,
				       "metrics attributes not supported: metric \"%.*s\": count "
				       "datapoints by attributes",
				       STR_ARG(s->kinds[COUNTED_METRICS].at[i].name));
	rc = compile_count(s, NULL, NULL, &c, e);
	if (!rc)
		count_destroy(c);
	return rc;
}

static int count_create(void **instance, const struct component_env *env, const void *settings,
			struct err *e)
{
	struct count *c;
	int rc = compile_count(settings, env->log, &env->host->memory, &c, e);

	if (rc)
		return rc;
	c->budget = &env->host->memory;
	c->next = env->next[signal_index(SIGNAL_METRICS)];
	*instance = c;
	return 0;
}

const struct component count_connector = {
	.name = "count",
	.kind = COMPONENT_CONNECTOR,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.emits = {SIGNAL_METRICS, SIGNAL_METRICS, SIGNAL_METRICS, SIGNAL_METRICS},
	.form = FORM_PAYLOAD,
	.help = "Makes metrics of how many items pass, by conditions and attributes.",
	.settings = count_table,
	.settings_size = sizeof(struct count_settings),
	.check = count_check,
	.create = count_create,
	.consume = count_consume,
	.destroy = count_destroy,
};
