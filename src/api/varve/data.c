/* SPDX-License-Identifier: Apache-2.0 */
/* Export and deletion of profiles. */
#include <stdio.h>

#include "api/access/access.h"
#include "api/endpoint.h"
#include "api/merged.h"
#include "api/varve/json_fields.h"
#include "api/varve/varve.h"
#include "api/varve/view_query.h"
#include "base/clock.h"
#include "base/time_text.h"
#include "format/format.h"
#include "query/span_tree.h"

/* ---- export ---- */

static int read_format(struct request *r, const struct format **out, struct err *e)
{
	struct str name;
	int rc = request_param(r, "format", &name, e);

	if (rc)
		return rc;
	*out = format_by_name(name.n ? name : STR("pprof"));
	if (*out && (*out)->encode)
		return 0;
	return err_set(e, -EINVAL, "format: unknown or read-only format \"%.*s\"",
		       STR_ARG(str_head(name, 40)));
}

/* The range of time in which the selection has data. */
struct time_range {
	uint64_t first, end;
};

static int add_series_range(void *ctx, uint32_t series, const struct store_series *s)
{
	struct time_range *t = ctx;

	(void)series;
	t->first = s->first < t->first ? s->first : t->first;
	t->end = s->last > t->end ? s->last : t->end;
	return 0;
}

static int add_point_end(void *ctx, const struct store_point *p)
{
	struct time_range *t = ctx;
	uint64_t end;

	if (!__builtin_add_overflow(p->time, p->duration_nano, &end) && end > t->end)
		t->end = end;
	return 0;
}

static void extend_range(struct time_range *t, uint64_t first, uint64_t duration)
{
	uint64_t end;

	if (__builtin_add_overflow(first, duration, &end))
		end = UINT64_MAX;
	if (first < t->first)
		t->first = first;
	if (end > t->end)
		t->end = end;
}

static int add_span_range(void *ctx, const struct span *s)
{
	extend_range(ctx, s->start, s->end - s->start);
	return 0;
}

/* Samples without times of their own extend the range to that of their profile. */
static int add_sample_ranges(void *ctx, const struct store_samples *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		bool timed = s->times && s->times[i];

		extend_range(ctx, timed ? s->times[i] : s->time, timed ? 0 : s->duration_nano);
	}
	return 0;
}

static int scan_sample_ranges(const struct selection *s, const struct store_select *sel, void *ctx,
			      struct err *e)
{
	return s->store->ops->scan(s->store, sel, NULL, add_sample_ranges, ctx, e);
}

/* Find the range of the selected spans or traces, or of their samples if no structure is stored. */
static int find_link_range(struct view_query *q, struct time_range *out, struct err *e)
{
	bool spans = q->s.select.span_count;
	struct store_span_select sel = {.tenant = q->s.select.tenant,
					.traces = spans ? NULL : q->s.traces,
					.trace_count = spans ? 0 : q->s.trace_n,
					.ids = q->s.select.spans,
					.id_count = q->s.select.span_count,
					.limits = q->s.select.limits};
	int rc;

	*out = (struct time_range){.first = UINT64_MAX};
	span_tree_range(q->s.select.from, q->s.select.to, &sel);
	rc = q->s.store->ops->spans(q->s.store, &sel, add_span_range, out, e);
	if (!rc && out->first > out->end)
		rc = selection_each(&q->s, scan_sample_ranges, out, e);
	if (!rc && out->first > out->end) /* no data */
		*out = (struct time_range){q->s.select.from, q->s.select.from};
	return rc;
}

/*
 * Find the time range of the exported profile: for traces and spans their duration, else the range
 * of the query; if more than a tenth of that has no data, from the first profile to the end of the
 * last.
 */
static int find_profile_range(struct view_query *q, struct time_range *out, struct err *e)
{
	struct store_select last = q->s.select;
	struct time_range t = {.first = UINT64_MAX};
	int rc;

	if (q->s.trace_n || q->s.select.span_count)
		return find_link_range(q, out, e);
	rc = q->s.store->ops->series(q->s.store, &q->s.select, add_series_range, &t, e);

	last.from = t.end;
	last.to = t.end + 1;
	if (!rc && t.first <= t.end)
		rc = q->s.store->ops->points(q->s.store, &last, add_point_end, &t, e);
	*out = (struct time_range){q->s.select.from, q->s.select.to};
	if (!rc && t.first <= t.end && t.end - t.first < (out->end - out->first) / 10 * 9)
		*out = t;
	return rc;
}

/* Set time, duration, period type and service of the exported profile. */
static int set_profile_fields(struct profile_batch *batch, const struct view_query *q,
			      const struct time_range *range)
{
	struct str service = selector_equal(&q->s.selector, STR("service_name"));
	struct profile *p = &batch->profiles.at[0];
	struct profile_builder b;
	int rc = profile_builder_init(&b, batch);

	if (!rc)
		rc = profile_add_string(&b, q->s.type.period_type, &p->period_type.type);
	if (!rc)
		rc = profile_add_string(&b, q->s.type.period_unit, &p->period_type.unit);
	p->time_unix_nano = range->first;
	p->duration_nano = range->end - range->first;
	if (!rc && service.n) {
		struct keyvalue kv = {STR("service.name"), VALUE_OF_STR(service)};

		batch->resources.at[0].attributes = (struct list){.at = batch->keyvalues.n, .n = 1};
		rc = vec_push(&batch->arena, &batch->keyvalues, kv);
	}
	return rc;
}

