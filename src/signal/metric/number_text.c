/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/metric/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The digits of a finite number other than 0: 0.DIGITS x 10^point. */
struct decimal {
	char digits[24];
	int n, point;
};

/* Format with `precision` + 1 digits. Return whether they are read as the same number. */
static bool try_digits(struct decimal *d, double value, int precision)
{
	char text[40], *e;
	int n = 0;

	snprintf(text, sizeof(text), "%.*e", precision, value);
	e = strchr(text, 'e');
	if (!e)
		return false;
	for (const char *c = text; c < e && n < (int)sizeof(d->digits); c++)
		if (*c >= '0' && *c <= '9')
			d->digits[n++] = *c;
	d->point = (int)strtol(e + 1, NULL, 10) + 1;
	d->n = n;
	return strtod(text, NULL) == value;
}

/* Find the shortest digits; trailing zeros are removed. */
static void shortest_digits(struct decimal *d, double value)
{
	int precision = value < 1e-300 ? 0 : 14;

	while (!try_digits(d, value, precision) && precision < 16)
		precision++;
	while (d->n > 1 && d->digits[d->n - 1] == '0')
		d->n--;
}

static void put_exponent_form(struct buf *b, const struct decimal *d)
{
	int exponent = d->point - 1;

	buf_put_char(b, d->digits[0]);
	if (d->n > 1) {
		buf_put_char(b, '.');
		buf_put(b, d->digits + 1, (size_t)d->n - 1);
	}
	buf_printf(b, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

static void put_plain_form(struct buf *b, const struct decimal *d)
{
	int at = 0;

	if (d->point <= 0)
		buf_put_char(b, '0');
	for (; at < d->point; at++)
		buf_put_char(b, at < d->n ? d->digits[at] : '0');
	if (d->n <= d->point)
		return;
	buf_put_char(b, '.');
	for (int zero = d->point; zero < 0; zero++)
		buf_put_char(b, '0');
	buf_put(b, d->digits + at, (size_t)(d->n - at));
}

static bool takes_exponent(const struct decimal *d, double value, enum number_style style)
{
	switch (style) {
	case NUMBER_PLAIN:
		return false;
	case NUMBER_JSON:
		return value < 1e-6 || value >= 1e21;
	case NUMBER_SHORT:
	case NUMBER_OPEN_METRICS:
		return d->point - 1 < -4 || d->point - 1 >= 6;
	}
	return false;
}

void number_text(struct buf *b, double value, enum number_style style)
{
	struct decimal d;
	bool negative = signbit(value);

	if (isnan(value)) {
		buf_put_str(b, STR("NaN"));
		return;
	}
	if (isinf(value)) {
		buf_put_str(b, negative ? STR("-Inf") : STR("+Inf"));
		return;
	}
	if (negative)
		buf_put_char(b, '-');
	if (value == 0) {
		buf_put_str(b, style == NUMBER_OPEN_METRICS ? STR("0.0") : STR("0"));
		return;
	}
	value = fabs(value);
	shortest_digits(&d, value);
	if (takes_exponent(&d, value, style)) {
		put_exponent_form(b, &d);
		return;
	}
	put_plain_form(b, &d);
	if (style == NUMBER_OPEN_METRICS && d.n <= d.point)
		buf_put_str(b, STR(".0"));
}
