/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CHUNK_LIST_H
#define VARVE_STORE_SQLITE_CHUNK_LIST_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/base.h"
#include "base/err.h"

/*
 * Which chunks a partition has. The list has one entry a group: how many chunks there are, when, and the fold of their
 * sums, which proves them. The rows themselves are read when they are needed (chunk_cache.h), so that neither opening a
 * partition nor changing it costs more the more services it has.
 */
enum chunk_kind { CHUNK_HOUR, CHUNK_ROLLUP_HOUR, CHUNK_ROLLUP_DAY };

/* The blobs of a chunk; a roll-up has PART_ROLLUP and PART_SERIES only. */
enum chunk_part {
	PART_POINTS,
	PART_RUNS,
	PART_DETAIL,
	PART_LINKED,
	PART_FILTER,
	PART_ROLLUP,
	PART_SERIES,
	PART_LINKS, /* none, though some are linked: all of it is in PART_LINKED, as before format 3 */
	CHUNK_PARTS
};

/* A row of the table `chunk`. All u64: its sum is over the bytes. */
struct chunk_entry {
	uint64_t id;
	uint64_t kind, group, hour; /* hour: of the day, 0 to 23; of a day's roll-up 0 */
	uint64_t rolled;     /* an hour's: in the hour's roll-up; an hour's roll-up: in the day's */
	uint64_t generation; /* how many merges lie behind it */
	uint64_t made;	     /* seconds since 1970 */
	uint64_t first, last, profiles, samples;
	uint64_t slots[3];	     /* which of the day's 144 slots have data: a bit each */
	uint64_t parts[CHUNK_PARTS]; /* ids of blobs; 0: none */
	uint64_t bytes;
};

/* The chunks of one group, by kind, hour and id. */
struct chunk_range {
	const struct chunk_entry *at;
	uint32_t n;
};

/* The row of a group in the table `chunk_group`. All u64: its sum is over the bytes. */
struct chunk_group {
	uint64_t group;
	uint64_t rows;	      /* 0: the group has none, and no row here */
	uint64_t fold;	      /* xor of the sums of its rows */
	uint64_t first, last; /* times of profiles; last < first: there is none */
	uint64_t profiles, samples, bytes;
	uint64_t newest; /* the highest id */
	uint64_t open;	 /* a bit for each hour with chunks that are in no roll-up, and OPEN_DAY */
};

/* An hour or its roll-up is not in the roll-up of the day. */
#define OPEN_DAY ((uint64_t)1 << 24)
#define OPEN_HOURS (OPEN_DAY - 1)

/* The rows of a group, with room for n of them: sorted, and then immutable. */
struct chunk_rows {
	_Atomic uint32_t refs;
	uint32_t n;
	struct chunk_entry at[];
};

/* NULL: no memory. */
struct chunk_rows *chunk_rows_new(uint32_t n);
struct chunk_rows *chunk_rows_ref(struct chunk_rows *r);
void chunk_rows_unref(struct chunk_rows *r); /* takes NULL */

/* Sort the rows of a group, and sum them up. */
struct chunk_group chunk_rows_finish(struct chunk_rows *r, uint32_t group);

/* Immutable once it is published. */
struct chunk_list {
	_Atomic uint32_t refs;
	uint32_t groups;
	uint64_t n;	      /* chunks of all groups */
	uint64_t first, last; /* as of a group, over all of them; chunk_list_finish() */
	uint64_t bytes, newest, open;
	/* The rows of each group; NULL but for a file of a format before 5, where they cannot be read by group. */
	struct chunk_rows **pinned;
	struct chunk_group at[];
};

/* Make an empty list, or a copy of `old`, which may be NULL, for that many groups. NULL: no memory. */
struct chunk_list *chunk_list_new(uint32_t groups, const struct chunk_list *old);
struct chunk_list *chunk_list_ref(struct chunk_list *l);
void chunk_list_unref(struct chunk_list *l); /* takes NULL */

/* Work out what is told of all groups. Before the list is published. */
void chunk_list_finish(struct chunk_list *l);

/* What is known of the group. */
static inline struct chunk_group chunk_list_get(const struct chunk_list *l, uint32_t group)
{
	return group < l->groups ? l->at[group] : (struct chunk_group){.first = UINT64_MAX};
}

/* What the fold of a partition has of a group with chunks; and what that of the group has of a chunk. */
uint64_t chunk_group_sum(const struct chunk_group *g);
uint64_t chunk_sum(const struct chunk_entry *c);

#endif
