/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PYROSCOPE_QUERY_PARAMS_H
#define VARVE_API_PYROSCOPE_QUERY_PARAMS_H

#include "api/selection.h"
#include "query/tree/stack_trim.h"

/*
 * What the requests of querier.v1 ask, in one struct: they differ in the numbers of their fields
 * and not in what they mean.
 */
enum ask_field {
	ASK_NONE,
	ASK_TYPE,
	ASK_SELECTOR,
	ASK_START,
	ASK_END,
	ASK_MAX_NODES,
	ASK_FORMAT,
	ASK_STACKS,   /* StackTraceSelector */
	ASK_PROFILES, /* ids, as are traces and spans */
	ASK_TRACES,
	ASK_SPANS,
	ASK_GROUP_BY,
	ASK_STEP,
	ASK_AGGREGATION,
	ASK_LIMIT,
	ASK_EXEMPLARS,
	ASK_QUERY_TYPE,
	ASK_NAME,
	ASK_MATCHERS,
	ASK_LABEL_NAMES,
	ASK_ASYNC, /* AsyncQueryRequest */
};

enum { ASK_FIELDS = 12 }; /* numbers below this */

/* What each field number of a request is. */
typedef uint8_t ask_layout[ASK_FIELDS];

struct ask {
	struct str type, selector, name;
	int64_t start, end, max_nodes, limit;
	uint64_t format, aggregation, exemplars, query_type;
	double step;
	struct texts profiles, traces, spans, group_by, matchers, label_names, call_site;
	bool has_trim; /* only the ends of stacks, for Go's compiler: pprof alone is cut so */
	struct stack_trim trim;
	bool async;	     /* the answer is to be fetched later, by an id; */
	struct str async_id; /* or now is fetched */
};

enum { FORMAT_FLAMEGRAPH = 1, FORMAT_TREE = 2, FORMAT_DOT = 3, FORMAT_PPROF = 4 };
enum { EXEMPLARS_INDIVIDUAL = 2, EXEMPLARS_SPAN = 3 };
enum { QUERY_TYPE_SPAN = 2 };

/* Read a request. 0, -EBADMSG with the byte in `e`, -ENOMEM. */
MUST_USE int ask_read(struct ask *a, struct str message, const ask_layout layout, struct request *r,
		      struct err *e);

/*
 * Check it as a question about one profile type, and make a selection of it: type, selector and times are
 * needed. 0, -EINVAL, -ENOMEM. selection_fini() in every case.
 */
MUST_USE int ask_select(struct selection *s, const struct ask *a, struct request *r, struct err *e);

/* The same as a question about labels: matchers and times. `any_time`: 0 and 0 mean all. */
MUST_USE int ask_select_labels(struct selection *s, const struct ask *a, bool any_time,
			       struct request *r, struct err *e);

enum { MAX_NODES_DEFAULT = 65536, MAX_NODES_MAX = 1048576 };

/* How many nodes a flame graph may have: 0, or -EINVAL when that is not allowed. */
MUST_USE int ask_max_nodes(const struct ask *a, uint64_t *out, struct err *e);

#endif
