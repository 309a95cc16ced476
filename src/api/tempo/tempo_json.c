/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of Tempo's API as JSON. */
#include "api/tempo/tempo_json.h"

#include <math.h>

#include "query/traceql/traceql_visit.h"
#include "wire/text.h"

#define ROOT_MISSING "<root span not yet received>"

/* ---- values ---- */

static void put_key_string(struct json_writer *w, const char *key, struct str value)
{
	json_put_key(w, str_from(key));
	json_put_string(w, value);
}

static void put_key_number(struct json_writer *w, const char *key, uint64_t value)
{
	json_put_key(w, str_from(key));
	json_put_u64_string(w, value);
}

/* An AnyValue of OTLP: durations, status and kind are strings. */
static void put_any_value(struct json_writer *w, const struct traceql_value *v)
{
	struct buf text = {0};

	json_open_object(w);
	switch (v->type) {
	case TRACEQL_TYPE_INT:
		json_put_key(w, STR("intValue"));
		json_put_i64_string(w, v->number);
		break;
	case TRACEQL_TYPE_DOUBLE:
		json_put_key(w, STR("doubleValue"));
		json_put_double(w, v->real);
		break;
	case TRACEQL_TYPE_BOOL:
		json_put_key(w, STR("boolValue"));
		json_put_bool(w, v->truth);
		break;
	case TRACEQL_TYPE_ARRAY:
		json_put_key(w, STR("arrayValue"));
		json_open_object(w);
		json_put_key(w, STR("values"));
		json_open_array(w);
		for (uint32_t i = 0; i < v->n; i++) {
			struct traceql_value x = traceql_value_of(&v->elements[i]);

			put_any_value(w, &x);
		}
		json_close_array(w);
		json_close_object(w);
		break;
	default:
		buf_init(&text, w->out->budget);
		traceql_value_text(&text, v);
		put_key_string(w, "stringValue", buf_str(&text));
		w->out->failed |= text.failed;
		buf_fini(&text);
	}
	json_close_object(w);
}

static void put_pair(struct json_writer *w, struct str key, const struct traceql_value *v)
{
	json_open_object(w);
	put_key_string(w, "key", key);
	json_put_key(w, STR("value"));
	put_any_value(w, v);
	json_close_object(w);
}

/* Of both answers. */
static void put_partial(struct json_writer *w)
{
	put_key_string(w, "status", STR("PARTIAL"));
	put_key_string(w, "message", STR(TRACEQL_PARTIAL));
}

/* ---- search ---- */

static void put_attributes(struct json_writer *w, const struct traceql_attribute *at, uint32_t n)
{
	if (!n)
		return;
	json_put_key(w, STR("attributes"));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++)
		put_pair(w, at[i].name, &at[i].value);
	json_close_array(w);
}

static void put_found_span(struct json_writer *w, const struct traceql_found_span *s)
{
	char id[16];

	hex_digits(id, str_of((const char *)s->id, sizeof(s->id)));
	json_open_object(w);
	put_key_string(w, "spanID", str_of(id, sizeof(id)));
	if (s->name.n)
		put_key_string(w, "name", s->name);
	put_key_number(w, "startTimeUnixNano", s->start);
	put_key_number(w, "durationNanos", s->duration);
	put_attributes(w, s->attributes, s->attribute_count);
	json_close_object(w);
}

static void put_found_set(struct json_writer *w, const struct traceql_found_set *set)
{
	json_open_object(w);
	json_put_key(w, STR("spans"));
	json_open_array(w);
	for (uint32_t i = 0; i < set->n; i++)
		put_found_span(w, &set->spans[i]);
	json_close_array(w);
	json_put_key(w, STR("matched"));
	json_put_u64(w, set->matched);
	put_attributes(w, set->attributes, set->attribute_count);
	json_close_object(w);
}

static void put_services(struct json_writer *w, const struct traceql_found *f)
{
	json_put_key(w, STR("serviceStats"));
	json_open_object(w);
	for (uint32_t i = 0; i < f->service_count; i++) {
		json_put_key(w, f->services[i].name);
		json_open_object(w);
		json_put_key(w, STR("spanCount"));
		json_put_u64(w, f->services[i].spans);
		if (f->services[i].errors) {
			json_put_key(w, STR("errorCount"));
			json_put_u64(w, f->services[i].errors);
		}
		json_close_object(w);
	}
	json_close_object(w);
}

