/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_QUERY_H
#define VARVE_STORE_SQLITE_METRIC_QUERY_H

#include "store/metric_store.h"
#include "store/sqlite/metrics/metric_write.h"
#include "store/sqlite/read/reader.h"

/* Queries of metrics: implements store_metric_ops. */
extern const struct store_metric_ops sqlite_metric_ops;

/* A day of a query: its snapshot, its index, and the selected series. */
struct metric_day {
	struct partition *partition;
	struct reader reader;
	struct metric_index *index; /* NULL: the day has no metrics */
	struct metric_ids ids;
	bool all; /* every series of the index is selected */
};

struct metric_days {
	struct partition **list;
	uint32_t partitions;
	struct metric_day *at; /* by day; partitions that are damaged or gone are left out */
	uint32_t n;
};

/*
 * Open the days of the range and select their series. Call metric_days_close() in any case. Return 0
 * or -errno.
 */
MUST_USE int metric_days_open(struct metric_days *d, struct store *s,
			      const struct store_metric_select *sel, struct arena *a,
			      struct err *e);
void metric_days_close(struct metric_days *d);

/* Implement store_metric_ops; metric_lists.c. */
int metric_query_texts(struct store *s, const struct store_metric_select *sel, struct str name,
		       store_visit_text *visit, void *ctx, struct err *e);
int metric_query_families(struct store *s, const struct store_metric_select *sel,
			  store_visit_family *visit, void *ctx, struct err *e);
int metric_query_exemplars(struct store *s, const struct store_metric_select *sel,
			   store_visit_exemplar *visit, void *ctx, struct err *e);
int metric_query_counts(struct store *s, const struct store_metric_select *sel,
			struct store_metric_counts *out, struct err *e);

#endif
