/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_METRIC_STORE_H
#define VARVE_STORE_METRIC_STORE_H

#include "signal/metric/metric_batch.h"
#include "store/store.h"

/*
 * Reading metrics from a store: store_ops.metrics. Writes are struct store_write. Times are
 * milliseconds since 1970. A query sees each write that was acknowledged before it began.
 *
 * A sample that is written twice with the same time and series is stored once: the last write wins.
 * Samples may arrive in any order.
 */

/* All of these must hold. A missing label is equal to an empty one. */
struct store_matchers {
	const struct matcher *at; /* regular expressions are used by one thread at a time */
	uint32_t n;
};

struct store_metric_select {
	struct str tenant;
	/* Series of any of these; no set selects all series. Borrowed until the cursor is closed. */
	const struct store_matchers *sets;
	uint32_t set_count;
	int64_t from, to; /* both included */
	/*
	 * Labels only: series that have samples in the days of the range, without samples. A series
	 * may have samples outside the range only.
	 */
	bool labels_only;
	struct store_limits limits;
};

/* The samples of a series, by time, each time once. */
struct store_metric_series {
	const struct label *labels; /* sorted by name */
	uint32_t label_count;
	uint32_t count, histogram_count;
	const int64_t *times;
	const double *values; /* the bits NATIVE_STALE_BITS mark the end of the series */
	const int64_t *histogram_times;
	const struct native_histogram *histograms;
};

struct store_metric_cursor;

/* Return 0 to continue, or -errno, which ends the query with that error. */
typedef int store_visit_text(void *ctx, struct str text);
typedef int store_visit_family(void *ctx, const struct metric_metadata *m);
typedef int store_visit_exemplar(void *ctx, struct str labels, const struct metric_exemplar *x);

struct store_metric_counts {
	uint64_t series, label_pairs, label_names; /* of the newest day with metrics */
	uint64_t first, last;			   /* times of samples; 0: none */
	uint64_t chunks;
};

struct store_metric_ops {
	/*
	 * Begin to read: one thread at a time uses the cursor, and close() ends it. next() returns 1
	 * and the next series in the order of labels, valid until the next call; 0 at the end; or
	 * -errno.
	 */
	int (*open)(struct store *s, const struct store_metric_select *sel,
		    struct store_metric_cursor **out, struct err *e);
	int (*next)(struct store_metric_cursor *c, struct store_metric_series *out, struct err *e);
	void (*close)(struct store_metric_cursor *c); /* takes NULL */

	/*
	 * Visit the values of a label in the selected series, or with an empty name the names of
	 * labels: sorted, each once, valid until the query ends.
	 */
	int (*texts)(struct store *s, const struct store_metric_select *sel, struct str name,
		     store_visit_text *visit, void *ctx, struct err *e);

	/* Visit the metadata of the days of the range: the newest of each family, by name. */
	int (*families)(struct store *s, const struct store_metric_select *sel,
			store_visit_family *visit, void *ctx, struct err *e);

	/* Visit the exemplars of the selected series, by labels (metric_labels.h) and time. */
	int (*exemplars)(struct store *s, const struct store_metric_select *sel,
			 store_visit_exemplar *visit, void *ctx, struct err *e);

	/* Count. Ignores matchers and times. */
	int (*counts)(struct store *s, const struct store_metric_select *sel,
		      struct store_metric_counts *out, struct err *e);
};

#endif
