/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /federate: the newest sample of each selected series of the last five minutes, in the text format
 * or as OpenMetrics. Series that have ended are left out, and native histograms, for which these
 * formats have no form; those with custom bounds are written as classic histograms.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "api/prometheus/prometheus_request.h"
#include "base/clock.h"
#include "net/http/header.h"
#include "signal/metric/metric_batch.h"
#include "signal/metric/number_text.h"

/* A line of the answer, or several: those of one series. */
struct federated {
	struct str name, lines;
	bool is_histogram;
};

struct federation {
	struct arena *arena;
	bool open_metrics, utf8;
	struct buf text; /* of the current series */
	VEC(struct federated) series;
};

/* ---- names ---- */

static bool is_name_char(char c, bool first, bool colon)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9' && !first) || (c == ':' && colon);
}

static bool is_plain(struct str name, bool colon)
{
	for (size_t i = 0; i < name.n; i++)
		if (!is_name_char(name.p[i], !i, colon))
			return false;
	return name.n > 0;
}

/* Append in quotes with the escapes of both formats. */
static void put_quoted(struct buf *b, struct str text)
{
	buf_put_char(b, '"');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n') {
			buf_put_str(b, STR("\\n"));
			continue;
		}
		if (text.p[i] == '"' || text.p[i] == '\\')
			buf_put_char(b, '\\');
		buf_put_char(b, text.p[i]);
	}
	buf_put_char(b, '"');
}

/* Append a name; other characters than those of a plain one are replaced, or the name is quoted. */
static void put_name(struct federation *f, struct str name, bool colon)
{
	if (is_plain(name, colon)) {
		buf_put_str(&f->text, name);
		return;
	}
	if (f->utf8) {
		put_quoted(&f->text, name);
		return;
	}
	for (size_t i = 0; i < name.n; i++)
		buf_put_char(&f->text, is_name_char(name.p[i], !i, colon) ? name.p[i] : '_');
}

/* ---- samples ---- */

/* A sample of one series: its labels, with `le` if it is not NULL, value and time. */
struct federated_line {
	struct str name;
	const char *suffix;
	const struct label *labels;
	uint32_t label_count;
	const double *le;
	double value;
	int64_t time;
};

static void put_label_begin(struct federation *f, bool *any)
{
	buf_put_char(&f->text, *any ? ',' : '{');
	*any = true;
}

/* Append the labels in braces; `instance` is always there, as Prometheus writes it. */
static void put_labels(struct federation *f, const struct federated_line *l, bool quoted_name)
{
	bool any = false, instance = false;

	if (quoted_name) {
		struct buf name = {0};

		put_label_begin(f, &any);
		buf_printf(&name, "%.*s%s", STR_ARG(l->name), l->suffix);
		put_quoted(&f->text, buf_str(&name));
		f->text.failed |= name.failed;
		buf_fini(&name);
	}
	for (uint32_t i = 0; i < l->label_count; i++) {
		if (str_eq(l->labels[i].name, STR(METRIC_NAME_LABEL)))
			continue;
		put_label_begin(f, &any);
		put_name(f, l->labels[i].name, false);
		buf_put_char(&f->text, '=');
		put_quoted(&f->text, l->labels[i].value);
		instance |= str_eq(l->labels[i].name, STR("instance"));
	}
	if (!instance) {
		put_label_begin(f, &any);
		buf_put_str(&f->text, STR("instance=\"\""));
	}
	if (l->le) {
		buf_put_str(&f->text, STR(",le=\""));
		number_text(&f->text, *l->le, f->open_metrics ? NUMBER_OPEN_METRICS : NUMBER_SHORT);
		buf_put_char(&f->text, '"');
	}
	buf_put_char(&f->text, '}');
}

static void put_line(struct federation *f, const struct federated_line *l)
{
	bool quoted = f->utf8 && !is_plain(l->name, true);

	if (!quoted) {
		put_name(f, l->name, true);
		buf_put_str(&f->text, str_from(l->suffix));
	}
	put_labels(f, l, quoted);
	buf_put_char(&f->text, ' ');
	number_text(&f->text, l->value, f->open_metrics ? NUMBER_OPEN_METRICS : NUMBER_SHORT);
	if (f->open_metrics)
		buf_printf(&f->text, " %lld.%03lld\n", (long long)(l->time / 1000),
			   (long long)(l->time % 1000));
	else
		buf_printf(&f->text, " %lld\n", (long long)l->time);
}

/* Append a histogram with custom bounds as a classic one. */
static void put_histogram(struct federation *f, struct federated_line *l,
			  const struct native_histogram *h)
{
	struct native_side_iter it;
	double sum = 0, infinite = INFINITY;
	bool more;

	l->suffix = "_bucket";
	native_side_iter_init(&it, &h->positive);
	more = native_side_iter_next(&it);
	for (uint32_t i = 0; i < h->custom_count; i++) {
		for (; more && it.index <= (int32_t)i; more = native_side_iter_next(&it))
			sum += it.count;
		l->le = &h->custom[i];
		l->value = sum;
		put_line(f, l);
	}
	l->le = &infinite;
	l->value = h->count;
	put_line(f, l);
	l->le = NULL;
	l->suffix = "_sum";
	l->value = h->sum;
	put_line(f, l);
	l->suffix = "_count";
	l->value = h->count;
	put_line(f, l);
}

