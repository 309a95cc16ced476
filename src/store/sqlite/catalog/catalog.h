/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CATALOG_H
#define VARVE_STORE_SQLITE_CATALOG_H

#include "base/err.h"

/*
 * catalog.db: the format of the data directory, a log of what happened to partitions, and the clock
 * that retention trusts. A lost or damaged catalog is created anew; no profile data is in it.
 */
struct sqlite_store;

/* Create or check the catalog. Return 0, -ENOTSUP for one of a newer version, or another -errno. */
MUST_USE int catalog_open(struct sqlite_store *s, struct err *e);

/* Record what happened to a partition. A failure is only logged. */
void catalog_event(struct sqlite_store *s, const char *what, const char *partition,
		   const char *reason);

/* Return the time that retention trusted last, in seconds since 1970, or 0 when none is stored. */
uint64_t catalog_clock(struct sqlite_store *s);
void catalog_save_clock(struct sqlite_store *s, uint64_t seconds);

#endif
