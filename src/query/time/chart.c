/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store returns points by series and then by time. Consecutive points of one series in the same
 * bucket (and, for gauges, the same ten-minute slot) form a run; its sum is added to the cell of
 * its row, bucket and slot.
 */
#include "query/time/chart.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/container/hash.h"
#include "base/container/map.h"
#include "query/label_list.h"
#include "query/time/spread.h"

struct cell {
	uint32_t row;
	uint64_t bucket, slot;
	double value;
	uint64_t count;
	bool has_exemplar;
	struct chart_exemplar exemplar;
};

/* Consecutive points of one cell and series. */
struct run {
	uint32_t series;
	uint64_t bucket, slot;
	double sum;
	uint64_t count;
	bool has_exemplar;
	struct chart_exemplar exemplar;
};

struct chart_builder {
	struct chart *out;
	struct store *store;
	const struct store_select *sel;
	struct store_select read; /* sel, with a wider range for `spread` */
	struct spread spread;
	const struct chart_options *options;
	struct arena scratch;
	struct idset groups; /* of out->rows */
	struct map rows;     /* store's series number -> row */
	struct map series;   /* store's series number -> index into out->series */
	VEC(struct cell) cells;
	struct idset index; /* of cells */
	struct run run;
	struct stack_filter filter;
	struct stack_tree stacks;
};

void chart_fini(struct chart *c)
{
	arena_fini(&c->arena);
}

/* ---- rows ---- */

/* Find or add the row of a series. */
static int find_chart_row(struct chart_builder *c, struct label_set labels, uint32_t *row)
{
	static const struct str nothing[1]; /* an empty name, which matches no label */
	struct chart *out = c->out;
	struct label_set picked;
	int rc = label_set_pick(&picked, labels, c->options->by_n ? c->options->by : nothing,
				c->options->by_n ? c->options->by_n : 1, &out->arena);
	uint32_t hash;

	if (rc)
		return rc;
	hash = (uint32_t)label_set_hash(picked);
	for (struct idset_cursor at = idset_seek(&c->groups, hash);
	     idset_next(&c->groups, &at, row);)
		if (!label_set_cmp(out->rows.at[*row].labels, picked))
			return 0;
	*row = out->rows.n;
	rc = idset_add(&c->groups, hash, *row);
	return rc ? rc : vec_push(&out->arena, &out->rows, (struct chart_row){.labels = picked});
}

static int list_chart_series(void *ctx, uint32_t series, const struct store_series *s)
{
	struct chart_builder *c = ctx;
	struct label_set all = {0};
	uint32_t row;
	int rc = find_chart_row(c, s->labels, &row);

	if (!rc)
		rc = map_set(&c->rows, series, row);
	if (!rc && c->options->exemplars) {
		rc = label_set_pick(&all, s->labels, NULL, 0, &c->out->arena);
		if (!rc)
			rc = map_set(&c->series, series, c->out->series.n);
		if (!rc)
			rc = vec_push(&c->out->arena, &c->out->series, all);
	}
	return rc;
}

/* ---- cells ---- */

static int find_cell(struct chart_builder *c, uint32_t row, uint64_t bucket, uint64_t slot,
		     uint32_t *id)
{
	uint32_t hash = hash_u64((uint64_t)row << 40 ^ bucket << 20 ^ slot);
	int rc;

	for (struct idset_cursor at = idset_seek(&c->index, hash);
	     idset_next(&c->index, &at, id);) {
		const struct cell *cell = &c->cells.at[*id];

		if (cell->row == row && cell->bucket == bucket && cell->slot == slot)
			return 0;
	}
	*id = c->cells.n;
	rc = idset_add(&c->index, hash, *id);
	return rc ? rc
		  : vec_push(&c->scratch, &c->cells,
			     (struct cell){.row = row, .bucket = bucket, .slot = slot});
}

/* Add the run to its cell and begin a new one. */
static int end_run(struct chart_builder *c)
{
	struct run *run = &c->run;
	uint64_t row;
	uint32_t id;
	int rc;

	/* A series added since the series were listed is left for the next query. */
	if (!run->count || !map_get(&c->rows, run->series, &row)) {
		*run = (struct run){0};
		return 0;
	}
	rc = find_cell(c, (uint32_t)row, run->bucket, run->slot, &id);
	if (rc)
		return rc;

	struct cell *cell = &c->cells.at[id];

	cell->value += c->sel->average ? run->sum / (double)run->count : run->sum;
	cell->count += run->count;
	if (run->has_exemplar &&
	    (!cell->has_exemplar || run->exemplar.value > cell->exemplar.value)) {
		cell->has_exemplar = true;
		cell->exemplar = run->exemplar;
	}
	*run = (struct run){0};
	return 0;
}

