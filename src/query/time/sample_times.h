/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_SAMPLE_TIMES_H
#define VARVE_QUERY_TIME_SAMPLE_TIMES_H

#include "query/time/sample_scan.h"

/*
 * A map of sample timestamps with sub-second resolution: columns of one step each, divided into
 * rows of equal duration. It covers all timestamps seen: the step is a second, or the next larger
 * one with which SAMPLE_TIMES_COLUMNS columns suffice. Samples without a timestamp are only summed.
 *
 * Column c covers [(first + c) * step, (first + c + 1) * step) since 1970.
 */
enum { SAMPLE_TIMES_COLUMNS = 900, SAMPLE_TIMES_ROWS = 200 };

struct sample_times {
	struct arena arena;
	uint32_t rows;
	uint64_t step;	  /* nanoseconds */
	uint64_t first;	  /* number of the first column since 1970 */
	uint32_t columns; /* 0: no sample has a timestamp */
	int64_t *values;  /* columns * rows, column by column; sums wrap */
	int64_t timed;	  /* sum of the samples with a timestamp */
	int64_t total;	  /* sum of all samples */
	/* private */
	struct sample_scan scan;
	int64_t *other; /* second buffer of the size of values, used to coarsen the map */
	unsigned step_at;
};

/*
 * Initialize an empty map of 1 to SAMPLE_TIMES_ROWS rows. Options are borrowed, and may be NULL. 0
 * or -ENOMEM. Fini in every case.
 */
MUST_USE int sample_times_init(struct sample_times *m, uint32_t rows,
			       const struct stack_filter_options *stacks,
			       const struct time_filter *times, struct budget *budget);
void sample_times_fini(struct sample_times *m);

/* Add the samples of a selection; may be called several times. 0, or -errno of the store. */
MUST_USE int sample_times_add(struct sample_times *m, struct store *store,
			      const struct store_select *sel, struct err *e);

#endif
