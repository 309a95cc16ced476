/* SPDX-License-Identifier: Apache-2.0 */
/* Results of PromQL as JSON: times are seconds, values are strings. */
#include "api/prometheus/prometheus_result.h"

#include <stdio.h>

#include "signal/metric/number_text.h"

void prometheus_put_time(struct json_writer *w, int64_t ms)
{
	char text[40];
	uint64_t n = ms < 0 ? 0 - (uint64_t)ms : (uint64_t)ms;
	int length = snprintf(text, sizeof(text), n % 1000 ? "%s%llu.%03llu" : "%s%llu",
			      ms < 0 ? "-" : "", (unsigned long long)(n / 1000),
			      (unsigned long long)(n % 1000));

	json_put_raw(w, str_of(text, (size_t)length));
}

void prometheus_put_number(struct json_writer *w, double value)
{
	json_put_raw(w, STR("\""));
	number_text(w->out, value, NUMBER_JSON);
	buf_put_char(w->out, '"');
}

static void put_bucket(struct json_writer *w, const struct native_bucket *b)
{
	json_open_array(w);
	json_put_u64(w, b->lower_inclusive ? (b->upper_inclusive ? 3 : 1)
					   : (b->upper_inclusive ? 0 : 2));
	prometheus_put_number(w, b->lower);
	prometheus_put_number(w, b->upper);
	prometheus_put_number(w, b->count);
	json_close_array(w);
}

static void put_histogram(struct json_writer *w, const struct native_histogram *h)
{
	struct native_iter it;
	bool any = false;

	json_open_object(w);
	json_put_key(w, STR("count"));
	prometheus_put_number(w, h->count);
	json_put_key(w, STR("sum"));
	prometheus_put_number(w, h->sum);
	native_iter_init(&it, h, false);
	while (native_iter_next(&it)) {
		if (it.bucket.count == 0)
			continue;
		if (!any) {
			json_put_key(w, STR("buckets"));
			json_open_array(w);
			any = true;
		}
		put_bucket(w, &it.bucket);
	}
	if (any)
		json_close_array(w);
	json_close_object(w);
}

static void put_sample(struct json_writer *w, int64_t time, double value,
		       const struct native_histogram *h)
{
	json_open_array(w);
	prometheus_put_time(w, time);
	if (h)
		put_histogram(w, h);
	else
		prometheus_put_number(w, value);
	json_close_array(w);
}

static void put_labels(struct json_writer *w, const struct promql_labels *l)
{
	json_put_key(w, STR("metric"));
	json_open_object(w);
	for (uint32_t i = 0; i < l->n; i++) {
		json_put_key(w, l->at[i].name);
		json_put_string(w, l->at[i].value);
	}
	json_close_object(w);
}

static const struct native_histogram *histogram_at(const struct promql_series *s, uint32_t step)
{
	return s->histograms ? s->histograms[step] : NULL;
}

static bool has_samples(const struct promql_series *s, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; i++)
		if (histogram_at(s, i) || !promql_is_absent(s->floats[i]))
			return true;
	return false;
}

static void put_instant(struct json_writer *w, const struct promql_result *r,
			const struct promql_series *s)
{
	const struct native_histogram *h = histogram_at(s, 0);

	json_put_key(w, h ? STR("histogram") : STR("value"));
	put_sample(w, r->times.start_ms, s->floats[0], h);
}

/* Append the floats or the histograms of all steps, if there are any. */
static void put_steps(struct json_writer *w, const struct promql_result *r,
		      const struct promql_series *s, bool histograms)
{
	bool any = false;

	for (uint32_t i = 0; i < r->steps; i++) {
		const struct native_histogram *h = histogram_at(s, i);

		if (histograms ? !h : h || promql_is_absent(s->floats[i]))
			continue;
		if (!any) {
			json_put_key(w, histograms ? STR("histograms") : STR("values"));
			json_open_array(w);
			any = true;
		}
		put_sample(w, promql_step_time(r, i), s->floats[i], h);
	}
	if (any)
		json_close_array(w);
}

static void put_raw_series(struct json_writer *w, const struct promql_raw_series *s)
{
	json_open_object(w);
	put_labels(w, s->labels);
	if (s->count) {
		json_put_key(w, STR("values"));
		json_open_array(w);
		for (uint32_t i = 0; i < s->count; i++)
			put_sample(w, s->times[i], s->values[i], NULL);
		json_close_array(w);
	}
	if (s->histogram_count) {
		json_put_key(w, STR("histograms"));
		json_open_array(w);
		for (uint32_t i = 0; i < s->histogram_count; i++)
			put_sample(w, s->histogram_times[i], 0, s->histograms[i]);
		json_close_array(w);
	}
	json_close_object(w);
}

static void put_series(struct json_writer *w, const struct promql_result *r,
		       const struct promql_series *s)
{
	json_open_object(w);
	put_labels(w, s->labels);
	if (r->type == PROMQL_VECTOR) {
		put_instant(w, r, s);
	} else {
		put_steps(w, r, s, false);
		put_steps(w, r, s, true);
	}
	json_close_object(w);
}

static bool put_list(struct json_writer *w, const struct promql_result *r, uint64_t limit)
{
	uint64_t n = 0;
	bool cut = false;

	json_open_array(w);
	for (uint32_t i = 0; i < r->series.n && !cut; i++) {
		if (!has_samples(&r->series.at[i], r->steps))
			continue;
		cut = limit && n++ == limit;
		if (!cut)
			put_series(w, r, &r->series.at[i]);
	}
	for (uint32_t i = 0; i < r->raw.n && !cut; i++) {
		cut = limit && n++ == limit;
		if (!cut)
			put_raw_series(w, &r->raw.at[i]);
	}
	json_close_array(w);
	return cut;
}

bool prometheus_put_result(struct json_writer *w, const struct promql_result *r, uint64_t limit)
{
	bool cut = false;

	json_put_key(w, STR("resultType"));
	json_put_string(w, r->type == PROMQL_SCALAR   ? STR("scalar")
			   : r->type == PROMQL_STRING ? STR("string")
			   : r->type == PROMQL_VECTOR ? STR("vector")
						      : STR("matrix"));
	json_put_key(w, STR("result"));
	if (r->type == PROMQL_STRING) {
		json_open_array(w);
		prometheus_put_time(w, r->times.start_ms);
		json_put_string(w, r->string);
		json_close_array(w);
	} else if (r->type == PROMQL_SCALAR) {
		put_sample(w, r->times.start_ms, r->scalar, NULL);
	} else {
		cut = put_list(w, r, limit);
	}
	return cut;
}

uint32_t prometheus_count_notes(const struct promql_annotations *notes, enum promql_note kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < notes->list.n; i++)
		n += notes->list.at[i].note == kind;
	return n;
}

void prometheus_put_notes(struct json_writer *w, const struct promql_annotations *notes,
			  enum promql_note kind, struct str query)
{
	struct buf text = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < notes->list.n; i++) {
		const struct promql_annotation *note = &notes->list.at[i];

		if (note->note != kind || n++ >= PROMETHEUS_NOTES_MAX)
			continue;
		buf_clear(&text);
		promql_annotation_put(&text, note, query);
		json_put_string(w, buf_str(&text));
	}
	if (n > PROMETHEUS_NOTES_MAX) {
		buf_clear(&text);
		buf_printf(&text, "%u more %s annotations omitted", n - PROMETHEUS_NOTES_MAX,
			   kind == PROMQL_WARNING ? "warning" : "info");
		json_put_string(w, buf_str(&text));
	}
	buf_fini(&text);
}
