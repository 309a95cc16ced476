/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_BATCH_STORE_H
#define VARVE_STORE_BATCH_STORE_H

#include "store/store.h"

/*
 * A read-only store over one decoded batch: for queries of a file that is not stored. Its results
 * are those of a store that has only these profiles. The selected tenant is ignored.
 *
 * Batch and series map are borrowed and must outlive the store and every tree that it has filled,
 * whose strings are those of the batch. Immutable after batch_store_init(); any thread may query.
 */
struct batch_entry {
	uint32_t number;       /* of the series: the same for equal labels */
	uint32_t series;       /* index in the map */
	uint64_t time;	       /* of the profile, or when it was received */
	uint32_t sample_at, n; /* range of batch_store.samples */
};

struct batch_store {
	struct store store; /* first */
	const struct profile_batch *batch;
	const struct series_map *map;
	struct arena arena;
	VEC(struct label_set) labels;	  /* by number */
	VEC(struct batch_entry) profiles; /* one per profile and series, by number and then time */
	uint32_t *samples;		  /* of the batch, grouped by entry */
	uint64_t first, end; /* begin of the first and end of the last profile; 0: no profile */
};

/*
 * Initialize the store. `received` is the time of profiles that have none. Return 0 or -ENOMEM;
 * call batch_store_fini() in every case.
 */
MUST_USE int batch_store_init(struct batch_store *b, const struct profile_batch *batch,
			      const struct series_map *map, uint64_t received,
			      struct budget *budget);
void batch_store_fini(struct batch_store *b);

#endif
