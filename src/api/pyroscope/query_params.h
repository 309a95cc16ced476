/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PYROSCOPE_QUERY_PARAMS_H
#define VARVE_API_PYROSCOPE_QUERY_PARAMS_H

#include "api/selection.h"
#include "query/tree/stack_trim.h"

/*
 * The parameters of all requests of querier.v1 in one struct: the requests differ in field numbers
 * but not in the meaning of their fields.
 */
enum param_field {
	PARAM_NONE,
	PARAM_TYPE,
	PARAM_SELECTOR,
	PARAM_START,
	PARAM_END,
	PARAM_MAX_NODES,
	PARAM_FORMAT,
	PARAM_STACKS,	/* StackTraceSelector */
	PARAM_PROFILES, /* ids, as are traces and spans */
	PARAM_TRACES,
	PARAM_SPANS,
	PARAM_GROUP_BY,
	PARAM_STEP,
	PARAM_AGGREGATION,
	PARAM_LIMIT,
	PARAM_EXEMPLARS,
	PARAM_QUERY_TYPE,
	PARAM_NAME,
	PARAM_MATCHERS,
	PARAM_LABEL_NAMES,
	PARAM_ASYNC, /* AsyncQueryRequest */
};

enum { PARAM_FIELDS = 12 }; /* field numbers are below this */

/* The meaning of each field number of a request. */
typedef uint8_t param_layout[PARAM_FIELDS];

struct query_params {
	struct str type, selector, name;
	int64_t start, end, max_nodes, limit;
	uint64_t format, aggregation, exemplars, query_type;
	double step;
	struct texts profiles, traces, spans, group_by, matchers, label_names, call_site;
	bool has_trim; /* trim stacks for Go's PGO; pprof only */
	struct stack_trim trim;
	bool async;	     /* return an id, by which the result is fetched later */
	struct str async_id; /* fetch the result of this id */
};

enum { FORMAT_FLAMEGRAPH = 1, FORMAT_TREE = 2, FORMAT_DOT = 3, FORMAT_PPROF = 4 };
enum { EXEMPLARS_INDIVIDUAL = 2, EXEMPLARS_SPAN = 3 };
enum { QUERY_TYPE_SPAN = 2 };

/* Parse a request. Return 0, -EBADMSG with the offset in `e`, -EINVAL (long list) or -ENOMEM. */
MUST_USE int query_params_read(struct query_params *p, struct str message,
			       const param_layout layout, struct request *r, struct err *e);

/*
 * Make a selection of one profile type; type, selector and range are required. Return 0, -EINVAL or
 * -ENOMEM; call selection_fini() in either case.
 */
MUST_USE int query_params_select(struct selection *s, const struct query_params *p,
				 struct request *r, struct err *e);

/*
 * Make a selection for a query of labels: matchers and range. `any_time`: start = end = 0 is
 * allowed.
 */
MUST_USE int query_params_select_labels(struct selection *s, const struct query_params *p,
					bool any_time, struct request *r, struct err *e);

enum { MAX_NODES_DEFAULT = 65536, MAX_NODES_MAX = 1048576 };

/* Get the maximum number of nodes of a flame graph. Return 0, or -EINVAL if it is out of range. */
MUST_USE int query_params_max_nodes(const struct query_params *p, uint64_t *out, struct err *e);

#endif
