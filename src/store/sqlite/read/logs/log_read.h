/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_READ_H
#define VARVE_STORE_SQLITE_LOG_READ_H

#include "store/sqlite/logs/log_block.h"
#include "store/sqlite/logs/log_details.h"
#include "store/sqlite/read/reader.h"

/* Reading blocks of log records. All functions return 0, -ENOMEM or -EUCLEAN, or another -errno. */

/* Read the rows of a block of generation 0 into the arena. */
MUST_USE int logs_read_rows(struct reader *r, const struct log_block_entry *entry, struct arena *a,
			    struct log_rows *out, struct err *e);

/* Read the index of a merged block, and one of its pages. */
MUST_USE int logs_read_index(struct reader *r, const struct log_block_entry *entry,
			     struct log_index *out, struct arena *a, struct err *e);
MUST_USE int logs_read_page(struct reader *r, const struct log_block_entry *entry, uint32_t page,
			    struct log_page *out, struct arena *a, struct err *e);

/*
 * Append the message of record i of the page, which is not before the last one, to `out`; `body` is
 * scratch. Head and text of the page are read.
 */
MUST_USE int log_page_message(struct log_page *p, struct log_details *d, uint32_t i,
			      struct buf *body, struct buf *out);

/* Read all records of a block of any generation as rows. */
MUST_USE int logs_read(struct reader *r, const struct log_block_entry *entry, struct arena *a,
		       struct log_rows *out, struct err *e);

#endif
