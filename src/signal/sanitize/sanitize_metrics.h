/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_SANITIZE_METRICS_H
#define VARVE_SIGNAL_SANITIZE_SANITIZE_METRICS_H

#include "signal/metric/metric_batch.h"
#include "signal/sanitize/sanitize.h"

/*
 * Sanitizes decoded metrics: names and values of labels of series and exemplars, names, help texts
 * and units of metadata. Each distinct text is examined and counted once per batch.
 *
 * The place of a label's value is SANITIZE_METRICS. Labels that describe the source of a series
 * (job, instance, otel_scope_*, all of target_info) are SANITIZE_VALUES, names of labels
 * SANITIZE_KEYS, names of metrics and texts of metadata SANITIZE_OTHER.
 *
 * SANITIZE_REMOVE removes a label, or empties a text of metadata. SANITIZE_REMOVE_ITEM removes the
 * series with its samples and exemplars, the exemplar, or the metadata. What has no valid identity
 * any more is removed, too: a series without labels or whose name a rule has removed, metadata
 * without a name.
 */

/*
 * Return SANITIZE_KEEP (*out is undefined), or SANITIZE_CHANGED: *out is a view with new rows in the
 * arena of the run, which must not be passed to metric_batch_fini(). Two series of it may have equal
 * labels. Or return -ENOMEM.
 */
MUST_USE int sanitize_metrics(struct sanitize_run *r, const struct metric_batch *b,
			      struct metric_batch *out);

#endif
