/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PROMETHEUS_REMOTE_WRITE_H
#define VARVE_FORMAT_PROMETHEUS_REMOTE_WRITE_H

#include "signal/metric/metric_batch.h"

/*
 * Prometheus' remote write: the protobuf messages prometheus.WriteRequest (version 1) and
 * io.prometheus.write.v2.Request (version 2), not compressed. Sockets and compression are the
 * receiver's.
 */
enum remote_write_version { REMOTE_WRITE_1, REMOTE_WRITE_2 };

/*
 * Decode a message into the empty batch. Series, samples and histograms that are invalid are
 * dropped and counted in batch->rejected. Return 0, -ENOMEM, or -EBADMSG with text in `e`.
 */
MUST_USE int remote_write_decode(struct metric_batch *b, enum remote_write_version version,
				 struct str message, struct err *e);

#endif
