/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_DRIFT_DRIFT_EXPLAIN_H
#define VARVE_API_DRIFT_DRIFT_EXPLAIN_H

#include "api/drift/drift_event.h"
#include "query/drift/drift_watch.h"

/*
 * Make the event of a finding: read the costs before and after the change once more, for the cost
 * per second, the versions, and to see whether the cost only moved.
 *
 * A cost has moved if functions that are related to this one (its callers and callees, those of its
 * file, and those with its name but for template arguments) lost about as much as it gained, or the
 * reverse: code was renamed, inlined or taken apart.
 *
 * Strings of the event are in the arena or the watch. Return 1; 0 if the cost moved; or -errno.
 */
MUST_USE int drift_explain(const struct drift_watch *w, const struct drift_step *step,
			   const struct drift_finding *f, struct arena *arena,
			   struct drift_event *out, struct err *e);

#endif
