/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_LOGS_H
#define VARVE_STORE_SQLITE_QUERY_LOGS_H

#include "store/sqlite/logs/log_match.h"
#include "store/sqlite/read/logs/log_read.h"

/* Implement store_ops.logs and store_ops.log_counts. */
int query_logs(struct store *base, const struct store_log_select *sel, store_visit_log *visit,
	       void *ctx, struct store_log_end *end, struct err *e);
int query_log_counts(struct store *base, const struct store_log_select *sel, uint64_t step,
		     store_visit_log_count *visit, void *ctx, bool *stopped, struct err *e);

/* The streams of a block, with whether the search wants their records. */
struct log_streams {
	struct log_stream *at;
	uint8_t *wanted;
	uint32_t n;
	bool any; /* one is wanted */
};

/* Decode the streams and match them. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int log_streams_match(struct log_streams *out, const struct str *encoded, uint32_t n,
			       struct log_matcher *m, struct arena *a, struct err *e);

#endif
