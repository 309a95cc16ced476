/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "query/promql/eval/promql_eval.h"

enum { CHECK_EVERY = 64 };

int(promql_error)(struct promql_query *q, int code, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(q->e, code, "%s", text);
}

int(promql_no_space)(struct promql_query *q)
{
	return err_set(q->e, -ENOMEM, "query needs more memory than it may have");
}

int promql_check_time(struct promql_query *q)
{
	if (q->until_check--)
		return 0;
	q->until_check = CHECK_EVERY;
	if (q->options.is_canceled && q->options.is_canceled(q->options.cancel_arg))
		return err_set(q->e, -ECANCELED, "query was canceled in expression evaluation");
	if (q->options.deadline_ns && clock_monotonic_ns() > q->options.deadline_ns)
		return err_set(q->e, -ETIMEDOUT, "query timed out in expression evaluation");
	return 0;
}

int promql_keep_samples(struct promql_query *q, int64_t n)
{
	q->kept = (uint64_t)((int64_t)q->kept + n);
	if (q->kept > q->peak)
		q->peak = q->kept;
	if (n > 0 && q->kept > q->options.max_samples)
		return err_set(q->e, -EMSGSIZE,
			       "query processing would load too many samples into memory in query "
			       "execution");
	return 0;
}

void promql_column_clear(double *column, uint32_t n)
{
	double absent = promql_absent();

	for (uint32_t i = 0; i < n; i++)
		column[i] = absent;
}

double *promql_column_new(struct arena *a, uint32_t n)
{
	double *column = arena_alloc(a, n, sizeof(*column));

	if (column)
		promql_column_clear(column, n);
	return column;
}

const struct native_histogram **promql_histograms_new(struct arena *a, uint32_t n)
{
	return arena_zalloc(a, n, sizeof(const struct native_histogram *));
}

bool promql_series_is_empty(const struct promql_series *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (promql_is_present(s, i))
			return false;
	return true;
}

int promql_drop_name(struct promql_query *q, struct promql_series *s)
{
	s->drops_name = true;
	if (q->options.delayed_name_removal)
		return 0;
	s->labels = promql_labels_drop_name(&q->labels, s->labels);
	return s->labels ? 0 : promql_no_space(q);
}

const struct native_histogram *promql_keep_histogram(struct promql_query *q,
						     const struct native_histogram *h)
{
	struct native_histogram *copy = arena_alloc(q->arena, 1, sizeof(*copy));

	if (!copy || native_copy(copy, h, q->arena))
		return NULL;
	return copy;
}

static uint64_t count_samples(const struct promql_series *s, uint32_t n)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += !promql_is_absent(s->floats[i]);
	for (uint32_t i = 0; s->histograms && i < n; i++)
		if (s->histograms[i])
			count += native_sample_size(s->histograms[i]);
	return count;
}

/* Add the samples of `s` to a series with the same labels. */
static int merge(struct promql_matrix *m, struct promql_series *into, const struct promql_series *s)
{
	for (uint32_t i = 0; i < m->steps; i++) {
		if (!promql_is_present(s, i))
			continue;
		if (promql_is_present(into, i))
			return promql_error(m->q, -EDOM,
					    "vector cannot contain metrics with the same labelset");
		into->floats[i] = s->floats[i];
		if (!promql_histogram_at(s, i))
			continue;
		if (!into->histograms)
			into->histograms = promql_histograms_new(&m->arena, m->steps);
		if (!into->histograms)
			return promql_no_space(m->q);
		into->histograms[i] = s->histograms[i];
	}
	return 0;
}

static int keep_columns(struct promql_matrix *m, struct promql_series *s)
{
	const struct native_histogram **histograms = NULL;
	double *floats = arena_alloc(&m->arena, m->steps, sizeof(*floats));

	if (s->histograms)
		histograms = arena_alloc(&m->arena, m->steps, sizeof(*histograms));
	if (!floats || (s->histograms && !histograms))
		return promql_no_space(m->q);
	memcpy(floats, s->floats, m->steps * sizeof(*floats));
	if (histograms)
		memcpy(histograms, s->histograms, m->steps * sizeof(*histograms));
	s->floats = floats;
	s->histograms = histograms;
	return 0;
}

static int matrix_emit(struct promql_sink *sink, struct promql_series *series)
{
	struct promql_matrix *m = (struct promql_matrix *)sink;
	uint64_t count = count_samples(series, m->steps), *at;
	struct promql_series s = *series;
	bool added = true;
	int rc = promql_check_time(m->q);

	if (rc || !count)
		return rc;
	if (m->merges) {
		if (!m->has_map && map_init(&m->by_labels, &m->arena, 16))
			return promql_no_space(m->q);
		m->has_map = true;
		at = map_at(&m->by_labels, s.labels->id, &added);
		if (!at)
			return promql_no_space(m->q);
		if (!added)
			return merge(m, &m->list.at[*at], &s);
		*at = m->list.n;
	}
	rc = promql_keep_samples(m->q, (int64_t)count);
	m->kept += count;
	if (!rc)
		rc = keep_columns(m, &s);
	if (!rc && vec_push(&m->arena, &m->list, s))
		rc = promql_no_space(m->q);
	return rc;
}

void promql_matrix_init(struct promql_matrix *m, struct promql_query *q, uint32_t steps,
			bool merges)
{
	*m = (struct promql_matrix){
		.sink.emit = matrix_emit, .q = q, .steps = steps, .merges = merges};
	arena_init(&m->arena, q->options.budget);
}

void promql_matrix_fini(struct promql_matrix *m)
{
	m->q->kept -= m->kept;
	m->kept = 0;
	arena_fini(&m->arena);
}

int promql_matrix_eval(struct promql_matrix *m, struct promql_eval *ev, struct promql_node *node)
{
	return promql_eval_node(ev, node, &m->sink);
}

int promql_matrix_emit(struct promql_matrix *m, struct promql_sink *sink)
{
	int rc = 0;

	for (uint32_t i = 0; i < m->list.n && !rc; i++) {
		struct promql_series s = m->list.at[i];

		rc = promql_emit(sink, &s);
	}
	return rc;
}
