/* SPDX-License-Identifier: Apache-2.0 */
/* The text format 0.0.4, and OpenMetrics 1.0 with exemplars. */
#include "pipeline/exporters/prometheus/exposition.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pipeline/convert/prometheus/prom_samples.h"
#include "signal/otlp/value_text.h"

struct exposing {
	struct buf *out;
	const struct exposition_options *o;
	const struct prom_point *point;
};

/* ---- texts ---- */

static void put_escaped_text(struct buf *out, struct str text, bool quotes)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '\\' || c == '\n' || (quotes && c == '"'))
			buf_put_char(out, '\\');
		buf_put_char(out, c == '\n' ? 'n' : c);
	}
}

static void put_quoted(struct buf *out, struct str text)
{
	buf_put_char(out, '"');
	put_escaped_text(out, text, true);
	buf_put_char(out, '"');
}

/* Append a name that may have any characters, with `_` for those that are not allowed. */
static void put_underscored(struct buf *out, struct str name, bool label)
{
	for (size_t i = 0; i < name.n; i++) {
		struct str c = str_of(name.p + i, 1);

		if (!i && c.p[0] >= '0' && c.p[0] <= '9')
			buf_put_char(out, '_');
		buf_put_char(out, prom_name_is_plain(c, label) || (c.p[0] >= '0' && c.p[0] <= '9')
					  ? c.p[0]
					  : '_');
	}
}

static bool needs_quotes(const struct exposing *x, struct str name, bool label)
{
	return x->o->utf8 && !prom_name_is_plain(name, label);
}

static void put_name(const struct exposing *x, struct str name, bool label)
{
	if (prom_name_is_plain(name, label))
		buf_put_str(x->out, name);
	else if (x->o->utf8)
		put_quoted(x->out, name);
	else
		put_underscored(x->out, name, label);
}

/* ---- samples ---- */

static void put_label(const struct exposing *x, bool *first, const struct prom_label *l)
{
	if (!*first)
		buf_put_char(x->out, ',');
	*first = false;
	put_name(x, l->name, true);
	buf_put_char(x->out, '=');
	put_quoted(x->out, l->value);
}

/* Append `name{labels}`, or `{"name",labels}`. */
static void put_series(const struct exposing *x, struct str name, const struct prom_sample *s)
{
	const struct prom_labels *l = &x->point->labels;
	bool quoted = needs_quotes(x, name, false), first = !quoted;
	bool braces = quoted || l->list.n || s->more.name.n;

	if (!quoted)
		put_name(x, name, false);
	if (braces)
		buf_put_char(x->out, '{');
	if (quoted)
		put_quoted(x->out, name);
	for (uint32_t i = 0; i < l->list.n; i++)
		put_label(x, &first, &l->list.at[i]);
	if (s->more.name.n)
		put_label(x, &first, &s->more);
	if (braces)
		buf_put_char(x->out, '}');
}

/* Seconds with milliseconds. */
static void put_seconds(struct buf *out, int64_t ms)
{
	if (ms < 0)
		buf_put_char(out, '-');
	ms = ms < 0 ? -ms : ms;
	buf_printf(out, "%" PRId64 ".%03" PRId64, ms / 1000, ms % 1000);
}

static void put_exemplar(const struct exposing *x, const struct prom_exemplar *e)
{
	bool first = true;

	buf_put_str(x->out, STR(" # {"));
	for (uint32_t i = 0; i < e->labels.list.n; i++)
		put_label(x, &first, &e->labels.list.at[i]);
	buf_put_str(x->out, STR("} "));
	otlp_double_text(x->out, e->value);
	if (e->time_ms) {
		buf_put_char(x->out, ' ');
		put_seconds(x->out, e->time_ms);
	}
}

static int put_sample(void *arg, const struct prom_sample *s)
{
	const struct exposing *x = arg;
	struct str base = x->point->metric->name, name = base;
	char joined[512];
	int64_t ms = (int64_t)(x->point->time / NS_PER_MS);

	if (s->suffix.n && base.n + s->suffix.n <= sizeof(joined)) {
		memcpy(joined, base.p, base.n);
		memcpy(joined + base.n, s->suffix.p, s->suffix.n);
		name = str_of(joined, base.n + s->suffix.n);
	} else if (s->suffix.n) {
		return 0; /* no such name in practice */
	}
	put_series(x, name, s);
	buf_put_char(x->out, ' ');
	otlp_double_text(x->out, s->value);
	if (x->o->timestamps) {
		buf_put_char(x->out, ' ');
		if (x->o->openmetrics)
			put_seconds(x->out, ms);
		else
			buf_put_i64(x->out, ms);
	}
	if (x->o->openmetrics && s->exemplar && x->point->metric->type != PROM_GAUGE)
		put_exemplar(x, s->exemplar);
	buf_put_char(x->out, '\n');
	return buf_error(x->out);
}

/* ---- families ---- */

static const char *const type_names[] = {
	[PROM_UNKNOWN] = "untyped",	[PROM_COUNTER] = "counter",  [PROM_GAUGE] = "gauge",
	[PROM_HISTOGRAM] = "histogram", [PROM_NATIVE] = "histogram", [PROM_SUMMARY] = "summary",
};

static void put_family_line(const struct exposing *x, const char *word, struct str name)
{
	buf_printf(x->out, "# %s ", word);
	put_name(x, name, false);
	buf_put_char(x->out, ' ');
}

static void put_family_head(const struct exposing *x, const struct prom_metric *m)
{
	struct str name = m->name;
	const char *type = type_names[m->type];

	if (x->o->openmetrics && m->type == PROM_COUNTER) {
		if (str_ends(name, STR("_total")))
			name = str_head(name, name.n - 6);
		else
			type = "unknown"; /* counters have to end with _total */
	}
	if (m->help.n) {
		put_family_line(x, "HELP", name);
		put_escaped_text(x->out, m->help, x->o->openmetrics);
		buf_put_char(x->out, '\n');
	}
	put_family_line(x, "TYPE", name);
	buf_printf(x->out, "%s\n", type);
	if (x->o->openmetrics && m->unit.n && name.n > m->unit.n && str_ends(name, m->unit) &&
	    name.p[name.n - m->unit.n - 1] == '_') {
		put_family_line(x, "UNIT", name);
		buf_put_str(x->out, m->unit);
		buf_put_char(x->out, '\n');
	}
}

static int compare_families(const void *a, const void *b)
{
	return str_cmp((*(const struct kept_family *const *)a)->metric.name,
		       (*(const struct kept_family *const *)b)->metric.name);
}

int exposition_write(struct buf *out, const struct kept_points *k,
		     const struct exposition_options *o)
{
	struct exposing x = {.out = out, .o = o};
	const struct kept_family **sorted =
		calloc(k->family_count + (size_t)1, sizeof(struct kept_family *));
	uint32_t n = 0;
	int rc = sorted ? 0 : -ENOMEM;

	for (const struct kept_family *f = sorted ? k->families : NULL; f; f = f->next)
		sorted[n++] = f;
	if (n > 1)
		qsort((void *)sorted, n, sizeof(struct kept_family *), compare_families);
	for (uint32_t i = 0; i < n && !rc; i++) {
		put_family_head(&x, &sorted[i]->metric);
		for (const struct kept_point *p = sorted[i]->first; p && !rc; p = p->next) {
			x.point = &p->point;
			rc = prom_samples(&p->point, put_sample, &x);
		}
	}
	if (!rc && o->openmetrics)
		buf_put_str(out, STR("# EOF\n"));
	free((void *)sorted);
	return rc ? rc : buf_error(out);
}
