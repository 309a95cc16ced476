/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_STATS_H
#define VARVE_STORE_SQLITE_STATS_H

#include "store/sqlite/catalog/partitions.h"

/*
 * The files may take twice the live bytes, DISK_FLOOR for each partition that is being written (a
 * small one has a log and freshly freed pages, too), and DISK_FLOOR_PARTITION for every partition:
 * its empty tables and free space that is too small to give back.
 */
#define DISK_FLOOR (4 * MIB)
#define DISK_FLOOR_PARTITION (256 * KIB)

/* Return the bytes on disk of the partition's files, and of the write-ahead log among them. */
uint64_t partition_file_bytes(const struct partition *p);
uint64_t partition_log_bytes(const struct partition *p);

/* Implement store_ops.groups. */
int query_groups(struct store *base, uint64_t from, uint64_t to, store_visit_group *visit,
		 void *ctx, struct err *e);

/* Implement store_ops.stats. */
int query_stats(struct store *base, struct str tenant, struct store_stats *out, struct err *e);

#endif
