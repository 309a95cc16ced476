/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_REMOVE_H
#define VARVE_STORE_SQLITE_METRIC_REMOVE_H

#include "base/err.h"
#include "base/str.h"

struct partition;

/*
 * Delete the samples, exemplars and metadata of a tenant in a day. Label sets stay in the index
 * until the day is dropped. Writer thread only. Return 0 or -errno.
 */
MUST_USE int metrics_remove(struct partition *p, struct str tenant, struct err *e);

#endif
