/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruments as Prometheus text. Names follow OpenTelemetry's rules: other characters become
 * underscores, the unit is appended as a word, and counters end in _total. An exponential histogram
 * has buckets at powers of two, which are bounds at every scale, so that they do not change.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "sdk/metrics/instruments.h"
#include "sdk/metrics/metric_point.h"

static const struct {
	const char *unit, *word;
} units[] = {
	{"s", "seconds"},      {"ms", "milliseconds"}, {"us", "microseconds"},
	{"ns", "nanoseconds"}, {"min", "minutes"},     {"h", "hours"},
	{"d", "days"},	       {"By", "bytes"},	       {"KiBy", "kibibytes"},
	{"MiBy", "mebibytes"}, {"GiBy", "gibibytes"},  {"kBy", "kilobytes"},
	{"MBy", "megabytes"},  {"GBy", "gigabytes"},   {"m", "meters"},
	{"V", "volts"},	       {"A", "amperes"},       {"J", "joules"},
	{"W", "watts"},	       {"g", "grams"},	       {"Cel", "celsius"},
	{"Hz", "hertz"},       {"%", "percent"},
};

/* The series that is written, with its name. */
struct text_metric {
	const struct varve_instrument *instrument;
	char name[INSTRUMENT_NAME_MAX + 80];
};

static const char *unit_word(const struct varve_instrument *i)
{
	if (str_eq(i->unit, STR("1")) && i->kind == VARVE_GAUGE)
		return "ratio";
	for (size_t k = 0; k < countof(units); k++)
		if (str_eq(i->unit, str_from(units[k].unit)))
			return units[k].word;
	return NULL; /* annotations such as {request} have no word */
}

/* Append _word unless the name ends in it already. */
static void append_word(char *name, size_t size, const char *word)
{
	size_t n = strlen(name), k = strlen(word);

	if (n > k && !strcmp(name + n - k, word) && name[n - k - 1] == '_')
		return;
	snprintf(name + n, size - n, "_%s", word);
}

static void make_text_name(struct text_metric *m)
{
	const char *word = unit_word(m->instrument);
	size_t n = m->instrument->name.n;

	for (size_t i = 0; i < n; i++) {
		char c = m->instrument->name.p[i];

		m->name[i] = isalnum((unsigned char)c) ? c : '_';
	}
	m->name[n] = 0;
	if (m->instrument->kind == VARVE_COUNTER && n > 6 && !strcmp(m->name + n - 6, "_total"))
		m->name[n - 6] = 0; /* it follows the unit */
	if (word)
		append_word(m->name, sizeof(m->name), word);
	if (m->instrument->kind == VARVE_COUNTER)
		append_word(m->name, sizeof(m->name), "total");
}

static void put_escaped(struct buf *out, struct str text, bool quotes)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n')
			buf_put_str(out, STR("\\n"));
		else if (text.p[i] == '\\' || (quotes && text.p[i] == '"'))
			buf_printf(out, "\\%c", text.p[i]);
		else
			buf_put_char(out, text.p[i]);
	}
}

static void put_label_key(struct buf *out, struct str key)
{
	if (key.n && isdigit((unsigned char)key.p[0]))
		buf_put_char(out, '_');
	for (size_t i = 0; i < key.n; i++)
		buf_put_char(out, isalnum((unsigned char)key.p[i]) ? key.p[i] : '_');
}

static void put_double(struct buf *out, double value)
{
	if (isinf(value))
		buf_put_str(out, value > 0 ? STR("+Inf") : STR("-Inf"));
	else
		buf_printf(out, "%.17g", value);
}

/* Write an AnyValue as text. */
static void put_label_value(struct buf *out, struct str any)
{
	struct proto_reader r = proto_reader_of(any);

	while (proto_next(&r)) {
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_BYTES):
			put_escaped(out, proto_bytes(&r), true);
			break;
		case PROTO_TAG(2, PROTO_VARINT):
			buf_put_str(out, proto_varint(&r) ? STR("true") : STR("false"));
			break;
		case PROTO_TAG(3, PROTO_VARINT):
			buf_put_i64(out, (int64_t)proto_varint(&r));
			break;
		case PROTO_TAG(4, PROTO_FIXED64):
			put_double(out, proto_double(&r));
			break;
		default:
			proto_skip(&r);
		}
	}
}