/* When a profile was taken. */
struct profile_time {
	uint64_t time, duration;
};

/* Return the bucket of a time: k of the point at start + k * step that covers it. */
static uint64_t chart_bucket(const struct chart_options *o, uint64_t time)
{
	uint64_t ms = time / NS_PER_MS * NS_PER_MS;

	return ms <= o->start ? 0 : (ms - o->start + o->step - 1) / o->step;
}

static int spread_value(struct chart_builder *c, uint32_t series, const struct profile_time *when,
			int64_t value)
{
	uint64_t row;

	if (!map_get(&c->rows, series, &row))
		return 0;
	return spread_add(&c->spread, (uint32_t)row, series, when->time, when->duration,
			  (double)value);
}

static int add_chart_value(struct chart_builder *c, uint32_t series,
			   const struct profile_time *when, int64_t value)
{
	uint64_t time = when->time;
	uint64_t bucket = c->options->spread ? 0 : chart_bucket(c->options, time);
	uint64_t slot = c->sel->average ? time / (STORE_SLOT_SECONDS * NS_PER_SECOND) : 0;
	struct run *run = &c->run;
	int rc = 0;

	if (c->options->spread) {
		rc = spread_value(c, series, when, value);
		if (rc || time < c->sel->from || time >= c->sel->to)
			return rc;
	}
	if (run->series != series || run->bucket != bucket || run->slot != slot)
		rc = end_run(c);
	run->series = series;
	run->bucket = bucket;
	run->slot = slot;
	run->sum += (double)value;
	run->count++;
	return rc;
}

static int visit_chart_point(void *ctx, const struct store_point *p)
{
	struct chart_builder *c = ctx;
	int rc = add_chart_value(c, p->series, &(struct profile_time){p->time, p->duration_nano},
				 p->total);
	uint64_t place;

	if (rc || !c->options->exemplars || !map_get(&c->series, p->series, &place) ||
	    (c->run.has_exemplar && p->total <= c->run.exemplar.value))
		return rc;
	c->run.has_exemplar = true;
	c->run.exemplar = (struct chart_exemplar){p->time, p->total, (uint32_t)place, {0}};
	memcpy(c->run.exemplar.profile_id, p->profile_id, PROFILE_ID_SIZE);
	return 0;
}

/* Add the samples of a profile that belong to the selected spans or trace and pass the filter. */
static int visit_chart_samples(void *ctx, const struct store_samples *s)
{
	struct chart_builder *c = ctx;
	uint64_t sum = 0;
	int rc = stack_filter_decide(&c->filter, NULL);

	for (uint32_t i = 0; i < s->n && !rc; i++)
		if (stack_filter_keeps(&c->filter, s->nodes[i]))
			sum += (uint64_t)s->values[i];
	return rc ? rc
		  : add_chart_value(c, s->series, &(struct profile_time){s->time, s->duration_nano},
				    (int64_t)sum);
}

static int keeps_stack(void *ctx, uint32_t node, bool *yes)
{
	struct chart_builder *c = ctx;
	int rc = stack_filter_decide(&c->filter, NULL);

	*yes = !rc && stack_filter_keeps(&c->filter, node);
	return rc;
}

static int read_filtered_chart(struct chart_builder *c, struct err *e)
{
	static const struct stack_filter_options all;
	const struct stack_filter_options *o = c->options->filter;
	struct store_stack_filter filter = {&c->stacks, keeps_stack, c};
	struct store_select sel = c->read;
	struct store *s = c->store;
	int rc = stack_tree_init(&c->stacks, c->sel->limits.budget);

	if (!rc)
		rc = stack_filter_init(&c->filter, o ? o : &all, &c->stacks, c->sel->limits.budget);
	sel.stacks = &filter;
	if (!rc)
		rc = sel.span_count || sel.trace_id
			     ? s->ops->scan(s, &c->read, &c->stacks, visit_chart_samples, c, e)
			     : s->ops->points(s, &sel, visit_chart_point, c, e);
	stack_filter_fini(&c->filter);
	stack_tree_fini(&c->stacks);
	return rc;
}

