/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the message: resource, scope, metric, point. Labels of resource and scope are made
 * once for all of their points.
 */
#include "pipeline/convert/prometheus/prom_points.h"

#include <errno.h>

#include "pipeline/convert/prometheus/prom_units.h"
#include "pipeline/convert/prometheus/prom_values.h"
#include "signal/otlp/build.h"
#include "signal/otlp/tree.h"

struct converting {
	const struct prom_options *o;
	int (*each)(void *arg, const struct prom_point *point);
	void *arg;
	uint32_t *refused;
	struct arena *arena;
	struct prom_value_reader reader;
	struct prom_labels base; /* of resource and scope */
	struct prom_labels info; /* of target_info */
	uint64_t last_time;	 /* of the points of the resource */
	struct prom_metric metric;
	uint32_t metrics;
	struct buf key;	    /* of the cache: metric, labels of resource and scope, attributes */
	size_t key_context; /* what all points of a metric have of it */
};

/* ---- labels ---- */

static struct str string_attribute(const struct attributes *a, struct str key)
{
	const struct otlp_attribute *x = attributes_get(a, key);

	return x && x->value.kind == VALUE_STRING ? x->value.s : (struct str){0};
}

static bool is_service_key(struct str key)
{
	return str_eq(key, STR("service.name")) || str_eq(key, STR("service.namespace")) ||
	       str_eq(key, STR("service.instance.id"));
}

/* Set the labels job and instance. */
static int add_identity(struct converting *c, struct prom_labels *l, const struct attributes *a)
{
	struct str name = string_attribute(a, STR("service.name"));
	struct str space = string_attribute(a, STR("service.namespace")), job = name;
	int rc = 0;

	if (name.n && space.n)
		rc = arena_printf(c->arena, &job, "%.*s/%.*s", STR_ARG(space), STR_ARG(name));
	if (!rc)
		rc = prom_labels_set(l, c->arena, STR("job"), job);
	if (!rc)
		rc = prom_labels_set(l, c->arena, STR("instance"),
				     string_attribute(a, STR("service.instance.id")));
	return rc;
}

/* Labels of a resource: for its points, and for target_info. */
static int begin_resource(struct converting *c, struct str resource)
{
	struct attributes all = {0}, others = {0};
	int rc = otlp_attributes_read(&all, resource, OTLP_RESOURCE_ATTRIBUTES, c->arena);

	c->base = c->info = (struct prom_labels){0};
	c->last_time = 0;
	for (uint32_t i = 0; i < all.list.n && !rc; i++)
		if (!is_service_key(all.list.at[i].key))
			rc = vec_push(c->arena, &others.list, all.list.at[i]);
	if (!rc)
		rc = prom_add_attributes(&c->reader.text, &c->info, &others);
	if (!rc && c->o->resource_labels)
		rc = prom_add_attributes(&c->reader.text, &c->base,
					 c->o->exclude_service_attributes ? &others : &all);
	if (!rc)
		rc = add_identity(c, &c->base, &all);
	if (!rc && c->info.list.n)
		rc = add_identity(c, &c->info, &all);
	if (!prom_labels_get(&c->info, STR("job")).n &&
	    !prom_labels_get(&c->info, STR("instance")).n)
		c->info.list.n = 0;
	return rc;
}

/* Add the labels of a scope, which a point cannot replace. */
static int begin_scope(struct converting *c, const struct otlp_scope *scope)
{
	struct attributes a = {0};
	struct proto_reader r = proto_reader_of(scope->scope);
	struct str name = {0}, version = {0};
	int rc;

	if (!c->o->scope_labels)
		return 0;
	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			name = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			version = proto_bytes(&r);
		else
			proto_skip(&r);
	if (!name.n)
		return r.error ? -EBADMSG : 0;
	rc = otlp_attributes_read(&a, scope->scope, OTLP_SCOPE_ATTRIBUTES, c->arena);
	for (uint32_t i = 0; i < a.list.n && !rc; i++)
		rc = arena_printf(c->arena, &a.list.at[i].key, "otel_scope_%.*s",
				  STR_ARG(a.list.at[i].key));
	if (!rc)
		rc = prom_add_attributes(&c->reader.text, &c->base, &a);
	if (!rc)
		rc = prom_labels_set(&c->base, c->arena, STR("otel_scope_name"), name);
	if (!rc)
		rc = prom_labels_set(&c->base, c->arena, STR("otel_scope_version"), version);
	if (!rc)
		rc = prom_labels_set(&c->base, c->arena, STR("otel_scope_schema_url"),
				     scope->schema_url);
	return rc;
}

