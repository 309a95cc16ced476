/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_UNITS_H
#define VARVE_STORE_SQLITE_LOG_UNITS_H

#include "store/sqlite/logs/log_list.h"
#include "store/sqlite/logs/log_match.h"
#include "store/sqlite/read/logs/log_found.h"
#include "store/sqlite/read/reader.h"

/*
 * The parts of a day that a search reads: blocks, and pages of merged blocks. They are taken in the
 * order of their newest record; a merged block is replaced by its pages when it is its turn.
 */
struct log_index;
struct log_streams;

struct log_unit {
	uint64_t last; /* the time of its newest record that may match */
	const struct log_block_entry *block;
	int32_t page;	 /* -1: the block */
	uint32_t number; /* of the expanded block */
};

/* A merged block whose index was read. */
struct open_block {
	const struct log_block_entry *block;
	struct log_index *index;
	struct log_streams *streams;
};

struct log_units {
	const struct store_log_select *select;
	struct arena *arena;
	VEC(struct log_unit) heap;
	VEC(struct open_block) blocks;
	VEC(struct log_unit) searched; /* pages with results, which found_log.unit refers to */
};

/* List the blocks that overlap the range. Return 0 or -ENOMEM. */
MUST_USE int log_units_init(struct log_units *u, const struct log_list *l,
			    const struct store_log_select *s, struct arena *a);

/* Add a unit. Return 0 or -ENOMEM. */
MUST_USE int log_units_push(struct log_units *u, const struct log_unit *unit);

/* Return the unit with the newest record, or NULL; remove it. */
const struct log_unit *log_units_newest(const struct log_units *u);
void log_units_pop(struct log_units *u);

/* Add the pages of a merged block that may have a match. Return 0 or -errno. */
MUST_USE int log_units_expand(struct log_units *u, struct reader *r, const struct log_unit *block,
			      struct log_matcher *m, struct err *e);

/* Search a page, and add what is found. Return 0 or -errno. */
MUST_USE int log_unit_search(struct log_units *u, struct reader *r, const struct log_unit *page,
			     struct log_matcher *m, struct found_logs *found, struct arena *block,
			     struct err *e);

/* Read the messages of the results that were found in pages. Return 0 or -errno. */
MUST_USE int log_units_read_found(struct log_units *u, struct reader *r, struct found_logs *found,
				  struct arena *block, struct err *e);

/* The order of records of the same time. */
uint64_t log_tie(struct str text);

#endif