static int read_chart(struct chart_builder *c, struct err *e)
{
	struct store_select untimed = c->read;
	struct store *s = c->store;
	int rc;

	untimed.untimed = true;
	rc = s->ops->series(s, &untimed, list_chart_series, c, e);
	if (rc)
		return rc;
	if (!stack_filter_any(c->options->filter) && !c->sel->span_count && !c->sel->trace_id)
		rc = s->ops->points(s, &c->read, visit_chart_point, c, e);
	else
		rc = read_filtered_chart(c, e);
	rc = rc ? rc : spread_end(&c->spread);
	return rc ? rc : end_run(c);
}

/* ---- results ---- */

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->bucket != y->bucket)
		return x->bucket < y->bucket ? -1 : 1;
	return x->slot == y->slot ? 0 : x->slot < y->slot ? -1 : 1;
}

/* Make a point of the cells [at, end), which differ only in their slot. */
static struct chart_point make_point(const struct chart_builder *c, uint32_t at, uint32_t end)
{
	const struct cell *cells = c->cells.at;
	struct chart_point p = {.time = c->options->start + cells[at].bucket * c->options->step};
	uint64_t count = 0;

	for (uint32_t i = at; i < end; i++) {
		p.value += cells[i].value;
		count += cells[i].count;
		if (cells[i].has_exemplar &&
		    (!p.has_exemplar || cells[i].exemplar.value > p.exemplar.value)) {
			p.has_exemplar = true;
			p.exemplar = cells[i].exemplar;
		}
	}
	if (c->sel->average)
		p.value /= (double)(end - at);
	else if (c->options->aggregation == CHART_AVERAGE)
		p.value /= (double)count;
	return p;
}

struct row_points {
	struct chart_builder *c;
	struct chart_row *row;
};

static int put_spread_point(void *ctx, uint32_t bucket, double value)
{
	struct row_points *p = ctx;
	const struct chart_options *o = p->c->options;
	struct chart_point point = {.time = o->start + bucket * o->step, .value = value};

	return vec_push(&p->c->out->arena, &p->row->points, point);
}

static int spread_points(struct chart_builder *c)
{
	int rc = 0;

	for (uint32_t i = 0; i < c->out->rows.n && !rc; i++)
		rc = spread_read(&c->spread, i, put_spread_point,
				 &(struct row_points){c, &c->out->rows.at[i]});
	return rc;
}

static int compare_chart_rows(const void *a, const void *b)
{
	const struct chart_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return label_set_cmp(x->labels, y->labels);
}

static int compare_points(const void *a, const void *b)
{
	const struct chart_point *x = a, *y = b;

	return x->time == y->time ? 0 : x->time < y->time ? -1 : 1;
}

/* Add up the rows from number `first` into out->rest. Return 0 or -ENOMEM. */
static int sum_rest(struct chart *out, uint32_t first)
{
	struct chart_row *rest = &out->rest;
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = first; i < out->rows.n && !rc; i++) {
		const struct chart_row *row = &out->rows.at[i];

		rest->total += row->total;
		for (uint32_t k = 0; k < row->points.n && !rc; k++)
			rc = vec_push(&out->arena, &rest->points, row->points.at[k]);
	}
	if (rc || !rest->points.n)
		return rc;
	qsort(rest->points.at, rest->points.n, sizeof(*rest->points.at), compare_points);
	for (uint32_t i = 0; i < rest->points.n; i++) {
		if (n && rest->points.at[n - 1].time == rest->points.at[i].time)
			rest->points.at[n - 1].value += rest->points.at[i].value;
		else
			rest->points.at[n++] = rest->points.at[i];
	}
	rest->points.n = n;
	return 0;
}

