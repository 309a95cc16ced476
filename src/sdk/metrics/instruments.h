/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_METRICS_INSTRUMENTS_H
#define VARVE_SDK_METRICS_INSTRUMENTS_H

#include "base/buf.h"
#include "wire/proto.h"

/*
 * The metrics of the program (include/varve/metrics.h) as the rest of the library sees them. Not
 * for hooks. One caller at a time reads values; others wait.
 */

/* Set the limit of series of an instrument, and the filter of exemplars (enum varve_exemplars). */
void instruments_configure(unsigned series_max, unsigned filter);

/*
 * Write ScopeMetrics as field 2 of ResourceMetrics, if any instrument has a value. Calls the
 * program's `observe` functions, and takes the exemplars. Errors are the writer's.
 */
void instruments_put(struct proto_writer *w, uint64_t now_unix_ns);

/* Append Prometheus text. Calls the program's `observe` functions. Errors are the buffer's. */
void instruments_text(struct buf *out);

/* Return whether a value was recorded since the start or, in a child, since the fork. */
bool instruments_have_values(void);

/* In a forked child: set all values to zero. */
void instruments_in_child(void);

#endif
