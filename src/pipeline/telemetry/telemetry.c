/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of the components' metrics: a list in which the metrics of one name are adjacent,
 * as the text format wants them. Metrics are added when components are created and never removed.
 */
#include "pipeline/telemetry/telemetry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { BOUNDS_MAX = 64 };

struct telemetry_histogram {
	size_t bound_count;
	double *bounds;
	_Atomic uint64_t *counts; /* by bucket; the last one has no bound */
	_Atomic uint64_t sum;	  /* the bits of a double */
};

struct telemetry_metric {
	struct telemetry_metric *next;
	enum telemetry_kind kind;
	char *name, *help;
	char *labels; /* exporter="otlp",... */
	struct telemetry_value value;
	struct telemetry_histogram histogram;
};

int telemetry_init(struct telemetry *t)
{
	t->first = NULL;
	return -pthread_mutex_init(&t->mu, NULL);
}

static void metric_free(struct telemetry_metric *m)
{
	if (!m)
		return;
	free(m->name);
	free(m->help);
	free(m->labels);
	free(m->histogram.bounds);
	free(m->histogram.counts);
	free(m);
}

void telemetry_fini(struct telemetry *t)
{
	while (t->first) {
		struct telemetry_metric *m = t->first;

		t->first = m->next;
		metric_free(m);
	}
	pthread_mutex_destroy(&t->mu);
}

static void put_label_value(struct buf *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n') {
			buf_put_str(out, STR("\\n"));
			continue;
		}
		if (*value == '"' || *value == '\\')
			buf_put_char(out, '\\');
		buf_put_char(out, *value);
	}
}

/* Return the labels as text that the caller frees, or NULL without memory. */
static char *labels_text(const struct telemetry_label *labels, size_t count)
{
	struct buf text = {0};
	char *copy;

	for (size_t i = 0; i < count; i++) {
		buf_printf(&text, "%s%s=\"", i ? "," : "", labels[i].name);
		put_label_value(&text, labels[i].value);
		buf_put_char(&text, '"');
	}
	copy = buf_error(&text) ? NULL : strndup(text.p ? text.p : "", text.n);
	buf_fini(&text);
	return copy;
}

static int init_histogram(struct telemetry_histogram *h, const double *bounds, size_t count)
{
	h->bound_count = min_size(count, BOUNDS_MAX);
	h->bounds = calloc(h->bound_count + 1, sizeof(*h->bounds));
	h->counts = calloc(h->bound_count + 1, sizeof(*h->counts));
	if (!h->bounds || !h->counts)
		return -ENOMEM;
	if (h->bound_count)
		memcpy(h->bounds, bounds, h->bound_count * sizeof(*bounds));
	return 0;
}

/* Return the metric with name and labels of `like`, or NULL; *end is where to insert it. */
static struct telemetry_metric *find_metric(struct telemetry *t, const char *name,
					    const char *labels, struct telemetry_metric ***end)
{
	struct telemetry_metric **at = &t->first;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	for (; *at && !strcmp((*at)->name, name); at = &(*at)->next)
		if (!strcmp((*at)->labels, labels))
			return *at;
	*end = at;
	return NULL;
}

static struct telemetry_metric *metric_new(enum telemetry_kind kind, const char *name,
					   const char *help, const double *bounds, size_t count)
{
	struct telemetry_metric *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->kind = kind;
	m->name = strdup(name);
	m->help = strdup(help);
	if (m->name && m->help &&
	    (kind != TELEMETRY_HISTOGRAM || !init_histogram(&m->histogram, bounds, count)))
		return m;
	metric_free(m);
	return NULL;
}

/* Find or add a metric; takes over `labels`. NULL without memory. */
static struct telemetry_metric *get_metric(struct telemetry *t, struct telemetry_metric *fresh,
					   char *labels)
{
	struct telemetry_metric **end, *m;

	if (!fresh || !labels) {
		metric_free(fresh);
		free(labels);
		return NULL;
	}
	fresh->labels = labels;
	pthread_mutex_lock(&t->mu);
	m = find_metric(t, fresh->name, labels, &end);
	if (!m) {
		fresh->next = *end;
		*end = m = fresh;
		fresh = NULL;
	}
	pthread_mutex_unlock(&t->mu);
	metric_free(fresh);
	return m;
}

