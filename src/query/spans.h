/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_SPANS_H
#define VARVE_QUERY_SPANS_H

#include "base/container/map.h"
#include "query/time/sample_scan.h"

/*
 * The spans that samples belong to, and what each cost. Exact: every sample of the selection is looked at.
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
	uint64_t first, last; /* of its samples' own times; of the profile's where they have none */
	uint32_t set;	      /* of spans.sets: the labels that all its series share */
	uint32_t series;      /* that its last sample was of */
};

struct spans {
	struct arena arena;
	VEC(struct span_row) rows;
	VEC(struct label_set) sets; /* without the labels that begin with "__" */
	int64_t total;		    /* of all samples that are meant; wraps, as do all sums */
	int64_t linked;		    /* of those with a span */
	/* private */
	struct sample_scan scan;
	struct idset index;	/* of rows */
	struct map set_of;	/* by the store's number of a series */
	struct map shared_sets; /* by two sets: the one they share */
};

/* Options are borrowed, and may be NULL. 0 or -ENOMEM. Fini in every case. */
MUST_USE int spans_init(struct spans *s, const struct stack_filter_options *stacks,
			const struct time_filter *times, struct budget *budget);
void spans_fini(struct spans *s);

/* 0, or -errno of the store. */
MUST_USE int spans_add(struct spans *s, struct store *store, const struct store_select *sel,
		       struct err *e);

/* The largest total first, then by id. */
void spans_sort(struct spans *s);

#endif
