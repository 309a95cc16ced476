/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_VARVE_SAMPLES_H
#define VARVE_API_VARVE_SAMPLES_H

#include "api/varve/view_query.h"
#include "query/spans.h"

/* Get the spans of a query, sorted. Return 0 or -errno; call spans_fini() in either case. */
MUST_USE int view_spans(struct spans *spans, struct view_query *q, struct request *r,
			struct err *e);

#endif
