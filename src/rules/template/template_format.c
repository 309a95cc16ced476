/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text: what Go's fmt.Print and fmt.Printf write for them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "rules/template/template_format.h"
#include "rules/template/template_text.h"
#include "signal/metric/number_text.h"

#define DATA_TYPE                                                                                  \
	"struct { Labels map[string]string; ExternalLabels map[string]string; ExternalURL "        \
	"string; Value interface {} }"

const char *template_type_name(const struct template_value *v)
{
	static const char *const names[] = {
		[TEMPLATE_NONE] = "<nil>",
		[TEMPLATE_BOOL] = "bool",
		[TEMPLATE_INT] = "int",
		[TEMPLATE_FLOAT] = "float64",
		[TEMPLATE_STRING] = "string",
		[TEMPLATE_LABELS] = "map[string]string",
		[TEMPLATE_SAMPLE] = "*template.sample",
		[TEMPLATE_SAMPLES] = "template.queryResult",
		[TEMPLATE_ARGS] = "map[string]interface {}",
		[TEMPLATE_TIME] = "*time.Time",
		[TEMPLATE_DURATION] = "*time.Duration",
		[TEMPLATE_MONTH] = "time.Month",
		[TEMPLATE_WEEKDAY] = "time.Weekday",
		[TEMPLATE_DATA] = DATA_TYPE,
	};

	return names[v->kind];
}

static bool full(const struct template_format *f)
{
	return f->out->n > RULE_TEMPLATE_OUTPUT_MAX;
}

static size_t count_runes(struct str s)
{
	size_t n = 0;

	for (; s.n; n++)
		template_rune(&s);
	return n;
}

static void put_padding(struct template_format *f, char c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_put_char(f->out, c);
}

void template_format_padded(struct template_format *f, struct str s)
{
	size_t n = f->has_width ? count_runes(s) : 0;
	size_t room = f->has_width && n < (size_t)f->width ? (size_t)f->width - n : 0;

	if (!f->minus)
		put_padding(f, f->zero ? '0' : ' ', room);
	buf_put_str(f->out, s);
	if (f->minus)
		put_padding(f, ' ', room);
}

/* A number with its sign, which goes before padding by zeros. */
static void put_padded_number(struct template_format *f, struct str number)
{
	size_t sign = number.n && (number.p[0] == '-' || number.p[0] == '+' || number.p[0] == ' ');

	if (sign && f->zero && !f->minus && f->has_width && (size_t)f->width > number.n) {
		buf_put(f->out, number.p, 1);
		put_padding(f, '0', (size_t)f->width - number.n);
		buf_put_str(f->out, str_from_at(number, 1));
		return;
	}
	template_format_padded(f, number);
}

static void put_bad_verb(struct template_format *f, const struct template_value *v)
{
	struct template_format plain = *f; /* flags and width apply to the value */

	plain.verb = 'v';
	plain.number = (struct buf){0};
	buf_put_str(f->out, STR("%!"));
	template_put_rune(f->out, (uint32_t)f->verb);
	buf_put_char(f->out, '(');
	if (v->kind == TEMPLATE_NONE) {
		buf_put_str(f->out, STR("<nil>"));
	} else {
		buf_put_str(f->out, str_from(template_type_name(v)));
		buf_put_char(f->out, '=');
		template_format_value(&plain, v, true);
		buf_fini(&plain.number);
	}
	buf_put_char(f->out, ')');
}

/* ---- numbers ---- */

static void put_digits(struct template_format *f, uint64_t n, unsigned base, const char *digits)
{
	char text[65];
	size_t at = sizeof(text);

	do
		text[--at] = digits[n % base];
	while (n /= base);
	for (size_t have = sizeof(text) - at;
	     f->has_precision && have < (size_t)f->precision && f->number.n < TEMPLATE_WIDTH_MAX;
	     have++)
		buf_put_char(&f->number, '0');
	buf_put(&f->number, text + at, sizeof(text) - at);
}

static void put_integer(struct template_format *f, int64_t i, unsigned base)
{
	bool upper = f->verb == 'X', zero = f->zero;
	uint64_t n = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;

	buf_clear(&f->number);
	if (i < 0)
		buf_put_char(&f->number, '-');
	else if (f->plus || f->space)
		buf_put_char(&f->number, f->plus ? '+' : ' ');
	if (f->verb == 'O')
		buf_put_str(&f->number, STR("0o"));
	else if (f->sharp && base != 10)
		buf_put_str(&f->number, base == 2   ? STR("0b")
					: base == 8 ? STR("0")
					: upper	    ? STR("0X")
						    : STR("0x"));
	if (!f->has_precision || f->precision || n)
		put_digits(f, n, base, upper ? "0123456789ABCDEF" : "0123456789abcdef");
	f->zero = zero && !f->has_precision && !f->minus;
	put_padded_number(f, buf_str(&f->number));
	f->zero = zero;
}

