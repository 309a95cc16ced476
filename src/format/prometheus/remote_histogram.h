/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PROMETHEUS_REMOTE_HISTOGRAM_H
#define VARVE_FORMAT_PROMETHEUS_REMOTE_HISTOGRAM_H

#include "signal/metric/native_histogram.h"
#include "wire/proto.h"

/*
 * Decode the Histogram message of remote write, with arrays in the arena, and its time in
 * milliseconds. Return 0, -ENOMEM or -EBADMSG. A message that is well-formed but no valid histogram
 * sets *wrong to the reason.
 */
MUST_USE int remote_histogram_decode(struct native_histogram *h, int64_t *time, struct str message,
				     struct arena *arena, const char **wrong);

#endif
