/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_RECOMBINER_H
#define VARVE_PIPELINE_FILELOG_RECOMBINER_H

#include "pipeline/receivers/filelog/operators/operator.h"

/*
 * Combines the texts of consecutive entries of one source into one entry: for the operators
 * recombine and container. What it keeps is limited, and passed on when a limit is reached.
 */
struct recombiner_options {
	struct entry_field field; /* the text */
	struct str with;	  /* between two texts */
	uint32_t max_entries;	  /* of a group; 0: no limit */
	uint32_t max_unmatched;	  /* of a group without a first or last entry; 0: no limit */
	uint32_t max_sources;
	uint64_t max_bytes;   /* of a text; 0: RECOMBINER_TEXT_MAX */
	uint64_t flush_after; /* nanoseconds after the first entry of a group */
	bool keep_oldest;     /* the other fields are those of the first entry, else the last */
};

#define RECOMBINER_TEXT_MAX (16 * MIB)
#define RECOMBINER_BYTES_MAX (64 * MIB) /* of all groups */

enum recombiner_place {
	RECOMBINE_MIDDLE,
	RECOMBINE_FIRST, /* begins a group */
	RECOMBINE_LAST,	 /* ends its group */
};

struct recombiner;

MUST_USE int recombiner_new(struct recombiner **out, const struct recombiner_options *options);
void recombiner_free(struct recombiner *r); /* takes NULL */

/*
 * Add an entry to the group of its source, a text of at most 4 KiB; what is complete is passed to
 * `to`. Return 0, -ENOMEM, or -EINVAL if the field is not text.
 */
MUST_USE int recombiner_add(struct recombiner *r, struct operator_run *run,
			    const struct operator_targets *to, struct log_entry *entry,
			    struct str source, enum recombiner_place place, struct err *e);

/* Return whether there is a group of this source. */
bool recombiner_has(const struct recombiner *r, struct str source);

/* Pass on the groups that wait for too long, or all. */
void recombiner_flush(struct recombiner *r, struct operator_run *run,
		      const struct operator_targets *to, bool all);

/* Lower held_from of the origins of all groups. */
void recombiner_held(const struct recombiner *r);

#endif
