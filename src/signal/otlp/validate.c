/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check of received messages, driven by a table: for each message and each first byte of a field
 * (number and wire type, for fields up to 15) the kind of its value. Nested messages are kept on a
 * stack of their ends instead of being recursed into. Most bytes of a message are attributes with a
 * short text: these are checked as a whole by plain_attribute().
 *
 * A message passes if decoders generated from the .proto files accept it, the strict ones among
 * them: they refuse known fields of another wire type and ids of another length. Unknown fields are
 * skipped. https://github.com/open-telemetry/opentelemetry-proto 1.11
 */
#include "signal/otlp/validate.h"

#include <errno.h>
#include <stdio.h>

#include "wire/proto.h"
#include "wire/varints.h" /* and the intrinsics of SSE2 */

/* The nested messages that decoders of all languages accept at least. */
enum { MESSAGE_DEPTH_MAX = 100 };

/* ---- the messages ---- */

enum message_type {
	TRACES,
	METRICS,
	LOGS,
	PROFILES,
	RESOURCE_SPANS,
	RESOURCE_METRICS,
	RESOURCE_LOGS,
	RESOURCE_PROFILES,
	SCOPE_SPANS,
	SCOPE_METRICS,
	SCOPE_LOGS,
	SCOPE_PROFILES,
	RESOURCE,
	ENTITY_REF,
	SCOPE,
	KEY_VALUE,
	ANY_VALUE,
	ARRAY_VALUE,
	KEY_VALUE_LIST,
	SPAN_EVENT,
	SPAN_LINK,
	SPAN_STATUS,
	METRIC,
	GAUGE,
	SUM,
	HISTOGRAM,
	EXPONENTIAL_HISTOGRAM,
	SUMMARY,
	BUCKETS,
	QUANTILE,
	EXEMPLAR,
	PROFILE,
	VALUE_TYPE,
	DICTIONARY,
	MAPPING,
	LOCATION,
	LINE,
	FUNCTION,
	LINK,
	ATTRIBUTE,
	STACK,
	FIRST_ITEM, /* from here on messages that are counted */
	SPAN = FIRST_ITEM,
	LOG_RECORD,
	NUMBER_POINT,
	HISTOGRAM_POINT,
	EXPONENTIAL_POINT,
	SUMMARY_POINT,
	SAMPLE,
	MESSAGE_TYPES,
};

static const char *const message_names[MESSAGE_TYPES] = {
	[TRACES] = "ExportTraceServiceRequest",
	[METRICS] = "ExportMetricsServiceRequest",
	[LOGS] = "ExportLogsServiceRequest",
	[PROFILES] = "ExportProfilesServiceRequest",
	[RESOURCE_SPANS] = "ResourceSpans",
	[RESOURCE_METRICS] = "ResourceMetrics",
	[RESOURCE_LOGS] = "ResourceLogs",
	[RESOURCE_PROFILES] = "ResourceProfiles",
	[SCOPE_SPANS] = "ScopeSpans",
	[SCOPE_METRICS] = "ScopeMetrics",
	[SCOPE_LOGS] = "ScopeLogs",
	[SCOPE_PROFILES] = "ScopeProfiles",
	[RESOURCE] = "Resource",
	[ENTITY_REF] = "EntityRef",
	[SCOPE] = "InstrumentationScope",
	[KEY_VALUE] = "KeyValue",
	[ANY_VALUE] = "AnyValue",
	[ARRAY_VALUE] = "ArrayValue",
	[KEY_VALUE_LIST] = "KeyValueList",
	[SPAN_EVENT] = "Span.Event",
	[SPAN_LINK] = "Span.Link",
	[SPAN_STATUS] = "Status",
	[METRIC] = "Metric",
	[GAUGE] = "Gauge",
	[SUM] = "Sum",
	[HISTOGRAM] = "Histogram",
	[EXPONENTIAL_HISTOGRAM] = "ExponentialHistogram",
	[SUMMARY] = "Summary",
	[BUCKETS] = "ExponentialHistogramDataPoint.Buckets",
	[QUANTILE] = "SummaryDataPoint.ValueAtQuantile",
	[EXEMPLAR] = "Exemplar",
	[PROFILE] = "Profile",
	[VALUE_TYPE] = "ValueType",
	[DICTIONARY] = "ProfilesDictionary",
	[MAPPING] = "Mapping",
	[LOCATION] = "Location",
	[LINE] = "Line",
	[FUNCTION] = "Function",
	[LINK] = "Link",
	[ATTRIBUTE] = "KeyValueAndUnit",
	[STACK] = "Stack",
	[SPAN] = "Span",
	[LOG_RECORD] = "LogRecord",
	[NUMBER_POINT] = "NumberDataPoint",
	[HISTOGRAM_POINT] = "HistogramDataPoint",
	[EXPONENTIAL_POINT] = "ExponentialHistogramDataPoint",
	[SUMMARY_POINT] = "SummaryDataPoint",
	[SAMPLE] = "Sample",
};

