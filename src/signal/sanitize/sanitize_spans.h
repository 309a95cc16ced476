/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_SANITIZE_SPANS_H
#define VARVE_SIGNAL_SANITIZE_SANITIZE_SPANS_H

#include "signal/sanitize/sanitize.h"
#include "signal/span_batch.h"

/*
 * Sanitize decoded spans: names, names of services, details, resources and scopes. Return SANITIZE_KEEP (*out is undefined), or
 * SANITIZE_CHANGED: *out is a view with new spans in the arena of the run, which must not be passed
 * to span_batch_fini(); *removed is the number of spans that rules removed. Or -ENOMEM.
 */
MUST_USE int sanitize_spans(struct sanitize_run *r, const struct span_batch *b,
			    struct span_batch *out, uint32_t *removed);

#endif
