/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PYROSCOPE_RESPONSES_H
#define VARVE_API_PYROSCOPE_RESPONSES_H

#include "api/pyroscope/query_params.h"
#include "query/flamebearer.h"
#include "query/tree/tree.h"
#include "wire/proto.h"

/* Private to src/api/pyroscope: what its answers share. Messages are written from their end. */

/* The finished message moves into the reply. 0 or -ENOMEM; the writer is finished in every case. */
MUST_USE int answer_take(struct reply *out, struct proto_writer *w);

/* A repeated LabelPair field. */
void answer_put_labels(struct proto_writer *w, uint32_t field, struct label_set labels);

/* A double, left out when it is zero; one that is an entry of a list is not. */
void answer_put_double(struct proto_writer *w, uint32_t field, double value);

/* A tree of what is selected, by function, finished. tree_fini() it before the selection. */
MUST_USE int answer_tree(struct tree *t, struct selection *s, struct err *e);

/* The tree of two selections: before and after. */
MUST_USE int answer_diff_tree(struct tree *t, struct selection *left, struct selection *right,
			      struct err *e);

/* What is selected as pprof, uncompressed; stacks are trimmed where the request asks for it. */
MUST_USE int answer_pprof(struct buf *out, struct selection *s, const struct ask *ask,
			  struct request *r, struct err *e);

/* A call graph for Graphviz of the functions with the largest totals. 0 or -ENOMEM. */
MUST_USE int answer_dot(struct buf *out, struct tree *t, uint64_t max_nodes);

#endif
