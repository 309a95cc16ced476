/* SPDX-License-Identifier: Apache-2.0 */
/* Pyroscope's render API: flame graphs as flamebearer JSON, with timelines. */
#include "api/pyroscope/render.h"

#include "api/pyroscope/dot.h"
#include "api/pyroscope/responses.h"
#include "base/clock.h"
#include "base/time_text.h"
#include "query/label_list.h"
#include "query/time/chart.h"
#include "wire/json_write.h"

#define JSON_TYPE STR("application/json")

/* Names of the parameters of one selection. */
struct param_names {
	const char *query, *from, *until;
};

static const struct param_names single = {"query", "from", "until"};
static const struct param_names left = {"leftQuery", "leftFrom", "leftUntil"};
static const struct param_names right = {"rightQuery", "rightFrom", "rightUntil"};

/* ---- parameters ---- */

static int read_time_ms(struct request *r, const char *name, int64_t *ms, struct err *e)
{
	struct str text;
	uint64_t ns = r->now_ns;
	int rc = request_param(r, name, &text, e);

	if (!rc && text.n)
		rc = time_parse(text, r->now_ns, &ns, e);
	if (rc)
		err_prefix(e, "%s", name);
	*ms = (int64_t)(ns / NS_PER_MS);
	return rc;
}

/* Split "type{selector}" into params->type and params->selector. */
static int read_query(struct request *r, const char *name, struct query_params *params,
		      struct err *e)
{
	struct str text;
	size_t brace;
	int rc = request_param(r, name, &text, e);

	if (rc)
		return rc;
	text = str_trim(text);
	if (!text.n)
		return err_set(e, -EINVAL, "\"%s\" is required", name);
	brace = str_find(text, '{');
	params->type = str_trim(str_head(text, brace));
	params->selector = brace < text.n ? str_from_at(text, brace) : STR("{}");
	if (!params->type.n)
		return err_set(e, -EINVAL, "\"%s\" must contain a profile-type selection", name);
	return 0;
}

/* Read the maximum number of nodes. An invalid or missing number means the default. */
static int read_max_nodes(struct request *r, int64_t *out, struct err *e)
{
	static const char *const names[] = {"max-nodes", "maxNodes"};
	int rc = 0;

	for (unsigned i = 0; i < countof(names) && !rc; i++) {
		struct str text;
		int64_t n;

		rc = request_param(r, names[i], &text, e);
		if (!rc && !str_to_i64(text, &n) && n)
			*out = n;
	}
	return rc;
}

static int read_render_params(struct request *r, const struct param_names *names,
			      struct query_params *params, struct err *e)
{
	int rc;

	*params = (struct query_params){0};
	rc = read_query(r, names->query, params, e);
	if (!rc)
		rc = read_time_ms(r, names->from, &params->start, e);
	if (!rc)
		rc = read_time_ms(r, names->until, &params->end, e);
	if (!rc)
		rc = read_max_nodes(r, &params->max_nodes, e);
	return rc;
}

/* ---- flamebearer JSON ---- */

static void put_flamebearer(struct json_writer *w, const struct flamebearer *l)
{
	json_put_key(w, STR("flamebearer"));
	json_open_object(w);
	json_put_key(w, STR("names"));
	json_open_array(w);
	for (uint32_t i = 0; i < l->names.n; i++)
		json_put_string(w, l->names.at[i]);
	json_close_array(w);
	json_put_key(w, STR("levels"));
	json_open_array(w);
	for (uint32_t i = 0; i < l->rows.n; i++) {
		json_open_array(w);
		for (uint32_t k = 0; k < l->rows.at[i].values.n; k++)
			json_put_i64(w, l->rows.at[i].values.at[k]);
		json_close_array(w);
	}
	json_close_array(w);
	json_put_key(w, STR("numTicks"));
	json_put_i64(w, l->total);
	json_put_key(w, STR("maxSelf"));
	json_put_i64(w, l->max_self);
	json_close_object(w);
}

