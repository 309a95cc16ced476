/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/test/rule_test_text.h"

#include <stdio.h>

/* Append a text in quotes, as Go's %q. */
static void put_quoted(struct buf *b, struct str s)
{
	buf_put_char(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '"' || c == '\\')
			buf_printf(b, "\\%c", c);
		else if (c == '\n')
			buf_put_str(b, STR("\\n"));
		else if (c == '\t')
			buf_put_str(b, STR("\\t"));
		else if (c < 0x20 || c == 0x7f)
			buf_printf(b, "\\x%02x", c);
		else
			buf_put_char(b, (char)c);
	}
	buf_put_char(b, '"');
}

static void put_pair(struct buf *b, bool *first, struct str name, struct str value)
{
	buf_put_str(b, *first ? STR("") : STR(", "));
	buf_put_str(b, name);
	buf_put_char(b, '=');
	put_quoted(b, value);
	*first = false;
}

void rule_test_put_labels(struct buf *b, const struct label *labels, uint32_t n)
{
	bool first = true;

	buf_put_char(b, '{');
	for (uint32_t i = 0; i < n; i++)
		put_pair(b, &first, labels[i].name, labels[i].value);
	buf_put_char(b, '}');
}

void rule_test_put_alerts(struct buf *b, const struct rule_test_alert *alerts, uint32_t n,
			  const char *indent)
{
	if (!n) {
		buf_put_str(b, STR("[]"));
		return;
	}
	buf_put_char(b, '[');
	for (uint32_t i = 0; i < n; i++) {
		buf_printf(b, "%s\n%s%u:\n%s  Labels:", i ? "," : "", indent, i, indent);
		rule_test_put_labels(b, alerts[i].labels, alerts[i].label_count);
		buf_printf(b, "\n%s  Annotations:", indent);
		rule_test_put_labels(b, alerts[i].annotations, alerts[i].annotation_count);
	}
	buf_printf(b, "\n%s]", indent);
}

/* A number as Go's 'E' with the fewest digits: 1E+00. */
static void put_number(struct buf *b, double value)
{
	char text[40];
	double read = 0;

	for (int digits = 0; digits < 18; digits++) {
		snprintf(text, sizeof(text), "%.*E", digits, value);
		if (value != value || !str_to_double(str_from(text), &read)) {
			if (value != value || read == value)
				break;
		}
	}
	if (value != value)
		buf_put_str(b, STR("NaN"));
	else if (value - value != 0)
		buf_put_str(b, value > 0 ? STR("+Inf") : STR("-Inf"));
	else
		buf_put_str(b, str_from(text));
}

void rule_test_put_samples(struct buf *b, const struct rule_test_sample *samples, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct rule_test_sample *s = &samples[i];
		bool first = true;

		buf_put_str(b, i ? STR(", ") : STR(""));
		buf_put_char(b, '{');
		for (uint32_t k = 0; k < s->label_count; k++)
			put_pair(b, &first, s->labels[k].name, s->labels[k].value);
		buf_put_str(b, STR("} "));
		if (s->histogram)
			native_put_text(b, s->histogram);
		else
			put_number(b, s->value);
	}
	if (!n)
		buf_put_str(b, STR("nil"));
}
