/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_SEARCH_H
#define VARVE_QUERY_TRACEQL_SEARCH_H

#include "query/traceql/traceql_eval.h"

/*
 * The traces that a query finds: the newest ones up to a limit, each with its spansets. Results are
 * copies, so that views may go.
 */
struct traceql_attribute {
	struct str name; /* without the scope */
	struct traceql_value value;
};

struct traceql_found_span {
	uint8_t id[8];
	uint64_t start, duration;
	struct str name;
	struct traceql_attribute *attributes;
	uint32_t attribute_count;
};

struct traceql_found_set {
	struct traceql_found_span *spans;
	uint32_t n, matched; /* spans in the answer; in the set */
	struct traceql_attribute *attributes;
	uint32_t attribute_count;
};

struct traceql_service {
	struct str name;
	uint32_t spans, errors;
};

struct traceql_found {
	uint8_t id[16];
	uint64_t start, duration;
	struct str root_service, root_name;
	bool has_root;
	struct traceql_found_set *sets;
	uint32_t set_count;
	struct traceql_service *services;
	uint32_t service_count;
	struct arena *arena; /* of this trace */
};

struct traceql_search {
	struct traceql_run run;
	uint32_t limit, spans_per_set;
	/* Only traces of this duration; 0: any. */
	uint64_t min_duration, max_duration;
	struct budget *budget;
	struct arena arena; /* of the list */
	VEC(struct traceql_found) found;
	uint64_t inspected, inspected_traces; /* spans, traces */
	bool partial;			      /* set by the caller: traces may be missing */
};

void traceql_search_init(struct traceql_search *s, const struct traceql *q, uint32_t limit,
			 uint32_t spans_per_set, struct budget *budget);
void traceql_search_fini(struct traceql_search *s);

/* Evaluate a trace, and keep it if it is found. Return 0 or -errno with text in `e`. */
MUST_USE int traceql_search_add(struct traceql_search *s, const struct trace_view *view,
				struct err *e);

/* Return whether older traces than this start cannot be among the results any more. */
bool traceql_search_is_full(const struct traceql_search *s, uint64_t start);

/* Sort the results, the newest first, and cut them to the limit. */
void traceql_search_finish(struct traceql_search *s);

#endif