static void put_metadata(struct json_writer *w, const struct profile_type *type, bool both)
{
	static const struct str objects[] = {STR_INIT("inuse_objects"), STR_INIT("alloc_objects"),
					     STR_INIT("goroutine"), STR_INIT("samples")};
	struct str units = type->sample_unit;
	bool cpu = str_eq(type->sample_type, STR("cpu"));

	for (size_t i = 0; i < countof(objects); i++)
		if (str_eq(type->sample_type, objects[i]))
			units = STR("objects");
	json_put_key(w, STR("metadata"));
	json_open_object(w);
	json_put_key(w, STR("format"));
	json_put_string(w, both ? STR("double") : STR("single"));
	json_put_key(w, STR("spyName"));
	json_put_string(w, STR(""));
	json_put_key(w, STR("sampleRate"));
	json_put_u64(w, cpu ? NS_PER_SECOND : 100);
	json_put_key(w, STR("units"));
	json_put_string(w, cpu ? STR("samples") : units);
	json_put_key(w, STR("name"));
	json_put_string(w, type->sample_type);
	json_close_object(w);
}

/* Append a value per step from start to end, both aligned down to the step; without points 0. */
static void put_timeline(struct json_writer *w, const struct chart_row *row,
			 const struct query_params *params, uint64_t step)
{
	uint64_t start = (uint64_t)params->start * NS_PER_MS / step * step;
	uint64_t end = (uint64_t)params->end * NS_PER_MS / step * step;
	uint32_t at = 0, n = row ? row->points.n : 0;

	json_open_object(w);
	json_put_key(w, STR("startTime"));
	json_put_u64(w, start / NS_PER_SECOND);
	json_put_key(w, STR("samples"));
	json_open_array(w);
	for (uint64_t t = start; t < end; t += step) {
		double value = 0;

		for (; at < n && row->points.at[at].time < t + step; at++)
			value += row->points.at[at].value;
		json_put_u64(w, value > 0 ? (uint64_t)value : 0);
	}
	json_close_array(w);
	json_put_key(w, STR("durationDelta"));
	json_put_u64(w, step / NS_PER_SECOND);
	json_put_key(w, STR("watermarks"));
	json_put_null(w);
	json_close_object(w);
}

static void put_timelines(struct json_writer *w, const struct chart *c,
			  const struct query_params *params, uint64_t step)
{
	const struct texts *by = &params->group_by;

	json_put_key(w, STR("timeline"));
	put_timeline(w, c->rows.n == 1 ? &c->rows.at[0] : NULL, params, step);
	json_put_key(w, STR("groups"));
	if (!by->list.n) {
		json_put_null(w);
	} else {
		json_open_object(w);
		for (uint32_t i = 0; i < c->rows.n; i++) {
			struct str key = label_set_get(c->rows.at[i].labels, by->list.at[0]);

			json_put_key(w, key.n ? key : STR("*"));
			put_timeline(w, &c->rows.at[i], params, step);
		}
		json_close_object(w);
	}
	json_put_key(w, STR("heatmap"));
	json_put_null(w);
}

/* ---- handlers ---- */

static int make_flamebearer(struct flamebearer *out, struct tree *t,
			    const struct query_params *params, bool both, struct err *e)
{
	struct cut_options o = {0};
	struct cut cut;
	int rc = query_params_max_nodes(params, &o.max_nodes, e);

	if (!rc)
		rc = cut_of_tree(&cut, t, &o, e);
	return rc ? rc : flamebearer_of_tree(out, t, &cut, both);
}

static int render_dot(struct reply *out, struct tree *t, const struct query_params *params)
{
	out->content_type = STR("text/plain");
	return dot_of_tree(&out->body, t, params->max_nodes > 0 ? (uint64_t)params->max_nodes : 0);
}

static int render_json(struct reply *out, struct tree *t, struct selection *s,
		       const struct query_params *params, struct request *r, struct err *e)
{
	struct json_writer w = json_writer_to(&out->body, 0);
	struct chart_options o = {
		.start = (uint64_t)params->start * NS_PER_MS,
		.by = params->group_by.list.at,
		.by_n = params->group_by.list.n,
		.aggregation = params->aggregation ? CHART_AVERAGE : CHART_SUM,
	};
	struct chart chart = {0};
	struct flamebearer levels;
	int rc = make_flamebearer(&levels, t, params, false, e);

	o.step = chart_step(s->select.from, s->select.to);
	s->select.from = o.start >= o.step ? o.start - o.step + NS_PER_MS : 0;
	if (!rc)
		rc = chart_of_store(&chart, r->store, &s->select, &o, e);
	if (!rc) {
		out->content_type = JSON_TYPE;
		json_open_object(&w);
		json_put_key(&w, STR("version"));
		json_put_u64(&w, 1);
		put_flamebearer(&w, &levels);
		put_metadata(&w, &s->type, false);
		put_timelines(&w, &chart, params, o.step);
		json_close_object(&w);
		rc = buf_error(&out->body);
	}
	chart_fini(&chart);
	return rc;
}

