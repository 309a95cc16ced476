/* SPDX-License-Identifier: Apache-2.0 */
/* Resources, scopes, metrics and points in the order in which they were first seen. */
#include "pipeline/receivers/prometheus/scrape_output.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pipeline/convert/prometheus/prom_units.h"

static const struct str scope_name = STR_INIT("varve/receiver/prometheus");

struct output {
	struct scraped_state *s;
	const struct scrape_rules *rules;
	const struct scrape_outcome *outcome;
	struct arena *scratch;
	struct otlp_builder builder;
	bool failed; /* memory */
};

/* ---- points ---- */

enum point_state { POINT_ABSENT, POINT_STALE, POINT_FRESH };

static enum point_state point_state(const struct output *o, const struct scraped_point *p)
{
	if (o->outcome->end == SCRAPE_OK && p->seq == o->s->seq)
		return POINT_FRESH;
	return p->live && !p->explicit_time ? POINT_STALE : POINT_ABSENT;
}

/* Set the start time of a value that only grows. */
static void update_start(struct scraped_point *p, double value)
{
	if (p->created > 0 && p->created < 1e10)
		p->start = (uint64_t)(p->created * 1e9);
	else if (!p->start || value < p->previous)
		p->start = p->time;
	p->previous = value;
}

static struct otlp_point point_header(const struct output *o, const struct scraped_point *p,
				      enum point_state state, bool cumulative)
{
	if (state == POINT_STALE)
		return (struct otlp_point){.attributes = &p->attributes,
					   .start = cumulative ? p->start : 0,
					   .time = o->outcome->time,
					   .flags = OTLP_NO_RECORDED_VALUE};
	return (struct otlp_point){.attributes = &p->attributes,
				   .start = cumulative ? p->start : 0,
				   .time = p->time,
				   .exemplars = p->exemplars.at,
				   .exemplar_count = p->exemplars.n};
}

static bool put_number(struct output *o, struct scraped_point *p, enum point_state state,
		       bool counter)
{
	if (state == POINT_FRESH && !p->has_value)
		return false;
	if (state == POINT_FRESH && counter)
		update_start(p, p->value);
	otlp_add_number(
		&o->builder,
		&(struct otlp_number){.point = point_header(o, p, state, counter), .d = p->value});
	return true;
}

static uint64_t to_count(double d)
{
	return d >= 0 && d < 1.8e19 ? (uint64_t)d : 0;
}

static int compare_buckets(const void *a, const void *b)
{
	double x = ((const struct scraped_bucket *)a)->bound;
	double y = ((const struct scraped_bucket *)b)->bound;

	return (x > y) - (x < y);
}

/* Remove the bucket of infinity, which is the count. */
static void sort_buckets(struct scraped_point *p)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->buckets.n; i++) {
		struct scraped_bucket b = p->buckets.at[i];

		if (isinf(b.bound) && b.bound > 0) {
			p->count = p->has_count ? p->count : b.value;
			p->has_count = true;
		} else {
			p->buckets.at[kept++] = b;
		}
	}
	p->buckets.n = kept;
	for (uint32_t i = 1; i < kept; i++)
		if (p->buckets.at[i].bound <= p->buckets.at[i - 1].bound) {
			qsort(p->buckets.at, kept, sizeof(p->buckets.at[0]), compare_buckets);
			break;
		}
}

/* Turn cumulative counts into counts of each bucket. Return false without memory. */
static bool split_buckets(struct output *o, const struct scraped_point *p,
			  struct otlp_histogram *out)
{
	uint32_t n = 0;
	uint64_t below = 0, total = to_count(p->count);
	double *bounds = arena_alloc(o->scratch, p->buckets.n + 1, sizeof(*bounds));
	uint64_t *counts = arena_alloc(o->scratch, p->buckets.n + 1, sizeof(*counts));

