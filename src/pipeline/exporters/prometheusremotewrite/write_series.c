/* SPDX-License-Identifier: Apache-2.0 */
/* Samples with equal labels belong to one series, whichever data point they come from. */
#include "pipeline/exporters/prometheusremotewrite/write_series.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pipeline/convert/prometheus/prom_samples.h"

/* The data point whose samples are added. */
struct writing {
	struct write_table *t;
	const struct prom_point *point;
	uint32_t metric;
};

static uint32_t find_write_series(struct write_table *t, const struct prom_labels *labels,
				  uint32_t hash)
{
	struct idset_cursor c = idset_seek(&t->by_labels, hash);
	uint32_t id;

	while (idset_next(&t->by_labels, &c, &id))
		if (prom_labels_eq(&t->series.at[id].labels, labels))
			return id;
	return UINT32_MAX;
}

/* Return the series of a name and the labels of the point; NULL without memory. */
static struct write_series *series_of(struct writing *w, struct str name,
				      const struct prom_label *more)
{
	struct write_table *t = w->t;
	struct write_series row = {.metric = w->metric};
	struct str value;
	uint32_t hash, id;

	if (prom_labels_dup(&row.labels, &w->point->labels, t->arena) ||
	    prom_labels_set(&row.labels, t->arena, STR("__name__"), name))
		return NULL;
	if (more && more->name.n &&
	    (arena_copy_str(t->arena, more->value, &value) ||
	     prom_labels_set(&row.labels, t->arena, more->name, value)))
		return NULL;
	prom_labels_sort(&row.labels);
	hash = prom_labels_hash(&row.labels);
	id = find_write_series(t, &row.labels, hash);
	if (id != UINT32_MAX)
		return &t->series.at[id];
	if (vec_push(t->arena, &t->series, row) || idset_add(&t->by_labels, hash, t->series.n - 1))
		return NULL;
	return &t->series.at[t->series.n - 1];
}

static int64_t to_ms(uint64_t ns)
{
	return (int64_t)(ns / NS_PER_MS);
}

static int add_sample(void *arg, const struct prom_sample *s)
{
	struct writing *w = arg;
	struct str name = w->point->metric->name;
	struct write_series *series;
	int rc = 0;

	if (s->suffix.n)
		rc = arena_printf(w->t->arena, &name, "%.*s%.*s", STR_ARG(name),
				  STR_ARG(s->suffix));
	series = rc ? NULL : series_of(w, name, &s->more);
	if (!series)
		return -ENOMEM;
	rc = vec_push(w->t->arena, &series->samples,
		      (struct write_sample){
			      s->value, to_ms(w->point->time),
			      w->point->metric->type == PROM_GAUGE ? 0 : to_ms(w->point->start)});
	if (!rc && s->exemplar && s->exemplar->labels.list.n)
		rc = vec_push(w->t->arena, &series->exemplars, *s->exemplar);
	return rc;
}

static int add_native(struct writing *w)
{
	struct write_series *series = series_of(w, w->point->metric->name, NULL);
	int rc;

	if (!series)
		return -ENOMEM;
	rc = vec_push(w->t->arena, &series->histograms,
		      (struct write_histogram){*w->point, to_ms(w->point->time)});
	for (uint32_t i = 0; i < w->point->exemplar_count && !rc; i++)
		rc = vec_push(w->t->arena, &series->exemplars, w->point->exemplars[i]);
	return rc;
}

static void refuse(struct write_table *t, const char *why, const struct prom_metric *m)
{
	if (!t->refused++)
		snprintf(t->reason, sizeof(t->reason), "%s for metric %.*s", why,
			 STR_ARG(str_head(m->name, 60)));
}

static int note_metric(struct write_table *t, const struct prom_metric *m)
{
	int rc;

	if (t->last_metric == m->number + 1)
		return 0;
	rc = vec_push(t->arena, &t->metrics,
		      (struct write_metric){m->name, m->help, m->unit, m->type});
	t->last_metric = m->number + 1;
	return rc;
}

static int add_point(void *arg, const struct prom_point *p)
{
	struct write_table *t = arg;
	struct writing w = {.t = t, .point = p};
	int rc;

	if (p->metric->delta) {
		refuse(t, "invalid temporality and type combination", p->metric);
		return 0;
	}
	if (p->metric->type == PROM_NATIVE && p->scale < -4) {
		refuse(t, "a scale below -4", p->metric);
		return 0;
	}
	rc = note_metric(t, p->metric);
	if (rc)
		return rc;
	w.metric = t->metrics.n - 1;
	return p->metric->type == PROM_NATIVE ? add_native(&w) : prom_samples(p, add_sample, &w);
}

static int compare_times(const void *a, const void *b)
{
	int64_t x = ((const struct write_sample *)a)->time_ms;
	int64_t y = ((const struct write_sample *)b)->time_ms;

	return (x > y) - (x < y);
}

static int compare_histograms(const void *a, const void *b)
{
	int64_t x = ((const struct write_histogram *)a)->time_ms;
	int64_t y = ((const struct write_histogram *)b)->time_ms;

	return (x > y) - (x < y);
}

/* Sort samples by time. Of several at the same time the last one stays. */
static void sort_samples(struct write_series *s)
{
	uint32_t kept = 0;

	if (s->histograms.n > 1)
		qsort(s->histograms.at, s->histograms.n, sizeof(s->histograms.at[0]),
		      compare_histograms);
	if (s->samples.n < 2)
		return;
	qsort(s->samples.at, s->samples.n, sizeof(s->samples.at[0]), compare_times);
	for (uint32_t i = 0; i < s->samples.n; i++) {
		if (kept && s->samples.at[kept - 1].time_ms == s->samples.at[i].time_ms)
			kept--;
		s->samples.at[kept++] = s->samples.at[i];
	}
	s->samples.n = kept;
}

int write_table_read(struct write_table *t, const struct payload *p, const struct prom_options *o,
		     struct arena *arena, struct err *e)
{
	uint32_t nameless;
	int rc;

	*t = (struct write_table){.arena = arena};
	rc = idset_init(&t->by_labels, arena, p->items);
	if (!rc)
		rc = prom_points(p, o, add_point, t, &nameless, arena, e);
	if (rc)
		return rc;
	if (nameless && !t->refused)
		snprintf(t->reason, sizeof(t->reason), "a metric has no name");
	t->refused += nameless;
	for (uint32_t i = 0; i < t->series.n; i++)
		sort_samples(&t->series.at[i]);
	return 0;
}