int render_profile(struct request *r, struct reply *out, struct err *e)
{
	struct str format, aggregation;
	struct selection s;
	struct tree t = {0};
	uint64_t max_nodes = 0;
	struct query_params params;
	int rc = read_render_params(r, &single, &params, e), rc2;

	if (!rc)
		rc = request_params(r, "groupBy", &params.group_by, e);
	if (!rc)
		rc = request_param(r, "format", &format, e);
	if (!rc)
		rc = request_param(r, "aggregation", &aggregation, e);
	rc2 = query_params_select(&s, &params, r, rc ? NULL : e);
	rc = rc ? rc : rc2;
	if (!rc && !str_eq(format, STR("dot")))
		rc = query_params_max_nodes(&params, &max_nodes, e);
	if (!rc) {
		params.aggregation = str_eq(aggregation, STR("avg"));
		selection_allow_largest(&s, max_nodes);
		rc = response_tree(&t, &s, e);
	}
	if (!rc)
		rc = str_eq(format, STR("dot")) ? render_dot(out, &t, &params)
						: render_json(out, &t, &s, &params, r, e);
	tree_fini(&t);
	selection_fini(&s);
	return rc;
}

static void put_diff_json(struct buf *out, const struct flamebearer *l,
			  const struct profile_type *type)
{
	struct json_writer w = json_writer_to(out, 0);
	static const struct str empty[] = {STR_INIT("timeline"), STR_INIT("groups"),
					   STR_INIT("heatmap")};

	json_open_object(&w);
	json_put_key(&w, STR("version"));
	json_put_u64(&w, 1);
	put_flamebearer(&w, l);
	put_metadata(&w, type, true);
	for (size_t i = 0; i < countof(empty); i++) {
		json_put_key(&w, empty[i]);
		json_put_null(&w);
	}
	json_put_key(&w, STR("leftTicks"));
	json_put_i64(&w, l->ticks[TREE_BEFORE]);
	json_put_key(&w, STR("rightTicks"));
	json_put_i64(&w, l->ticks[TREE_AFTER]);
	json_close_object(&w);
}

int render_diff(struct request *r, struct reply *out, struct err *e)
{
	const struct param_names *const sides[2] = {&left, &right};
	struct flamebearer levels;
	struct selection s[2];
	struct query_params params[2];
	struct tree t = {0};
	int rc = 0;

	for (unsigned i = 0; i < 2; i++) {
		int rc2 = read_render_params(r, sides[i], &params[i], rc ? NULL : e);

		rc = rc ? rc : rc2;
		rc2 = query_params_select(&s[i], &params[i], r, rc ? NULL : e);
		rc = rc ? rc : rc2;
	}
	if (!rc && !str_eq(s[0].type.id, s[1].type.id))
		rc = err_set(e, -EINVAL, "profile types must match");
	if (!rc)
		rc = response_diff_tree(&t, &s[0], &s[1], e);
	if (!rc)
		rc = make_flamebearer(&levels, &t, &params[0], true, e);
	if (!rc) {
		out->content_type = JSON_TYPE;
		put_diff_json(&out->body, &levels, &s[0].type);
		rc = buf_error(&out->body);
	}
	tree_fini(&t);
	selection_fini(&s[0]);
	selection_fini(&s[1]);
	return rc;
}

int render_label_values(struct request *r, struct reply *out, struct err *e)
{
	struct json_writer w = json_writer_to(&out->body, 0);
	struct label_list values = {0};
	struct selection s;
	struct str label;
	int rc = selection_init(&s, r, e);

	rc = rc ? rc : request_param(r, "label", &label, e);
	if (!rc && !label.n)
		rc = err_set(e, -EINVAL, "label parameter is required");
	if (!rc)
		rc = label_values_of(&values, r->store, &s.select,
				     str_eq(label, STR("__name__")) ? STR("__profile_type__")
								    : label,
				     r->arena, e);
	selection_fini(&s);
	if (rc)
		return rc;
	out->content_type = JSON_TYPE;
	json_open_array(&w);
	for (uint32_t i = 0; i < values.items.n; i++)
		json_put_string(&w, values.items.at[i]);
	json_close_array(&w);
	return buf_error(&out->body);
}