/* The kind of the value that follows a tag. */
enum value_kind {
	UNKNOWN, /* of a field that is not listed, or a tag of several bytes */
	WRONG,	 /* a wire type that the field does not have */
	VARINT,
	FIXED64,
	FIXED32,
	BYTES,
	TEXT,
	TRACE_ID, /* 16 bytes, or none */
	SPAN_ID,  /* 8 bytes, or none */
	PACKED_VARINTS,
	PACKED_FIXED64,
	NESTED, /* from here on: NESTED + the type of the message */
};

/* The entries of a field for the wire types 0 to 5. */
#define FIELD(n, varint, fixed64, bytes, fixed32)                                                  \
	[(n) << 3 | PROTO_VARINT] = (varint), [(n) << 3 | PROTO_FIXED64] = (fixed64),              \
		    [(n) << 3 | PROTO_BYTES] = (bytes), [(n) << 3 | PROTO_GROUP] = WRONG,          \
		    [(n) << 3 | PROTO_GROUP_END] = WRONG, [(n) << 3 | PROTO_FIXED32] = (fixed32)
#define F_VARINT(n) FIELD(n, VARINT, WRONG, WRONG, WRONG)
#define F_FIXED64(n) FIELD(n, WRONG, FIXED64, WRONG, WRONG)
#define F_FIXED32(n) FIELD(n, WRONG, WRONG, WRONG, FIXED32)
#define F_BYTES(n) FIELD(n, WRONG, WRONG, BYTES, WRONG)
#define F_TEXT(n) FIELD(n, WRONG, WRONG, TEXT, WRONG)
#define F_TRACE_ID(n) FIELD(n, WRONG, WRONG, TRACE_ID, WRONG)
#define F_SPAN_ID(n) FIELD(n, WRONG, WRONG, SPAN_ID, WRONG)
#define F_NESTED(n, type) FIELD(n, WRONG, WRONG, NESTED + (type), WRONG)
/* Repeated numbers may be packed or not. */
#define F_VARINTS(n) FIELD(n, VARINT, WRONG, PACKED_VARINTS, WRONG)
#define F_FIXED64S(n) FIELD(n, WRONG, FIXED64, PACKED_FIXED64, WRONG)

#define RESOURCE_FIELDS(scope) F_NESTED(1, RESOURCE), F_NESTED(2, scope), F_TEXT(3)
#define SCOPE_FIELDS(item) F_NESTED(1, SCOPE), F_NESTED(2, item), F_TEXT(3)

enum { TAGS = 128 }; /* of one byte */

