/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_CHECK_H
#define VARVE_STORE_SQLITE_LOG_CHECK_H

#include "store/sqlite/logs/log_block.h"

/* Whether a merged block is consistent, page by page. */
struct log_page_check {
	const struct log_index *index;
	uint32_t page;
	const struct str *shards;
	uint32_t shard_n;
	/* out: */
	uint32_t unsorted; /* records that are not in the order, or not in their segments */
	uint32_t missing;  /* hashes that the filter does not have */
	uint32_t counts;   /* counts of the index that are wrong */
};

/* Check the records of a page, decoded as rows. Return 0, -ENOMEM or -EBADMSG. */
MUST_USE int log_page_check(struct log_page_check *c, struct log_page_packer *p,
			    const struct kept_log *logs, uint32_t n);

#endif
