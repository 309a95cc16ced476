/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_TRACE_SPLIT_H
#define VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_TRACE_SPLIT_H

#include "base/container/vec.h"
#include "pipeline/processors/tail_sampling/trace_id_set.h"
#include "signal/otlp/tree.h"

/* The spans of one trace in a payload, as a payload of their own. */
struct trace_piece {
	struct trace_key key;
	struct payload *payload;
};

struct trace_pieces {
	VEC(struct trace_piece) list;
};

/*
 * Split a payload by trace. The pieces are allocated in `arena`, their payloads are owned by the
 * caller. Spans without a valid trace id are the trace of the id 0. Return 0, -ENOMEM, or -EBADMSG
 * with text in `e`; on error *out is empty.
 */
MUST_USE int trace_split(struct trace_pieces *out, const struct payload *p, uint64_t tenant,
			 struct arena *arena, struct budget *budget, struct err *e);

/* Release the payloads that are left (not NULL). */
void trace_pieces_release(struct trace_pieces *pieces);

#endif
