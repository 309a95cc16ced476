/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_ROWS_H
#define VARVE_STORE_SQLITE_METRIC_ROWS_H

#include "signal/metric/metric_batch.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/metrics/metric_index.h"

/*
 * The samples of a commit, in the order of arrival: the pending rows in memory, and their block
 * (FRAME_METRIC_ROWS): number of floats and of histograms; of the floats columns of series (delta,
 * zigzag), time (delta, zigzag) and bits, 8 bytes each; of the histograms columns of series, time
 * and bytes, and then the bytes (metric_histograms.h).
 *
 * Exemplars and metadata are in a block of their own (FRAME_METRIC_EXTRAS), because few queries read
 * them: number of exemplars, of each series, time, value, labels; number of families, of each
 * tenant, type, name, help, unit.
 */
struct metric_rows {
	VEC(uint32_t) series;
	VEC(int64_t) times;
	VEC(uint64_t) bits;
	VEC(uint32_t) histogram_series;
	VEC(int64_t) histogram_times;
	VEC(struct native_histogram) histograms;
	VEC(struct metric_exemplar) exemplars; /* with series of the day */
	bool any;			       /* also for metadata alone */
	/* Of sealed rows: how many series and families of the index the commit writes. */
	uint32_t series_to, families_to;
};

/* Set *first and *last to the least and greatest time. There is a sample. */
void metric_rows_times(const struct metric_rows *r, int64_t *first, int64_t *last);

void metric_rows_put(const struct metric_rows *r, struct buf *out);

/* Read a block into empty rows in the arena. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int metric_rows_get(struct metric_rows *r, struct str block, struct arena *a,
			     struct err *e);

struct metric_extras {
	VEC(struct metric_exemplar) exemplars;
	VEC(struct metric_family) families;
};

void metric_extras_put(const struct metric_extras *x, struct buf *out);

/* Append what a block has; texts borrow from it. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int metric_extras_get(struct metric_extras *x, struct str block, struct arena *a,
			       struct err *e);

#endif
