/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_PACKED_H
#define VARVE_STORE_SQLITE_SPAN_PACKED_H

#include "store/sqlite/spans/span_rows.h"

/*
 * The details of the spans of a commit, in the order of their block, packed simply: a commit has to
 * be cheap, and the worker turns them into columns within seconds.
 *
 *	origins	count; each resource and scope with its length
 *	spans	resource, scope (0 none, else 1 + an index of origins), bytes of details
 *	the details, one after the other
 */

/* Append the details of the ordered spans. `r` has their strings. Return 0 or -ENOMEM. */
MUST_USE int span_packed_put(struct buf *out, const struct span_rows *r, struct span_order *order);

/*
 * Give the spans of a decoded block their details, slices of `bytes`. Return 0, -ENOMEM or
 * -EUCLEAN.
 */
MUST_USE int span_packed_get(struct span_rows *rows, struct str bytes, struct arena *a,
			     struct err *e);

#endif