struct telemetry_value *telemetry_get(struct telemetry *t, enum telemetry_kind kind,
				      const char *name, const char *help,
				      const struct telemetry_label *labels, size_t label_count)
{
	static struct telemetry_value hidden;
	struct telemetry_metric *m = get_metric(t, metric_new(kind, name, help, NULL, 0),
						labels_text(labels, label_count));

	return m ? &m->value : &hidden;
}

struct telemetry_histogram *
telemetry_histogram(struct telemetry *t, const char *name, const char *help, const double *bounds,
		    size_t bound_count, const struct telemetry_label *labels, size_t label_count)
{
	struct telemetry_metric *m =
		get_metric(t, metric_new(TELEMETRY_HISTOGRAM, name, help, bounds, bound_count),
			   labels_text(labels, label_count));

	return m ? &m->histogram : NULL;
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

void telemetry_observe(struct telemetry_histogram *h, double value)
{
	uint64_t old, sum;
	size_t i = 0;

	if (!h || value != value)
		return;
	while (i < h->bound_count && value > h->bounds[i])
		i++;
	atomic_fetch_add_explicit(&h->counts[i], 1, memory_order_relaxed);
	old = atomic_load_explicit(&h->sum, memory_order_relaxed);
	do {
		double total = double_of(old) + value;

		memcpy(&sum, &total, sizeof(sum));
	} while (!atomic_compare_exchange_weak_explicit(&h->sum, &old, sum, memory_order_relaxed,
							memory_order_relaxed));
}

/* ---- the text format ---- */

static void write_value(const struct telemetry_metric *m, const char *suffix, struct buf *out)
{
	buf_printf(out, "%s%s", m->name, suffix);
	if (m->labels[0])
		buf_printf(out, "{%s}", m->labels);
	buf_printf(out, " %lld\n",
		   (long long)atomic_load_explicit(&m->value.at, memory_order_relaxed));
}

static void write_histogram(const struct telemetry_metric *m, struct buf *out)
{
	const struct telemetry_histogram *h = &m->histogram;
	const char *comma = m->labels[0] ? "," : "", *open = m->labels[0] ? "{" : "",
		   *close = m->labels[0] ? "}" : "";
	uint64_t count = 0;

	for (size_t i = 0; i <= h->bound_count; i++) {
		char bound[32] = "+Inf";

		if (i < h->bound_count)
			snprintf(bound, sizeof(bound), "%.10g", h->bounds[i]);
		count += atomic_load_explicit(&h->counts[i], memory_order_relaxed);
		buf_printf(out, "%s_bucket{%s%sle=\"%s\"} %llu\n", m->name, m->labels, comma, bound,
			   (unsigned long long)count);
	}
	buf_printf(out, "%s_sum%s%s%s %.17g\n%s_count%s%s%s %llu\n", m->name, open, m->labels,
		   close, double_of(atomic_load_explicit(&h->sum, memory_order_relaxed)), m->name,
		   open, m->labels, close, (unsigned long long)count);
}

static void write_metrics(struct telemetry *t, const char *counter_suffix, struct buf *out)
{
	static const char *const types[] = {[TELEMETRY_COUNTER] = "counter",
					    [TELEMETRY_GAUGE] = "gauge",
					    [TELEMETRY_HISTOGRAM] = "histogram"};
	const char *name = "";

	pthread_mutex_lock(&t->mu);
	for (const struct telemetry_metric *m = t->first; m; m = m->next) {
		bool plain =
			m->kind != TELEMETRY_COUNTER || str_ends(str_from(m->name), STR("_total"));
		const char *suffix = plain ? "" : counter_suffix;

		if (strcmp(m->name, name) != 0)
			buf_printf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", m->name, suffix,
				   m->help, m->name, suffix, types[m->kind]);
		name = m->name;
		if (m->kind == TELEMETRY_HISTOGRAM)
			write_histogram(m, out);
		else
			write_value(m, suffix, out);
	}
	pthread_mutex_unlock(&t->mu);
}

void telemetry_write(struct telemetry *t, struct buf *out)
{
	write_metrics(t, "", out);
}

void telemetry_write_suffixed(struct telemetry *t, struct buf *out)
{
	write_metrics(t, "_total", out);
}
