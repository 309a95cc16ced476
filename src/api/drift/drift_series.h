/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_DRIFT_DRIFT_SERIES_H
#define VARVE_API_DRIFT_DRIFT_SERIES_H

#include "api/drift/drift_log.h"
#include "store/store.h"

/*
 * Write a sample of varve_drift_active at `now` for each function of each active event to the store
 * of metrics, to the tenant of the event: for alerts in PromQL. Wait until they are durable. Return 0,
 * also without events or metrics, or -errno.
 */
MUST_USE int drift_series_write(struct drift_log *l, struct store *store, uint64_t now,
				struct err *e);

#endif
