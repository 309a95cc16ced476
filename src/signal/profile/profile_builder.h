/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_BUILDER_H
#define VARVE_SIGNAL_PROFILE_PROFILE_BUILDER_H

#include "base/container/idset.h"
#include "signal/profile/profile.h"
#include "signal/profile/row_predictor.h"

/*
 * Fills a batch row by row and gives equal rows the same id, by hash. For decoders of formats
 * that have no dictionary of their own (folded, perf script, JFR, ...), and for merging.
 *
 * Works on a batch from profile_batch_init(), which it borrows; rows that are in the batch
 * already are found too. One thread. Every function returns 0, -ENOMEM, or -EOVERFLOW when a
 * table is full; on error the batch still holds its invariants.
 */
struct profile_builder {
	struct profile_batch *batch;
	struct idset strings, mappings, functions, locations, stacks, links, attributes;
	struct {
		struct follow string, function, location;
		uint32_t stack; /* who merges may know better, and set it */
	} next;			/* row, as a guess */
};

MUST_USE int profile_builder_init(struct profile_builder *b, struct profile_batch *batch);

/* The id of the string, or UINT32_MAX: it is not there. */
uint32_t profile_find_string(const struct profile_builder *b, struct str s);

/* The id of the string; its bytes are copied into the batch's arena if it is new. */
MUST_USE int profile_add_string(struct profile_builder *b, struct str s, uint32_t *id);

/* As above, but the bytes are borrowed: they must live as long as the batch. */
MUST_USE int profile_borrow_string(struct profile_builder *b, struct str s, uint32_t *id);

MUST_USE int profile_add_function(struct profile_builder *b, const struct function *f,
				  uint32_t *id);

/* `attributes` are ids; row->attributes is ignored and set. The same for locations. */
MUST_USE int profile_add_mapping(struct profile_builder *b, const struct mapping *row,
				 const uint32_t *attributes, uint32_t n, uint32_t *id);

struct location_parts {
	uint64_t address;
	uint32_t mapping;
	const struct line *lines;
	uint32_t line_count;
	const uint32_t *attributes;
	uint32_t attribute_count;
};
MUST_USE int profile_add_location(struct profile_builder *b, const struct location_parts *parts,
				  uint32_t *id);

/* Shorthand for formats that know names only: a location with one line of a function of that name and file. */
MUST_USE int profile_add_frame(struct profile_builder *b, struct str name, struct str filename,
			       int64_t line, uint32_t *location);

/* Locations, leaf first. An empty stack is id 0. */
MUST_USE int profile_add_stack(struct profile_builder *b, const uint32_t *locations, uint32_t n,
			       uint32_t *id);

/* The locations of the stack next.stack, if it has n; else NULL. Whoever finds that it is wanted need not add it. */
static inline const uint32_t *profile_guess_stack(const struct profile_builder *b, uint32_t n)
{
	const struct profile_batch *batch = b->batch;
	uint32_t id = b->next.stack;

	return id < batch->stacks.n && batch->stacks.at[id].n == n
		       ? batch->stack_locations.at + batch->stacks.at[id].at
		       : NULL;
}

MUST_USE int profile_add_link(struct profile_builder *b, const struct link *link, uint32_t *id);

/* `key` and `unit` as text; string and bytes values are copied into the arena if new. */
MUST_USE int profile_add_attribute(struct profile_builder *b, struct str key, struct value value,
				   struct str unit, uint32_t *id);

/* The same for a row whose key and unit are ids of this batch; the value's bytes are borrowed unless `copy`. */
MUST_USE int profile_add_attribute_row(struct profile_builder *b, struct attribute row, bool copy,
				       uint32_t *id);

/* Put the bytes of a value, if it has any, into the arena. 0 or -ENOMEM. */
MUST_USE int profile_copy_value(struct arena *arena, struct value *v);

/* Rows that are never shared: each call appends. Attributes of resource and scope are copied. */
MUST_USE int profile_add_resource(struct profile_builder *b, const struct keyvalue *attributes,
				  uint32_t n);
MUST_USE int profile_add_scope(struct profile_builder *b, struct str name, struct str version,
			       const struct keyvalue *attributes, uint32_t n);

/*
 * Append a profile of the last scope. row->scope, attributes and samples are set here; what was
 * given as text (sample type and unit, ...) is interned by the caller before. The row is
 * batch->profiles.at[batch->profiles.n - 1] and may be completed later (duration, ...).
 */
MUST_USE int profile_add_profile(struct profile_builder *b, const struct profile *row,
				 const uint32_t *attributes, uint32_t n);

/* The usual beginning of a decoder: an empty resource, a scope without a name, one profile of that type. */
MUST_USE int profile_begin(struct profile_builder *b, struct str type, struct str unit);

/*
 * Append a sample with one value and no time to the last profile. `attributes` are ids, keys
 * distinct. Samples with times push to the pools themselves and call profile_sample_end().
 */
MUST_USE int profile_add_sample(struct profile_builder *b, uint32_t stack, uint32_t link,
				const uint32_t *attributes, uint32_t n, int64_t value);

#endif
