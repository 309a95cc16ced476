/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_JOURNAL_JOURNAL_H
#define VARVE_PIPELINE_JOURNAL_JOURNAL_H

#include "pipeline/component.h"

/*
 * A stage at the head of a pipeline, put there by the service before a processor that holds data
 * when an exporter that follows is durable. It acknowledges a delivery when its data is on disk
 * (disk_queue.h) and hands it down the pipeline with a bounded number of bytes in flight. An entry
 * is removed when the delivery that was made of it is done: successfully, or with an error that
 * cannot be retried. After other errors it is handed down again.
 *
 * It is a processor that is not in the table of components: create() gets struct journal_settings,
 * which need not outlive the call. consume() and start() as for other processors; start() begins to
 * hand down what an earlier process has left, so that the stages after it have to be started.
 */
struct journal_settings {
	const char *directory; /* of the storage extension */
	struct key_ring *keys; /* of that extension; a reference is taken. NULL: no encryption */
	const char *name;      /* of the pipeline, "traces/2": files are in journal/traces%2F2 */
	uint64_t max_bytes;    /* on disk; 0: JOURNAL_BYTES */
	size_t max_in_flight;  /* 0: JOURNAL_IN_FLIGHT */
};

#define JOURNAL_BYTES (4 * GIB)
#define JOURNAL_IN_FLIGHT (16 * MIB)

extern const struct component journal_processor;

#endif
