/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_MERGE_H
#define VARVE_SIGNAL_PROFILE_PROFILE_MERGE_H

#include "signal/profile/profile_remap.h"

/*
 * The sample that is likely to come next. A decoder may compare, location by location, known[id] with it (none of them is 0), and if all
 * are the same and so is the rest, add the values to its sums and say so by profile_merge_guessed().
 */
struct merge_guess {
	const uint32_t *
		known; /* id in the batch that is made of each location of src; 0: not asked for yet */
	const uint32_t *locations; /* ids of that batch */
	uint32_t location_count;   /* 0: no guess */
	uint32_t attributes;	   /* see profile_merge.set; it has no link */
	uint64_t *sums;		   /* one a profile */
};

/*
 * Adds up many batches in memory that grows with what is distinct, not with what is added.
 *
 * Profiles of equal resource, scope, sample type and period type become one: samples of equal
 * identity (stack, set of attributes, link) are summed up, or their observations put together in
 * the order of time where all of them have times; the time is the earliest, durations add up, the
 * period is the largest, of attributes with the same key the first stays (lists are put together).
 * Ids and payloads go.
 *
 *	profile_merge_init(&m, &out);			// out: an empty batch
 *	for each input: profile_merge_add(&m, &batch);	// batch and its input may go afterwards
 *	profile_merge_finish(&m);			// now `out` is complete
 *	profile_merge_fini(&m);
 *
 * One thread. Errors are -ENOMEM and -EOVERFLOW; then only fini is left to do.
 */
struct profile_merge {
	struct profile_builder builder; /* of the batch that is made */
	struct profile_remap map;	/* of the batch that is being added */
	struct arena arena;		/* what is needed until finish */
	bool separate;			/* keep each profile for itself, aggregate inside it only */
	VEC(struct merge_family) families;
	VEC(struct merge_group) groups;
	VEC(struct merge_strip) strips;
	VEC(struct merge_chain) chains;
	VEC(struct merge_observation) observations;
	VEC(struct merge_observation) sorted; /* of one sample, while it is laid out */
	VEC(struct list) attribute_sets;      /* of attribute_pool */
	VEC(uint32_t) attribute_pool;
	VEC(uint32_t) short_sets; /* set + 1 of each attribute alone; at 0, of none */
	VEC(uint32_t) rows;	  /* in its family of each sample of the profile being added */
	const struct profile_batch *begun;
	VEC(uint32_t) begun_groups; /* of each of its profiles */
	uint32_t begun_family;
	uint32_t begun_strip; /* index + 1; 0: no sample yet */
	uint32_t begun_next;  /* the row that is likely to come */
	uint32_t set; /* of attributes that the last sample has had: equal ones, equal numbers */
	struct merge_guess guess;
	struct idset resource_index, scope_index, group_index, identity_index, set_index;
};

/* A sample that all profiles of a batch have, each with a value of its own. Ids are the batch's. */
struct merge_sample {
	const uint32_t *locations, *attributes;
	uint32_t location_count, attribute_count, link;
	const int64_t *values; /* one a profile */
};

MUST_USE int profile_merge_init(struct profile_merge *m, struct profile_batch *out);
MUST_USE int profile_merge_add(struct profile_merge *m, const struct profile_batch *src);

/*
 * The same in two steps, for a decoder that need not lay out samples only to have them added up: begin
 * as soon as all but the samples is decoded, then add them one by one. Locations have to be in src by then; links and
 * attributes may come with the samples. Profiles of src must be of one scope. profile_merge_add() of src follows,
 * for the samples that it has.
 */
MUST_USE int profile_merge_begin(struct profile_merge *m, const struct profile_batch *src);
MUST_USE int profile_merge_sample(struct profile_merge *m, const struct merge_sample *s);

/* The same for a sample that is the one in m->guess, whose sums have its values by now. */
void profile_merge_guessed(struct profile_merge *m);

/* Is the set (see profile_merge.set) known to have just this attribute, in ids of the batch that was begun? NULL: none. */
bool profile_merge_is_set(const struct profile_merge *m, uint32_t set,
			  const struct attribute *only);

MUST_USE int profile_merge_finish(struct profile_merge *m);
void profile_merge_fini(struct profile_merge *m);

#endif