static int make_chart_rows(struct chart_builder *c)
{
	struct chart *out = c->out;
	uint32_t n = 0, kept = 0;
	int rc = 0;

	if (c->cells.n)
		qsort(c->cells.at, c->cells.n, sizeof(*c->cells.at), compare_cells);
	for (uint32_t at = 0, end; at < c->cells.n && !rc; at = end) {
		const struct cell *first = &c->cells.at[at];
		struct chart_row *row = &out->rows.at[first->row];

		for (end = at + 1; end < c->cells.n; end++)
			if (c->cells.at[end].row != first->row ||
			    c->cells.at[end].bucket != first->bucket)
				break;

		struct chart_point p = make_point(c, at, end);

		row->total += p.value;
		if (!c->options->spread)
			rc = vec_push(&out->arena, &row->points, p);
	}
	if (c->options->spread && !rc)
		rc = spread_points(c);
	for (; n < out->rows.n; n++) /* drop rows without points */
		if (out->rows.at[n].points.n)
			out->rows.at[kept++] = out->rows.at[n];
	out->rows.n = kept;
	if (kept)
		qsort(out->rows.at, kept, sizeof(*out->rows.at), compare_chart_rows);
	out->row_count = kept;
	if (c->options->limit && c->options->limit < kept) {
		if (c->options->rest && !rc)
			rc = sum_rest(out, c->options->limit);
		out->rows.n = c->options->limit;
	}
	return rc;
}

/* Prepare `spread`; profiles that begin before the first bucket may overlap it. */
static void begin_spread(struct chart_builder *c)
{
	const struct chart_options *o = c->options;
	uint64_t start = o->start - o->step;
	uint64_t count = c->sel->to > start ? (c->sel->to - start + o->step - 1) / o->step : 0;

	c->spread = (struct spread){.arena = &c->scratch,
				    .start = start,
				    .step = o->step,
				    .count = count > CHART_SPREAD_MAX ? CHART_SPREAD_MAX
								      : (uint32_t)count,
				    .gauge = c->sel->average};
	c->read.from = start > SPREAD_HOLD_NS ? start - SPREAD_HOLD_NS : 0;
	c->read.to = start + c->spread.count * o->step;
}

int chart_of_store(struct chart *out, struct store *s, const struct store_select *sel,
		   const struct chart_options *o, struct err *e)
{
	struct chart_builder c = {.out = out, .store = s, .sel = sel, .options = o, .read = *sel};
	int rc;

	*out = (struct chart){0};
	arena_init(&out->arena, sel->limits.budget);
	arena_init(&c.scratch, sel->limits.budget);
	if (o->spread)
		begin_spread(&c);
	rc = idset_init(&c.groups, &c.scratch, 64);
	if (!rc)
		rc = idset_init(&c.index, &c.scratch, 1024);
	if (!rc)
		rc = map_init(&c.rows, &c.scratch, 64);
	if (!rc)
		rc = map_init(&c.series, &c.scratch, 64);
	if (!rc)
		rc = read_chart(&c, e);
	if (!rc)
		rc = make_chart_rows(&c);
	arena_fini(&c.scratch);
	return rc;
}

uint64_t chart_step(uint64_t from, uint64_t to)
{
	/* An exact step of up to `up_to` seconds is rounded to `seconds`. */
	static const struct {
		double up_to;
		uint64_t seconds;
	} round[] = {
		{17.5, 15},	   {25, 20},	       {45, 30},       {90, 60},
		{210, 120},	   {450, 300},	       {750, 600},     {1050, 900},
		{1500, 1200},	   {2700, 1800},       {5400, 3600},   {9000, 7200},
		{16200, 10800},	   {32400, 21600},     {86400, 43200}, {604800, 86400},
		{1814400, 604800}, {3628800, 2592000},
	};
	double seconds = to > from ? (double)(to - from) / 1500 / 1e9 : 0;

	for (size_t i = 0; i < countof(round); i++)
		if (seconds <= round[i].up_to)
			return round[i].seconds * NS_PER_SECOND;
	return 31536000 * NS_PER_SECOND;
}

uint64_t chart_step_for(uint64_t from, uint64_t to, uint64_t points)
{
	static const uint32_t seconds[] = {1,	  2,	 5,	10,    15,     20,    30,   60,
					   120,	  300,	 600,	900,   1200,   1800,  3600, 7200,
					   10800, 21600, 43200, 86400, 172800, 604800};
	uint64_t range = to > from ? to - from : 0, week = seconds[countof(seconds) - 1], n;

	for (size_t i = 0; i < countof(seconds); i++)
		if (range / (seconds[i] * NS_PER_SECOND) < points)
			return seconds[i] * NS_PER_SECOND;
	n = range / NS_PER_SECOND / week / points + 1; /* weeks */
	return n * week * NS_PER_SECOND;
}
