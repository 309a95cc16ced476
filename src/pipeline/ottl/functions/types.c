/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions follow those of the OpenTelemetry Collector: what cannot be converted is nil or an
 * error.
 */
#include "pipeline/ottl/functions/types.h"

#include <errno.h>

#include "pipeline/ottl/ottl_field.h"
#include "wire/text.h"

/* ---- conversion ---- */

static int to_int(const struct ottl_value *v, struct ottl_value *out)
{
	int64_t number;

	switch (v->kind) {
	case OTTL_INT:
		*out = *v;
		return 0;
	case OTTL_BOOL:
		*out = OTTL_VALUE_INT(v->i);
		return 0;
	case OTTL_DOUBLE:
		*out = OTTL_VALUE_INT(ottl_int_of_double(v->d));
		return 0;
	case OTTL_STRING:
		if (!str_to_i64(v->s, &number))
			*out = OTTL_VALUE_INT(number);
		return 0;
	case OTTL_NIL:
		return 0;
	default:
		return -EINVAL;
	}
}

static int run_int(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return to_int(&a->v[0], out)
		       ? ottl_fail(ev, "cannot convert %s to int", ottl_kind_names[a->v[0].kind])
		       : 0;
}

static int run_double(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	const struct ottl_value *v = &a->v[0];
	double number;

	switch (v->kind) {
	case OTTL_NIL:
		return 0;
	case OTTL_DOUBLE:
		*out = *v;
		return 0;
	case OTTL_INT:
	case OTTL_BOOL:
		*out = OTTL_VALUE_DOUBLE((double)v->i);
		return 0;
	case OTTL_STRING:
		if (str_to_double(v->s, &number))
			return ottl_fail(ev, "cannot convert \"%.*s\" to double",
					 STR_ARG(str_head(v->s, 60)));
		*out = OTTL_VALUE_DOUBLE(number);
		return 0;
	default:
		return ottl_fail(ev, "cannot convert %s to double", ottl_kind_names[v->kind]);
	}
}

static int run_string(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = a->v[0];
	return 0;
}

/* The texts that Go's strconv.ParseBool accepts. */
static int parse_bool(struct str s)
{
	static const char *const words[2][6] = {{"0", "f", "F", "false", "FALSE", "False"},
						{"1", "t", "T", "true", "TRUE", "True"}};

	for (unsigned yes = 0; yes < 2; yes++)
		for (unsigned i = 0; i < 6; i++)
			if (str_eq(s, str_from(words[yes][i])))
				return (int)yes;
	return -1;
}

