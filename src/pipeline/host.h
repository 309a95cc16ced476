/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_HOST_H
#define VARVE_PIPELINE_HOST_H

#include "base/budget.h"
#include "base/log.h"
#include "base/workers.h"
#include "pipeline/admission/limits.h"
#include "pipeline/convert/prometheus/prom_deltas.h"
#include "pipeline/convert/prometheus/prom_names.h"
#include "pipeline/exporters/sender/sender_list.h"
#include "pipeline/intake.h"
#include "pipeline/journal/disk_queue.h"
#include "pipeline/listeners.h"
#include "pipeline/processors/tail_sampling/profiled_traces.h"
#include "pipeline/receivers/scrape/target_list.h"
#include "pipeline/service/delivery_traces.h"
#include "pipeline/telemetry/telemetry.h"
#include "store/store.h"

/*
 * The resources that components share: the log, a memory budget, worker threads, listeners and the
 * store. Owned by the command that runs the pipelines.
 */
struct store_settings;

struct key_ring;

struct host {
	const struct log *log;
	/* Data in transit; when it is used up, receivers refuse data until later. */
	struct budget memory;
	/* It stays used up: queues of exporters hold it. Receivers refuse before reading a body. */
	_Atomic bool memory_held;
	struct workers workers;
	struct intake_pool intakes;
	struct prom_deltas deltas;	 /* of metrics that are decoded for the store */
	enum prom_strategy metric_names; /* of those; set by the exporter store */
	struct limits *limits;		 /* per tenant and token; set by the command, may be NULL */
	struct senders senders;		 /* statistics by sender */
	struct telemetry telemetry;	 /* metrics of components */
	struct sender_list exporters;	 /* statistics of exporters that send */
	struct target_list scrape_targets; /* of receivers that scrape metrics */
	struct disk_queue_list queues;	   /* on disk */
	struct listeners listeners;
	struct delivery_traces traces; /* for the extension zpages */
	const char *version;	      /* of the program, to be shown; set by the command, or NULL */
	struct key_ring *sender_keys; /* of encrypted bodies; NULL: none. Freed by host_fini() */
	uint64_t started;	      /* nanoseconds since 1970 */
	/*
	 * Where the metrics are served if the configuration does not say it; NULL: nowhere. Set by
	 * the command.
	 */
	const char *metrics_address;
	struct profiled_traces profiled; /* for the processor tail_sampling */
	/* Signals (enum signal_kind) that were received, discarded and logged. */
	_Atomic unsigned discarded;

	/*
	 * Serve profiles of this process on an address, for the extension pprof. Return 0 with
	 * *served for stop_profiles(), or a negative errno with text in `e`. Set by the command;
	 * NULL: they are not served.
	 */
	int (*serve_profiles)(void *arg, const char *address, void **served, struct err *e);
	void (*stop_profiles)(void *served);
	/*
	 * For the receiver pprof: start the profilers of this process, and append a CPU profile of
	 * that many seconds in pprof's format, or less when *cancelled is set. Any thread may take
	 * profiles. NULL: not possible.
	 */
	void (*want_profiles)(void *arg);
	int (*take_profile)(void *arg, unsigned seconds, const _Atomic bool *cancelled,
			    struct buf *out, struct err *e);
	void *serve_profiles_arg;

	/* Open the store of an exporter. Set by the command: pipelines know no implementation. */
	int (*open_store)(void *arg, const struct store_settings *settings, struct store **out,
			  struct err *e);
	void *open_store_arg;
	struct store *store; /* the opened store, for the query API, or NULL */
	unsigned store_users;
	struct buf store_settings; /* as text, to compare */
};

/*
 * Start `threads` workers (0: one per processor) with `memory` bytes for decoded data. Return 0 or
 * -errno; call host_fini() in either case.
 */
MUST_USE int host_init(struct host *h, unsigned threads, size_t memory, const struct log *log,
		       struct err *e);
void host_fini(struct host *h);

/*
 * Open the store, or use the one that is open with the same settings: a reload creates the new
 * exporter while the old one exists. Return -EBUSY if its settings differ. The caller holds the
 * store, h->store, until host_store_close(). One thread at a time.
 */
MUST_USE int host_store_open(struct host *h, const struct store_settings *settings, struct err *e);
void host_store_close(struct host *h);

/*
 * Append the metrics of components, exporters, ingest and memory in Prometheus text format. With
 * `suffixes` the counters of components end in _total. Any thread.
 */
void host_metrics(struct host *h, struct buf *out, bool suffixes);

#endif
