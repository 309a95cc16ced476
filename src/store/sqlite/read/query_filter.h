/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_FILTER_H
#define VARVE_STORE_SQLITE_QUERY_FILTER_H

#include "store/sqlite/read/query.h"

/*
 * Call `visit` as query_each_rows() does for the range of the query, with totals that count only
 * the samples whose stack select->stacks keeps. The rows of chunks have points only.
 */
MUST_USE int query_each_filtered(struct query *q, rows_visitor *visit, void *arg);

#endif
