/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_REMAP_H
#define VARVE_SIGNAL_PROFILE_PROFILE_REMAP_H

#include "signal/profile/profile_builder.h"

/*
 * Copies rows of one batch into another: each function returns the id in `dst` of a row of `src`,
 * and adds the row (with all rows it refers to) on first use. Rows that are never requested are not
 * copied, so copying also removes garbage.
 *
 * Attribute lists are sorted by id, so equal sets become equal lists. Used only in src/signal, also
 * through stack_tree.h. Functions return 0, -ENOMEM or -EOVERFLOW; dst stays valid.
 */
struct profile_remap {
	struct profile_builder *dst;
	const struct profile_batch *src;
	bool copy; /* copy the bytes of strings; else borrow them from src */
	struct arena scratch;
	/* dst id of each src row; 0: not mapped yet, or "none" */
	uint32_t *strings, *mappings, *functions, *locations, *stacks;
	uint32_t string_count;		 /* src->strings.n at profile_remap_begin() */
	VEC(uint32_t) links, attributes; /* extended by profile_remap_extend() */
	VEC(uint32_t) ids, more_ids;	 /* temporary lists */
	VEC(struct line) lines;		 /* temporary */
};

void profile_remap_init(struct profile_remap *m, struct profile_builder *dst, bool copy);

/* Start mapping rows of this batch. May be called again for another batch. */
MUST_USE int profile_remap_begin(struct profile_remap *m, const struct profile_batch *src);
void profile_remap_fini(struct profile_remap *m);

/* Extend the tables after links or attributes were added to src. */
MUST_USE int profile_remap_extend(struct profile_remap *m);

MUST_USE int profile_remap_string(struct profile_remap *m, uint32_t id, uint32_t *out);
MUST_USE int profile_remap_attribute(struct profile_remap *m, uint32_t id, uint32_t *out);
/*
 * Return whether an attribute in ids of src is already known to be row `id` of dst. The attribute
 * need not be a row of src.
 */
bool profile_remap_is_attribute(const struct profile_remap *m, const struct attribute *a,
				uint32_t id);
MUST_USE int profile_remap_function(struct profile_remap *m, uint32_t id, uint32_t *out);
MUST_USE int profile_remap_mapping(struct profile_remap *m, uint32_t id, uint32_t *out);
MUST_USE int profile_remap_location(struct profile_remap *m, uint32_t id, uint32_t *out);
MUST_USE int profile_remap_stack(struct profile_remap *m, uint32_t id, uint32_t *out);
/* Map a stack that is not a row of src, given by its locations in src. */
MUST_USE int profile_remap_locations(struct profile_remap *m, const uint32_t *locations, uint32_t n,
				     uint32_t *out);
MUST_USE int profile_remap_link(struct profile_remap *m, uint32_t id, uint32_t *out);

/* Map a list of attributes to m->ids, sorted, valid until the next call. */
MUST_USE int profile_remap_attributes(struct profile_remap *m, const uint32_t *ids, uint32_t n);

/* Append to dst. A profile is appended without its samples. */
MUST_USE int profile_remap_resource(struct profile_remap *m, uint32_t id);
MUST_USE int profile_remap_scope(struct profile_remap *m, uint32_t id);
MUST_USE int profile_remap_profile(struct profile_remap *m, uint32_t id);
/* The same with only the observations [from, to) of the sample: times and their values. */
MUST_USE int profile_remap_observations(struct profile_remap *m, uint32_t id, uint32_t from,
					uint32_t to);

/* Which parts of a batch profile_remap_all() copies. */
struct profile_walk {
	bool join;	 /* merge equal resources and scopes */
	bool skip_empty; /* leave out profiles without samples */
	/* Only samples [from, to), and the profiles that have some of them or are empty there. */
	uint32_t from, to;
	/* Number of observations of sample `from` to skip: an earlier part has them. */
	uint32_t skip;
	/* End of the observations of sample `to - 1`; 0: all. */
	uint32_t take_to;
	/* How many earlier parts have samples of the profile of sample `from`. */
	uint32_t continued_part;
	bool (*keep)(const struct profile_batch *src, uint32_t profile, uint32_t sample, void *arg);
	void *arg;
};

/* Append the parts of src that the walk selects to dst. (profile_ops.c) */
MUST_USE int profile_remap_all(struct profile_remap *m, const struct profile_walk *w);

/* Hash and compare resources, or scopes without their resource, by content. */
uint32_t profile_resource_hash(const struct profile_batch *b, const struct resource *r);
bool profile_resource_eq(const struct profile_batch *a, const struct resource *x,
			 const struct profile_batch *b, const struct resource *y);
uint32_t profile_scope_hash(const struct profile_batch *b, const struct scope *s);
bool profile_scope_eq(const struct profile_batch *a, const struct scope *x,
		      const struct profile_batch *b, const struct scope *y);

#endif
