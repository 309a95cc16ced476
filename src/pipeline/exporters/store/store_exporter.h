/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_STORE_EXPORTER_H
#define VARVE_PIPELINE_STORE_EXPORTER_H

#include "pipeline/component.h"

/* Writes profiles and spans to the store of this process; a delivery is done when it is on disk. */
extern const struct component store_exporter;

/* The argument of host->open_store(). */
struct store_settings {
	struct str directory;			/* NUL-terminated */
	uint64_t retention_ns, retention_bytes; /* 0: unlimited */
	/* Of one signal; 0: as all data. */
	uint64_t retention_traces_ns, retention_logs_ns, retention_metrics_ns,
		retention_profiles_ns;
	uint64_t future_ns;	 /* refuse times further in the future; 0: none */
	int64_t max_stack_nodes; /* per service and day; 0: unlimited */
	int64_t max_series;	 /* of metrics, per tenant and day; 0: unlimited */
	struct str metric_names; /* prom_strategy_find() */
	uint64_t memory_bytes;	 /* for caches; 0: the store's default */
	struct str key_file;	 /* NUL-terminated; empty: no encryption */
};

#endif
