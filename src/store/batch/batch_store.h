/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_BATCH_STORE_H
#define VARVE_STORE_BATCH_STORE_H

#include "store/store.h"

/*
 * One decoded batch as a store that can only be asked: what a file says, without it being kept anywhere. It answers
 * as a store would that holds these profiles alone; whose tenant they are is the caller's business.
 *
 * Batch and series map are borrowed and must outlive it, and so must they every tree that it has answered with: the texts
 * in those are the batch's. Immutable once made; any thread may ask.
 */
struct batch_entry {
	uint32_t number;       /* of the series: equal labels have one number */
	uint32_t series;       /* of the map */
	uint64_t time;	       /* of the profile, or when it was received */
	uint32_t sample_at, n; /* of batch_store.samples */
};

struct batch_store {
	struct store store; /* first */
	const struct profile_batch *batch;
	const struct series_map *map;
	struct arena arena;
	VEC(struct label_set) labels;	  /* by number */
	VEC(struct batch_entry) profiles; /* one a profile and series, by number and then time */
	uint32_t *samples;		  /* of the batch, those of one entry together */
	uint64_t first, end; /* when the first profile begins and the last ends; 0: no profile */
};

/* `received`: the time of profiles that have none. 0 or -ENOMEM. Fini in every case. */
MUST_USE int batch_store_init(struct batch_store *b, const struct profile_batch *batch,
			      const struct series_map *map, uint64_t received,
			      struct budget *budget);
void batch_store_fini(struct batch_store *b);

#endif
