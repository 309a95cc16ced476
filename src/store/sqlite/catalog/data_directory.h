/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_DATA_DIRECTORY_H
#define VARVE_STORE_SQLITE_DATA_DIRECTORY_H

#include "base/err.h"

struct sqlite_store;

/*
 * Hold the lock of the data directory. A directory that was removed or replaced while the store is
 * open is created and locked again, and s->replaced is set. Return 0, -EBUSY when another process
 * has the lock, or another -errno. Writer thread, or before it runs.
 */
MUST_USE int data_directory_claim(struct sqlite_store *s, struct err *e);

#endif
