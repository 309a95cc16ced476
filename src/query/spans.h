/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_SPANS_H
#define VARVE_QUERY_SPANS_H

#include "base/container/map.h"
#include "query/time/sample_scan.h"

/*
 * Sums the samples of a selection by span. Exact: every sample of the selection is read.
 *
 *	spans_init(&s, filter, times, budget);
 *	spans_add(&s, store, &select, &e);	any number of selections of one store
 *	spans_sort(&s);
 *	... read s.rows, s.sets ...
 *	spans_fini(&s);
 */
struct span_row {
	struct link link;
	int64_t total;
	uint64_t samples;
	/* Range of the sample times; a sample without one counts at its profile's time. */
	uint64_t first, last;
	uint32_t set;	 /* index into spans.sets: the labels common to all its series */
	uint32_t series; /* series of its last sample */
};

struct spans {
	struct arena arena;
	VEC(struct span_row) rows;
	VEC(struct label_set) sets; /* without the labels that begin with "__" */
	int64_t total;		    /* of all matching samples; all sums wrap */
	int64_t linked;		    /* of those with a span */
	/* private */
	struct sample_scan scan;
	struct idset index;	/* of rows */
	struct map set_of;	/* store's series number -> index of its set */
	struct map shared_sets; /* pair of sets -> the set of their common labels */
};

/* Prepare to add selections. Options are borrowed, may be NULL. 0 or -ENOMEM. Fini in any case. */
MUST_USE int spans_init(struct spans *s, const struct stack_filter_options *stacks,
			const struct time_filter *times, struct budget *budget);
void spans_fini(struct spans *s);

/* Add the samples of a selection. 0, or -errno of the store. */
MUST_USE int spans_add(struct spans *s, struct store *store, const struct store_select *sel,
		       struct err *e);

/* Sort the rows by total, largest first, then by id. */
void spans_sort(struct spans *s);

#endif