	if (!bounds || !counts)
		return false;
	for (uint32_t i = 0; i < p->buckets.n; i++) {
		uint64_t at = to_count(p->buckets.at[i].value);

		if (n && p->buckets.at[i].bound == bounds[n - 1])
			continue;
		bounds[n] = p->buckets.at[i].bound;
		counts[n++] = at > below ? at - below : 0;
		below = at > below ? at : below;
	}
	counts[n] = total > below ? total - below : 0;
	out->count = total > below ? total : below;
	out->bounds = bounds;
	out->counts = counts;
	out->bound_count = n;
	out->count_count = n + 1;
	return true;
}

/* Forget the values of a point that has become stale; bounds and quantiles say what has ended. */
static void clear_values(struct scraped_point *p)
{
	p->count = p->sum = 0;
	p->has_sum = false;
	for (uint32_t i = 0; i < p->buckets.n; i++)
		p->buckets.at[i].value = 0;
}

static bool put_histogram(struct output *o, struct scraped_point *p, enum point_state state)
{
	struct otlp_histogram h = {0};

	sort_buckets(p);
	if (state == POINT_STALE)
		clear_values(p);
	else if (!p->has_count)
		return false;
	else
		update_start(p, p->count);
	h.has_sum = p->has_sum;
	h.sum = p->sum;
	if (!split_buckets(o, p, &h)) {
		o->failed = true;
		return false;
	}
	h.point = point_header(o, p, state, true);
	otlp_add_histogram(&o->builder, &h);
	return true;
}

static bool put_summary(struct output *o, struct scraped_point *p, enum point_state state)
{
	struct otlp_quantile *quantiles =
		arena_alloc(o->scratch, p->buckets.n + 1, sizeof(*quantiles));

	if (!quantiles) {
		o->failed = true;
		return false;
	}
	if (state == POINT_STALE)
		clear_values(p);
	else if (!p->has_count && !p->has_sum && !p->buckets.n)
		return false;
	else
		update_start(p, p->has_count ? p->count : 0);
	for (uint32_t i = 0; i < p->buckets.n; i++)
		quantiles[i] =
			(struct otlp_quantile){p->buckets.at[i].bound, p->buckets.at[i].value};
	otlp_add_summary(&o->builder, &(struct otlp_summary){
					      .point = point_header(o, p, state, true),
					      .count = to_count(p->has_count ? p->count : 0),
					      .sum = p->has_sum ? p->sum : 0,
					      .quantiles = quantiles,
					      .quantile_count = p->buckets.n,
				      });
	return true;
}

static bool put_point(struct output *o, enum scraped_type type, struct scraped_point *p,
		      enum point_state state)
{
	switch (type) {
	case SCRAPED_HISTOGRAM:
		return put_histogram(o, p, state);
	case SCRAPED_SUMMARY:
		return put_summary(o, p, state);
	default:
		return put_number(o, p, state, type == SCRAPED_COUNTER);
	}
}

/* ---- metrics ---- */

static enum otlp_metric_kind metric_kind(enum scraped_type type)
{
	switch (type) {
	case SCRAPED_COUNTER:
	case SCRAPED_INFO:
	case SCRAPED_STATESET:
		return OTLP_SUM;
	case SCRAPED_HISTOGRAM:
		return OTLP_HISTOGRAM;
	case SCRAPED_SUMMARY:
		return OTLP_SUMMARY;
	default:
		return OTLP_GAUGE;
	}
}

/* Return the name without _total and the unit, if that is configured. */
static struct str metric_name(const struct output *o, const struct scraped_family *f,
			      struct str unit)
{
	struct str name = f->name;

	if (!o->outcome->trim_metric_suffixes)
		return name;
	if (f->type == SCRAPED_COUNTER && str_ends(name, STR("_total")))
		name = str_head(name, name.n - 6);
	if (unit.n && str_ends(name, unit) && name.n > unit.n + 1 &&
	    name.p[name.n - unit.n - 1] == '_')
		name = str_head(name, name.n - unit.n - 1);
	return name;
}

