/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_BATCH_BATCH_SEND_H
#define VARVE_PIPELINE_PROCESSORS_BATCH_BATCH_SEND_H

#include "pipeline/host.h"
#include "pipeline/processors/batch/batch_flow.h"
#include "pipeline/processors/batch/open_batch.h"

/*
 * Sends a batch: merges its payloads, cuts the result to pieces of at most `max_items`, and
 * delivers them. Deliveries that wait are completed with the results of the pieces that have their
 * items.
 */
struct batch_sender {
	struct consumer *next;
	struct host *host;
	const struct log *log;
	const char *id;
	uint64_t max_items; /* 0: no limit */
	struct batch_flow *flow;
	struct telemetry_histogram *send_size, *send_bytes;
};

/*
 * Send a batch and free it. If it was cut and the last piece has fewer than `keep_below` items, the
 * piece is returned instead, as a batch of the same key with the shares that it has. NULL: all was
 * sent. Any thread; no lock is needed.
 */
struct open_batch *batch_send(const struct batch_sender *s, struct open_batch *o,
			      uint64_t keep_below);

#endif
