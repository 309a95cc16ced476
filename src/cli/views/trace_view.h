/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_VIEWS_TRACE_VIEW_H
#define VARVE_CLI_VIEWS_TRACE_VIEW_H

#include "base/container/vec.h"
#include "cli/command.h"
#include "wire/json.h"

/*
 * The spans of a trace as a tree, read from the JSON of a server, and their waterfall in the
 * terminal. Text borrows from the JSON documents.
 */
#define VIEW_NO_SPAN UINT32_MAX

struct trace_view_span {
	struct str id, parent, name, service, message; /* ids in hex */
	uint64_t start, end;			       /* nanoseconds */
	bool error;
	bool orphan; /* its parent is not stored */
	bool shown;
	uint32_t events;
	int64_t cost; /* of its own samples */
	uint32_t first_child, next_sibling;
};

struct trace_waterfall {
	struct arena arena;
	VEC(struct trace_view_span) spans; /* by start, parents before children of the same start */
	uint32_t *by_id;		   /* indexes of spans, ordered by id */
	uint64_t start, end;
	struct str unit; /* of the cost; empty: there is none */
};

/* Take over the arena in which the documents live. */
void trace_waterfall_init(struct trace_waterfall *t, struct budget *budget);
void trace_waterfall_fini(struct trace_waterfall *t);

/* Read the spans of OTLP's JSON, TracesData, and build the tree. Return 0 or -ENOMEM. */
MUST_USE int trace_waterfall_read(struct trace_waterfall *t, const struct json_value *traces);

/* Read the cost of spans from the answer of /api/v1/spans. */
void trace_waterfall_cost(struct trace_waterfall *t, const struct json_value *answer);

/* Append the waterfall: duration, cost, time line, service and name of each span. 0 or -ENOMEM. */
MUST_USE int trace_waterfall_put(struct trace_waterfall *t, struct buf *out,
				 const struct terminal *terminal, bool exact);

#endif
