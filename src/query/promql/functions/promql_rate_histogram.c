/* SPDX-License-Identifier: Apache-2.0 */
/* The increase of native histograms over a window. */
#include "query/promql/functions/promql_window.h"

/* Return whether sample i is a reset of the counter, by start times or counts. */
static bool is_reset(const struct promql_sample_set *s, uint32_t i,
		     const struct native_histogram *before)
{
	if (s->hst && promql_start_is_reset(s->hst[i - 1], s->ht[i - 1], s->hst[i], s->ht[i]))
		return true;
	return native_detect_reset(s->h[i], before);
}

/* Check the histograms between the first and the last one. Return 1 if they can be used. */
static int check_between(struct promql_window *w, bool counter, bool custom, int32_t *schema)
{
	const struct promql_sample_set *s = w->s;

	for (uint32_t i = w->hfrom + 1; counter && i + 1 < w->hto; i++) {
		const struct native_histogram *h = s->h[i];

		if (h->reset == NATIVE_GAUGE && promql_warn_not_counter(w, w->arg_at))
			return -ENOMEM;
		if (h->schema < *schema)
			*schema = h->schema;
		if (native_is_custom(h) != custom)
			return promql_warn_layouts(w, w->arg_at);
	}
	return 1;
}

/* Add what was lost by resets. Return 1, 0 after a warning, or -errno. */
static int add_resets(struct promql_window *w, struct native_work *work,
		      const struct native_histogram *before)
{
	const struct promql_sample_set *s = w->s;
	bool overlap = false;

	for (uint32_t i = w->hfrom + 1; i < w->hto; i++) {
		struct native_notes notes = {0};
		int rc = 0;

		if (!overlap && s->hst && s->hst[i] && s->hst[i] < s->ht[i - 1] &&
		    s->hst[i] != s->hst[i - 1]) {
			overlap = true;
			if (promql_annotate_overlap(w->q->annotations, w->arg_at,
						    promql_labels_name(w->labels)))
				return -ENOMEM;
		}
		if (is_reset(s, i, before))
			rc = native_work_add(work, before, &notes);
		if (rc == -EPROTOTYPE)
			return promql_warn_layouts(w, w->arg_at);
		if (rc ||
		    (notes.bounds_reconciled && promql_note_bounds(w->q, w->arg_at, "addition")))
			return promql_no_space(w->q);
		before = s->h[i];
	}
	return 1;
}

int promql_histogram_rate(struct promql_window *w, bool counter, struct native_histogram **out)
{
	const struct promql_sample_set *s = w->s;
	const struct native_histogram *first = s->h[w->hfrom], *last = s->h[w->hto - 1];
	const struct native_histogram *before = first;
	struct native_histogram empty = {0};
	struct native_work *work = &w->q->works[1];
	struct native_notes notes = {0};
	int32_t schema;
	int rc;

	*out = NULL;
	if (counter && (first->reset == NATIVE_GAUGE || last->reset == NATIVE_GAUGE) &&
	    promql_warn_not_counter(w, w->arg_at))
		return -ENOMEM;
	if (counter && is_reset(s, w->hfrom + 1, first)) {
		const struct native_histogram *second = s->h[w->hfrom + 1];

		empty.schema = second->schema;
		empty.custom = second->custom;
		empty.custom_count = second->custom_count;
		before = &empty;
	}
	if (native_is_custom(last) != native_is_custom(before))
		return promql_warn_layouts(w, w->arg_at);
	schema = last->schema < before->schema ? last->schema : before->schema;
	rc = check_between(w, counter, native_is_custom(before), &schema);
	if (rc <= 0)
		return rc;
	if (native_work_set(work, last))
		return promql_no_space(w->q);
	native_work_reduce(work, schema);
	rc = native_work_subtract(work, before, &notes);
	if (rc == -EPROTOTYPE)
		return promql_warn_layouts(w, w->arg_at);
	if (rc || (notes.bounds_reconciled && promql_note_bounds(w->q, w->arg_at, "subtraction")))
		return promql_no_space(w->q);
	if (counter) {
		rc = add_resets(w, work, before);
		if (rc <= 0)
			return rc;
	} else if ((first->reset != NATIVE_GAUGE || last->reset != NATIVE_GAUGE) &&
		   promql_warn_not_gauge(w, w->arg_at)) {
		return -ENOMEM;
	}
	work->reset = NATIVE_GAUGE;
	native_work_compact(work);
	*out = native_work_finish(work, w->q->arena);
	return *out ? 0 : promql_no_space(w->q);
}
