/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WORKER_H
#define VARVE_STORE_SQLITE_WORKER_H

#include "store/sqlite/internal.h"

/* The worker thread: merges, rolls up, drops what is too old, gives memory back. */
void worker_run(void *arg);

#endif
