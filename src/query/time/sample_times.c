/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass, without knowing the time range in advance: each step divides the next one, so each cell
 * of the map lies in one cell of the map with the next larger step, and the map can be coarsened
 * when a sample does not fit.
 */
#include "query/time/sample_times.h"

#include "base/clock.h"

/* In seconds; after the last one each step is twice the previous one. */
static const uint32_t steps[] = {1,    2,    10,   20,	  60,	 120,	600,
				 1800, 3600, 7200, 21600, 43200, 86400, 604800};

static uint64_t next_step(const struct sample_times *m)
{
	return m->step_at + 1 < countof(steps) ? steps[m->step_at + 1] * NS_PER_SECOND
					       : m->step * 2;
}

int sample_times_init(struct sample_times *m, uint32_t rows,
		      const struct stack_filter_options *stacks, const struct time_filter *times,
		      struct budget *budget)
{
	size_t fields = (size_t)rows * SAMPLE_TIMES_COLUMNS;
	int rc;

	*m = (struct sample_times){.rows = rows, .step = steps[0] * NS_PER_SECOND};
	arena_init(&m->arena, budget);
	rc = sample_scan_init(&m->scan, stacks, times, budget);
	if (rc)
		return rc;
	m->values = arena_zalloc(&m->arena, fields, sizeof(*m->values));
	m->other = arena_alloc(&m->arena, fields, sizeof(*m->other));
	return m->values && m->other ? 0 : -ENOMEM;
}

void sample_times_fini(struct sample_times *m)
{
	sample_scan_fini(&m->scan);
	arena_fini(&m->arena);
}

static void add_to_sum(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

/* Increase the step by `ratio`. With cells numbered from 1970, cell n becomes cell n / ratio. */
static void coarsen(struct sample_times *m)
{
	uint64_t step = next_step(m), ratio = step / m->step;
	uint64_t first = m->first / ratio, last = (m->first + m->columns - 1) / ratio;
	uint64_t fields = (uint64_t)m->columns * m->rows;
	int64_t *values = m->other;

	memset(values, 0, (size_t)SAMPLE_TIMES_COLUMNS * m->rows * sizeof(*values));
	for (uint64_t i = 0; i < fields; i++)
		add_to_sum(&values[(m->first * m->rows + i) / ratio - first * m->rows],
			   m->values[i]);
	m->other = m->values;
	m->values = values;
	m->first = first;
	m->columns = (uint32_t)(last - first + 1);
	m->step = step;
	m->step_at++;
}

/* Extend the map to a column for which it has room. */
static void extend_to_column(struct sample_times *m, uint64_t column)
{
	size_t size = m->rows * sizeof(*m->values);

	if (!m->columns) {
		m->first = column;
		m->columns = 1;
	} else if (column < m->first) {
		size_t more = (size_t)(m->first - column);

		memmove((char *)m->values + more * size, m->values, m->columns * size);
		memset(m->values, 0, more * size);
		m->first = column;
		m->columns += (uint32_t)more;
	} else if (column >= m->first + m->columns) {
		m->columns = (uint32_t)(column - m->first + 1);
	}
}

static bool column_fits(const struct sample_times *m, uint64_t column)
{
	uint64_t first = column < m->first ? column : m->first;
	uint64_t end = m->first + m->columns;

	end = column >= end ? column + 1 : end;
	return !m->columns || end - first <= SAMPLE_TIMES_COLUMNS;
}

static void add_timed(struct sample_times *m, uint64_t time, int64_t value)
{
	uint64_t row;

	while (!column_fits(m, time / m->step))
		coarsen(m);
	extend_to_column(m, time / m->step);
	row = (uint64_t)((unsigned __int128)(time % m->step) * m->rows / m->step);
	add_to_sum(&m->values[(time / m->step - m->first) * m->rows + row], value);
}

static int visit_timed_samples(void *ctx, const struct store_samples *s)
{
	struct sample_times *m = ctx;
	int rc = sample_scan_decide(&m->scan);

	for (uint32_t i = 0; i < s->n && !rc; i++) {
		if (!sample_scan_keeps(&m->scan, s, i))
			continue;
		add_to_sum(&m->total, s->values[i]);
		if (!s->times || !s->times[i])
			continue;
		add_to_sum(&m->timed, s->values[i]);
		add_timed(m, s->times[i], s->values[i]);
	}
	return rc;
}

int sample_times_add(struct sample_times *m, struct store *store, const struct store_select *sel,
		     struct err *e)
{
	return store->ops->scan(store, sel, sample_scan_tree(&m->scan), visit_timed_samples, m, e);
}
