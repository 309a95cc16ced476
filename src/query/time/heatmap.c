/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values are collected as dots (row of the result, column, value) first, because the range of all
 * values determines the rows of the map. Sorted dots are then counted in slots.
 */
#include "query/time/heatmap.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/container/map.h"
#include "query/label_list.h"

struct dot {
	uint32_t row;
	uint64_t column; /* end of the step that contains its time */
	struct heatmap_exemplar value;
};

struct heatmap_builder {
	struct heatmap *out;
	const struct heatmap_options *options;
	struct arena scratch;
	struct idset groups; /* of out->rows */
	struct map series;   /* store's series number -> index into out->series */
	VEC(uint32_t) rows;  /* by index into out->series */
	VEC(struct dot) dots;
	struct stack_tree stacks;
	struct stack_filter filter;
	VEC(struct heatmap_exemplar) spans; /* of the current profile */
};

void heatmap_fini(struct heatmap *h)
{
	arena_fini(&h->arena);
}

static int find_heatmap_row(struct heatmap_builder *m, struct label_set labels, uint32_t *row)
{
	static const struct str nothing[1];
	struct heatmap *out = m->out;
	struct label_set picked;
	int rc = label_set_pick(&picked, labels, m->options->by_n ? m->options->by : nothing,
				m->options->by_n ? m->options->by_n : 1, &out->arena);
	uint32_t hash;

	if (rc)
		return rc;
	hash = (uint32_t)label_set_hash(picked);
	for (struct idset_cursor at = idset_seek(&m->groups, hash);
	     idset_next(&m->groups, &at, row);)
		if (!label_set_cmp(out->rows.at[*row].labels, picked))
			return 0;
	*row = out->rows.n;
	rc = idset_add(&m->groups, hash, *row);
	return rc ? rc : vec_push(&out->arena, &out->rows, (struct heatmap_row){.labels = picked});
}

static int list_heatmap_series(void *ctx, uint32_t series, const struct store_series *s)
{
	struct heatmap_builder *m = ctx;
	struct label_set all;
	uint32_t row;
	int rc = find_heatmap_row(m, s->labels, &row);

	if (!rc)
		rc = label_set_pick(&all, s->labels, NULL, 0, &m->out->arena);
	if (!rc)
		rc = map_set(&m->series, series, m->out->series.n);
	if (!rc)
		rc = vec_push(&m->out->arena, &m->out->series, all);
	return rc ? rc : vec_push(&m->scratch, &m->rows, row);
}

/* ---- values ---- */

static uint64_t heatmap_column(const struct heatmap_options *o, uint64_t time)
{
	uint64_t ms = time / NS_PER_MS * NS_PER_MS;
	uint64_t last = o->end <= o->start
				? o->start
				: o->start + (o->end - o->start + o->step - 1) / o->step * o->step;
	uint64_t column = ms <= o->start
				  ? o->start
				  : o->start + (ms - o->start + o->step - 1) / o->step * o->step;

	return column < last ? column : last;
}

/* Add a value whose `series` is the store's series number. */
static int add_dot(struct heatmap_builder *m, struct heatmap_exemplar value)
{
	uint64_t place;

	if (!map_get(&m->series, value.series, &place))
		return 0;
	value.series = (uint32_t)place;
	return vec_push(
		&m->scratch, &m->dots,
		(struct dot){m->rows.at[place], heatmap_column(m->options, value.time), value});
}

static int visit_heatmap_point(void *ctx, const struct store_point *p)
{
	struct heatmap_exemplar value = {.time = p->time, .value = p->total, .series = p->series};

	memcpy(value.profile_id, p->profile_id, PROFILE_ID_SIZE);
	return add_dot(ctx, value);
}

static int compare_spans(const void *a, const void *b)
{
	const struct heatmap_exemplar *x = a, *y = b;

	return memcmp(&x->link, &y->link, sizeof(x->link));
}

/* Sum the samples that pass the filter, and list those of spans in m->spans. */
static int sum_samples(struct heatmap_builder *m, const struct store_samples *s, uint64_t *sum)
{
	int rc = stack_filter_decide(&m->filter, NULL);

	m->spans.n = 0;
	for (uint32_t i = 0; i < s->n && !rc; i++) {
		struct heatmap_exemplar value = {
			.time = s->time, .value = s->values[i], .series = s->series};

		if (!stack_filter_keeps(&m->filter, s->nodes[i]))
			continue;
		*sum += (uint64_t)s->values[i];
		if (!m->options->spans || !s->links ||
		    !span_id_is_set(s->links[i].span_id, SPAN_ID_SIZE))
			continue;
		value.link = s->links[i];
		rc = vec_push(&m->scratch, &m->spans, value);
	}
	return rc;
}

