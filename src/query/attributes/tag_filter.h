/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_ATTRIBUTES_TAG_FILTER_H
#define VARVE_QUERY_ATTRIBUTES_TAG_FILTER_H

#include "query/traceql/traceql_eval.h"

/*
 * The filter of a query for tags, which clients send while a user still types it. Read as Tempo
 * does: a comparison without its right side is true, braces that are open are closed, an attribute
 * alone is true. Only a filter of spans `{ ... }` counts, without what follows it in a pipeline; any
 * other query is no filter.
 */
struct tag_filter {
	struct traceql query; /* FILTER | rate() by (FIELD); tag_filter_fini() */
	struct traceql_expr *filter;
	struct traceql_expr *field; /* NULL: none */
	bool all;		    /* there is no filter */
};

/*
 * Compile the text, and the field in TraceQL's spelling (empty: none). Return 0, -ENOMEM, or -EINVAL
 * for a field that is not valid. Fini in any case.
 */
MUST_USE int tag_filter_init(struct tag_filter *f, struct str text, struct str field,
			     struct arena *a, struct err *e);
void tag_filter_fini(struct tag_filter *f);

#endif
