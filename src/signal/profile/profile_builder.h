/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_BUILDER_H
#define VARVE_SIGNAL_PROFILE_PROFILE_BUILDER_H

#include "base/container/idset.h"
#include "signal/profile/profile.h"
#include "signal/profile/row_predictor.h"

/*
 * Fills a batch row by row and gives equal rows the same id, by hash. For decoders of formats
 * without a dictionary (folded, perf script, JFR, ...), and for merging. Functions that append rows
 * which are never shared (resources, scopes, profiles, samples) are in profile_rows.h.
 *
 * Works on a batch from profile_batch_init(), which it borrows; rows that are already in the batch
 * are found too. One thread. Every function returns 0, -ENOMEM, or -EOVERFLOW when a table is full;
 * on error the batch still satisfies its invariants.
 */
struct profile_builder {
	struct profile_batch *batch;
	struct idset strings, mappings, functions, locations, stacks, links, attributes;
	struct {
		struct row_predictor string, function, location;
		uint32_t stack; /* also set by profile_merge and profile_remap */
	} next;			/* predicted rows */
};

MUST_USE int profile_builder_init(struct profile_builder *b, struct profile_batch *batch);

/* Return the id of the string, or UINT32_MAX if the batch does not have it. */
uint32_t profile_find_string(const struct profile_builder *b, struct str s);

/* Return the id of the string. If it is new, its bytes are copied into the batch's arena. */
MUST_USE int profile_add_string(struct profile_builder *b, struct str s, uint32_t *id);

/* The same with borrowed bytes, which must live as long as the batch. */
MUST_USE int profile_borrow_string(struct profile_builder *b, struct str s, uint32_t *id);

MUST_USE int profile_add_function(struct profile_builder *b, const struct function *f,
				  uint32_t *id);

/* `attributes` are ids; row->attributes is ignored. */
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

/* Add a location with one line of a function of that name and file, for formats with names only. */
MUST_USE int profile_add_frame(struct profile_builder *b, struct str name, struct str filename,
			       int64_t line, uint32_t *location);

/* Add a stack of locations, leaf first. An empty stack is id 0. */
MUST_USE int profile_add_stack(struct profile_builder *b, const uint32_t *locations, uint32_t n,
			       uint32_t *id);

/*
 * Return the locations of the predicted stack, next.stack, if it has n; else NULL. A caller whose
 * stack equals it uses the id next.stack without profile_add_stack().
 */
static inline const uint32_t *profile_guess_stack(const struct profile_builder *b, uint32_t n)
{
	const struct profile_batch *batch = b->batch;
	uint32_t id = b->next.stack;

	return id < batch->stacks.n && batch->stacks.at[id].n == n
		       ? batch->stack_locations.at + batch->stacks.at[id].at
		       : NULL;
}

MUST_USE int profile_add_link(struct profile_builder *b, const struct link *link, uint32_t *id);

/* `key` and `unit` are text; string and bytes values are copied into the arena if new. */
MUST_USE int profile_add_attribute(struct profile_builder *b, struct str key, struct value value,
				   struct str unit, uint32_t *id);

/*
 * The same for a row whose key and unit are ids of this batch; the value's bytes are borrowed
 * unless `copy` is set.
 */
MUST_USE int profile_add_attribute_row(struct profile_builder *b, struct attribute row, bool copy,
				       uint32_t *id);

#endif
