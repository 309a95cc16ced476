/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PYROSCOPE_RESPONSES_H
#define VARVE_API_PYROSCOPE_RESPONSES_H

#include "api/pyroscope/query_params.h"
#include "query/flamebearer.h"
#include "query/tree/tree.h"
#include "wire/proto.h"

/*
 * Helpers for responses, private to src/api/pyroscope. Messages are written backwards, from their
 * end.
 */

/* Copy the finished message to the reply and finish the writer. Return 0 or -ENOMEM. */
MUST_USE int response_finish(struct reply *out, struct proto_writer *w);

/* Write labels as a repeated LabelPair field. */
void response_put_labels(struct proto_writer *w, uint32_t field, struct label_set labels);

/* Write a double field, also if it is zero. */
void response_put_double(struct proto_writer *w, uint32_t field, double value);

/*
 * Build the call tree of a selection, by function name. Call tree_fini() before selection_fini().
 */
MUST_USE int response_tree(struct tree *t, struct selection *s, struct err *e);

/* Build the tree of a difference: before and after. */
MUST_USE int response_diff_tree(struct tree *t, struct selection *left, struct selection *right,
				struct err *e);

/* Append a selection as uncompressed pprof, with trimmed stacks if the parameters say so. */
MUST_USE int response_put_pprof(struct buf *out, struct selection *s,
				const struct query_params *params, struct request *r,
				struct err *e);

#endif