static void begin_family(struct output *o, const struct scraped_family *f)
{
	static const struct scraped_meta none;
	const struct scraped_meta *m = f->meta == SCRAPED_NONE ? &none : &o->s->metas.at[f->meta];
	struct buf unit = {0};

	prom_unit_ucum(&unit, m->unit);
	otlp_begin_metric(&o->builder,
			  &(struct otlp_metric){.name = metric_name(o, f, m->unit),
						.description = scraped_text(m->help, o->scratch),
						.unit = buf_str(&unit),
						.kind = metric_kind(f->type),
						.temporality = OTLP_CUMULATIVE,
						.monotonic = f->type == SCRAPED_COUNTER});
	o->failed |= buf_error(&unit) != 0;
	buf_fini(&unit);
}

/* Write the points of a metric. It is begun with the first one. */
static void put_family(struct output *o, const struct scraped_family *f)
{
	bool begun = false;

	for (uint32_t i = f->first_point; i != SCRAPED_NONE; i = o->s->points.at[i].next) {
		struct scraped_point *p = &o->s->points.at[i];
		enum point_state state = point_state(o, p);

		p->live &= state == POINT_FRESH;
		if (state == POINT_ABSENT)
			continue;
		if (!begun)
			begin_family(o, f);
		begun = true;
		p->live = put_point(o, f->type, p, state) && state == POINT_FRESH;
	}
}

/* ---- metrics about the scrape ---- */

static void put_report(struct output *o)
{
	const struct scrape_outcome *x = o->outcome;
	const struct {
		const char *name, *unit, *help;
		double value;
	} rows[] = {
		{"up", "", "The scraping was successful", x->end == SCRAPE_OK},
		{"scrape_duration_seconds", "s", "Duration of the scrape",
		 (double)x->duration / 1e9},
		{"scrape_samples_scraped", "", "The number of samples the target exposed",
		 (double)x->counts.scraped},
		{"scrape_samples_post_metric_relabeling", "",
		 "The number of samples remaining after metric relabeling was applied",
		 (double)x->counts.kept},
		{"scrape_series_added", "", "The approximate number of new series in this scrape",
		 (double)x->counts.added},
	};
	struct attributes a = {0};

	for (uint32_t i = 0; i < o->rules->target->list.n + o->rules->external_labels.n; i++) {
		const struct prom_labels *t = o->rules->target;
		struct str name, value;

		if (i < t->list.n) {
			name = t->list.at[i].name;
			value = t->list.at[i].value;
		} else {
			name = o->rules->external_labels.at[i - t->list.n].name;
			value = o->rules->external_labels.at[i - t->list.n].value;
		}
		if (!str_eq(name, STR("job")) && !str_eq(name, STR("instance")) &&
		    !attributes_get(&a, name))
			o->failed |=
				attributes_set(&a, o->scratch, name, &VALUE_OF_STR(value)) != 0;
	}
	for (size_t i = 0; i < countof(rows); i++) {
		otlp_begin_metric(&o->builder,
				  &(struct otlp_metric){.name = str_from(rows[i].name),
							.description = str_from(rows[i].help),
							.unit = str_from(rows[i].unit),
							.kind = OTLP_GAUGE});
		otlp_add_number(
			&o->builder,
			&(struct otlp_number){.point = {.attributes = &a,
							.time = x->time,
							.flags = x->end == SCRAPE_GONE
									 ? OTLP_NO_RECORDED_VALUE
									 : 0},
					      .d = rows[i].value});
	}
}

/* ---- resources ---- */

static bool is_local_host(struct str host)
{
	static const struct str names[] = {STR_INIT("localhost"), STR_INIT("0.0.0.0"),
					   STR_INIT("::1"),	  STR_INIT("::"),
					   STR_INIT("[::1]"),	  STR_INIT("[::]")};

	for (size_t i = 0; i < countof(names); i++)
		if (str_eq(host, names[i]))
			return true;
	return str_starts(host, STR("127."));
}

