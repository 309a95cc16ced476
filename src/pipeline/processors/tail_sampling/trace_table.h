/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_TRACE_TABLE_H
#define VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_TRACE_TABLE_H

#include "pipeline/convert/payload_parts.h"
#include "pipeline/processors/delivery_ticket.h"
#include "pipeline/processors/tail_sampling/trace_id_set.h"

/*
 * The traces in memory: those that wait for their decision with their spans, and those that are
 * decided, for spans that arrive later. Both are in the order of their age. The caller holds a
 * lock.
 */
enum trace_state {
	TRACE_WAITS,
	TRACE_IN_DECISION, /* in none of the lists; may get more spans */
	TRACE_KEPT,
	TRACE_GONE,
};

/* What a trace holds: payloads of its spans, and the deliveries they came with. */
struct trace_spans {
	struct payload_list parts;
	struct delivery_ticket **tickets;
	uint32_t ticket_count, ticket_room;
	uint64_t spans, bytes;
};

struct held_trace {
	struct held_trace *same_hash, *older, *newer;
	struct trace_key key;
	enum trace_state state;
	bool too_large;
	uint64_t at_ns; /* monotonic: when it is due, or was decided */
	struct trace_spans held;
	size_t tenant_n;
	char tenant[];
};

struct trace_list {
	struct held_trace *oldest, *newest;
};

struct trace_table {
	struct held_trace **buckets;
	uint32_t mask, count;
	uint64_t bytes; /* of the payloads */
	struct trace_list waiting, decided;
};

/* Make a table for about `expected` traces. Return 0 or -ENOMEM. */
MUST_USE int trace_table_init(struct trace_table *t, uint32_t expected);

/* Free all traces and release what they hold; no ticket is left. */
void trace_table_fini(struct trace_table *t);

struct held_trace *trace_table_find(const struct trace_table *t, const struct trace_key *key);

/* Add a trace that waits until `due_ns`. NULL without memory. */
struct held_trace *trace_table_add(struct trace_table *t, const struct trace_key *key,
				   struct str tenant, uint64_t due_ns);

/* A trace that waits is too large: it gets no more spans, and is due at once, to be dropped. */
void trace_table_refuse(struct trace_table *t, struct held_trace *trace);

/* Begin the decision of a trace that waits: take it off the list, and what it holds. */
struct trace_spans trace_table_take(struct trace_table *t, struct held_trace *trace);

/* End the decision: put the trace on the list of decided ones, and take what it got meanwhile. */
struct trace_spans trace_table_decide(struct trace_table *t, struct held_trace *trace,
				      enum trace_state state, uint64_t now_ns);

/* Remove a trace that is decided. */
void trace_table_remove(struct trace_table *t, struct held_trace *trace);

/*
 * Add spans to a trace and take over the reference to the payload. `ticket` gets another reference;
 * it may be NULL. Return 0, or -ENOMEM: then the payload is released.
 */
MUST_USE int trace_table_hold(struct trace_table *t, struct held_trace *trace, struct payload *p,
			      struct delivery_ticket *ticket);

/* Release all payloads, and drop the tickets with this result. */
void trace_spans_finish(struct trace_spans *s, const struct delivery_result *result);

#endif
