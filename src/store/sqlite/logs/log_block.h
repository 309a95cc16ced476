/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_BLOCK_H
#define VARVE_STORE_SQLITE_LOG_BLOCK_H

#include "store/sqlite/logs/log_page.h"

/*
 * A merged block of log records: an index, pages (log_page.h), and the shards of a filter. All
 * records are of one hour, sorted by stream and time, where streams are sorted by their encoding.
 *
 * Index:
 *
 *	streams	count; each with its length (log_rows.h)
 *	pages	count; of each the number of its segments; of each segment: stream, records, first
 *		time (difference to the hour), last (difference to first), and counts: number;
 *		minute of the hour * 8 + severity class (difference), records
 *
 * Filter: a hash of log_text.h is in the shard of its highest bits. A shard is a Bloom filter in
 * lines of 64 bytes: a key, which is a hash with a page, sets six bits of one line.
 */
enum { LOG_SHARDS = 16, LOG_SHARD_KEYS_MIN = 4096 };

struct log_count {
	uint16_t minute;
	uint8_t severity; /* enum severity_class */
	uint32_t n;
};

struct log_page_entry {
	uint32_t first, n; /* of the segments */
	uint32_t logs;
};

struct log_index {
	struct str *streams;
	uint32_t stream_n;
	struct log_page_entry *pages;
	uint32_t page_n;
	struct log_segment *segments;
	uint32_t *counts_at; /* of each segment; and the end */
	struct log_count *counts;
};

/* A block that is being encoded. */
struct log_block_frames {
	struct buf frames; /* index, pages and shards with frame headers */
	struct buf ends;   /* of each frame, u64 */
	uint32_t pages, shards;
};

/* Sort the records of an hour by stream and time. `r` gets its streams sorted. 0 or -ENOMEM. */
MUST_USE int log_rows_sort(struct log_rows *r, struct arena *a);

/*
 * Append the block of the sorted records [first, first + n); `hour` is the begin of their hour.
 * Return 0, -ENOMEM, -EFBIG, or -EBADMSG for a damaged record.
 */
MUST_USE int log_block_put(struct log_block_frames *out, struct log_page_packer *p,
			   const struct log_rows *r, uint32_t first, uint32_t n, uint64_t hour);

/* Decode an index; text borrows. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int log_index_get(struct log_index *out, struct str bytes, uint64_t hour, struct arena *a,
			   struct err *e);

/* Return the shard of a hash. */
static inline uint32_t log_shard_of(uint64_t hash, uint32_t shards)
{
	return shards == LOG_SHARDS ? (uint32_t)(hash >> 60) : 0;
}

/* Return whether the page may have the hash. */
bool log_shard_has(struct str shard, uint64_t hash, uint32_t page);

#endif
