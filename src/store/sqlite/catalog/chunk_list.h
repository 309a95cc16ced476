/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CHUNK_LIST_H
#define VARVE_STORE_SQLITE_CHUNK_LIST_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/base.h"
#include "base/err.h"

/*
 * The chunks of a partition. The list has one entry per group: the number of chunks, their time
 * range, and the fold (xor) of the checksums of their rows, which verifies them. The rows are read
 * when they are needed (chunk_cache.h), so the cost of opening or changing a partition hardly
 * depends on the number of its chunks.
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
	PART_LINKS, /* absent in a chunk from before format 3, which has links in PART_LINKED */
	CHUNK_PARTS
};

/* A row of the table `chunk`. All fields are u64: the checksum is over the bytes. */
struct chunk_entry {
	uint64_t id;
	uint64_t kind, group, hour; /* hour: of the day, 0 to 23; 0 for the roll-up of a day */
	uint64_t rolled;     /* the roll-up of its hour, or (for that) of its day includes it */
	uint64_t generation; /* number of merges that led to it */
	uint64_t made;	     /* seconds since 1970 */
	uint64_t first, last, profiles, samples;
	uint64_t slots[3];	     /* which of the day's 144 slots have data, a bit each */
	uint64_t parts[CHUNK_PARTS]; /* ids of blobs; 0: none */
	uint64_t bytes;
};

/* The chunks of one group, by kind, hour and id. */
struct chunk_range {
	const struct chunk_entry *at;
	uint32_t n;
};

/* A row of the table `chunk_group`. All fields are u64: the checksum is over the bytes. */
struct chunk_group {
	uint64_t group;
	uint64_t rows;	      /* number of chunks; 0: the group has no row in this table */
	uint64_t fold;	      /* xor of the checksums of its chunks' rows */
	uint64_t first, last; /* times of profiles; last < first: there are none */
	uint64_t profiles, samples, bytes;
	uint64_t newest; /* the highest chunk id */
	uint64_t open; /* a bit for each hour with chunks that no roll-up includes, and OPEN_DAY */
};

/* The roll-up of the day does not include all hours. */
#define OPEN_DAY ((uint64_t)1 << 24)
#define OPEN_HOURS (OPEN_DAY - 1)

/* The rows of a group. Immutable once chunk_rows_finish() has sorted them. */
struct chunk_rows {
	_Atomic uint32_t refs;
	uint32_t n;
	struct chunk_entry at[];
};

/* Allocate room for n rows, with one reference. Return NULL without memory. */
struct chunk_rows *chunk_rows_new(uint32_t n);
struct chunk_rows *chunk_rows_ref(struct chunk_rows *r);
void chunk_rows_unref(struct chunk_rows *r); /* takes NULL */

/* Sort the rows of a group and return its row for `chunk_group`. */
struct chunk_group chunk_rows_finish(struct chunk_rows *r, uint32_t group);

/* Immutable after publish. */
struct chunk_list {
	_Atomic uint32_t refs;
	uint32_t groups;
	uint64_t n;	      /* chunks of all groups */
	uint64_t first, last; /* this line and the next: over all groups, by chunk_list_finish() */
	uint64_t bytes, newest, open;
	/*
	 * The rows of each group, for a file of a format before 5, which cannot be read by group.
	 * Otherwise NULL.
	 */
	struct chunk_rows **pinned;
	struct chunk_group at[];
};

/*
 * Return a list for that many groups, empty or with the groups of `old` (may be NULL), or NULL
 * without memory.
 */
struct chunk_list *chunk_list_new(uint32_t groups, const struct chunk_list *old);
struct chunk_list *chunk_list_ref(struct chunk_list *l);
void chunk_list_unref(struct chunk_list *l); /* takes NULL */

/* Compute the totals over all groups. Call before the list is published. */
void chunk_list_finish(struct chunk_list *l);

/* Return the row of the group; a group without chunks has 0 rows. */
static inline struct chunk_group chunk_list_get(const struct chunk_list *l, uint32_t group)
{
	return group < l->groups ? l->at[group] : (struct chunk_group){.first = UINT64_MAX};
}

/* Checksums of a group's row, for the fold of the partition, and a chunk's, for the group's. */
uint64_t chunk_group_sum(const struct chunk_group *g);
uint64_t chunk_sum(const struct chunk_entry *c);

#endif
