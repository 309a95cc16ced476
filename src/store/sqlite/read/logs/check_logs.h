/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CHECK_LOGS_H
#define VARVE_STORE_SQLITE_CHECK_LOGS_H

#include "store/sqlite/read/logs/log_read.h"

/*
 * Check a block of log records: every blob, times, and for merged blocks order, counts and filter.
 * Each inconsistency is reported as a line. Return 0 or -errno.
 */
MUST_USE int logs_check(struct reader *r, const struct log_block_entry *entry,
			void (*report)(void *context, const char *text), void *context,
			struct err *e);

#endif
