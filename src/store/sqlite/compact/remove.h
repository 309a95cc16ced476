/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_REMOVE_H
#define VARVE_STORE_SQLITE_REMOVE_H

#include "store/store.h"

/* Implement store_ops.remove. */
int query_remove(struct store *s, const struct store_select *sel, uint64_t *removed, struct err *e);

#endif
