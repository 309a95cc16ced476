/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_REMAP_H
#define VARVE_SIGNAL_PROFILE_PROFILE_REMAP_H

#include "signal/profile/profile_builder.h"

/*
 * Carries rows of one batch into another: each function gives the id in `dst` of a row of `src`,
 * and adds it there (with all it points at) when it is asked for the first time. What nobody asks
 * for is left behind, so whoever copies through this collects the garbage as well.
 *
 * Attribute lists come out sorted by id: equal sets become equal lists.
 * Used in src/signal only, also by way of stack_tree.h. Functions return 0, -ENOMEM or -EOVERFLOW; dst stays valid.
 */
struct profile_remap {
	struct profile_builder *dst;
	const struct profile_batch *src;
	bool copy; /* bytes of strings are copied; else borrowed from src */
	struct arena scratch;
	/* dst id of each src row; 0: not asked for yet, or "none" */
	uint32_t *strings, *mappings, *functions, *locations, *stacks;
	uint32_t string_count;		 /* when it began */
	VEC(uint32_t) links, attributes; /* these may still grow: profile_remap_extend() */
	VEC(uint32_t) ids, more_ids;	 /* lists in the making */
	VEC(struct line) lines;
};

void profile_remap_init(struct profile_remap *m, struct profile_builder *dst, bool copy);

/* Carry rows of this batch from now on; again for the next one. */
MUST_USE int profile_remap_begin(struct profile_remap *m, const struct profile_batch *src);
void profile_remap_fini(struct profile_remap *m);

/* The batch got more links or attributes since. */
MUST_USE int profile_remap_extend(struct profile_remap *m);

MUST_USE int profile_remap_string(struct profile_remap *m, uint32_t id, uint32_t *out);
MUST_USE int profile_remap_attribute(struct profile_remap *m, uint32_t id, uint32_t *out);
/* Is an attribute in ids of src known to be this one of dst? It need be no row of src. */
bool profile_remap_is_attribute(const struct profile_remap *m, const struct attribute *a,
				uint32_t id);
MUST_USE int profile_remap_function(struct profile_remap *m, uint32_t id, uint32_t *out);
MUST_USE int profile_remap_mapping(struct profile_remap *m, uint32_t id, uint32_t *out);
MUST_USE int profile_remap_location(struct profile_remap *m, uint32_t id, uint32_t *out);
MUST_USE int profile_remap_stack(struct profile_remap *m, uint32_t id, uint32_t *out);
/* A stack that is no row of src: the id in dst of one with these locations of src. */
MUST_USE int profile_remap_locations(struct profile_remap *m, const uint32_t *locations, uint32_t n,
				     uint32_t *out);
MUST_USE int profile_remap_link(struct profile_remap *m, uint32_t id, uint32_t *out);

/* The ids in m->ids, valid until the next call. */
MUST_USE int profile_remap_attributes(struct profile_remap *m, const uint32_t *ids, uint32_t n);

/* Append to dst; profiles come without samples. */
MUST_USE int profile_remap_resource(struct profile_remap *m, uint32_t id);
MUST_USE int profile_remap_scope(struct profile_remap *m, uint32_t id);
MUST_USE int profile_remap_profile(struct profile_remap *m, uint32_t id);
MUST_USE int profile_remap_sample(struct profile_remap *m, uint32_t id);

/* The same with observations [from, to) of the sample only: its times, and the values that go with them. */
MUST_USE int profile_remap_observations(struct profile_remap *m, uint32_t id, uint32_t from,
					uint32_t to);

/* What a walk over a batch takes along. */
struct profile_walk {
	bool join;	 /* equal resources and scopes become one */
	bool skip_empty; /* leave out profiles without samples */
	uint32_t from,
		to; /* samples [from, to) only, and profiles that have any there or stand there empty */
	uint32_t skip;	  /* of sample `from`: observations that an earlier part has */
	uint32_t take_to; /* of sample `to - 1`: observations up to here; 0: all */
	uint32_t
		continued_part; /* of the profile of sample `from`: how many parts of it came before */
	bool (*keep)(const struct profile_batch *src, uint32_t profile, uint32_t sample, void *arg);
	void *arg;
};

/* Append to dst, by the remap, what the walk says. */
MUST_USE int profile_remap_all(struct profile_remap *m, const struct profile_walk *w);

/* Do two resources (or scopes, apart from their resource) say the same? Hash and equality. */
uint32_t profile_resource_hash(const struct profile_batch *b, const struct resource *r);
bool profile_resource_eq(const struct profile_batch *a, const struct resource *x,
			 const struct profile_batch *b, const struct resource *y);
uint32_t profile_scope_hash(const struct profile_batch *b, const struct scope *s);
bool profile_scope_eq(const struct profile_batch *a, const struct scope *x,
		      const struct profile_batch *b, const struct scope *y);

#endif
