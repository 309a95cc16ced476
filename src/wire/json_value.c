/* SPDX-License-Identifier: Apache-2.0 */
/* Access to a parsed document: members, items, and conversion of numbers. */
#include "wire/json_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { NUMBER_MAX = 800 }; /* the longest exact decimal of a double has 767 digits */

const struct json_value *json_get(const struct json_value *object, struct str key)
{
	const struct json_value *found = NULL;

	json_each_member(k, object)
	{
		if (k->n == key.n && memcmp(k->p, key.p, key.n) == 0)
			found = json_member(k);
	}
	return found;
}

const struct json_value *json_item(const struct json_value *array, uint32_t i)
{
	json_each(item, array)
	{
		if (!i--)
			return item;
	}
	return NULL;
}

int json_bool(const struct json_value *v, bool *out)
{
	enum json_kind kind = json_kind(v);

	if (kind != JSON_TRUE && kind != JSON_FALSE)
		return -EINVAL;
	*out = kind == JSON_TRUE;
	return 0;
}

/* Get the text of a number or of a string. */
static bool number_text(const struct json_value *v, struct str *text)
{
	enum json_kind kind = json_kind(v);

	if (kind != JSON_NUMBER && kind != JSON_STRING)
		return false;
	*text = str_of(v->p, v->n);
	return true;
}

/*
 * Parse a number of up to 15 digits. The digits and the power of ten are exact as doubles, so one
 * division rounds correctly (Clinger's fast path). Nearly all numbers are of this kind.
 */
static bool simple_double(struct str s, double *out)
{
	static const double powers[] = {1e0, 1e1, 1e2,	1e3,  1e4,  1e5,  1e6,	1e7,
					1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	size_t i = s.n && s.p[0] == '-', digits = 0, decimals = 0;
	bool point = false;
	double value = 0;

	for (; i < s.n; i++) {
		if (s.p[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (s.p[i] < '0' || s.p[i] > '9' || ++digits > 15)
			return false;
		value = value * 10 + (s.p[i] - '0');
		decimals += point;
	}
	if (!digits || decimals == digits || (point && !decimals))
		return false; /* not a JSON number: text_to_double() decides */
	value /= powers[decimals];
	*out = s.p[0] == '-' ? -value : value;
	return true;
}

/* Accept JSON's characters only: strtod() also accepts hex, "inf" and leading white space. */
static bool is_decimal(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] < '0' || s.p[i] > '9') && !memchr("+-.eE", s.p[i], 5))
			return false;
	return s.n;
}

static int text_to_double(struct str s, double *out)
{
	char text[NUMBER_MAX], *end;
	double value;

	if (simple_double(s, out))
		return 0;
	if (!is_decimal(s))
		return -EINVAL;
	if (s.n >= sizeof(text))
		return -ERANGE;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	value = strtod(text, &end); /* varve never sets LC_NUMERIC: the decimal point is '.' */
	if (end != text + s.n)
		return -EINVAL;
	*out = value;
	return 0;
}

int json_double(const struct json_value *v, double *out)
{
	struct str text;

	if (!number_text(v, &text))
		return -EINVAL;
	if (json_kind(v) == JSON_STRING) {
		if (str_eq(text, STR("NaN")))
			return *out = NAN, 0;
		if (str_eq(text, STR("Infinity")))
			return *out = INFINITY, 0;
		if (str_eq(text, STR("-Infinity")))
			return *out = -INFINITY, 0;
	}
	return text_to_double(text, out);
}

/*
 * Parse an integer like 1e3 or 2.0 in [low, high). Return -ERANGE outside, -EINVAL if not integral.
 */
static int integral_double(struct str text, double low, double high, double *out)
{
	double value;
	int rc = text_to_double(text, &value);

	if (rc)
		return rc;
	if (value < low || value >= high)
		return -ERANGE;
	if (value != trunc(value))
		return -EINVAL;
	*out = value;
	return 0;
}

int json_i64(const struct json_value *v, int64_t *out)
{
	struct str text;
	double value;
	int rc;

	if (!number_text(v, &text))
		return -EINVAL;
	rc = str_to_i64(text, out);
	if (rc != -EINVAL)
		return rc;
	rc = integral_double(text, -0x1p63, 0x1p63, &value);
	if (!rc)
		*out = (int64_t)value;
	return rc;
}

int json_u64(const struct json_value *v, uint64_t *out)
{
	struct str text;
	double value;
	int rc;

	if (!number_text(v, &text))
		return -EINVAL;
	rc = str_to_u64(text, 10, out);
	if (rc != -EINVAL)
		return rc;
	rc = integral_double(text, 0, 0x1p64, &value);
	if (!rc)
		*out = (uint64_t)value;
	return rc;
}
