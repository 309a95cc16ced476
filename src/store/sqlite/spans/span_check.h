/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_CHECK_H
#define VARVE_STORE_SQLITE_SPAN_CHECK_H

#include "store/sqlite/spans/span_rows.h"

/*
 * Check the index of a block against its spans, which have their details: all that a search can
 * look for must be in the filter of its group, and its times within those of the group. Set *missing to the number of spans of which
 * something is not. Return 0, -ENOMEM or -EUCLEAN.
 */
MUST_USE int span_index_check(const struct span_rows *rows, struct str index, uint32_t *missing,
			      struct err *e);

#endif
