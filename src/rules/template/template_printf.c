/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of printf: flags, width, precision, indices of arguments, and errors in the output. */
#include "rules/template/template_format.h"
#include "rules/template/template_text.h"

/* The arguments of a printf. */
struct operands {
	const struct template_value *at;
	uint32_t n, next;
	bool reordered;
};

/* Cut a decimal number off *rest; false if there is none, -1 for one that is too large. */
static bool cut_number(struct str *rest, int *out)
{
	size_t n = 0;

	*out = 0;
	while (n < rest->n && rest->p[n] >= '0' && rest->p[n] <= '9') {
		*out = *out > TEMPLATE_WIDTH_MAX || *out < 0 ? -1 : *out * 10 + (rest->p[n] - '0');
		n++;
	}
	if (*out > TEMPLATE_WIDTH_MAX)
		*out = -1;
	*rest = str_from_at(*rest, n);
	return n > 0;
}

/* "[2]" selects the next argument. Return false for an index that does not exist. */
static bool cut_index(struct str *rest, struct operands *o)
{
	struct str inside = str_from_at(*rest, 1);
	int index;

	if (!rest->n || rest->p[0] != '[')
		return true;
	o->reordered = true;
	if (!cut_number(&inside, &index) || !inside.n || inside.p[0] != ']' || index < 1 ||
	    (uint32_t)index > o->n) {
		*rest = str_from_at(*rest, str_find(*rest, ']') + 1);
		return false;
	}
	o->next = (uint32_t)index - 1;
	*rest = str_from_at(inside, 1);
	return true;
}

/* A width or precision: a number, or * for the next argument. Return false if it is invalid. */
static bool cut_size(struct str *rest, struct operands *o, bool *has, int *out)
{
	const struct template_value *v;

	if (!rest->n || rest->p[0] != '*') {
		*has = cut_number(rest, out);
		return *out >= 0;
	}
	*rest = str_from_at(*rest, 1);
	*has = true;
	v = o->next < o->n ? &o->at[o->next++] : NULL;
	if (!v || v->kind != TEMPLATE_INT || v->i > TEMPLATE_WIDTH_MAX ||
	    v->i < -TEMPLATE_WIDTH_MAX) {
		*has = false;
		return false;
	}
	*out = (int)v->i;
	return true;
}

static void cut_flags(struct str *rest, struct template_format *f)
{
	for (; rest->n; *rest = str_from_at(*rest, 1))
		switch (rest->p[0]) {
		case '+':
			f->plus = true;
			break;
		case '-':
			f->minus = true;
			break;
		case '#':
			f->sharp = true;
			break;
		case ' ':
			f->space = true;
			break;
		case '0':
			f->zero = true;
			break;
		default:
			return;
		}
}

/* What follows a %. */
static void put_verb(struct template_format *f, struct str *rest, struct operands *o)
{
	bool index_ok;

	cut_flags(rest, f);
	index_ok = cut_index(rest, o);
	if (!cut_size(rest, o, &f->has_width, &f->width))
		buf_put_str(f->out, STR("%!(BADWIDTH)"));
	if (f->width < 0) {
		f->minus = true;
		f->width = -f->width;
	}
	if (rest->n && rest->p[0] == '.') {
		*rest = str_from_at(*rest, 1);
		index_ok = cut_index(rest, o) && index_ok;
		if (!cut_size(rest, o, &f->has_precision, &f->precision))
			buf_put_str(f->out, STR("%!(BADPREC)"));
		else
			f->has_precision = f->precision >= 0;
	}
	index_ok = cut_index(rest, o) && index_ok;
	if (f->minus)
		f->zero = false;
	if (!rest->n) {
		buf_put_str(f->out, STR("%!(NOVERB)"));
		return;
	}
	f->verb = template_rune(rest);
	if (f->verb < 0)
		f->verb = 0xfffd;
	if (f->verb == 'v')
		f->plus = false; /* it means names of fields */
	if (f->verb == '%') {
		buf_put_char(f->out, '%');
	} else if (!index_ok || o->next >= o->n) {
		buf_put_str(f->out, STR("%!"));
		template_put_rune(f->out, (uint32_t)f->verb);
		buf_put_str(f->out, index_ok ? STR("(MISSING)") : STR("(BADINDEX)"));
	} else if (f->verb == 'T') {
		template_format_padded(f, str_from(template_type_name(&o->at[o->next++])));
	} else {
		template_format_value(f, &o->at[o->next++], true);
	}
}

static void put_extra(struct buf *out, const struct operands *o)
{
	buf_put_str(out, STR("%!(EXTRA "));
	for (uint32_t i = o->next; i < o->n; i++) {
		if (i > o->next)
			buf_put_str(out, STR(", "));
		if (o->at[i].kind != TEMPLATE_NONE) {
			buf_put_str(out, str_from(template_type_name(&o->at[i])));
			buf_put_char(out, '=');
		}
		template_format_plain(out, &o->at[i], true);
	}
	buf_put_char(out, ')');
}

void template_printf(struct buf *out, struct str format, const struct template_value *args,
		     uint32_t n)
{
	struct operands o = {.at = args, .n = n};

	while (format.n && out->n <= RULE_TEMPLATE_OUTPUT_MAX) {
		size_t percent = str_find(format, '%');
		struct template_format f = {.out = out};

		buf_put_str(out, str_head(format, percent));
		if (percent == format.n)
			break;
		format = str_from_at(format, percent + 1);
		put_verb(&f, &format, &o);
		buf_fini(&f.number);
	}
	if (!o.reordered && o.next < n)
		put_extra(out, &o);
}