static void put_found_trace(struct json_writer *w, const struct traceql_found *f)
{
	char id[32];
	size_t zeros = 0;

	hex_digits(id, str_of((const char *)f->id, sizeof(f->id)));
	while (zeros + 1 < sizeof(id) && id[zeros] == '0')
		zeros++;
	json_open_object(w);
	put_key_string(w, "traceID", str_of(id + zeros, sizeof(id) - zeros));
	put_key_string(w, "rootServiceName", f->has_root ? f->root_service : STR(ROOT_MISSING));
	if (f->has_root && f->root_name.n)
		put_key_string(w, "rootTraceName", f->root_name);
	put_key_number(w, "startTimeUnixNano", f->start);
	if (f->duration >= 1000000) {
		json_put_key(w, STR("durationMs"));
		json_put_u64(w, f->duration / 1000000);
	}
	if (f->set_count) { /* the older form: the first set */
		json_put_key(w, STR("spanSet"));
		put_found_set(w, &f->sets[0]);
		json_put_key(w, STR("spanSets"));
		json_open_array(w);
		for (uint32_t i = 0; i < f->set_count; i++)
			put_found_set(w, &f->sets[i]);
		json_close_array(w);
	}
	put_services(w, f);
	json_close_object(w);
}

void tempo_put_search(struct json_writer *w, const struct traceql_search *s)
{
	json_open_object(w);
	json_put_key(w, STR("traces"));
	json_open_array(w);
	for (uint32_t i = 0; i < s->found.n; i++)
		put_found_trace(w, &s->found.at[i]);
	json_close_array(w);
	json_put_key(w, STR("metrics"));
	json_open_object(w);
	json_put_key(w, STR("inspectedTraces"));
	json_put_u64(w, s->inspected_traces);
	put_key_number(w, "inspectedSpans", s->inspected);
	json_put_key(w, STR("completedJobs"));
	json_put_u64(w, !s->partial);
	json_put_key(w, STR("totalJobs"));
	json_put_u64(w, 1);
	json_close_object(w);
	if (s->partial)
		put_partial(w);
	json_close_object(w);
}

/* ---- metrics ---- */

static void put_samples(struct json_writer *w, const struct traceql_series *s,
			const struct traceql_range *range)
{
	json_put_key(w, STR("samples"));
	json_open_array(w);
	for (uint32_t i = 0; i < range->n; i++) {
		if (isnan(s->values[i]))
			continue;
		json_open_object(w);
		put_key_number(w, "timestampMs", (range->first + i * range->step) / 1000000);
		json_put_key(w, STR("value"));
		json_put_double(w, s->values[i]);
		json_close_object(w);
	}
	json_close_array(w);
}

static void put_exemplars(struct json_writer *w, const struct traceql_series *s)
{
	json_put_key(w, STR("exemplars"));
	json_open_array(w);
	for (uint32_t i = 0; i < s->exemplar_count; i++) {
		const struct traceql_exemplar *x = &s->exemplars[i];
		struct traceql_value id = {.type = TRACEQL_TYPE_STRING};
		char hex[32];

		if (!x->time)
			continue;
		hex_digits(hex, str_of((const char *)x->trace_id, sizeof(x->trace_id)));
		id.text = str_of(hex, sizeof(hex));
		json_open_object(w);
		json_put_key(w, STR("labels"));
		json_open_array(w);
		put_pair(w, STR("trace:id"), &id);
		json_close_array(w);
		json_put_key(w, STR("value"));
		json_put_double(w, x->value);
		put_key_number(w, "timestampMs", x->time / 1000000);
		json_close_object(w);
	}
	json_close_array(w);
}

void tempo_put_metrics(struct json_writer *w, const struct traceql_series_list *l,
		       const struct traceql_range *range, uint64_t inspected)
{
	json_open_object(w);
	json_put_key(w, STR("series"));
	json_open_array(w);
	for (uint32_t i = 0; i < l->list.n; i++) {
		const struct traceql_series *s = &l->list.at[i];

		json_open_object(w);
		json_put_key(w, STR("labels"));
		json_open_array(w);
		for (uint32_t k = 0; k < s->label_count; k++)
			put_pair(w, s->labels[k].name, &s->labels[k].value);
		json_close_array(w);
		if (range->instant) {
			json_put_key(w, STR("value"));
			json_put_double(w, s->values[0]);
		} else {
			put_samples(w, s, range);
			put_exemplars(w, s);
		}
		json_close_object(w);
	}
	json_close_array(w);
	json_put_key(w, STR("metrics"));
	json_open_object(w);
	put_key_number(w, "inspectedSpans", inspected);
	json_close_object(w);
	if (l->partial)
		put_partial(w);
	json_close_object(w);
}
