/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_HOST_H
#define VARVE_PIPELINE_HOST_H

#include "base/budget.h"
#include "base/log.h"
#include "pipeline/intake.h"
#include "pipeline/limits.h"
#include "pipeline/listeners.h"
#include "pipeline/workers.h"
#include "store/store.h"

/*
 * What the program lends to its components: the log, one budget for memory, threads to work on,
 * ports to listen on, and the store. The command that runs pipelines owns it.
 */
struct store_settings;

struct host {
	const struct log *log;
	struct budget memory; /* of decoded data on its way; over it receivers answer "later" */
	struct workers workers;
	struct intake_pool intakes;
	struct limits *limits;	/* of senders; set by the command, may be NULL */
	struct senders senders; /* who sends, and what became of it */
	struct listeners listeners;
	_Atomic unsigned
		discarded; /* signals (enum signal_kind) that came and are not kept; it was logged */

	/* Open the store of an exporter; set by the command, so that pipelines know no implementation. */
	int (*open_store)(void *arg, const struct store_settings *settings, struct store **out,
			  struct err *e);
	void *open_store_arg;
	struct store *store; /* the one that was opened, for the query API; NULL: none */
};

/* `threads` workers; 0: one a processor. `memory`: bytes. 0 or -errno; fini in every case. */
MUST_USE int host_init(struct host *h, unsigned threads, size_t memory, const struct log *log,
		       struct err *e);
void host_fini(struct host *h);

/* Append what came in and what is held, in Prometheus' text format. Any thread. */
void host_metrics(struct host *h, struct buf *out);

#endif
