/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_MERGE_PARTS_H
#define VARVE_STORE_SQLITE_METRIC_MERGE_PARTS_H

#include "store/sqlite/compact/replace.h"
#include "store/sqlite/metrics/layout/metric_runs.h"
#include "store/sqlite/read/reader.h"

/* Shared by metric_merge.c and metric_merge_rows.c. */
enum metric_step {
	METRIC_STEP_ROWS,
	METRIC_STEP_CHUNKS,
	METRIC_STEP_SERIES,
	METRIC_STEP_EXTRAS,
};

/* Rows of commits that are sorted at once. */
#define METRIC_ROWS_AT_ONCE ((uint64_t)2 << 20)

/* The blocks of the next step. */
struct metric_plan {
	struct arena arena;
	enum metric_step step;
	VEC(struct metric_entry) at;
	uint64_t samples;
	uint64_t hour, generation; /* of chunks: of the result */
};

/* Chunks of one hour that are added to a replacement. */
struct metric_output {
	struct replacement *change;
	struct metric_chunk_maker maker;
	uint64_t hour, generation, newest;
};

/* Add a run; keys ascend. Return 0 or -ENOMEM. */
MUST_USE int metric_output_add(struct metric_output *o, const struct metric_run *r);

/* Add a run of what was gathered, if there is something, and empty it. Return 0 or -ENOMEM. */
MUST_USE int metric_output_gathered(struct metric_output *o, uint64_t key, struct metric_gather *g);

/* End the last chunk. Return 0 or -ENOMEM. */
MUST_USE int metric_output_end(struct metric_output *o);

/* For qsort(): by `low`. */
int metric_compare_low(const void *a, const void *b);

/* Do a step: add the blocks to the replacement that replace those of the plan. 0 or -errno. */
MUST_USE int metric_merge_rows(struct reader *r, const struct metric_plan *plan,
			       struct replacement *change, struct err *e);
MUST_USE int metric_merge_series(struct reader *r, const struct metric_plan *plan,
				 struct replacement *change, struct err *e);
MUST_USE int metric_merge_extras(struct reader *r, const struct metric_plan *plan,
				 struct replacement *change, struct err *e);

#endif
