/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_LOAD_H
#define VARVE_STORE_SQLITE_WRITER_LOAD_H

#include "store/sqlite/write/writer_side.h"

/*
 * Load what a write needs before it can be mapped: a book that is not in memory, or keys of
 * profiles. Loader threads do that for writes of one day, so that neither a commit nor a write of
 * another service waits. The writer thread does it for all other writes.
 */

/*
 * Load what writer_map() needs. map_mu is held, and released while reading. Return 0 (map again) or
 * -errno.
 */
MUST_USE int writer_load(struct partition *p, struct writer_need *need, struct err *e);

/*
 * Map the write, and load what it needs. Return 0 or -errno. Writer thread only; map_mu is held,
 * and released while reading.
 */
MUST_USE int writer_map_loading(struct partition *p, struct store_write *w, struct err *e);

/* Queue a write, which has to be mapped to w->day, for the loader threads. map_mu is held. */
void loader_queue(struct sqlite_store *s, struct store_write *w);

/* Start the loader threads. loaders_join() ends them when all queued writes are loaded. */
MUST_USE int loaders_start(struct sqlite_store *s, struct err *e);
void loaders_join(struct sqlite_store *s);

#endif
