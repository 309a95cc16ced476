/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WORKER_H
#define VARVE_STORE_SQLITE_WORKER_H

/*
 * Run the worker thread, which merges, rolls up, applies retention and releases memory. `arg` is
 * the store.
 */
void worker_run(void *arg);

#endif
