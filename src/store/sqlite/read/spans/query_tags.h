/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_TAGS_H
#define VARVE_STORE_SQLITE_QUERY_TAGS_H

#include "store/store.h"

/* Implement store_ops.tags. */
int query_tags(struct store *base, const struct store_tag_select *sel, store_visit_tag *visit,
	       void *ctx, struct err *e);

#endif