static const uint8_t value_kinds[MESSAGE_TYPES][TAGS] = {
	[TRACES] = {F_NESTED(1, RESOURCE_SPANS)},
	[METRICS] = {F_NESTED(1, RESOURCE_METRICS)},
	[LOGS] = {F_NESTED(1, RESOURCE_LOGS)},
	[PROFILES] = {F_NESTED(1, RESOURCE_PROFILES), F_NESTED(2, DICTIONARY)},
	[RESOURCE_SPANS] = {RESOURCE_FIELDS(SCOPE_SPANS)},
	[RESOURCE_METRICS] = {RESOURCE_FIELDS(SCOPE_METRICS)},
	[RESOURCE_LOGS] = {RESOURCE_FIELDS(SCOPE_LOGS)},
	[RESOURCE_PROFILES] = {RESOURCE_FIELDS(SCOPE_PROFILES)},
	[SCOPE_SPANS] = {SCOPE_FIELDS(SPAN)},
	[SCOPE_METRICS] = {SCOPE_FIELDS(METRIC)},
	[SCOPE_LOGS] = {SCOPE_FIELDS(LOG_RECORD)},
	[SCOPE_PROFILES] = {SCOPE_FIELDS(PROFILE)},
	[RESOURCE] = {F_NESTED(1, KEY_VALUE), F_VARINT(2), F_NESTED(3, ENTITY_REF)},
	[ENTITY_REF] = {F_TEXT(1), F_TEXT(2), F_TEXT(3), F_TEXT(4)},
	[SCOPE] = {F_TEXT(1), F_TEXT(2), F_NESTED(3, KEY_VALUE), F_VARINT(4)},
	[KEY_VALUE] = {F_TEXT(1), F_NESTED(2, ANY_VALUE), F_VARINT(3)},
	[ANY_VALUE] = {F_TEXT(1), F_VARINT(2), F_VARINT(3), F_FIXED64(4), F_NESTED(5, ARRAY_VALUE),
		       F_NESTED(6, KEY_VALUE_LIST), F_BYTES(7), F_VARINT(8)},
	[ARRAY_VALUE] = {F_NESTED(1, ANY_VALUE)},
	[KEY_VALUE_LIST] = {F_NESTED(1, KEY_VALUE)},
	/* 16: flags, a fixed32 */
	[SPAN] = {F_TRACE_ID(1), F_SPAN_ID(2), F_TEXT(3), F_SPAN_ID(4), F_TEXT(5), F_VARINT(6),
		  F_FIXED64(7), F_FIXED64(8), F_NESTED(9, KEY_VALUE), F_VARINT(10),
		  F_NESTED(11, SPAN_EVENT), F_VARINT(12), F_NESTED(13, SPAN_LINK), F_VARINT(14),
		  F_NESTED(15, SPAN_STATUS)},
	[SPAN_EVENT] = {F_FIXED64(1), F_TEXT(2), F_NESTED(3, KEY_VALUE), F_VARINT(4)},
	[SPAN_LINK] = {F_TRACE_ID(1), F_SPAN_ID(2), F_TEXT(3), F_NESTED(4, KEY_VALUE), F_VARINT(5),
		       F_FIXED32(6)},
	[SPAN_STATUS] = {F_TEXT(2), F_VARINT(3)},
	[METRIC] = {F_TEXT(1), F_TEXT(2), F_TEXT(3), F_NESTED(5, GAUGE), F_NESTED(7, SUM),
		    F_NESTED(9, HISTOGRAM), F_NESTED(10, EXPONENTIAL_HISTOGRAM),
		    F_NESTED(11, SUMMARY), F_NESTED(12, KEY_VALUE)},
	[GAUGE] = {F_NESTED(1, NUMBER_POINT)},
	[SUM] = {F_NESTED(1, NUMBER_POINT), F_VARINT(2), F_VARINT(3)},
	[HISTOGRAM] = {F_NESTED(1, HISTOGRAM_POINT), F_VARINT(2)},
	[EXPONENTIAL_HISTOGRAM] = {F_NESTED(1, EXPONENTIAL_POINT), F_VARINT(2)},
	[SUMMARY] = {F_NESTED(1, SUMMARY_POINT)},
	[NUMBER_POINT] = {F_FIXED64(2), F_FIXED64(3), F_FIXED64(4), F_NESTED(5, EXEMPLAR),
			  F_FIXED64(6), F_NESTED(7, KEY_VALUE), F_VARINT(8)},
	[HISTOGRAM_POINT] = {F_FIXED64(2), F_FIXED64(3), F_FIXED64(4), F_FIXED64(5), F_FIXED64S(6),
			     F_FIXED64S(7), F_NESTED(8, EXEMPLAR), F_NESTED(9, KEY_VALUE),
			     F_VARINT(10), F_FIXED64(11), F_FIXED64(12)},
	[EXPONENTIAL_POINT] = {F_NESTED(1, KEY_VALUE), F_FIXED64(2), F_FIXED64(3), F_FIXED64(4),
			       F_FIXED64(5), F_VARINT(6), F_FIXED64(7), F_NESTED(8, BUCKETS),
			       F_NESTED(9, BUCKETS), F_VARINT(10), F_NESTED(11, EXEMPLAR),
			       F_FIXED64(12), F_FIXED64(13), F_FIXED64(14)},
	[SUMMARY_POINT] = {F_FIXED64(2), F_FIXED64(3), F_FIXED64(4), F_FIXED64(5),
			   F_NESTED(6, QUANTILE), F_NESTED(7, KEY_VALUE), F_VARINT(8)},
	[BUCKETS] = {F_VARINT(1), F_VARINTS(2)},
	[QUANTILE] = {F_FIXED64(1), F_FIXED64(2)},
	[EXEMPLAR] = {F_FIXED64(2), F_FIXED64(3), F_SPAN_ID(4), F_TRACE_ID(5), F_FIXED64(6),
		      F_NESTED(7, KEY_VALUE)},
	[LOG_RECORD] = {F_FIXED64(1), F_VARINT(2), F_TEXT(3), F_NESTED(5, ANY_VALUE),
			F_NESTED(6, KEY_VALUE), F_VARINT(7), F_FIXED32(8), F_TRACE_ID(9),
			F_SPAN_ID(10), F_FIXED64(11), F_TEXT(12)},
	[PROFILE] = {F_NESTED(1, VALUE_TYPE), F_NESTED(2, SAMPLE), F_FIXED64(3), F_VARINT(4),
		     F_NESTED(5, VALUE_TYPE), F_VARINT(6), F_TRACE_ID(7), F_VARINT(8), F_TEXT(9),
		     F_BYTES(10), F_VARINTS(11)},
	[SAMPLE] = {F_VARINT(1), F_VARINTS(2), F_VARINT(3), F_VARINTS(4), F_FIXED64S(5)},
	[VALUE_TYPE] = {F_VARINT(1), F_VARINT(2)},
	[DICTIONARY] = {F_NESTED(1, MAPPING), F_NESTED(2, LOCATION), F_NESTED(3, FUNCTION),
			F_NESTED(4, LINK), F_TEXT(5), F_NESTED(6, ATTRIBUTE), F_NESTED(7, STACK)},
	[MAPPING] = {F_VARINT(1), F_VARINT(2), F_VARINT(3), F_VARINT(4), F_VARINTS(5)},
	[LOCATION] = {F_VARINT(1), F_VARINT(2), F_NESTED(3, LINE), F_VARINTS(4)},
	[LINE] = {F_VARINT(1), F_VARINT(2), F_VARINT(3)},
	[FUNCTION] = {F_VARINT(1), F_VARINT(2), F_VARINT(3), F_VARINT(4)},
	[LINK] = {F_TRACE_ID(1), F_SPAN_ID(2)},
	[ATTRIBUTE] = {F_VARINT(1), F_NESTED(2, ANY_VALUE), F_VARINT(3)},
	[STACK] = {F_VARINTS(1)},
};

