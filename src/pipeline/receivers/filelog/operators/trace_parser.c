/* SPDX-License-Identifier: Apache-2.0 */
/* The operator trace_parser, and the key `trace` of parsers. */
#include <ctype.h>
#include <errno.h>

#include "pipeline/receivers/filelog/operators/parser.h"

static const struct setting trace_field_table[] = {
	SET_CUSTOM(struct trace_field, from, "parse_from", operator_field_read, "field",
		   "The field with the id in hexadecimal digits."),
	SET_END,
};

#define TRACE_SETTINGS(struct_, member)                                                            \
	SET_GROUP(struct_, member trace_id, "trace_id", trace_field_table,                         \
		  member trace_id.configured, "Default: body.trace_id."),                          \
		SET_GROUP(struct_, member span_id, "span_id", trace_field_table,                   \
			  member span_id.configured, "Default: body.span_id."),                    \
		SET_GROUP(struct_, member trace_flags, "trace_flags", trace_field_table,           \
			  member trace_flags.configured, "Default: body.trace_flags.")

const struct setting trace_settings_table[] = {
	TRACE_SETTINGS(struct trace_settings, ),
	SET_END,
};

/* Decode `size` bytes in hexadecimal. */
static bool read_hex(struct str text, uint8_t *out, size_t size)
{
	if (text.n != 2 * size)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		unsigned digit = isdigit(c) ? c - (unsigned)'0' : (c | 0x20u) - (unsigned)'a' + 10;

		if (!isxdigit(c))
			return false;
		out[i / 2] = (uint8_t)((unsigned)out[i / 2] << 4 | digit);
	}
	return true;
}

/* Read one id into out[0 .. size); a missing field leaves it unchanged. */
static int read_trace_field(const struct trace_field *f, const char *key, struct log_entry *entry,
			    uint8_t *out, size_t size, struct err *e)
{
	struct entry_field field = {.n = 1, .keys = {str_from(key)}, .text = str_from(key)};
	const struct log_node *value;
	uint8_t bytes[16] = {0};
	struct str text;

	if (f->from.set)
		field = f->from;
	value = entry_field_get(entry, &field);
	if (!value)
		return 0;
	if (!operator_text(value, &text) || !read_hex(text, bytes, size))
		return err_set(e, -EINVAL, "%.*s has to be a string of %zu hexadecimal digits",
			       STR_ARG(field.text), 2 * size);
	memcpy(out, bytes, size);
	return 0;
}

int trace_apply(const struct trace_settings *s, struct log_entry *entry, struct err *e)
{
	uint8_t flags = (uint8_t)entry->flags;
	int rc = read_trace_field(&s->trace_id, "trace_id", entry, entry->trace_id, 16, e);

	if (!rc)
		rc = read_trace_field(&s->span_id, "span_id", entry, entry->span_id, 8, e);
	if (!rc)
		rc = read_trace_field(&s->trace_flags, "trace_flags", entry, &flags, 1, e);
	entry->flags = flags;
	return rc;
}

struct trace_operator_settings {
	struct operator_common common;
	struct trace_settings trace;
};

static const struct setting trace_operator_table[] = {
	OPERATOR_COMMON(struct trace_operator_settings, common),
	TRACE_SETTINGS(struct trace_operator_settings, trace.),
	SET_END,
};

static int trace_operator_process(struct op *op, struct operator_run *run, struct log_entry *entry,
				  struct err *e)
{
	const struct trace_operator_settings *s = (const void *)op->settings;

	(void)run;
	return trace_apply(&s->trace, entry, e);
}

const struct operator_type trace_parser_operator = {
	.name = "trace_parser",
	.table = trace_operator_table,
	.settings_size = sizeof(struct trace_operator_settings),
	.process = trace_operator_process,
};