static void put_character(struct template_format *f, int64_t i)
{
	uint32_t rune = i < 0 || i > 0x10ffff ? 0xfffd : (uint32_t)i;

	buf_clear(&f->number);
	if (f->verb == 'U')
		buf_printf(&f->number, "U+%04X", rune);
	else if (f->verb == 'q')
		template_put_quoted_rune(&f->number, rune, f->plus);
	else
		template_put_rune(&f->number, rune);
	template_format_padded(f, buf_str(&f->number));
}

static bool put_int(struct template_format *f, int64_t i)
{
	switch (f->verb) {
	case 'v':
	case 'd':
		put_integer(f, i, 10);
		return true;
	case 'b':
		put_integer(f, i, 2);
		return true;
	case 'o':
	case 'O':
		put_integer(f, i, 8);
		return true;
	case 'x':
	case 'X':
		put_integer(f, i, 16);
		return true;
	case 'c':
	case 'q':
	case 'U':
		put_character(f, i);
		return true;
	default:
		return false;
	}
}

static void append_float(struct buf *b, double v, char verb, int precision)
{
	switch (verb) {
	case 'e':
		buf_printf(b, "%.*e", precision, v);
		break;
	case 'E':
		buf_printf(b, "%.*E", precision, v);
		break;
	case 'G':
		buf_printf(b, "%.*G", precision, v);
		break;
	case 'g':
		buf_printf(b, "%.*g", precision, v);
		break;
	default:
		buf_printf(b, "%.*f", precision, v);
	}
}

static bool put_float(struct template_format *f, double v)
{
	char verb = (char)(f->verb == 'v' ? 'g' : f->verb == 'F' ? 'f' : f->verb);
	bool zero = f->zero, shortest = !f->has_precision && (verb == 'g' || verb == 'G');

	if (f->verb > 0x7f || !strchr("eEfFgGv", (int)f->verb))
		return false;
	buf_clear(&f->number);
	if (isnan(v)) {
		buf_put_str(&f->number, f->plus	   ? STR("+NaN")
					: f->space ? STR(" NaN")
						   : STR("NaN"));
	} else if (isinf(v)) {
		buf_put_str(&f->number, v < 0 ? STR("-Inf") : f->space ? STR(" Inf") : STR("+Inf"));
	} else {
		if (!signbit(v) && (f->plus || f->space))
			buf_put_char(&f->number, f->plus ? '+' : ' ');
		if (shortest)
			number_text(&f->number, v, NUMBER_SHORT);
		else
			append_float(&f->number, v, verb, f->has_precision ? f->precision : 6);
		for (size_t i = 0; shortest && verb == 'G' && i < f->number.n; i++)
			if (f->number.p[i] == 'e')
				f->number.p[i] = 'E';
	}
	f->zero = zero && isfinite(v) && !f->minus;
	put_padded_number(f, buf_str(&f->number));
	f->zero = zero;
	return true;
}

/* ---- strings ---- */

static void put_hex(struct template_format *f, struct str s)
{
	bool upper = f->verb == 'X';

	buf_clear(&f->number);
	for (size_t i = 0; i < s.n && f->number.n <= RULE_TEMPLATE_OUTPUT_MAX; i++) {
		if (i && f->space)
			buf_put_char(&f->number, ' ');
		if (f->sharp && (!i || f->space))
			buf_put_str(&f->number, upper ? STR("0X") : STR("0x"));
		buf_printf(&f->number, upper ? "%02X" : "%02x", (unsigned char)s.p[i]);
	}
	template_format_padded(f, buf_str(&f->number));
}

static bool put_text(struct template_format *f, struct str s)
{
	if (f->has_precision && f->verb != 'x' && f->verb != 'X') {
		struct str rest = s;

		for (int i = 0; i < f->precision && rest.n; i++)
			template_rune(&rest);
		s.n -= rest.n;
	}
	switch (f->verb) {
	case 'v':
	case 's':
		template_format_padded(f, s);
		return true;
	case 'q':
		buf_clear(&f->number);
		if (f->sharp && str_find(s, '`') == s.n && str_find(s, '\n') == s.n) {
			buf_put_char(&f->number, '`');
			buf_put_str(&f->number, s);
			buf_put_char(&f->number, '`');
		} else {
			template_put_quoted(&f->number, s, f->plus);
		}
		template_format_padded(f, buf_str(&f->number));
		return true;
	case 'x':
	case 'X':
		put_hex(f, f->has_precision ? str_head(s, (size_t)f->precision) : s);
		return true;
	default:
		return false;
	}
}

/* ---- containers ---- */

static void put_string_value(struct template_format *f, struct str s)
{
	struct template_value v = template_string(s);

	template_format_value(f, &v, true);
}

