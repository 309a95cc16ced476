/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_MERGE_H
#define VARVE_SIGNAL_PROFILE_PROFILE_MERGE_H

#include "signal/profile/profile_remap.h"

/*
 * The predicted next sample; it has no link. A decoder may compare known[id] of each location with
 * locations[] (which has no 0). If all are equal and the sample has the predicted attributes and no
 * link, the decoder adds the values to `sums` and calls profile_merge_guessed().
 */
struct merge_guess {
	const uint32_t *known;	   /* by location of src: id in the output; 0: not mapped yet */
	const uint32_t *locations; /* ids of the output */
	uint32_t location_count;   /* 0: no prediction */
	uint32_t attributes;	   /* see profile_merge.set */
	uint64_t *sums;		   /* one per profile */
};

/*
 * Merges many batches in memory proportional to the distinct rows, not to the input.
 *
 * Profiles of equal resource, scope, sample type and period type become one. Samples of equal
 * identity (stack, set of attributes, link) are summed up, or, if all samples of the profile have
 * times, their observations are joined in time order. The time is the earliest, durations add up,
 * the period is the largest; of attributes with the same key the first is kept (lists are joined).
 * Profile ids and payloads are dropped.
 *
 *	profile_merge_init(&m, &out);			// out: an empty batch
 *	for each input: profile_merge_add(&m, &batch);	// batch and its input may be freed after
 *	profile_merge_finish(&m);			// now `out` is complete
 *	profile_merge_fini(&m);
 *
 * One thread. Errors are -ENOMEM and -EOVERFLOW; after an error only fini may be called.
 * profile_merge_finish() is in profile_merge_finish.c.
 */
struct profile_merge {
	struct profile_builder builder; /* of the output */
	struct profile_remap map;	/* from the current input to the output */
	struct arena arena;		/* memory needed until finish */
	bool separate;			/* merge samples within each profile only */
	VEC(struct merge_family) families;
	VEC(struct merge_group) groups;
	VEC(struct merge_strip) strips;
	VEC(struct merge_chain) chains;
	VEC(struct merge_observation) observations;
	VEC(struct merge_observation) sorted; /* of the sample being written */
	VEC(struct list) attribute_sets;      /* of attribute_pool */
	VEC(uint32_t) attribute_pool;
	/* By attribute: set + 1 of that attribute alone; at 0, of the empty set. */
	VEC(uint32_t) short_sets;
	VEC(uint32_t) rows; /* by sample of the current profile: row in its family */
	const struct profile_batch *begun;
	VEC(uint32_t) begun_groups; /* by profile of `begun` */
	uint32_t begun_family;
	uint32_t begun_strip; /* index + 1; 0: no sample yet */
	uint32_t begun_next;  /* the predicted row */
	uint32_t set;	      /* id of the attribute set of the last sample */
	struct merge_guess guess;
	struct idset resource_index, scope_index, group_index, identity_index, set_index;
};

/* A sample with one value per profile of the batch. Ids are the batch's. */
struct merge_sample {
	const uint32_t *locations, *attributes;
	uint32_t location_count, attribute_count, link;
	const int64_t *values; /* one per profile */
};

MUST_USE int profile_merge_init(struct profile_merge *m, struct profile_batch *out);
MUST_USE int profile_merge_add(struct profile_merge *m, const struct profile_batch *src);

/*
 * Add samples one by one, for a decoder that does not store them in its batch. Call
 * profile_merge_begin() when everything but the samples is decoded, then profile_merge_sample() for
 * each. All locations must be in src by then; links and attributes may be added with the samples.
 * All profiles of src must have the same scope. Call profile_merge_add() last, for the samples that
 * src does contain.
 */
MUST_USE int profile_merge_begin(struct profile_merge *m, const struct profile_batch *src);
MUST_USE int profile_merge_sample(struct profile_merge *m, const struct merge_sample *s);

/* Record a sample equal to m->guess, whose values the caller has added to m->guess.sums. */
void profile_merge_guessed(struct profile_merge *m);

/*
 * Return whether the set (see profile_merge.set) is known to consist of just this attribute, given
 * in ids of the begun batch; with NULL, whether it is empty.
 */
bool profile_merge_is_set(const struct profile_merge *m, uint32_t set,
			  const struct attribute *only);

MUST_USE int profile_merge_finish(struct profile_merge *m);
void profile_merge_fini(struct profile_merge *m);

/*
 * Combine the profiles of `src` that differ only in time into `dst`, an empty batch, by the rules
 * above: this is how files are merged.
 */
MUST_USE int profile_combine(struct profile_batch *dst, const struct profile_batch *src);

/*
 * Copy `src` to `dst`, an empty batch, with samples of equal identity merged within each profile:
 * values without times are added up, observations with times are joined.
 */
MUST_USE int profile_aggregate(struct profile_batch *dst, const struct profile_batch *src);

#endif