/* Complete the labels of a point: resource and scope win, common labels lose. */
static int finish_labels(struct converting *c, struct prom_labels *l)
{
	int rc = 0;

	for (uint32_t i = 0; i < c->base.list.n && !rc; i++)
		rc = prom_labels_set(l, c->arena, c->base.list.at[i].name,
				     c->base.list.at[i].value);
	for (uint32_t i = 0; i < c->o->labels.list.n && !rc; i++)
		if (!prom_labels_get(l, c->o->labels.list.at[i].name).n)
			rc = prom_labels_set(l, c->arena, c->o->labels.list.at[i].name,
					     c->o->labels.list.at[i].value);
	prom_labels_sort(l);
	return rc;
}

static int point_labels(struct converting *c, struct str point, uint32_t field,
			struct prom_labels *l)
{
	struct attributes a = {0};
	struct prom_labels all = {0};
	int rc = otlp_attributes_read(&a, point, field, c->arena);

	if (!rc)
		rc = prom_add_attributes(&c->reader.text, &all, &a);
	for (uint32_t i = 0; i < all.list.n && !rc; i++) /* drops empty values */
		rc = prom_labels_set(l, c->arena, all.list.at[i].name, all.list.at[i].value);
	return rc ? rc : finish_labels(c, l);
}

/* ---- the cache ---- */

static void put_key(struct buf *key, struct str text)
{
	buf_put_u64(key, text.n);
	buf_put_char(key, ':');
	buf_put_str(key, text);
}

/* Begin the key with what the points of a metric have in common. */
static void begin_key(struct converting *c)
{
	buf_clear(&c->key);
	if (!c->o->cache)
		return;
	buf_put_char(&c->key, (char)('0' + c->o->strategy));
	put_key(&c->key, c->metric.name);
	for (uint32_t i = 0; i < c->base.list.n; i++) {
		put_key(&c->key, c->base.list.at[i].name);
		put_key(&c->key, c->base.list.at[i].value);
	}
	c->key_context = c->key.n;
}

/* Look for the labels of a gauge or sum by the bytes of its attributes. */
static void find_series(struct converting *c, struct str message, uint32_t field,
			struct prom_point *point)
{
	struct proto_reader r = proto_reader_of(message);

	point->cache_id = PROM_CACHE_NONE;
	if (!c->o->cache || !c->key_context)
		return;
	c->key.n = c->key_context;
	while (proto_next(&r))
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			put_key(&c->key, proto_bytes(&r));
		else
			proto_skip(&r);
	if (!r.error && !buf_error(&c->key))
		point->series =
			prom_series_cache_find(c->o->cache, buf_str(&c->key), &point->cache_id);
}

/* ---- points ---- */

static int convert_point(struct converting *c, uint32_t kind, struct str message)
{
	const uint32_t field = prom_value_attributes(kind);
	struct prom_point point = {.metric = &c->metric, .cache_id = PROM_CACHE_NONE};
	int rc = prom_value_read(&c->reader, kind, message, &point);

	if (!rc && (kind == OTLP_GAUGE || kind == OTLP_SUM))
		find_series(c, message, field, &point);
	if (!rc && !point.series.n)
		rc = point_labels(c, message, field, &point.labels);
	if (rc)
		return rc;
	if (point.time > c->last_time)
		c->last_time = point.time;
	return c->each(c->arg, &point);
}

/* ---- metrics ---- */

static enum prom_type type_of(uint32_t kind, bool monotonic)
{
	switch (kind) {
	case OTLP_SUM:
		return monotonic ? PROM_COUNTER : PROM_GAUGE;
	case OTLP_HISTOGRAM:
		return PROM_HISTOGRAM;
	case OTLP_EXPONENTIAL:
		return PROM_NATIVE;
	case OTLP_SUMMARY:
		return PROM_SUMMARY;
	default:
		return PROM_GAUGE;
	}
}

