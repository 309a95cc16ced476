/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_TRACE_TRACE_WANT_H
#define VARVE_SIGNAL_TRACE_TRACE_WANT_H

#include "signal/trace/trace_view.h"

/*
 * What a trace needs to have to be of interest to a query, so that a store can pass over others: a
 * span that has all leaves of one of the alternatives. A trace that a query finds always has such
 * a span; one that has it may still not be found.
 */
enum trace_leaf_of {
	TRACE_LEAF_FIELD,    /* of an event or link: some event or link of the span has it */
	TRACE_LEAF_DURATION, /* nanoseconds: TRACE_INT */
	TRACE_LEAF_STATUS,   /* enum span_status: TRACE_INT */
	TRACE_LEAF_KIND,     /* enum span_kind: TRACE_INT */
	TRACE_LEAF_TRACE_ID, /* 16 bytes: TRACE_STRING */
	TRACE_LEAF_SPAN_ID,  /* 8 bytes: TRACE_STRING */
};

enum trace_leaf_op {
	TRACE_LEAF_EXISTS,
	TRACE_LEAF_EQ,
	TRACE_LEAF_GT,
	TRACE_LEAF_GE,
	TRACE_LEAF_LT,
	TRACE_LEAF_LE,
};

/*
 * An int and a double are compared as numbers. Of an array some element has to satisfy the leaf.
 */
struct trace_leaf {
	enum trace_leaf_of of;
	enum trace_leaf_op op;
	struct trace_field field;
	struct trace_value value; /* never nil, an array or JSON; not used by TRACE_LEAF_EXISTS */
};

enum { TRACE_LEAVES_MAX = 16, TRACE_ALTERNATIVES_MAX = 32 };

struct trace_alternative {
	struct trace_leaf leaves[TRACE_LEAVES_MAX];
	uint32_t n;
};

struct trace_want {
	bool all; /* every trace is of interest; then there are no alternatives */
	uint32_t n;
	struct trace_alternative *at; /* none and not `all`: no trace is of interest */
};

#endif