/* Split "host:port" and "[v6]:port". */
static void split_instance(struct str instance, struct str *host, struct str *port)
{
	size_t colon = str_find_last(instance, ':');
	bool bracket = instance.n && instance.p[0] == '[';

	*host = instance;
	*port = (struct str){0};
	if (colon == instance.n || (!bracket && str_find(instance, ':') != colon) ||
	    (bracket && (!colon || instance.p[colon - 1] != ']')))
		return;
	*host = str_head(instance, colon);
	*port = str_from_at(instance, colon + 1);
	if (bracket)
		*host = str_of(instance.p + 1, colon - 2);
}

static int resource_attributes(struct output *o, const struct scraped_resource *r,
			       struct attributes *a)
{
	struct str host, port;
	struct value scheme = VALUE_OF_STR(o->outcome->scheme);
	int rc = attributes_set(a, o->scratch, STR("service.name"), &VALUE_OF_STR(r->job));

	split_instance(r->instance, &host, &port);
	if (!rc && r->instance.n)
		rc = attributes_set(a, o->scratch, STR("service.instance.id"),
				    &VALUE_OF_STR(r->instance));
	if (!rc && host.n && !is_local_host(host))
		rc = attributes_set(a, o->scratch, STR("server.address"), &VALUE_OF_STR(host));
	if (!rc && port.n)
		rc = attributes_set(a, o->scratch, STR("server.port"), &VALUE_OF_STR(port));
	if (!rc)
		rc = attributes_set(a, o->scratch, STR("url.scheme"), &scheme);
	for (uint32_t i = 0; !rc && r->info && i < r->info->list.n; i++)
		rc = attributes_set(a, o->scratch, r->info->list.at[i].key,
				    &r->info->list.at[i].value);
	return rc;
}

static void put_resource(struct output *o, uint32_t resource)
{
	struct scraped_resource *r = &o->s->resources.at[resource];
	struct attributes a = {0};

	if (r->info_seq != o->s->seq && o->outcome->end == SCRAPE_OK)
		r->info = NULL;
	o->failed |= resource_attributes(o, r, &a) != 0;
	otlp_begin_resource(&o->builder, &a, (struct str){0});
	for (uint32_t i = 0; i < o->s->scopes.n; i++) {
		const struct scraped_scope *scope = &o->s->scopes.at[i];

		if (scope->resource != resource)
			continue;
		otlp_begin_scope(&o->builder, scope->name.n ? scope->name : scope_name,
				 scope->version);
		for (uint32_t k = scope->first_family; k != SCRAPED_NONE;
		     k = o->s->families.at[k].next)
			put_family(o, &o->s->families.at[k]);
	}
}

struct payload *scrape_output(struct scraped_state *s, const struct scrape_rules *rules,
			      const struct scrape_outcome *outcome, struct arena *scratch,
			      struct budget *budget)
{
	struct output o = {.s = s, .rules = rules, .outcome = outcome, .scratch = scratch};
	uint32_t own = scraped_resource_at(s, prom_labels_get(rules->target, STR("job")),
					   prom_labels_get(rules->target, STR("instance")));
	struct payload *p;

	if (own == SCRAPED_NONE)
		return NULL;
	otlp_builder_init(&o.builder, SIGNAL_METRICS, budget);
	for (uint32_t i = 0; i < s->resources.n; i++) {
		put_resource(&o, i);
		if (i != own)
			continue;
		otlp_begin_scope(&o.builder, scope_name, (struct str){0});
		put_report(&o);
	}
	p = otlp_builder_finish(&o.builder);
	otlp_builder_fini(&o.builder);
	if (o.failed) {
		payload_release(p);
		return NULL;
	}
	return p;
}
