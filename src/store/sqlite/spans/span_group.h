/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_GROUP_H
#define VARVE_STORE_SQLITE_SPAN_GROUP_H

#include "base/buf.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/spans/span_values.h"

/*
 * Reads one group of the details of a block: its shapes at once, a column when it is first needed.
 * Damage and lack of memory are sticky: check span_group_error() once, at the end.
 */
struct span_group_reader {
	const struct span_index *index;
	const struct span_group *group;
	/* By span of the group. */
	uint64_t *shape_of;
	uint64_t *resource_of, *scope_of; /* 0 none, else 1 + the origin */
	uint32_t shape_count;
	const uint32_t **shapes; /* of each: the number of its columns, then these */
	struct arena scratch;	 /* of the group */
	/* private */
	struct str pieces;
	struct frame_unpacker *unpacker;
	size_t *at;		   /* by column: its piece */
	union span_value **values; /* by column; NULL: not read yet */
	uint32_t *next;		   /* by column: its next value, while spans are restored */
	bool bad;
	int rc;
};

/* `unpacker` may be NULL. Fini in any case; the index and the pieces must outlive it. */
void span_group_init(struct span_group_reader *r, const struct span_index *index, struct str pieces,
		     struct frame_unpacker *unpacker, struct budget *budget);
void span_group_fini(struct span_group_reader *r);

/* Begin with a group; what was read of the one before is gone. */
void span_group_open(struct span_group_reader *r, const struct span_group *group);

/* Return the values of a column, or NULL after an error. */
const union span_value *span_group_column(struct span_group_reader *r, uint32_t column);

/*
 * Append the needed details of the wanted spans of the group (flags by span) to `out`, and set
 * ends[i] to where those of span i end. `need` NULL: all.
 */
void span_group_restore(struct span_group_reader *r, const struct span_need *need,
			const bool *wanted, struct buf *out, uint32_t *ends);

/* Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int span_group_error(const struct span_group_reader *r, struct err *e);

#endif
