/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_TABLE_H
#define VARVE_STORE_SQLITE_SPAN_TABLE_H

#include "store/sqlite/spans/span_rows.h"

/*
 * The structure of a block (span_block.h) as columns, so that a search tests the numbers of all
 * spans without making a kept_span of each. It is read in two steps: the traces are few, and a
 * block without a wanted trace is not read further. Memory is in the arena; ids and strings borrow
 * the bytes.
 */
struct span_table {
	uint32_t string_count, trace_count, n;
	struct str *strings;
	/* By trace. */
	uint32_t *tenants, *counts;
	uint32_t *firsts; /* its first span */
	uint64_t *begins;
	const uint8_t *trace_ids; /* 16 bytes each */
	/* By span, set by span_table_spans(). */
	uint64_t *starts, *durations;
	uint32_t *names, *services; /* indexes of strings */
	uint32_t *parents;	    /* 0 none, 1 elsewhere, else 2 + its index in the trace */
	uint32_t *lost;		    /* where parents is 1: index of lost_ids */
	const uint8_t *flags, *span_ids, *lost_ids;
	/* private */
	struct str rest;
};

/* Read the strings and the traces. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int span_table_open(struct span_table *t, struct str bytes, struct arena *a,
			     struct err *e);

/* Read and check the columns of the spans. Return values as above. */
MUST_USE int span_table_spans(struct span_table *t, struct arena *a, struct err *e);

static inline uint8_t span_table_kind(const struct span_table *t, uint32_t row)
{
	return t->flags[row] & 15;
}

static inline uint8_t span_table_status(const struct span_table *t, uint32_t row)
{
	return t->flags[row] >> 4;
}

/* Return the trace of a span. */
uint32_t span_table_trace(const struct span_table *t, uint32_t row);

/* Set *out to a span of a trace; without details. */
void span_table_get(const struct span_table *t, uint32_t trace, uint32_t row,
		    struct kept_span *out);

#endif