/* ---- errors ---- */

struct validator {
	struct str whole;
	const uint8_t *end; /* of the innermost open message */
	/* A text that ends before can be checked fast: enough bytes follow. */
	const uint8_t *plain_end;
	uint32_t items;
	unsigned depth;
	uint8_t type; /* of the innermost open message */
	/* The messages around it. */
	struct {
		const uint8_t *end;
		uint8_t type;
	} outer[MESSAGE_DEPTH_MAX];
	struct err *e;
};

/* Report a mistake at `at`, and return NULL. */
static const uint8_t *invalid(const struct validator *v, const uint8_t *at, const char *what)
{
	err_set(v->e, -EBADMSG, "at byte %zu, in %s: %s",
		(size_t)(at - (const uint8_t *)v->whole.p), message_names[v->type], what);
	return NULL;
}

/* ---- values ---- */

/* Bytes after a text that is_plain() may read. */
enum { PLAIN_SLACK = 16 };

#ifdef __SSE2__
typedef __m128i ascii_block;

static inline ascii_block load_block(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

static inline ascii_block join_blocks(ascii_block a, ascii_block b)
{
	return _mm_or_si128(a, b);
}

/* Return whether some of the first `n` bytes, 1 to 16, are not ASCII. */
static inline bool has_high_bits(ascii_block b, size_t n)
{
	return (unsigned)_mm_movemask_epi8(b) << (16 - n) & 0xffff;
}
#else
typedef struct {
	uint64_t words[2];
} ascii_block;

static inline ascii_block load_block(const uint8_t *p)
{
	ascii_block b;

	memcpy(&b, p, sizeof(b));
	return b;
}

static inline ascii_block join_blocks(ascii_block a, ascii_block b)
{
	return (ascii_block){{a.words[0] | b.words[0], a.words[1] | b.words[1]}};
}

static inline bool has_high_bits(ascii_block b, size_t n)
{
	if (n <= 8)
		return b.words[0] << (64 - 8 * n) & 0x8080808080808080u;
	return (b.words[0] | b.words[1] << (128 - 8 * n)) & 0x8080808080808080u;
}
#endif

enum { ASCII_BLOCK = sizeof(ascii_block) };

/*
 * Return whether `n` bytes are ASCII. PLAIN_SLACK bytes more have to be readable. Blocks overlap
 * instead of being skipped, so that the length decides few branches.
 */
static inline bool is_plain(const uint8_t *p, size_t n)
{
	size_t last = n - ASCII_BLOCK;
	ascii_block all;

	if (n < ASCII_BLOCK)
		return !n || !has_high_bits(load_block(p), n);
	all = join_blocks(join_blocks(load_block(p), load_block(p + last)),
			  join_blocks(load_block(p + min_size(16, last)),
				      load_block(p + min_size(32, last))));
	for (size_t at = 48; unlikely(at < last); at += ASCII_BLOCK)
		all = join_blocks(all, load_block(p + at));
	return !has_high_bits(all, ASCII_BLOCK);
}

/* Return the address after the varint, or NULL if it is truncated or has more than 64 bits. */
static const uint8_t *after_varint(const uint8_t *at, const uint8_t *end)
{
	for (unsigned i = 0; at < end; i++) {
		uint8_t byte = *at++;

		if (i == 9 && byte > 1)
			return NULL;
		if (byte < 0x80)
			return at;
	}
	return NULL;
}

/* Read a length; return the address after it, or NULL if fewer bytes follow before `end`. */
static inline const uint8_t *read_length(const uint8_t *at, const uint8_t *end, size_t *n)
{
	uint64_t value = 0;

	if (likely(at < end && *at < 0x80)) {
		*n = *at++;
	} else {
		const uint8_t *next = varint_read_bounded(at, end, &value);

		if (!next)
			return NULL;
		at = next;
		*n = value;
	}
	return *n <= (size_t)(end - at) ? at : NULL;
}

static bool is_text(const struct validator *v, const uint8_t *at, size_t n)
{
	return (at + n <= v->plain_end && is_plain(at, n)) ||
	       str_utf8_valid(str_of((const char *)at, n)) == n;
}

/* Check a value with a length; return the address after it. */
static const uint8_t *check_bytes(const struct validator *v, const uint8_t *at, size_t n,
				  enum value_kind kind)
{
	const uint8_t *end = at + n;

	switch (kind) {
	case TEXT:
		return is_text(v, at, n) ? end : invalid(v, at, "expected UTF-8 text");
	case TRACE_ID:
		return !n || n == 16 ? end : invalid(v, at, "expected a trace id of 16 bytes");
	case SPAN_ID:
		return !n || n == 8 ? end : invalid(v, at, "expected a span id of 8 bytes");
	case PACKED_FIXED64:
		return n % 8 ? invalid(v, at, "expected numbers of 8 bytes") : end;
	case PACKED_VARINTS:
		while (at && at < end)
			at = after_varint(at, end);
		return at ? at : invalid(v, end, "truncated number in a list");
	default:
		return end;
	}
}

/*
 * Check the fast way for an attribute with ASCII key and an ASCII text, a small integer or a
 * boolean as value: `at` is after its tag. All lengths have one byte then, and so all of its bytes
 * are below 0x80. Return the address after it, or NULL if it has to be checked the long way.
 */
static inline const uint8_t *plain_attribute(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *value;
	size_t size, key, n;

	if (unlikely(end - at < 8))
		return NULL;
	size = at[0];
	key = at[2];
	if (unlikely(size >= 0x80 || size > (size_t)(end - at) - 1 || key + 6 > size ||
		     at[1] != PROTO_TAG(1, PROTO_BYTES)))
		return NULL;
	value = at + 3 + key;
	n = size - key - 4; /* of the AnyValue */
	if (unlikely(value[0] != PROTO_TAG(2, PROTO_BYTES) || value[1] != n))
		return NULL;
	if (unlikely(value[2] != PROTO_TAG(1, PROTO_BYTES) || value[3] != n - 2) &&
	    (n != 2 ||
	     (value[2] != PROTO_TAG(2, PROTO_VARINT) && value[2] != PROTO_TAG(3, PROTO_VARINT))))
		return NULL;
	return is_plain(at + 1, size) ? at + 1 + size : NULL;
}

/*
 * Check attributes from `at` on, after the tag, as long as the fast way succeeds. Return the
 * address after them, or NULL if the first one has to be checked the long way.
 */
static inline const uint8_t *plain_attributes(const struct validator *v, const uint8_t *at,
					      uint8_t tag)
{
	const uint8_t *end = v->end < v->plain_end ? v->end : v->plain_end, *after = NULL;

	for (;;) {
		const uint8_t *next = plain_attribute(at, end);

		if (!next)
			return after;
		after = next;
		if (next >= end || *next != tag)
			return after;
		at = next + 1;
	}
}

/* ---- the walk ---- */

/* Open a nested message. */
static const uint8_t *enter_message(struct validator *v, const uint8_t *at, size_t n, uint8_t type)
{
	if (v->depth == MESSAGE_DEPTH_MAX)
		return invalid(v, at, "messages are nested more than 100 deep");
	v->outer[v->depth].end = v->end;
	v->outer[v->depth++].type = v->type;
	v->end = at + n;
	v->type = type;
	v->items += type >= FIRST_ITEM;
	return at;
}

/* Skip an unknown field, or check one with a number above 15; `at` is at its tag. */
static const uint8_t *check_other(struct validator *v, const uint8_t *at)
{
	struct proto_reader r = {.at = at, .end = v->end};

	if (proto_next(&r)) {
		if (*at >= TAGS && r.tag < TAGS) /* it would pass unchecked */
			return invalid(v, at, "a tag has more bytes than needed");
		if (v->type == SPAN && proto_field(&r) == 16 && (r.tag & 7) != PROTO_FIXED32)
			return invalid(v, at, "wrong wire type of field 16");
		proto_skip(&r);
	}
	if (!r.error)
		return r.at;
	proto_fail(&r, v->whole, v->e);
	return NULL;
}

static const uint8_t *wrong_wire_type(const struct validator *v, const uint8_t *at)
{
	char what[64];

	snprintf(what, sizeof(what), "field %u does not have the wire type %u", *at >> 3, *at & 7);
	return invalid(v, at, what);
}

static const char truncated[] = "a field is truncated";

/* Check the field at `at`, before v->end. Return the address after it, or NULL on error. */
static inline const uint8_t *check_field(struct validator *v, const uint8_t *at)
{
	const uint8_t *tag = at++, *next;
	unsigned kind = *tag < TAGS ? value_kinds[v->type][*tag] : UNKNOWN;
	size_t n;

	switch (kind) {
	case UNKNOWN:
		return check_other(v, tag);
	case WRONG:
		return wrong_wire_type(v, tag);
	case VARINT:
		if (likely(at < v->end && *at < 0x80))
			return at + 1;
		next = after_varint(at, v->end);
		return next ? next : invalid(v, at, "a number is truncated or too long");
	case FIXED64:
		return v->end - at >= 8 ? at + 8 : invalid(v, at, truncated);
	case FIXED32:
		return v->end - at >= 4 ? at + 4 : invalid(v, at, truncated);
	default:
		break;
	}
	if (kind == NESTED + KEY_VALUE) {
		next = plain_attributes(v, at, *tag);
		if (likely(next))
			return next;
	}
	next = read_length(at, v->end, &n);
	if (unlikely(!next))
		return invalid(v, at, truncated);
	if (kind >= NESTED)
		return enter_message(v, next, n, (uint8_t)(kind - NESTED));
	return check_bytes(v, next, n, kind);
}

static int validate_as(struct validator *v, uint8_t type)
{
	const uint8_t *at = (const uint8_t *)v->whole.p;

	v->type = type;
	v->end = at + v->whole.n;
	v->plain_end = v->end - min_size(v->whole.n, PLAIN_SLACK);
	for (;;) {
		while (at < v->end)
			if (!(at = check_field(v, at)))
				return -EBADMSG;
		if (!v->depth)
			return 0;
		v->end = v->outer[--v->depth].end;
		v->type = v->outer[v->depth].type;
	}
}

int otlp_validate(enum signal_kind signal, struct str message, uint32_t *items, struct err *e)
{
	static const uint8_t requests[SIGNALS] = {PROFILES, TRACES, METRICS, LOGS};
	struct validator v = {.whole = message.n ? message : STR(""), .e = e};
	int rc = validate_as(&v, requests[signal_index(signal)]);

	*items = v.items;
	return rc;
}