/* Write {key="value",...}, with `le` as a further label unless it is NULL. */
static void put_labels(struct buf *out, const struct attribute_set *set, const double *le)
{
	struct proto_reader r = proto_reader_of(str_of((const char *)set->bytes, set->n)), pair;
	char separator = '{';

	while (proto_next(&r)) {
		struct str key = {0}, value = {0};

		pair = proto_message(&r);
		while (proto_next(&pair)) {
			if (pair.tag == PROTO_TAG(1, PROTO_BYTES))
				key = proto_bytes(&pair);
			else
				value = proto_bytes(&pair);
		}
		buf_put_char(out, separator);
		put_label_key(out, key);
		buf_put_str(out, STR("=\""));
		put_label_value(out, value);
		buf_put_char(out, '"');
		separator = ',';
	}
	if (le) {
		buf_printf(out, "%cle=\"", separator);
		put_double(out, *le);
		buf_put_str(out, STR("\"}"));
	} else if (separator == ',') {
		buf_put_char(out, '}');
	}
}

static void put_bucket(struct buf *out, const struct text_metric *m, const struct varve_series *s,
		       double le, uint64_t count)
{
	buf_printf(out, "%s_bucket", m->name);
	put_labels(out, s->set, &le);
	buf_printf(out, " %" PRIu64 "\n", count);
}

static void put_sum_and_count(struct buf *out, const struct text_metric *m,
			      const struct varve_series *s, double sum, uint64_t count)
{
	put_bucket(out, m, s, INFINITY, count);
	buf_printf(out, "%s_sum", m->name);
	put_labels(out, s->set, NULL);
	buf_put_char(out, ' ');
	put_double(out, sum);
	buf_printf(out, "\n%s_count", m->name);
	put_labels(out, s->set, NULL);
	buf_printf(out, " %" PRIu64 "\n", count);
}

static void put_text_histogram(struct buf *out, const struct text_metric *m,
			       const struct varve_series *s, const struct metric_point *p)
{
	uint64_t below = 0;

	for (uint32_t i = 0; i < m->instrument->bound_count; i++) {
		below += p->buckets[i];
		put_bucket(out, m, s, m->instrument->bounds[i], below);
	}
	put_sum_and_count(out, m, s, p->sum, p->count);
}

static void put_text_exponential(struct buf *out, const struct text_metric *m,
				 const struct varve_series *s, struct exponential *e)
{
	uint64_t below = 0;
	double width;

	exponential_rescale(e, 0);
	width = ldexp(1, -e->scale); /* log2 of the base */
	for (uint32_t i = e->negative.n; i-- > 0;) {
		/* it counts values in [-base^(i+1), -base^i) */
		below += e->negative.at[i];
		put_bucket(out, m, s, -exp2((e->negative.first + (int32_t)i) * width), below);
	}
	below += e->zero_count;
	if (below)
		put_bucket(out, m, s, 0, below);
	for (uint32_t i = 0; i < e->positive.n; i++) {
		below += e->positive.at[i];
		put_bucket(out, m, s, exp2((e->positive.first + (int32_t)i + 1) * width), below);
	}
	put_sum_and_count(out, m, s, e->sum, e->count);
}

static void put_text_number(struct buf *out, const struct text_metric *m,
			    const struct varve_series *s, const struct metric_point *p)
{
	buf_put_str(out, str_from(m->name));
	put_labels(out, s->set, NULL);
	buf_put_char(out, ' ');
	if (m->instrument->real)
		put_double(out, double_of(p->value));
	else
		buf_put_i64(out, (int64_t)p->value);
	buf_put_char(out, '\n');
}

static const char *text_type(const struct varve_instrument *i)
{
	return i->kind == VARVE_COUNTER ? "counter"
	       : i->kind <= VARVE_GAUGE ? "gauge"
					: "histogram";
}

static void put_text_instrument(struct buf *out, const struct varve_instrument *i)
{
	struct text_metric m = {.instrument = i};
	struct metric_point p;
	bool first = true;

	make_text_name(&m);
	for (struct varve_series *s = atomic_load(&i->series); s; s = s->next) {
		if (!metric_point_read(&p, s))
			continue;
		if (first) {
			buf_printf(out, "# HELP %s ", m.name);
			put_escaped(out, i->description, false);
			buf_printf(out, "\n# TYPE %s %s\n", m.name, text_type(i));
		}
		first = false;
		if (s->histogram)
			put_text_histogram(out, &m, s, &p);
		else if (s->exponential)
			put_text_exponential(out, &m, s, &p.exponential);
		else
			put_text_number(out, &m, s, &p);
	}
}

void instruments_text(struct buf *out)
{
	if (!atomic_load(&metric_registry.count))
		return;
	metrics_begin_reading();
	for (uint32_t k = 0; k < atomic_load(&metric_registry.count); k++)
		put_text_instrument(out, atomic_load(&metric_registry.instruments[k]));
	metrics_end_reading();
}
