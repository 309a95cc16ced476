/* SPDX-License-Identifier: Apache-2.0 */
#include "api/prometheus/prometheus_profiles.h"

#include "config/config.h"
#include "query/promql/profiles/promql_profile_exemplars.h"
#include "signal/metric/number_text.h"
#include "wire/text.h"

static struct profile_source source_of(const struct request *r)
{
	return (struct profile_source){r->store, r->tenant, r->limits};
}

/*
 * Get the selectors of a request. They ask for one sum over the whole range, which is the cheapest
 * way to find out which series there are.
 */
static int selects_of(const struct prometheus_selection *s, struct arena *a,
		      const struct promql_select **out)
{
	struct promql_select *at = arena_zalloc(a, s->selector_count + 1, sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->selector_count; i++) {
		const struct promql_node *root = s->selectors[i].root;

		at[i] = (struct promql_select){
			.matchers = root->selector.matchers.at,
			.matcher_count = root->selector.matchers.n,
			.from_ms = s->select.from,
			.to_ms = s->select.to,
			.last_ms = s->select.to,
			.range_ms = s->select.to - s->select.from + 1,
			.function = STR("increase"),
		};
	}
	*out = at;
	return 0;
}

int prometheus_profile_texts(struct profile_texts *out, struct request *r,
			     const struct prometheus_selection *s, struct str name, struct err *e)
{
	struct profile_list list = {.source = source_of(r),
				    .from_ms = s->select.from,
				    .to_ms = s->select.to,
				    .select_count = s->selector_count};
	int rc = selects_of(s, r->arena, &list.selects);

	return rc ? rc : profile_texts_list(out, &list, name, r->arena, e);
}

static int put_selected(struct json_writer *w, struct profile_cursor *c, uint64_t limit,
			uint64_t *n, bool *cut, struct err *e)
{
	struct promql_samples s;
	int rc;

	while ((rc = profile_cursor_next(c, &s, e)) > 0) {
		if (limit && *n == limit) {
			*cut = true;
			return 0;
		}
		(*n)++;
		json_open_object(w);
		for (uint32_t i = 0; i < s.label_count; i++) {
			json_put_key(w, s.labels[i].name);
			json_put_string(w, s.labels[i].value);
		}
		json_close_object(w);
	}
	return rc;
}

int prometheus_put_profile_series(struct json_writer *w, struct request *r,
				  const struct prometheus_selection *s, uint64_t *n, bool *cut,
				  struct err *e)
{
	const struct profile_source source = source_of(r);
	const struct promql_select *selects;
	int rc = selects_of(s, r->arena, &selects);

	for (uint32_t i = 0; i < s->selector_count && !rc && !*cut; i++) {
		struct profile_cursor *c;

		if (!promql_selects_profiles(selects[i].matchers, selects[i].matcher_count))
			continue;
		rc = profile_cursor_open(&c, &source, &selects[i], e);
		if (rc)
			return rc;
		rc = put_selected(w, c, s->limit, n, cut, e);
		profile_cursor_close(c);
	}
	return rc;
}

int prometheus_profile_families(struct request *r, int64_t from_ms, int64_t to_ms,
				store_visit_family *visit, void *ctx, struct err *e)
{
	const struct profile_source source = source_of(r);
	struct profile_families families;
	int rc = profile_families_list(&families, &source, from_ms, to_ms, r->arena, e);

	for (uint32_t i = 0; i < families.list.n && !rc; i++) {
		const struct profile_metric *m = &families.list.at[i];
		const struct metric_metadata row = {
			.name = m->name,
			.help = m->help,
			.unit = m->unit,
			.type = m->gauge ? METRIC_GAUGE : METRIC_COUNTER,
		};

		rc = visit(ctx, &row);
	}
	return rc;
}

/* ---- exemplars ---- */

