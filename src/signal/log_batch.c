/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of log batches; reading and writing LogRecord messages; names of severities. */
#include "signal/log_batch.h"

#include <string.h>
#include <strings.h>

#include "wire/proto.h"

enum { ATTRIBUTES = 6 };

void log_batch_init(struct log_batch *b, struct budget *budget)
{
	*b = (struct log_batch){0};
	arena_init(&b->arena, budget);
}

void log_batch_reset(struct log_batch *b)
{
	struct arena arena = b->arena;

	arena_reset(&arena);
	*b = (struct log_batch){.arena = arena};
}

void log_batch_fini(struct log_batch *b)
{
	arena_fini(&b->arena);
	*b = (struct log_batch){0};
}

/* ---- reading ---- */

static void read_id(uint8_t *to, size_t n, struct str id)
{
	if (id.n == n)
		memcpy(to, id.p, n);
}

/* Add the attribute at `from`; after another field in between use the whole message. */
static void add_attribute(struct log_record *out, struct str message, const uint8_t *from,
			  struct proto_reader *r)
{
	proto_skip(r);
	if (!out->attributes.p)
		out->attributes = str_of((const char *)from, 0);
	if (out->attributes.p + out->attributes.n == (const char *)from)
		out->attributes.n += (size_t)(r->at - from);
	else
		out->attributes = message;
}

int log_record_read(struct log_record *out, struct str message)
{
	struct proto_reader r = proto_reader_of(message.n ? message : STR(""));
	const uint8_t *from = r.at;
	uint64_t severity = 0;

	*out = (struct log_record){0};
	for (; proto_next(&r); from = r.at) {
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_FIXED64):
			out->time = proto_fixed64(&r);
			break;
		case PROTO_TAG(2, PROTO_VARINT):
			severity = proto_varint(&r);
			break;
		case PROTO_TAG(3, PROTO_BYTES):
			out->severity_text = proto_bytes(&r);
			break;
		case PROTO_TAG(5, PROTO_BYTES):
			out->body = proto_bytes(&r);
			if (!out->body.p)
				out->body = STR("");
			break;
		case PROTO_TAG(ATTRIBUTES, PROTO_BYTES):
			add_attribute(out, message, from, &r);
			break;
		case PROTO_TAG(7, PROTO_VARINT):
			out->dropped_attributes = (uint32_t)proto_varint(&r);
			break;
		case PROTO_TAG(8, PROTO_FIXED32):
			out->flags = proto_fixed32(&r);
			break;
		case PROTO_TAG(9, PROTO_BYTES):
			read_id(out->trace_id, sizeof(out->trace_id), proto_bytes(&r));
			break;
		case PROTO_TAG(10, PROTO_BYTES):
			read_id(out->span_id, sizeof(out->span_id), proto_bytes(&r));
			break;
		case PROTO_TAG(11, PROTO_FIXED64):
			out->observed = proto_fixed64(&r);
			break;
		case PROTO_TAG(12, PROTO_BYTES):
			out->event_name = proto_bytes(&r);
			break;
		default:
			proto_skip(&r);
		}
	}
	out->severity = severity <= SEVERITY_MAX ? (uint32_t)severity : 0;
	return r.error ? -EBADMSG : 0;
}

/* ---- writing ---- */

static void put_tag_number(struct buf *out, uint32_t tag, uint64_t value)
{
	buf_put_char(out, (char)tag);
	for (; value >= 0x80; value >>= 7)
		buf_put_char(out, (char)(value | 0x80));
	buf_put_char(out, (char)value);
}

static void put_bytes(struct buf *out, uint32_t field, struct str s)
{
	put_tag_number(out, PROTO_TAG(field, PROTO_BYTES), s.n);
	buf_put_str(out, s);
}

static void put_fixed64(struct buf *out, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	buf_put_char(out, (char)PROTO_TAG(field, PROTO_FIXED64));
	buf_put(out, &value, sizeof(value));
}

/* Append the attributes only, if the slice has other fields, too. */
static void put_attributes(struct buf *out, struct str fields)
{
	struct proto_reader r = proto_reader_of(fields.n ? fields : STR(""));

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(ATTRIBUTES, PROTO_BYTES))
			put_bytes(out, ATTRIBUTES, proto_bytes(&r));
		else
			proto_skip(&r);
}

void log_record_put(struct buf *out, const struct log_record *r)
{
	put_fixed64(out, 1, r->time);
	if (r->severity)
		put_tag_number(out, PROTO_TAG(2, PROTO_VARINT), r->severity);
	if (r->severity_text.n)
		put_bytes(out, 3, r->severity_text);
	if (r->body.p)
		put_bytes(out, 5, r->body);
	put_attributes(out, r->attributes);
	if (r->dropped_attributes)
		put_tag_number(out, PROTO_TAG(7, PROTO_VARINT), r->dropped_attributes);
	if (r->flags) {
		buf_put_char(out, (char)PROTO_TAG(8, PROTO_FIXED32));
		buf_put(out, &r->flags, sizeof(r->flags));
	}
	if (span_id_is_set(r->trace_id, sizeof(r->trace_id)))
		put_bytes(out, 9, str_of((const char *)r->trace_id, sizeof(r->trace_id)));
	if (span_id_is_set(r->span_id, sizeof(r->span_id)))
		put_bytes(out, 10, str_of((const char *)r->span_id, sizeof(r->span_id)));
	put_fixed64(out, 11, r->observed);
	if (r->event_name.n)
		put_bytes(out, 12, r->event_name);
}

/* ---- severities ---- */

const char *const severity_class_names[SEVERITY_CLASSES] = {
	[SEVERITY_NONE] = "",	    [SEVERITY_TRACE] = "trace", [SEVERITY_DEBUG] = "debug",
	[SEVERITY_INFO] = "info",   [SEVERITY_WARN] = "warn",	[SEVERITY_ERROR] = "error",
	[SEVERITY_FATAL] = "fatal",
};

static const struct {
	const char *name;
	uint8_t number;
} severity_names[] = {
	{"trace", 1},  {"debug", 5},	  {"info", 9},	  {"information", 9}, {"notice", 10},
	{"warn", 13},  {"warning", 13},	  {"error", 17},  {"err", 17},	      {"severe", 17},
	{"fatal", 21}, {"critical", 21},  {"crit", 21},	  {"panic", 21},      {"alert", 21},
	{"emerg", 21}, {"emergency", 21}, {"verbose", 1},
};

static uint32_t severity_of_name(struct str text)
{
	for (size_t i = 0; i < countof(severity_names); i++)
		if (text.n == strlen(severity_names[i].name) &&
		    strncasecmp(text.p, severity_names[i].name, text.n) == 0)
			return severity_names[i].number;
	return 0;
}

uint32_t log_severity(uint32_t number, struct str text)
{
	return number || !text.n ? number : severity_of_name(text);
}

int log_severity_parse(struct str text, uint32_t *out)
{
	uint64_t number;

	*out = severity_of_name(text);
	if (*out)
		return 0;
	if (str_to_u64(text, 10, &number) || !number || number > SEVERITY_MAX)
		return -EINVAL;
	*out = (uint32_t)number;
	return 0;
}
