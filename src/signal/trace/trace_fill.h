/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_TRACE_TRACE_FILL_H
#define VARVE_SIGNAL_TRACE_TRACE_FILL_H

#include "signal/span_batch.h"
#include "signal/trace/trace_view.h"

/*
 * Makes views of traces from decoded spans. One maker serves one batch: fields of resources and
 * scopes are read once, not for each span.
 */
struct trace_maker {
	const struct span_batch *batch;
	const struct trace_field *fields;
	uint32_t field_count;
	struct arena *arena;		/* of what all traces share */
	struct trace_value **resources; /* by index; NULL: not read yet */
	struct trace_value **scopes;
};

/* Set up a maker. The batch and the fields have to outlive it. Return 0 or -ENOMEM. */
MUST_USE int trace_maker_init(struct trace_maker *m, const struct span_batch *batch,
			      const struct trace_field *fields, uint32_t field_count,
			      struct arena *arena);

/*
 * Make the view of the spans at rows[0 .. n), all of one trace, in that order. Values borrow from
 * the batch; other memory is in `a`. Return 0 or -ENOMEM.
 */
MUST_USE int trace_maker_view(struct trace_maker *m, const uint32_t *rows, uint32_t n,
			      struct arena *a, struct trace_view *out);

/*
 * Read an AnyValue message. A list whose elements are scalars of one type is an array, other lists,
 * maps and bytes are TRACE_JSON. Text borrows from the message or is in the arena. 0 or -ENOMEM.
 */
MUST_USE int trace_value_read(struct str any_value, struct arena *a, struct trace_value *out);

/*
 * Make one view of all spans of the batch, which may be of several traces: each span by itself,
 * without parents. Return 0 or -ENOMEM.
 */
MUST_USE int trace_maker_spans(struct trace_maker *m, struct arena *a, struct trace_view *out);

#endif
