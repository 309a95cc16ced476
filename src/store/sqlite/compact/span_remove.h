/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_REMOVE_H
#define VARVE_STORE_SQLITE_SPAN_REMOVE_H

#include "base/err.h"
#include "base/str.h"

struct partition;

/* Delete all spans of the tenant in the partition. Return 0 or -errno. Writer thread only. */
MUST_USE int spans_remove(struct partition *p, struct str tenant, struct err *e);

#endif
