/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_SELECTION_TRACES_H
#define VARVE_API_SELECTION_TRACES_H

#include "api/selection.h"

/* A query selects the samples of at most this many spans; of more the newest traces count. */
enum { SELECTION_SPANS_MAX = 10000 };

/*
 * Select the samples of the spans that a TraceQL search finds in the range of the selection. If
 * there are more than SELECTION_SPANS_MAX, limits.missing is set. Return 0, -EINVAL for an invalid
 * query, -ENOENT if it finds no span, -EPERM for a token for some services, or another -errno.
 */
MUST_USE int selection_set_traceql(struct selection *s, struct str text, struct request *r,
				   struct err *e);

#endif
