/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_TRACE_TRACE_VIEW_H
#define VARVE_SIGNAL_TRACE_TRACE_VIEW_H

#include "base/str.h"

/*
 * A trace as a query sees it: the structure of its spans, and only those fields that the query
 * needs. A query lists its fields once; a store fills a view for each trace from its columns, and
 * the query evaluates views without knowing where they come from.
 *
 * Memory belongs to whoever fills the view and is valid until its visitor returns.
 */
enum trace_scope {
	TRACE_SCOPE_SPAN,
	TRACE_SCOPE_RESOURCE,
	TRACE_SCOPE_EVENT,
	TRACE_SCOPE_LINK,
	TRACE_SCOPE_INSTRUMENTATION,
	TRACE_SCOPE_INTRINSIC, /* trace_field.intrinsic */
};

/*
 * Fields that are no attributes. Those that every view has (duration, kind, status, ids, structure)
 * are not among them.
 */
enum trace_intrinsic {
	TRACE_SPAN_NAME,
	TRACE_STATUS_MESSAGE,
	TRACE_SERVICE_NAME, /* the attribute service.name of the resource */
	TRACE_EVENT_NAME,
	TRACE_EVENT_TIME,    /* nanoseconds since the start of its span */
	TRACE_LINK_TRACE_ID, /* hex */
	TRACE_LINK_SPAN_ID,
	TRACE_INSTRUMENTATION_NAME,
	TRACE_INSTRUMENTATION_VERSION,
};

struct trace_field {
	enum trace_scope scope;
	enum trace_intrinsic intrinsic;
	struct str key; /* of the attribute */
};

enum trace_value_type {
	TRACE_NIL, /* the span has no such field */
	TRACE_STRING,
	TRACE_INT,
	TRACE_DOUBLE,
	TRACE_BOOL,
	TRACE_ARRAY, /* of values of one of the four types above */
	TRACE_JSON,  /* maps, bytes, mixed arrays: shown as text, never equal to anything */
};

struct trace_value {
	enum trace_value_type type;
	uint32_t n; /* TRACE_ARRAY: number of elements */
	union {
		struct str text; /* TRACE_STRING, TRACE_JSON */
		int64_t number;
		double real;
		bool truth;
		const struct trace_value *elements;
	};
};

/* Events or links of all spans, in the order of the spans. */
struct trace_items {
	/* span_count + 1 indexes: the items of span i are [first[i], first[i + 1]). NULL: none. */
	const uint32_t *first;
	/* values[item * field_count + field]; values of fields of other scopes are nil. */
	const struct trace_value *values;
};

/* Instead of the index of a parent: a root; the parent is not in the trace. */
enum { TRACE_NO_PARENT = -1, TRACE_LOST_PARENT = -2 };

struct trace_span {
	uint8_t id[8], parent_id[8]; /* parent_id: all zero without a parent */
	uint8_t kind, status;	     /* enum span_kind, enum span_status */
	int32_t parent;		     /* the index of a span, or one of the above */
	uint64_t start, duration;    /* nanoseconds */
};

struct trace_view {
	uint8_t id[16];
	/* Of a view of spans of several traces: their ids by span; such spans have no parents. */
	const uint8_t (*ids)[16];
	uint32_t span_count, field_count;
	const struct trace_span *spans;
	/* values[span * field_count + field]; fields of events and links are nil here. */
	const struct trace_value *values;
	struct trace_items events, links;
};

/* Return the id of the trace of a span. */
static inline const uint8_t *trace_view_id(const struct trace_view *v, uint32_t span)
{
	return v->ids ? v->ids[span] : v->id;
}

#endif