static void put_id(struct json_writer *w, const char *name, const uint8_t *id, size_t n)
{
	char text[32];

	hex_digits(text, str_of((const char *)id, n));
	json_put_key(w, str_from(name));
	json_put_string(w, str_of(text, 2 * n));
}

static int put_exemplars(void *ctx, const struct profile_labels *labels,
			 const struct profile_exemplar *x, uint32_t n)
{
	struct json_writer *w = ctx;

	json_open_object(w);
	json_put_key(w, STR("seriesLabels"));
	json_open_object(w);
	for (uint32_t i = 0; i < labels->list.n; i++) {
		json_put_key(w, labels->list.at[i].name);
		json_put_string(w, labels->list.at[i].value);
	}
	json_close_object(w);
	json_put_key(w, STR("exemplars"));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++) {
		json_open_object(w);
		json_put_key(w, STR("labels"));
		json_open_object(w);
		put_id(w, "span_id", x[i].link.span_id, sizeof(x[i].link.span_id));
		put_id(w, "trace_id", x[i].link.trace_id, sizeof(x[i].link.trace_id));
		json_close_object(w);
		json_put_key(w, STR("value"));
		json_put_raw(w, STR("\""));
		number_text(w->out, x[i].value, NUMBER_JSON);
		buf_put_char(w->out, '"');
		json_put_key(w, STR("timestamp"));
		json_put_double(w, (double)x[i].time_ms / 1000);
		json_close_object(w);
	}
	json_close_array(w);
	json_close_object(w);
	return buf_error(w->out);
}

int prometheus_put_profile_exemplars(struct json_writer *w, struct request *r,
				     const struct promql_select *selects, uint32_t n, struct err *e)
{
	const struct profile_source source = source_of(r);
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++)
		if (promql_selects_profiles(selects[i].matchers, selects[i].matcher_count))
			rc = profile_exemplars_find(&source, &selects[i], put_exemplars, w,
						    r->arena, e);
	return rc;
}

/* ---- unknown names ---- */

struct noter {
	struct promql_result *result;
	const char **names;
	uint32_t n;
};

static int note_unknown(void *ctx, const struct promql_node *selector)
{
	struct noter *o = ctx;
	struct str name = {0};

	for (uint32_t i = 0; i < selector->selector.matchers.n; i++) {
		const struct promql_matcher *m = &selector->selector.matchers.at[i];

		if (m->type == PROMQL_MATCH_EQ && str_eq(m->name, STR("__name__")))
			name = m->value;
	}
	if (!str_starts(name, PROFILE_METRIC_PREFIX))
		return 0;
	for (uint32_t i = 0; i < o->n; i++)
		if (str_eq(name, str_from(o->names[i])))
			return 0;
	return promql_annotate(&o->result->annotations, PROMQL_INFO, selector->start,
			       "no profiles have the metric%s",
			       config_hint(name, o->names, o->n, sizeof(*o->names)).text);
}

static int has_profile_name(void *ctx, const struct promql_node *selector)
{
	(void)ctx;
	return promql_selects_profiles(selector->selector.matchers.at,
				       selector->selector.matchers.n);
}

int prometheus_note_profiles(struct request *r, const struct promql_expr *expr,
			     struct promql_result *result, struct err *e)
{
	enum { DAY_MS = 86400000 };
	const struct profile_source source = source_of(r);
	struct profile_families families;
	struct noter o = {.result = result};
	int rc;

	if (result->series.n || result->raw.n ||
	    !promql_each_selector(expr->root, has_profile_name, NULL))
		return 0;
	rc = profile_families_list(&families, &source, result->times.start_ms - DAY_MS,
				   result->times.end_ms, r->arena, e);
	if (rc)
		return rc;
	o.names = arena_alloc(r->arena, families.list.n + 1, sizeof(*o.names));
	if (!o.names)
		return -ENOMEM;
	for (; o.n < families.list.n; o.n++)
		o.names[o.n] = families.list.at[o.n].name.p;
	return promql_each_selector(expr->root, note_unknown, &o);
}