static int begin_metric(struct converting *c, struct str metric, uint32_t kind, struct str data)
{
	struct proto_reader r = proto_reader_of(metric), d = proto_reader_of(data);
	struct str name = {0}, unit = {0}, help = {0};
	uint64_t temporality = OTLP_CUMULATIVE, monotonic = 0;
	enum prom_suffix suffix;
	struct buf word = {0};
	int rc;

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			name = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			help = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(3, PROTO_BYTES))
			unit = proto_bytes(&r);
		else
			proto_skip(&r);
	while (kind != OTLP_GAUGE && kind != OTLP_SUMMARY && proto_next(&d))
		if (d.tag == PROTO_TAG(2, PROTO_VARINT))
			temporality = proto_varint(&d);
		else if (d.tag == PROTO_TAG(3, PROTO_VARINT))
			monotonic = proto_varint(&d);
		else
			proto_skip(&d);
	if (r.error || d.error)
		return -EBADMSG;
	c->metric = (struct prom_metric){.help = help,
					 .type = type_of(kind, monotonic != 0),
					 .delta = temporality == OTLP_DELTA,
					 .number = c->metrics++};
	suffix = c->metric.type == PROM_COUNTER ? PROM_SUFFIX_TOTAL
		 : kind == OTLP_GAUGE		? PROM_SUFFIX_GAUGE
						: PROM_SUFFIX_NONE;
	prom_unit_word(&word, unit);
	rc = buf_error(&word);
	if (!rc)
		rc = arena_copy_str(c->arena, buf_str(&word), &c->metric.unit);
	buf_fini(&word);
	return rc ? rc
		  : prom_metric_name(&c->metric.name, c->o->strategy, c->o->prefix, name, unit,
				     suffix, c->arena);
}

static int convert_metric(struct converting *c, const struct otlp_item *item)
{
	struct proto_reader r;
	struct str data;
	uint32_t kind = otlp_metric_data(item->bytes, &data);
	int rc;

	if (!kind)
		return 0;
	rc = begin_metric(c, item->bytes, kind, data);
	if (rc)
		return rc;
	begin_key(c);
	if (!c->metric.name.n) {
		*c->refused += item->count;
		return 0;
	}
	r = proto_reader_of(data);
	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			rc = convert_point(c, kind, proto_bytes(&r));
		else
			proto_skip(&r);
	return rc ? rc : r.error ? -EBADMSG : 0;
}

/* Add the metric with the attributes of the resource. */
static int convert_info(struct converting *c)
{
	struct prom_point point = {.metric = &c->metric,
				   .value = 1,
				   .time = c->last_time,
				   .cache_id = PROM_CACHE_NONE};
	int rc = 0;

	if (!c->o->target_info || !c->info.list.n || !c->last_time)
		return 0;
	c->metric = (struct prom_metric){.name = STR("target_info"),
					 .help = STR("Target metadata"),
					 .type = PROM_GAUGE,
					 .number = c->metrics++};
	for (uint32_t i = 0; i < c->info.list.n && !rc; i++)
		rc = prom_labels_set(&point.labels, c->arena, c->info.list.at[i].name,
				     c->info.list.at[i].value);
	c->base = (struct prom_labels){0};
	if (!rc)
		rc = finish_labels(c, &point.labels);
	return rc ? rc : c->each(c->arg, &point);
}

static int convert_resource(struct converting *c, const struct otlp_resource *resource)
{
	struct prom_labels base;
	int rc = begin_resource(c, resource->resource);

	base = c->base;
	for (uint32_t i = 0; i < resource->scope_count && !rc; i++) {
		const struct otlp_scope *scope = &resource->scopes[i];

		rc = prom_labels_dup(&c->base, &base, c->arena);
		if (!rc)
			rc = begin_scope(c, scope);
		for (uint32_t k = 0; k < scope->item_count && !rc; k++)
			rc = convert_metric(c, &scope->items[k]);
	}
	return rc ? rc : convert_info(c);
}

int prom_points(const struct payload *p, const struct prom_options *o,
		int (*each)(void *arg, const struct prom_point *point), void *arg,
		uint32_t *refused, struct arena *arena, struct err *e)
{
	struct converting c = {.o = o,
			       .each = each,
			       .arg = arg,
			       .refused = refused,
			       .arena = arena,
			       .reader = {{o->strategy, arena}, e}};
	struct otlp_tree tree;
	int rc = otlp_tree_read(&tree, p, arena, e);

	*refused = 0;
	for (uint32_t i = 0; !rc && i < tree.resource_count; i++)
		rc = convert_resource(&c, &tree.resources[i]);
	buf_fini(&c.key);
	if (rc == -EBADMSG)
		err_set(e, rc, "damaged metrics");
	return rc;
}
