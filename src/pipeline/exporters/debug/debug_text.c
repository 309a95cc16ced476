/* SPDX-License-Identifier: Apache-2.0 */
/* Fields, values and times of OTLP messages as text. */
#include "pipeline/exporters/debug/debug_text.h"

#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "signal/otlp/attributes.h"
#include "signal/otlp/value_text.h"
#include "wire/proto.h"

bool debug_next(struct str *rest, uint32_t field, struct str *out)
{
	struct proto_reader r = proto_reader_of(*rest);

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		*out = proto_bytes(&r);
		if (r.error)
			break;
		*rest = str_of((const char *)r.at, (size_t)(r.end - r.at));
		return true;
	}
	*rest = (struct str){0};
	return false;
}

struct str debug_bytes(struct str message, uint32_t field)
{
	struct str out;

	return debug_next(&message, field, &out) ? out : (struct str){0};
}

uint64_t debug_number(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_VARINT))
			return proto_varint(&r);
		if (r.tag == PROTO_TAG(field, PROTO_FIXED64))
			return proto_fixed64(&r);
		if (r.tag == PROTO_TAG(field, PROTO_FIXED32))
			return proto_fixed32(&r);
		proto_skip(&r);
	}
	return 0;
}

bool debug_has(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		if (proto_field(&r) == field)
			return true;
		proto_skip(&r);
	}
	return false;
}

struct debug_counts debug_count(enum signal_kind signal, struct str message)
{
	struct debug_counts counts = {0};
	struct str resource, scope, metric;

	while (debug_next(&message, 1, &resource)) {
		counts.resources++;
		while (signal == SIGNAL_METRICS && debug_next(&resource, 2, &scope))
			while (debug_next(&scope, 2, &metric))
				counts.metrics++;
	}
	return counts;
}

void debug_put_text(struct buf *out, struct str any_value)
{
	struct value value;

	if (!otlp_value_read(any_value, &value) || otlp_value_text(out, &value))
		buf_put_str(out, STR("(damaged)"));
}

void debug_put_value(struct buf *out, struct str any_value)
{
	static const char *const kinds[] = {
		[VALUE_EMPTY] = "Empty", [VALUE_STRING] = "Str",    [VALUE_BOOL] = "Bool",
		[VALUE_INT] = "Int",	 [VALUE_DOUBLE] = "Double", [VALUE_BYTES] = "Bytes",
		[VALUE_LIST] = "Slice",	 [VALUE_MAP] = "Map",
	};
	struct value value;

	if (!otlp_value_read(any_value, &value))
		value = (struct value){.kind = VALUE_EMPTY};
	buf_printf(out, "%s(", kinds[value.kind]);
	debug_put_text(out, any_value);
	buf_put_char(out, ')');
}

void debug_put_attributes(struct buf *out, const char *indent, const char *header,
			  struct str message, uint32_t field)
{
	struct str pair;

	for (bool first = true; debug_next(&message, field, &pair); first = false) {
		if (first)
			buf_printf(out, "%s%s:\n", indent, header);
		buf_printf(out, "%s     -> ", indent);
		buf_put_str(out, debug_bytes(pair, 1));
		buf_put_str(out, STR(": "));
		debug_put_value(out, debug_bytes(pair, 2));
		buf_put_char(out, '\n');
	}
}

void debug_put_time(struct buf *out, uint64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_SECOND);
	uint32_t fraction = (uint32_t)(ns % NS_PER_SECOND);
	char text[32] = "", digits[16];
	struct tm tm;
	int n = 9;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	buf_put_str(out, str_from(text));
	if (fraction) {
		snprintf(digits, sizeof(digits), "%09u", fraction);
		while (digits[n - 1] == '0')
			n--;
		buf_printf(out, ".%.*s", n, digits);
	}
	buf_put_str(out, STR(" +0000 UTC"));
}

void debug_put_id(struct buf *out, struct str id)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < id.n; i++) {
		unsigned c = (unsigned char)id.p[i];

		buf_put_char(out, hex[c >> 4]);
		buf_put_char(out, hex[c & 15]);
	}
}
