/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as text. Lists and maps are written as Go's JSON writes a map: keys sorted bytewise, of
 * equal keys the last one.
 */
#include "signal/otlp/value_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "signal/otlp/attributes.h"
#include "wire/json_write.h"
#include "wire/text.h"

/* Append the digits of a number d[0].d[1]d[2]... * 10^exponent without exponent. */
static void put_decimal(struct buf *out, const char *digits, int n, int exponent)
{
	int last = n > exponent + 1 ? n : exponent + 1;

	if (exponent < 0)
		buf_put_str(out, STR("0."));
	for (int i = exponent < 0 ? exponent + 1 : 0; i < last; i++) {
		buf_put_char(out, i >= 0 && i < n ? digits[i] : '0');
		if (i == exponent && i + 1 < n)
			buf_put_char(out, '.');
	}
}

void otlp_double_text(struct buf *out, double d)
{
	char text[40], digits[20] = "";
	int precision = fabs(d) < 1e-300 ? 0 : 14, n = 0, exponent;

	if (isnan(d) || isinf(d)) {
		buf_put_str(out, isnan(d) ? STR("NaN") : d < 0 ? STR("-Inf") : STR("+Inf"));
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*e", precision, fabs(d));
	while (precision++ < 16 && strtod(text, NULL) != fabs(d));
	for (const char *p = text; *p != 'e'; p++)
		if (*p != '.')
			digits[n++] = *p;
	exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
	while (n > 1 && digits[n - 1] == '0')
		n--;
	if (signbit(d))
		buf_put_char(out, '-');
	if (d == 0 || (exponent >= -6 && exponent < 21)) {
		put_decimal(out, digits, n, exponent);
		return;
	}
	buf_put_char(out, digits[0]);
	if (n > 1)
		buf_printf(out, ".%.*s", n - 1, digits + 1);
	buf_printf(out, "e%+d", exponent);
}

/* ---- lists and maps as JSON ---- */

enum { ANY_LIST = 5, ANY_MAP = 6, LIST_VALUES = 1 };

struct text_writer {
	struct json_writer json;
	struct arena arena; /* attributes of maps */
	unsigned depth;
};

static int write_value(struct text_writer *w, const struct value *v);

/* Return the message in field `field` of an AnyValue that was read before. */
static struct str nested_value(struct str any, uint32_t field)
{
	struct proto_reader r = proto_reader_of(any);
	struct str nested = {0};

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			nested = proto_bytes(&r);
		else
			proto_skip(&r);
	return nested;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int write_list(struct text_writer *w, struct str list)
{
	struct proto_reader r = proto_reader_of(list);
	struct value v;
	int rc = 0;

	json_open_array(&w->json);
	while (!rc && proto_next(&r)) {
		if (r.tag != PROTO_TAG(LIST_VALUES, PROTO_BYTES))
			proto_skip(&r);
		else
			rc = otlp_value_read(proto_bytes(&r), &v) ? write_value(w, &v) : -EBADMSG;
	}
	json_close_array(&w->json);
	return rc || !r.error ? rc : -EBADMSG;
}

/* Order by key; equal keys by their place, the last one first. */
static int compare_attributes(const void *a, const void *b)
{
	const struct otlp_attribute *const *x = a, *const *y = b;
	int order = str_cmp((*x)->key, (*y)->key);

	return order ? order : (*x < *y) - (*x > *y);
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int write_map(struct text_writer *w, struct str map)
{
	const struct otlp_attribute **sorted;
	struct attributes a;
	int rc = otlp_attributes_read(&a, map, LIST_VALUES, &w->arena);

	sorted = rc ? NULL : arena_alloc(&w->arena, a.list.n, sizeof(*sorted));
	if (!sorted)
		return rc ? rc : -ENOMEM;
	for (uint32_t i = 0; i < a.list.n; i++)
		sorted[i] = &a.list.at[i];
	qsort(sorted, a.list.n, sizeof(*sorted), compare_attributes);
	json_open_object(&w->json);
	for (uint32_t i = 0; !rc && i < a.list.n; i++) {
		if (i && str_eq(sorted[i]->key, sorted[i - 1]->key))
			continue;
		json_put_key(&w->json, sorted[i]->key);
		rc = write_value(w, &sorted[i]->value);
	}
	json_close_object(&w->json);
	return rc;
}

/* Append a number, or bytes as a string. */
static void write_scalar(struct text_writer *w, const struct value *v)
{
	struct buf text = {0};

	if (v->kind == VALUE_INT) {
		json_put_i64(&w->json, v->i);
		return;
	}
	if (v->kind == VALUE_DOUBLE)
		otlp_double_text(&text, v->d);
	else
		base64_encode(&text, v->s);
	if (v->kind == VALUE_DOUBLE && isfinite(v->d))
		json_put_raw(&w->json, buf_str(&text));
	else
		json_put_string(&w->json, buf_str(&text));
	w->json.out->failed |= text.failed;
	buf_fini(&text);
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int write_value(struct text_writer *w, const struct value *v)
{
	int rc = 0;

	switch (v->kind) {
	case VALUE_EMPTY:
		json_put_null(&w->json);
		break;
	case VALUE_STRING:
		json_put_string(&w->json, v->s);
		break;
	case VALUE_BOOL:
		json_put_bool(&w->json, v->i != 0);
		break;
	case VALUE_INT:
	case VALUE_DOUBLE:
	case VALUE_BYTES:
		write_scalar(w, v);
		break;
	case VALUE_LIST:
	case VALUE_MAP:
		if (w->depth++ >= OTLP_VALUE_DEPTH_MAX)
			return -EBADMSG;
		rc = v->kind == VALUE_LIST ? write_list(w, nested_value(v->s, ANY_LIST))
					   : write_map(w, nested_value(v->s, ANY_MAP));
		w->depth--;
		break;
	}
	return rc;
}

static int put_json(struct buf *out, const struct value *value)
{
	struct text_writer w = {.json = json_writer_to(out, 0)};
	int rc;

	arena_init(&w.arena, out->budget);
	rc = write_value(&w, value);
	arena_fini(&w.arena);
	out->failed |= rc == -ENOMEM;
	return rc == -EBADMSG ? rc : 0;
}

int otlp_value_text(struct buf *out, const struct value *value)
{
	switch (value->kind) {
	case VALUE_EMPTY:
		break;
	case VALUE_STRING:
		buf_put_str(out, value->s);
		break;
	case VALUE_BOOL:
		buf_put_str(out, value->i ? STR("true") : STR("false"));
		break;
	case VALUE_INT:
		buf_put_i64(out, value->i);
		break;
	case VALUE_DOUBLE:
		otlp_double_text(out, value->d);
		break;
	case VALUE_BYTES:
		base64_encode(out, value->s);
		break;
	case VALUE_LIST:
	case VALUE_MAP:
		return put_json(out, value);
	}
	return 0;
}
