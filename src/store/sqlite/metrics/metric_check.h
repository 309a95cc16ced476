/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_CHECK_H
#define VARVE_STORE_SQLITE_METRIC_CHECK_H

#include "store/sqlite/read/reader.h"

/*
 * Decode all blocks of metrics of the snapshot, and call problem() for each inconsistency: counts,
 * keys and times that differ from the list, samples of unknown series. Return 0, or -errno where a
 * block cannot be read.
 */
MUST_USE int metrics_check(struct reader *r, void (*problem)(void *ctx, const char *text),
			   void *ctx, struct err *e);

#endif
