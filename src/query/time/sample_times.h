/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_SAMPLE_TIMES_H
#define VARVE_QUERY_TIME_SAMPLE_TIMES_H

#include "query/time/sample_scan.h"

/*
 * When samples were taken, to the fraction of a second: columns of one step each, and in each column rows that cut
 * the step into equal parts. It covers the times that samples have of their own, whenever that is: the step is a second, or
 * as much more as it takes for MOMENTS_COLUMNS to be enough. Samples without a time are only counted.
 *
 * Column c covers [(first + c) * step, (first + c + 1) * step) since 1970.
 */
enum { MOMENTS_COLUMNS = 900, MOMENTS_ROWS = 200 };

struct moments {
	struct arena arena;
	uint32_t rows;
	uint64_t step;	  /* nanoseconds */
	uint64_t first;	  /* column, counted from 1970 */
	uint32_t columns; /* 0: no sample has a time */
	int64_t *values;  /* columns * rows, column by column; sums wrap */
	int64_t timed, total;
	/* private */
	struct sample_scan scan;
	int64_t *other; /* as large as values: where it is made again with a larger step */
	unsigned step_at;
};

/* `rows`: 1 to MOMENTS_ROWS. Options are borrowed, and may be NULL. 0 or -ENOMEM. Fini in every case. */
MUST_USE int moments_init(struct moments *m, uint32_t rows,
			  const struct stack_filter_options *stacks,
			  const struct time_filter *times, struct budget *budget);
void moments_fini(struct moments *m);

/* Any number of selections. 0, or -errno of the store. */
MUST_USE int moments_add(struct moments *m, struct store *store, const struct store_select *sel,
			 struct err *e);

#endif