static int visit_heatmap_samples(void *ctx, const struct store_samples *s)
{
	struct heatmap_builder *m = ctx;
	uint64_t sum = 0;
	int rc = sum_samples(m, s, &sum);

	if (rc || !m->options->spans)
		return rc ? rc
			  : add_dot(m, (struct heatmap_exemplar){.time = s->time,
								 .value = (int64_t)sum,
								 .series = s->series});
	if (m->spans.n)
		qsort(m->spans.at, m->spans.n, sizeof(*m->spans.at), compare_spans);
	for (uint32_t i = 0, end; i < m->spans.n && !rc; i = end) {
		struct heatmap_exemplar value = m->spans.at[i];

		for (end = i + 1; end < m->spans.n && !compare_spans(&value, &m->spans.at[end]);
		     end++)
			value.value =
				(int64_t)((uint64_t)value.value + (uint64_t)m->spans.at[end].value);
		rc = add_dot(m, value);
	}
	return rc;
}

static int read_heatmap(struct heatmap_builder *m, struct store *s, const struct store_select *sel,
			struct err *e)
{
	static const struct stack_filter_options all;
	const struct stack_filter_options *filter = m->options->filter;
	struct store_select untimed = *sel;
	int rc;

	untimed.untimed = true;
	rc = s->ops->series(s, &untimed, list_heatmap_series, m, e);
	if (rc)
		return rc;
	if (!m->options->spans && !stack_filter_any(filter))
		return s->ops->points(s, sel, visit_heatmap_point, m, e);
	rc = stack_tree_init(&m->stacks, sel->limits.budget);
	if (!rc)
		rc = stack_filter_init(&m->filter, filter ? filter : &all, &m->stacks,
				       sel->limits.budget);
	if (!rc)
		rc = s->ops->scan(s, sel, &m->stacks, visit_heatmap_samples, m, e);
	stack_filter_fini(&m->filter);
	stack_tree_fini(&m->stacks);
	return rc;
}

/* ---- the map ---- */

/* Set the lower bounds of the rows; *size is the height of a row. */
static void set_row_bounds(struct heatmap_builder *m, double *size)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (uint32_t i = 0; i < m->dots.n; i++) {
		int64_t value = m->dots.at[i].value.value;

		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	*size = ((double)most - (double)least) / HEATMAP_ROWS;
	if (*size <= 0)
		*size = 1.0 / HEATMAP_ROWS;
	for (unsigned i = 0; i < HEATMAP_ROWS; i++)
		m->out->least[i] = least + (int64_t)(i * *size);
}

static unsigned row_of_value(const struct heatmap *h, int64_t value)
{
	unsigned i = HEATMAP_ROWS;

	while (--i && value < h->least[i])
		;
	/* Of rows with the same lower bound the first is used. */
	while (i && h->least[i - 1] == h->least[i])
		i--;
	return i;
}

static int compare_dots(const void *a, const void *b)
{
	const struct dot *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->column == y->column ? 0 : x->column < y->column ? -1 : 1;
}

static int compare_heatmap_rows(const void *a, const void *b)
{
	const struct heatmap_row *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return label_set_cmp(x->labels, y->labels);
}

static int count_dots(struct heatmap_builder *m)
{
	struct heatmap *out = m->out;

	for (uint32_t i = 0; i < m->dots.n; i++) {
		const struct dot *dot = &m->dots.at[i];
		struct heatmap_row *row = &out->rows.at[dot->row];
		struct heatmap_slot *slot;
		unsigned field = row_of_value(out, dot->value.value);

		if (!row->slots.n || row->slots.at[row->slots.n - 1].time != dot->column) {
			int rc = vec_push(&out->arena, &row->slots,
					  (struct heatmap_slot){.time = dot->column});
			if (rc)
				return rc;
		}
		slot = &row->slots.at[row->slots.n - 1];
		if (!slot->counts[field] || dot->value.value > slot->exemplars[field].value)
			slot->exemplars[field] = dot->value;
		slot->counts[field]++;
		row->count++;
	}
	return 0;
}

static int make_heatmap_rows(struct heatmap_builder *m)
{
	struct heatmap *out = m->out;
	uint32_t kept = 0;
	double size;
	int rc;

	if (m->dots.n) {
		set_row_bounds(m, &size);
		qsort(m->dots.at, m->dots.n, sizeof(*m->dots.at), compare_dots);
	}
	rc = count_dots(m);
	for (uint32_t i = 0; i < out->rows.n; i++)
		if (out->rows.at[i].count)
			out->rows.at[kept++] = out->rows.at[i];
	out->rows.n = kept;
	if (kept)
		qsort(out->rows.at, kept, sizeof(*out->rows.at), compare_heatmap_rows);
	if (m->options->limit && m->options->limit < kept)
		out->rows.n = m->options->limit;
	return rc;
}

int heatmap_of_store(struct heatmap *out, struct store *s, const struct store_select *sel,
		     const struct heatmap_options *o, struct err *e)
{
	struct heatmap_builder m = {.out = out, .options = o};
	int rc;

	*out = (struct heatmap){0};
	arena_init(&out->arena, sel->limits.budget);
	arena_init(&m.scratch, sel->limits.budget);
	rc = idset_init(&m.groups, &m.scratch, 64);
	if (!rc)
		rc = map_init(&m.series, &m.scratch, 64);
	if (!rc)
		rc = read_heatmap(&m, s, sel, e);
	if (!rc)
		rc = make_heatmap_rows(&m);
	arena_fini(&m.scratch);
	return rc;
}
