/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles out, profiles away: export and deletion. */
#include "api/merged.h"
#include "api/varve/varve.h"
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
	return err_set(e, -EINVAL, "format: no \"%.*s\" that can be written",
		       STR_ARG(str_head(name, 40)));
}

/* From when to when there is data, of what is asked. */
struct span_of_time {
	uint64_t first, end;
};

static int note_series(void *ctx, uint32_t series, const struct store_series *s)
{
	struct span_of_time *t = ctx;

	(void)series;
	t->first = s->first < t->first ? s->first : t->first;
	t->end = s->last > t->end ? s->last : t->end;
	return 0;
}

static int note_end(void *ctx, const struct store_point *p)
{
	struct span_of_time *t = ctx;
	uint64_t end;

	if (!__builtin_add_overflow(p->time, p->duration_nano, &end) && end > t->end)
		t->end = end;
	return 0;
}

static void widen(struct span_of_time *t, uint64_t first, uint64_t duration)
{
	uint64_t end;

	if (__builtin_add_overflow(first, duration, &end))
		end = UINT64_MAX;
	if (first < t->first)
		t->first = first;
	if (end > t->end)
		t->end = end;
}

static int note_span(void *ctx, const struct span *s)
{
	widen(ctx, s->start, s->end - s->start);
	return 0;
}

/* Where samples have no times of their own, their profile's is all there is. */
static int note_linked(void *ctx, const struct store_samples *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		bool timed = s->times && s->times[i];

		widen(ctx, timed ? s->times[i] : s->time, timed ? 0 : s->duration_nano);
	}
	return 0;
}

static int scan_linked(const struct selection *s, const struct store_select *sel, void *ctx,
		       struct err *e)
{
	return s->store->ops->scan(s->store, sel, NULL, note_linked, ctx, e);
}

/* From the begin of the first span to the end of the last; where their structure is not kept, of what was sampled in them. */
static int find_link_range(struct view_ask *a, struct span_of_time *out, struct err *e)
{
	bool spans = a->s.select.span_count;
	struct store_span_select sel = {.tenant = a->s.select.tenant,
					.traces = spans ? NULL : a->s.traces,
					.trace_count = spans ? 0 : a->s.trace_n,
					.ids = a->s.select.spans,
					.id_count = a->s.select.span_count,
					.limits = a->s.select.limits};
	int rc;

	*out = (struct span_of_time){.first = UINT64_MAX};
	span_tree_range(a->s.select.from, a->s.select.to, &sel);
	rc = a->s.store->ops->spans(a->s.store, &sel, note_span, out, e);
	if (!rc && out->first > out->end)
		rc = selection_each(&a->s, scan_linked, out, e);
	if (!rc && out->first > out->end) /* nothing */
		*out = (struct span_of_time){a->s.select.from, a->s.select.from};
	return rc;
}

/*
 * The range that the profile tells: what was asked for, unless much of that is without data ("everything since
 * 1970"); then from the first profile to the end of the last. Of traces and spans it is how long these took.
 */
static int find_range(struct view_ask *a, struct span_of_time *out, struct err *e)
{
	struct store_select last = a->s.select;
	struct span_of_time t = {.first = UINT64_MAX};
	int rc;

	if (a->s.trace_n || a->s.select.span_count)
		return find_link_range(a, out, e);
	rc = a->s.store->ops->series(a->s.store, &a->s.select, note_series, &t, e);

	last.from = t.end;
	last.to = t.end + 1;
	if (!rc && t.first <= t.end)
		rc = a->s.store->ops->points(a->s.store, &last, note_end, &t, e);
	*out = (struct span_of_time){a->s.select.from, a->s.select.to};
	if (!rc && t.first <= t.end && t.end - t.first < (out->end - out->first) / 10 * 9)
		*out = t;
	return rc;
}

/* What the file says about itself: when, how long, of which service. */
static int set_header(struct profile_batch *batch, const struct view_ask *a,
		      const struct span_of_time *range)
{
	struct str service = selector_equal(&a->s.selector, STR("service_name"));
	struct profile *p = &batch->profiles.at[0];
	struct profile_builder b;
	int rc = profile_builder_init(&b, batch);

	if (!rc)
		rc = profile_add_string(&b, a->s.type.period_type, &p->period_type.type);
	if (!rc)
		rc = profile_add_string(&b, a->s.type.period_unit, &p->period_type.unit);
	p->time_unix_nano = range->first;
	p->duration_nano = range->end - range->first;
	if (!rc && service.n) {
		struct keyvalue kv = {STR("service.name"), VALUE_OF_STR(service)};

		batch->resources.at[0].attributes = (struct list){.at = batch->keyvalues.n, .n = 1};
		rc = vec_push(&batch->arena, &batch->keyvalues, kv);
	}
	return rc;
}

static int make_batch(struct profile_batch *batch, struct view_ask *a, struct err *e)
{
	struct merged m = {0};
	struct span_of_time range;
	int rc = find_range(a, &range, e);

	if (!rc)
		rc = merged_stacks(&m, &a->s, e);
	if (!rc)
		rc = stack_sums_to_batch(m.tree, m.sums, a->s.type.sample_type,
					 a->s.type.sample_unit, batch);
	merged_fini(&m);
	return rc ? rc : set_header(batch, a, &range);
}

int varve_profile(struct request *r, struct reply *out, struct err *e)
{
	const struct format *format = NULL;
	struct profile_batch batch;
	struct view_ask a;
	struct str name;
	int rc = view_ask_read(&a, &view_names_single, r, e);
	int rc2 = profile_batch_init(&batch, r->limits.budget);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = read_format(r, &format, e);
	if (!rc)
		rc = make_batch(&batch, &a, e);
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
	view_ask_fini(&a);
	return rc;
}

/* ---- deletion ---- */

/*
 * Nothing is deleted that was not named: a selector is needed, and a range is all that is before
 * `before` unless from and to say it.
 */
int varve_delete(struct request *r, struct reply *out, struct err *e)
{
	struct json_writer w;
	struct str before, from, to, query;
	struct selection s;
	uint64_t profiles = 0;
	int rc = ask_labels(&s, r, e);

	if (!rc)
		rc = request_param(r, "query", &query, e);
	if (!rc)
		rc = request_param(r, "before", &before, e);
	if (!rc)
		rc = request_param(r, "from", &from, e);
	if (!rc)
		rc = request_param(r, "to", &to, e);
	if (!rc && !str_trim(query).n)
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
		rc = s.store->ops->remove(s.store, &s.select, &profiles, e);
	selection_fini(&s);
	if (rc)
		return rc;
	w = answer_open(out, r->limits.missing);
	put_u64(&w, "profiles", profiles);
	return view_close(&w);
}
