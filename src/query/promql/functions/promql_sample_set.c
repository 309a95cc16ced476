/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/functions/promql_window.h"

void promql_sample_set_init(struct promql_sample_set *s, struct promql_query *q)
{
	*s = (struct promql_sample_set){.q = q};
	arena_init(&s->arena, q->options.budget);
}

void promql_sample_set_fini(struct promql_sample_set *s)
{
	arena_fini(&s->arena);
}

static int reserve(struct promql_sample_set *s, uint32_t n)
{
	if (n <= s->cap)
		return 0;
	n = n < 256 ? 256 : n + n / 2;
	s->own_t = arena_alloc(&s->arena, n, sizeof(*s->own_t));
	s->own_st = arena_alloc(&s->arena, n, sizeof(*s->own_st));
	s->own_v = arena_alloc(&s->arena, n, sizeof(*s->own_v));
	if (!s->own_t || !s->own_st || !s->own_v)
		return promql_no_space(s->q);
	s->cap = n;
	return 0;
}

static int reserve_histograms(struct promql_sample_set *s, uint32_t n)
{
	if (n <= s->hcap)
		return 0;
	n = n < 64 ? 64 : n + n / 2;
	s->own_ht = arena_alloc(&s->arena, n, sizeof(*s->own_ht));
	s->own_hst = arena_alloc(&s->arena, n, sizeof(*s->own_hst));
	s->own_h = arena_alloc(&s->arena, n, sizeof(*s->own_h));
	if (!s->own_ht || !s->own_hst || !s->own_h)
		return promql_no_space(s->q);
	s->hcap = n;
	return 0;
}

/* Copy the floats without stale markers. */
static int copy_fresh(struct promql_sample_set *s, const struct promql_samples *in)
{
	if (reserve(s, in->count))
		return -ENOMEM;
	s->n = 0;
	for (uint32_t i = 0; i < in->count; i++) {
		if (promql_is_stale(in->values[i]))
			continue;
		s->own_t[s->n] = in->times[i];
		s->own_st[s->n] = in->starts ? in->starts[i] : 0;
		s->own_v[s->n++] = in->values[i];
	}
	s->t = s->own_t;
	s->v = s->own_v;
	s->st = s->st ? s->own_st : NULL;
	return 0;
}

int promql_sample_set_load(struct promql_sample_set *s, const struct promql_samples *in)
{
	bool starts = s->q->options.use_start_times, stale = false;

	s->exact = in->exact;
	s->n = in->count;
	s->t = in->times;
	s->v = in->values;
	s->st = starts ? in->starts : NULL;
	for (uint32_t i = 0; i < in->count; i++)
		stale |= promql_is_stale(in->values[i]);
	if (stale && copy_fresh(s, in))
		return -ENOMEM;
	s->hn = 0;
	if (reserve_histograms(s, in->histogram_count))
		return -ENOMEM;
	for (uint32_t i = 0; i < in->histogram_count; i++) {
		if (native_is_stale(&in->histograms[i]))
			continue;
		s->own_ht[s->hn] = in->histogram_times[i];
		s->own_hst[s->hn] = in->histogram_starts ? in->histogram_starts[i] : 0;
		s->own_h[s->hn++] = &in->histograms[i];
	}
	s->ht = s->own_ht;
	s->h = s->own_h;
	s->hst = starts && in->histogram_starts ? s->own_hst : NULL;
	return 0;
}

/* Hints of resets do not hold between samples of a subquery. */
static const struct native_histogram *without_hint(struct promql_sample_set *s,
						   const struct native_histogram *h)
{
	struct native_histogram *copy;

	if (h->reset != NATIVE_RESET && h->reset != NATIVE_NOT_RESET)
		return h;
	copy = arena_alloc(s->q->arena, 1, sizeof(*copy));
	if (copy) {
		*copy = *h;
		copy->reset = NATIVE_UNKNOWN;
	}
	return copy;
}

int promql_sample_set_load_series(struct promql_sample_set *s, const struct promql_series *in,
				  const struct promql_grid *grid)
{
	if (reserve(s, grid->n) || (in->histograms && reserve_histograms(s, grid->n)))
		return -ENOMEM;
	s->exact = false;
	s->n = s->hn = 0;
	for (uint32_t i = 0; i < grid->n; i++) {
		const struct native_histogram *h = promql_histogram_at(in, i);

		if (h) {
			s->own_ht[s->hn] = promql_time_at(grid, i);
			s->own_h[s->hn] = without_hint(s, h);
			if (!s->own_h[s->hn++])
				return promql_no_space(s->q);
		} else if (!promql_is_absent(in->floats[i])) {
			s->own_t[s->n] = promql_time_at(grid, i);
			s->own_v[s->n++] = in->floats[i];
		}
	}
	s->t = s->own_t;
	s->v = s->own_v;
	s->ht = s->own_ht;
	s->h = s->own_h;
	s->st = s->hst = NULL;
	return 0;
}

int promql_sample_set_reduce(struct promql_sample_set *s, struct promql_samples *in)
{
	const struct native_histogram *before = NULL;

	if (in->histogram_count > s->reduced_cap) {
		s->reduced = arena_alloc(&s->arena, in->histogram_count, sizeof(*s->reduced));
		if (!s->reduced)
			return promql_no_space(s->q);
		s->reduced_cap = in->histogram_count;
	}
	for (uint32_t i = 0; i < in->histogram_count; i++) {
		const struct native_histogram *h = &in->histograms[i];
		struct native_histogram hinted = *h;

		s->reduced[i] = (struct native_histogram){
			.reset = h->reset, .schema = h->schema, .count = h->count, .sum = h->sum};
		if (native_is_stale(h))
			continue;
		if (h->reset == NATIVE_UNKNOWN && before)
			hinted.reset =
				native_detect_reset(h, before) ? NATIVE_RESET : NATIVE_NOT_RESET;
		s->reduced[i].reset = hinted.reset;
		before = h;
	}
	if (in->histogram_count)
		in->histograms = s->reduced;
	return 0;
}

int promql_sample_set_find_resets(struct promql_sample_set *s)
{
	s->reset_count = 0;
	for (uint32_t i = 1; i < s->n; i++) {
		if (!(s->v[i] < s->v[i - 1]) &&
		    !(s->st && promql_start_is_reset(s->st[i - 1], s->t[i - 1], s->st[i], s->t[i])))
			continue;
		if (s->reset_count == s->reset_cap) {
			uint32_t cap = s->reset_cap ? 2 * s->reset_cap : 256;
			uint32_t *resets = arena_resize(&s->arena, s->resets, s->reset_cap, cap,
							sizeof(*resets));

			if (!resets)
				return promql_no_space(s->q);
			s->resets = resets;
			s->reset_cap = cap;
		}
		s->resets[s->reset_count++] = i;
	}
	return 0;
}