static void put_labels(struct template_format *f, struct label_set labels)
{
	buf_put_str(f->out, STR("map["));
	for (uint32_t i = 0; i < labels.n && !full(f); i++) {
		if (i)
			buf_put_char(f->out, ' ');
		put_string_value(f, labels.at[i].name);
		buf_put_char(f->out, ':');
		put_string_value(f, labels.at[i].value);
	}
	buf_put_char(f->out, ']');
}

static void put_sample(struct template_format *f, const struct rule_template_sample *s)
{
	struct template_value v = template_float(s->value);

	buf_put_char(f->out, '{');
	put_labels(f, (struct label_set){s->labels, s->label_count});
	buf_put_char(f->out, ' ');
	template_format_value(f, &v, true);
	buf_put_char(f->out, '}');
}

static void put_args(struct template_format *f, const struct template_args *args)
{
	buf_put_str(f->out, STR("map["));
	for (uint32_t i = 0; i < args->n && !full(f); i++) {
		char name[16];

		if (i)
			buf_put_char(f->out, ' ');
		put_string_value(f, str_of(name, (size_t)snprintf(name, sizeof(name), "arg%u", i)));
		buf_put_char(f->out, ':');
		template_format_value(f, &args->at[i], true);
	}
	buf_put_char(f->out, ']');
}

static void put_data(struct template_format *f, const struct rule_template_data *d)
{
	struct template_value v = template_float(d->value);

	buf_put_char(f->out, '{');
	put_labels(f, (struct label_set){d->labels, d->label_count});
	buf_put_char(f->out, ' ');
	put_labels(f, (struct label_set){d->external_labels, d->external_count});
	buf_put_char(f->out, ' ');
	put_string_value(f, d->external_url);
	buf_put_char(f->out, ' ');
	template_format_value(f, &v, true);
	buf_put_char(f->out, '}');
}

/* Times and enumerations have a text, which verbs of strings show. */
static bool put_stringer(struct template_format *f, const struct template_value *v)
{
	struct buf text = {0};
	bool done;

	if (f->verb > 0x7f || !strchr("vsqxX", (int)f->verb))
		return v->kind != TEMPLATE_TIME && put_int(f, v->i);
	if (v->kind == TEMPLATE_TIME)
		template_put_time(&text, v->i);
	else if (v->kind == TEMPLATE_DURATION)
		template_put_duration(&text, v->i);
	else
		buf_put_str(&text,
			    str_from(v->kind == TEMPLATE_MONTH ? template_month_name(v->i)
							       : template_weekday_name(v->i)));
	done = put_text(f, buf_str(&text));
	buf_fini(&text);
	return done;
}

static bool put_bool(struct template_format *f, bool b)
{
	if (f->verb == 'v' || f->verb == 't')
		template_format_padded(f, b ? STR("true") : STR("false"));
	return f->verb == 'v' || f->verb == 't';
}

void template_format_value(struct template_format *f, const struct template_value *v, bool nested)
{
	bool done = true;

	if (full(f))
		return;
	switch (v->kind) {
	case TEMPLATE_NONE:
		done = f->verb == 'v';
		if (done)
			template_format_padded(f, nested ? STR("<nil>") : STR("<no value>"));
		break;
	case TEMPLATE_BOOL:
		done = put_bool(f, v->b);
		break;
	case TEMPLATE_INT:
		done = put_int(f, v->i);
		break;
	case TEMPLATE_FLOAT:
		done = put_float(f, v->f);
		break;
	case TEMPLATE_STRING:
		done = put_text(f, v->s);
		break;
	case TEMPLATE_LABELS:
		put_labels(f, v->labels);
		break;
	case TEMPLATE_SAMPLE:
		if (nested) /* fmt shows the pointer that the value is in Go */
			buf_put_char(f->out, '&');
		put_sample(f, v->sample);
		break;
	case TEMPLATE_SAMPLES:
		buf_put_char(f->out, '[');
		for (uint32_t i = 0; i < v->samples.n && !full(f); i++) {
			if (i)
				buf_put_char(f->out, ' ');
			put_sample(f, v->samples.at[i]);
		}
		buf_put_char(f->out, ']');
		break;
	case TEMPLATE_ARGS:
		put_args(f, v->args);
		break;
	case TEMPLATE_DATA:
		put_data(f, v->data);
		break;
	default:
		done = put_stringer(f, v);
	}
	if (!done)
		put_bad_verb(f, v);
}

void template_format_plain(struct buf *out, const struct template_value *v, bool nested)
{
	struct template_format f = {.verb = 'v', .out = out};

	template_format_value(&f, v, nested);
	buf_fini(&f.number);
}

void template_put_value(struct buf *out, const struct template_value *v)
{
	template_format_plain(out, v, false);
}

void template_print(struct buf *out, const struct template_value *args, uint32_t n, bool line)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i && (line ||
			  (args[i].kind != TEMPLATE_STRING && args[i - 1].kind != TEMPLATE_STRING)))
			buf_put_char(out, ' ');
		template_format_plain(out, &args[i], true);
	}
	if (line)
		buf_put_char(out, '\n');
}
