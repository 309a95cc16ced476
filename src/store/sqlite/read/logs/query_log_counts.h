/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_LOG_COUNTS_H
#define VARVE_STORE_SQLITE_QUERY_LOG_COUNTS_H

#include "store/sqlite/logs/log_match.h"
#include "store/sqlite/read/reader.h"

/* A query of counts; log_pages.c counts merged blocks. */
struct log_counting {
	const struct store_log_select *select;
	uint64_t step;
	store_visit_log_count *visit;
	void *context;
	struct log_matcher matcher;
	struct arena arena; /* of the whole query */
	struct arena block; /* of the current block */
	bool stopped;
};

/* Count the records of a merged block. Return 0 or -errno. */
MUST_USE int log_block_count(struct log_counting *c, struct reader *r,
			     const struct log_block_entry *entry, struct err *e);

#endif
