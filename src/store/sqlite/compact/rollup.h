/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_ROLLUP_H
#define VARVE_STORE_SQLITE_ROLLUP_H

#include "store/sqlite/compact/compact.h"

/*
 * For each group (of a limited number) merge and roll up one finished hour, or the finished day.
 * Set *more to whether there may be more to do. Return 0 or -errno. Worker thread (or a test's).
 */
MUST_USE int rollup_finished(struct partition *p, const struct compact_rules *rules, bool *more,
			     struct err *e);

#endif