static int run_bool(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	const struct ottl_value *v = &a->v[0];
	int yes = -1;

	if (v->kind == OTTL_NIL)
		return 0;
	if (v->kind == OTTL_BOOL || v->kind == OTTL_INT)
		yes = v->i != 0;
	else if (v->kind == OTTL_DOUBLE)
		yes = v->d != 0;
	else if (v->kind == OTTL_STRING)
		yes = parse_bool(v->s);
	if (yes < 0)
		return ottl_fail(ev, "cannot convert %s to bool", ottl_kind_names[v->kind]);
	*out = OTTL_VALUE_BOOL(yes);
	return 0;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* ParseInt(text, base): base 0 takes the prefixes 0x, 0o, 0b and 0. */
static int run_parse_int(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct str s = a->v[0].s;
	bool negative = s.n && s.p[0] == '-';
	int64_t base = a->v[1].i;
	__int128 number = 0;

	s = str_from_at(s, negative || (s.n && s.p[0] == '+'));
	if (base < 0 || base == 1 || base > 36)
		return ottl_fail(ev, "invalid base %lld: expected 0 or 2 to 36", (long long)base);
	if (!base) {
		char prefix = s.n > 1 && s.p[0] == '0' ? (char)(s.p[1] | 0x20) : '\0';

		base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : prefix ? 8 : 10;
		s = str_from_at(s, prefix == 'x' || prefix == 'b' || prefix == 'o' ? 2 : 0);
	}
	for (size_t i = 0; i < s.n && number <= INT64_MAX; i++) {
		if (digit_of(s.p[i]) >= base)
			number = (__int128)INT64_MAX + 2;
		else
			number = number * base + digit_of(s.p[i]);
	}
	if (!s.n || number > (__int128)INT64_MAX + negative)
		return ottl_fail(ev, "cannot parse \"%.*s\" as integer",
				 STR_ARG(str_head(a->v[0].s, 60)));
	*out = OTTL_VALUE_INT((int64_t)(negative ? -number : number));
	return 0;
}

/* ---- tests ---- */

static int return_kind(struct ottl_args *a, enum ottl_kind kind, struct ottl_value *out)
{
	*out = OTTL_VALUE_BOOL(a->v[0].kind == kind);
	return 0;
}

static int run_is_string(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_kind(a, OTTL_STRING, out);
}

static int run_is_int(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_kind(a, OTTL_INT, out);
}

static int run_is_double(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_kind(a, OTTL_DOUBLE, out);
}

static int run_is_bool(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_kind(a, OTTL_BOOL, out);
}

static int run_is_map(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_kind(a, OTTL_MAP, out);
}

static int run_is_list(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_kind(a, OTTL_LIST, out);
}

/* Return the length of a string (characters), bytes, a list or a map; -1 for other values. */
static int64_t length_of(const struct ottl_value *v)
{
	int64_t n = 0;

	switch (v->kind) {
	case OTTL_STRING:
		for (size_t i = 0; i < v->s.n; i++)
			n += ((unsigned char)v->s.p[i] & 0xc0) != 0x80;
		return n;
	case OTTL_BYTES:
		return (int64_t)v->s.n;
	case OTTL_LIST:
		return v->list->items.n;
	case OTTL_MAP:
		return v->map->pairs.n;
	default:
		return -1;
	}
}

static int run_is_empty(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_BOOL(a->v[0].kind == OTTL_NIL || length_of(&a->v[0]) == 0);
	return 0;
}

static int run_len(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	int64_t n = length_of(&a->v[0]);

	if (n < 0)
		return ottl_fail(ev, "target arg must be a string, list, map or bytes, but is %s",
				 ottl_kind_names[a->v[0].kind]);
	*out = OTTL_VALUE_INT(n);
	return 0;
}

static int run_coalesce(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	for (uint32_t i = 0; i < a->v[0].list->items.n && out->kind == OTTL_NIL; i++)
		*out = a->v[0].list->items.at[i];
	return 0;
}

/* ---- spans and ids ---- */

enum { PARENT_SPAN_ID = 4 };

static int run_is_root_span(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct ottl_value id;
	int rc = ottl_field_read(ottl_record_field(&ev->at[LEVEL_ITEM], PARENT_SPAN_ID),
				 PARENT_SPAN_ID, FIELD_SPAN_ID, &ev->scratch, &id);
	bool zero = true;

	(void)a;
	for (size_t i = 0; !rc && i < id.s.n; i++)
		zero &= !id.s.p[i];
	*out = OTTL_VALUE_BOOL(zero);
	return rc;
}

/* Return an id of bytes, or of text with twice as many hex digits. */
static int return_id(struct ottl_eval *ev, struct ottl_args *a, size_t size, struct ottl_value *out)
{
	const struct ottl_value *v = &a->v[0];
	char *bytes;
	size_t n;

	*out = (struct ottl_value){.kind = OTTL_BYTES, .s = v->s};
	if (v->kind == OTTL_BYTES && v->s.n == size)
		return 0;
	if ((v->kind != OTTL_BYTES && v->kind != OTTL_STRING) || v->s.n != 2 * size)
		return ottl_fail(ev, "an id needs %zu bytes or %zu hex digits", size, 2 * size);
	bytes = arena_alloc(&ev->scratch, size, 1);
	if (!bytes)
		return -ENOMEM;
	if (hex_decode(v->s, bytes, size, &n) || n != size)
		return ottl_fail(ev, "\"%.*s\" is no id: not hexadecimal", STR_ARG(v->s));
	out->s = str_of(bytes, size);
	return 0;
}

static int run_trace_id(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return return_id(ev, a, 16, out);
}

static int run_span_id(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return return_id(ev, a, 8, out);
}

const struct ottl_function ottl_type_functions[] = {
	{"Int", run_int, {{"target", PARAM_ANY}}},
	{"Double", run_double, {{"target", PARAM_ANY}}},
	{"String", run_string, {{"target", PARAM_TEXT}}},
	{"Bool", run_bool, {{"target", PARAM_ANY}}},
	{"ParseInt", run_parse_int, {{"target", PARAM_STRING}, {"base", PARAM_INT}}},
	{"IsString", run_is_string, {{"target", PARAM_ANY}}},
	{"IsInt", run_is_int, {{"target", PARAM_ANY}}},
	{"IsDouble", run_is_double, {{"target", PARAM_ANY}}},
	{"IsBool", run_is_bool, {{"target", PARAM_ANY}}},
	{"IsMap", run_is_map, {{"target", PARAM_ANY}}},
	{"IsList", run_is_list, {{"target", PARAM_ANY}}},
	{"IsEmpty", run_is_empty, {{"target", PARAM_ANY}}},
	{"Len", run_len, {{"target", PARAM_ANY}}},
	{"Coalesce", run_coalesce, {{"values", PARAM_LIST}}},
	{"IsRootSpan", run_is_root_span, .contexts = OTTL_IN(OTTL_SPAN) | OTTL_IN(OTTL_SPAN_EVENT)},
	{"TraceID", run_trace_id, {{"value", PARAM_ANY}}},
	{"SpanID", run_span_id, {{"value", PARAM_ANY}}},
	{"ProfileID", run_trace_id, {{"value", PARAM_ANY}}},
	{.name = NULL},
};