static struct str name_of(const struct store_metric_series *s)
{
	for (uint32_t i = 0; i < s->label_count; i++)
		if (str_eq(s->labels[i].name, STR(METRIC_NAME_LABEL)))
			return s->labels[i].value;
	return STR("");
}

/* Write the newest sample of a series, if it has one that can be written. */
static int add_series(struct federation *f, const struct store_metric_series *s)
{
	const int64_t none = INT64_MIN;
	int64_t time = s->count ? s->times[s->count - 1] : none;
	int64_t histogram_time =
		s->histogram_count ? s->histogram_times[s->histogram_count - 1] : none;
	bool is_histogram = histogram_time >= time;
	struct federated_line l = {name_of(s), "", s->labels, s->label_count, NULL, 0, time};
	struct federated out = {.is_histogram = is_histogram};
	int rc;

	if (!l.name.n || (time == none && histogram_time == none))
		return 0;
	buf_clear(&f->text);
	if (is_histogram) {
		const struct native_histogram *h = &s->histograms[s->histogram_count - 1];

		l.time = histogram_time;
		if (native_is_stale(h) || !native_is_custom(h))
			return 0;
		put_histogram(f, &l, h);
	} else {
		l.value = s->values[s->count - 1];
		if (metric_bits(l.value) == NATIVE_STALE_BITS)
			return 0;
		put_line(f, &l);
	}
	rc = buf_error(&f->text);
	if (!rc)
		rc = arena_copy_str(f->arena, buf_str(&f->text), &out.lines);
	if (!rc)
		rc = arena_copy_str(f->arena, l.name, &out.name);
	return rc ? rc : vec_push(f->arena, &f->series, out);
}

/* ---- answer ---- */

static int compare_series(const void *a, const void *b)
{
	const struct federated *x = a, *y = b;
	int order = str_cmp(x->name, y->name);

	if (!order)
		order = x->is_histogram - y->is_histogram;
	/* the arena's addresses do not order them: lines do, as labels are sorted */
	return order ? order : str_cmp(x->lines, y->lines);
}

static void put_type(struct federation *f, const struct federated *s, struct buf *out)
{
	buf_clear(&f->text);
	put_name(f, s->name, true);
	buf_printf(out, "# TYPE %.*s %s\n", STR_ARG(buf_str(&f->text)),
		   s->is_histogram   ? "histogram"
		   : f->open_metrics ? "unknown"
				     : "untyped");
}

static int put_all(struct federation *f, struct buf *out)
{
	const struct federated *last = NULL;

	if (f->series.n)
		qsort(f->series.at, f->series.n, sizeof(*f->series.at), compare_series);
	for (uint32_t i = 0; i < f->series.n; i++) {
		const struct federated *s = &f->series.at[i];

		if (!last || !str_eq(last->name, s->name) || last->is_histogram != s->is_histogram)
			put_type(f, s, out);
		buf_put_str(out, s->lines);
		last = s;
	}
	if (f->open_metrics)
		buf_put_str(out, STR("# EOF\n"));
	return buf_error(out);
}

static int read_series(struct federation *f, struct request *r, const struct store_metric_ops *ops,
		       const struct store_metric_select *select, struct err *e)
{
	struct store_metric_cursor *c = NULL;
	struct store_metric_series s;
	int rc = ops->open(r->store, select, &c, e);

	if (rc)
		return rc;
	while ((rc = ops->next(c, &s, e)) > 0) {
		rc = add_series(f, &s);
		if (rc)
			break;
	}
	ops->close(c);
	return rc;
}

static void choose_format(struct federation *f, struct request *r, struct reply *out)
{
	struct str accept = r->sender ? http_header(r->sender, STR("accept")) : STR("");

	f->open_metrics = http_header_lists(accept, STR("application/openmetrics-text"));
	f->utf8 = str_find_str(accept, STR("escaping=allow-utf-8")) < accept.n;
	out->content_type = f->open_metrics
				    ? (f->utf8 ? STR("application/openmetrics-text; version=1.0.0; "
						     "charset=utf-8; escaping=allow-utf-8")
					       : STR("application/openmetrics-text; version=1.0.0; "
						     "charset=utf-8; escaping=underscores"))
				    : (f->utf8 ? STR("text/plain; version=1.0.0; charset=utf-8; "
						     "escaping=allow-utf-8")
					       : STR("text/plain; version=0.0.4; charset=utf-8; "
						     "escaping=underscores"));
}

int prometheus_federate(struct request *r, struct reply *out, struct err *e)
{
	const struct store_metric_ops *ops = prometheus_store(r, e);
	struct federation f = {.arena = r->arena};
	struct prometheus_selection s = {0};
	int rc = ops ? prometheus_selection_read(&s, r, e) : -EOPNOTSUPP;

	buf_init(&f.text, r->limits.budget);
	buf_init(&out->body, r->limits.budget);
	choose_format(&f, r, out);
	if (!rc && s.selector_count) {
		s.select.labels_only = false;
		s.select.to = (int64_t)(r->now_ns / NS_PER_MS);
		s.select.from = s.select.to - PROMQL_DEFAULT_LOOKBACK_MS + 1;
		rc = read_series(&f, r, ops, &s.select, e);
	}
	if (!rc)
		rc = put_all(&f, &out->body);
	buf_fini(&f.text);
	prometheus_selection_fini(&s);
	return rc;
}
