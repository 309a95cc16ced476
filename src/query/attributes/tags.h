/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_ATTRIBUTES_TAGS_H
#define VARVE_QUERY_ATTRIBUTES_TAGS_H

#include "query/attributes/tag_set.h"
#include "store/store.h"

/*
 * Names and values of attributes of stored spans, for those who write queries. Without a filter the
 * store lists them from its dictionaries; with one the spans that pass it are read.
 */
struct tag_select {
	struct store *store;
	struct str tenant;
	uint64_t from, to;
	struct str filter; /* tag_filter.h; may be empty */
	struct store_limits limits;
};

/*
 * Add the names of attributes in these scopes (1 << enum trace_scope), of kind "span", "resource"
 * ..; at most `most` in each scope. Return 0 or -errno.
 */
MUST_USE int tags_find_names(const struct tag_select *s, unsigned scopes, uint32_t most,
			     struct tag_set *out, struct err *e);

/* The names of scopes by enum trace_scope. */
extern const struct str tag_scope_names[];

/*
 * Add the values of a field in TraceQL's spelling: "span.http.method", ".x", "name". Their kind is
 * "string", "int", "float", "bool", or "keyword" for status and kind. Return 0, -EINVAL for an
 * invalid field, or another -errno.
 */
MUST_USE int tags_find_values(const struct tag_select *s, struct str field, struct tag_set *out,
			      struct err *e);

#endif