static int build_export_batch(struct profile_batch *batch, struct view_query *q, struct err *e)
{
	struct merged m = {0};
	struct time_range range;
	int rc = find_profile_range(q, &range, e);

	if (!rc)
		rc = merged_stacks(&m, &q->s, e);
	if (!rc)
		rc = stack_sums_to_batch(m.tree, m.sums, q->s.type.sample_type,
					 q->s.type.sample_unit, batch);
	merged_fini(&m);
	return rc ? rc : set_profile_fields(batch, q, &range);
}

int varve_profile(struct request *r, struct reply *out, struct err *e)
{
	const struct format *format = NULL;
	struct profile_batch batch;
	struct view_query q;
	struct str name;
	int rc = view_query_read(&q, &view_names_single, r, e);
	int rc2 = profile_batch_init(&batch, r->limits.budget);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = read_format(r, &format, e);
	if (!rc)
		rc = build_export_batch(&batch, &q, e);
	if (!rc)
		rc = format->encode(&out->body, &batch, &(struct encode_options){0}, e);
	if (!rc)
		rc = arena_printf(r->arena, &name, "attachment; filename=\"profile.%s\"",
				  format->extensions && format->extensions[0]
					  ? format->extensions[0]
					  : format->name);
	if (!rc) {
		out->content_type = STR("application/octet-stream");
		out->header = (struct http_header){STR("content-disposition"), name};
	}
	profile_batch_fini(&batch);
	view_query_fini(&q);
	return rc;
}

/* ---- deletion ---- */

/* Log a deletion before it is made, or its result. */
static int log_delete(struct request *r, struct str query, const struct selection *s,
		      const char *result, uint64_t removed, struct err *e)
{
	struct audit *audit = r->api ? r->api->options.audit : NULL;
	const char *what = s->select.signal && s->select.signal != SIGNAL_PROFILES
				   ? signal_items[signal_index(s->select.signal)]
				   : "profiles";
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE], text[128];

	snprintf(text, sizeof(text), "%s to %s, %llu %s", clock_format(s->select.from, from),
		 s->select.to == UINT64_MAX ? "the end" : clock_format(s->select.to, to),
		 (unsigned long long)removed, what);
	return access_log(audit, r->sender, "data.delete", query, result, str_from(text), e);
}

static int read_signal(struct request *r, uint32_t *signal, struct err *e)
{
	struct str name;
	int rc = request_param(r, "signal", &name, e);

	*signal = 0;
	for (unsigned i = 0; !rc && i < SIGNALS; i++)
		if (str_eq(name, str_from(signal_names[i])))
			*signal = (uint32_t)1 << i;
	if (!rc && name.n && !*signal)
		rc = err_set(e, -EINVAL,
			     "signal: expected profiles, traces, metrics or logs, got \"%.*s\"",
			     STR_ARG(str_head(name, 32)));
	return rc;
}

/* Require an explicit selector (or a signal other than profiles) and range, so that nothing is deleted by default. */
int varve_delete(struct request *r, struct reply *out, struct err *e)
{
	struct json_writer w;
	struct str before, from, to, query;
	struct selection s;
	uint64_t removed = 0;
	bool days;
	int rc = label_query_read(&s, r, e);

	if (!rc)
		rc = read_signal(r, &s.select.signal, e);
	days = !rc && s.select.signal && s.select.signal != SIGNAL_PROFILES;
	if (!rc)
		rc = request_param(r, "query", &query, e);
	if (!rc)
		rc = request_param(r, "before", &before, e);
	if (!rc)
		rc = request_param(r, "from", &from, e);
	if (!rc)
		rc = request_param(r, "to", &to, e);
	if (!rc && !days && !str_trim(query).n)
		rc = err_set(e, -EINVAL, "missing parameter: query ({} selects all series)");
	if (!rc && !before.n && !to.n && !from.n)
		rc = err_set(e, -EINVAL, "missing parameter: before (before=now selects all data)");
	if (!rc && before.n && (from.n || to.n))
		rc = err_set(e, -EINVAL, "before and from or to exclude each other");
	if (!rc && before.n) {
		s.select.from = 0;
		rc = time_parse(before, r->now_ns, &s.select.to, e);
	}
	if (!rc)
		rc = log_delete(r, query, &s, "accepted", 0, e);
	if (!rc) {
		rc = s.store->ops->remove(s.store, &s.select, &removed, e);
		(void)!log_delete(r, query, &s, rc ? "failed" : "done", removed, NULL);
	}
	selection_fini(&s);
	if (rc)
		return rc;
	w = answer_open(out, r->limits.missing);
	put_u64(&w, "profiles", days ? 0 : removed);
	if (days)
		put_u64(&w, signal_items[signal_index(s.select.signal)], removed);
	return view_close(&w);
}
