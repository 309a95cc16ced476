/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CHANGES_H
#define VARVE_STORE_SQLITE_CHANGES_H

#include "store/store.h"

/* Versions of time ranges: a change of the data of a range gives it a larger version. */
struct sqlite_store;
struct partition;
struct directory;

/* Initialize the count of changes. Call before the store is used. */
void changes_init(struct sqlite_store *s);

/* Count a change of the list of partitions or of damaged days. Call after the change. */
void changes_of_list(struct sqlite_store *s);

/*
 * Count the change from the partition's directory (which may be NULL) to `next`, which is about to
 * replace it. Call with p->mu held, after the commit.
 */
void changes_of_partition(struct partition *p, const struct directory *next);

/* Implement store_ops.version. */
uint64_t changes_version(struct store *base, uint64_t from, uint64_t to);

#endif
