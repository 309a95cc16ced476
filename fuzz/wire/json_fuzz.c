/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as JSON: the tape is consistent; a parsed document is written with and without
 * indentation, and must parse to the same.
 */
#include "fuzz.h"

#include <math.h>

#include "wire/json.h"
#include "wire/json_write.h"

/* NOLINTNEXTLINE(misc-no-recursion): the parser bounds the depth */
static void write_value(struct json_writer *w, const struct json_value *v)
{
	uint32_t count = 0;

	switch (json_kind(v)) {
	case JSON_MISSING:
		FUZZ_CHECK(v); /* a parsed value has a kind */
		break;
	case JSON_NULL:
		json_put_null(w);
		break;
	case JSON_FALSE:
	case JSON_TRUE:
		json_put_bool(w, json_kind(v) == JSON_TRUE);
		break;
	case JSON_NUMBER:
		json_put_raw(w, str_of(v->p, v->n));
		break;
	case JSON_STRING:
		FUZZ_CHECK(str_utf8_valid(json_str(v)) == v->n);
		json_put_string(w, json_str(v));
		break;
	case JSON_ARRAY:
		json_open_array(w);
		json_each(item, v)
		{
			write_value(w, item);
			count++;
		}
		json_close_array(w);
		FUZZ_CHECK(count == json_count(v));
		break;
	case JSON_OBJECT:
		json_open_object(w);
		json_each_member(key, v)
		{
			FUZZ_CHECK(json_get(v, json_str(key)));
			json_put_key(w, json_str(key));
			write_value(w, json_member(key));
			count++;
		}
		json_close_object(w);
		FUZZ_CHECK(count == json_count(v));
		break;
	}
}

static void check_number(const struct json_value *v)
{
	double value, back;
	struct buf out = {0};
	struct json_writer w = json_writer_to(&out, 0);
	struct json doc;
	struct arena a;
	uint64_t u;
	int64_t i;

	if (json_i64(v, &i) == 0 && i >= 0)
		FUZZ_CHECK(json_u64(v, &u) == 0 && u == (uint64_t)i);
	if (json_double(v, &value))
		return;
	json_put_double(&w, value);
	arena_init(&a, NULL);
	json_init(&doc, &a);
	FUZZ_CHECK(json_parse(&doc, buf_str(&out), NULL) == 0);
	FUZZ_CHECK(json_double(json_root(&doc), &back) == 0);
	FUZZ_CHECK(back == value || (isnan(back) && isnan(value)));
	arena_fini(&a);
	buf_fini(&out);
}

static void check_same(const struct json *a, const struct json *b)
{
	FUZZ_CHECK(a->nodes.n == b->nodes.n);
	for (uint32_t i = 0; i < a->nodes.n; i++) {
		const struct json_value *v = &a->nodes.at[i], *w = &b->nodes.at[i];

		FUZZ_CHECK(v->tag == w->tag && v->n == w->n);
		if (json_kind(v) == JSON_STRING || json_kind(v) == JSON_NUMBER)
			FUZZ_CHECK(str_eq(str_of(v->p, v->n), str_of(w->p, w->n)));
		if (json_kind(v) == JSON_STRING || json_kind(v) == JSON_NUMBER)
			check_number(v);
	}
}

static void check_round_trip(const struct json *doc, struct arena *a, unsigned indent)
{
	struct buf out = {0};
	struct json_writer w = json_writer_to(&out, indent);
	struct json again;
	struct err e = {0};

	write_value(&w, json_root(doc));
	FUZZ_CHECK(!buf_error(&out));
	json_init(&again, a);
	FUZZ_CHECK(json_parse(&again, buf_str(&out), &e) == 0);
	check_same(doc, &again);
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct str in = str_of((const char *)data, size);
	struct err e = {0};
	struct arena a;
	struct json doc;
	size_t at = 0;

	arena_init(&a, &budget);
	json_init(&doc, &a);
	if (json_parse(&doc, in, &e) == 0) {
		FUZZ_CHECK(json_after(json_root(&doc)) == doc.nodes.at + doc.nodes.n);
		for (uint32_t i = 0; i < doc.nodes.n; i++)
			FUZZ_CHECK(json_offset(&doc, &doc.nodes.at[i]) < size);
		check_round_trip(&doc, &a, 0);
		check_round_trip(&doc, &a, 1);
	} else {
		FUZZ_CHECK(e.text[0] && !json_root(&doc));
	}
	while (json_parse_next(&doc, in, &at, NULL) == 1)
		FUZZ_CHECK(at <= size);
	arena_fini(&a);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
