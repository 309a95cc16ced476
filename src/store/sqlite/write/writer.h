/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_H
#define VARVE_STORE_SQLITE_WRITER_H

#include "store/sqlite/write/writer_side.h"

/* The writer thread, its queue, and mapping a write when its partition is ready. */

/*
 * Open the partition as writer_attach() does. If too many days are open, close the least recently
 * used one first. Writer thread only; map_mu is not held.
 */
MUST_USE int writer_open(struct partition *p, struct err *e);

/*
 * Return the partition of that day if writes can be mapped to it now, or NULL if it is not open.
 * The caller gets a reference. map_mu is held.
 */
struct partition *writer_ready_partition(struct sqlite_store *s, uint32_t day);

/*
 * Map a write of one day, record that in the write, and settle its quotas. Return as writer_map().
 * map_mu is held.
 */
MUST_USE int writer_map_ready(struct partition *p, struct store_write *w, struct writer_need *need,
			      struct err *e);

/*
 * Queue the write for the writer thread, which maps it if necessary and commits it. map_mu is held.
 */
void writer_queue(struct sqlite_store *s, struct store_write *w);

/* Return the writer's state of the partition, or NULL. Any thread; valid while map_mu is held. */
struct writer_side *writer_side_of(struct partition *p);

/* Return whether the partition still has the writer's state with that ticket. map_mu is held. */
bool writer_is_same(struct partition *p, uint64_t ticket);

/* Run the writer thread; `arg` is the store. */
void writer_run(void *arg);

/* Allocate the state of a commit over several partitions; free() it. Return NULL without memory. */
struct writer_group *writer_group_new(struct sqlite_store *s);

/* Implement store_ops.put. */
int writer_put(struct store *base, struct store_write *w, struct err *e);

/*
 * Have the writer open today's partition if there is one, so that the first write need not wait for
 * that.
 */
void writer_open_today(struct sqlite_store *s);

/* Run the job on the writer thread and wait for it. Return 0 or -ESHUTDOWN. */
MUST_USE int writer_do(struct sqlite_store *s, struct writer_job *job);

#endif
