/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_ITEM_COUNTERS_H
#define VARVE_PIPELINE_SERVICE_ITEM_COUNTERS_H

#include <pthread.h>

#include "pipeline/host.h"

/*
 * Consumers that count items on their way to the next consumer, with the metrics of the
 * OpenTelemetry Collector. They neither allocate nor lock, except for the first delivery of a
 * transport. Private to the service.
 */

/* After a receiver: otelcol_receiver_accepted_spans{receiver, transport}, refused_spans. */
enum { RECEIVER_TRANSPORTS = 4 };

struct receiver_counter;

struct receiver_counts {
	struct receiver_counter *of;
	const char *transport;
	struct telemetry_value *accepted, *refused;
};

struct receiver_counter {
	struct consumer consumer;
	struct host *host;
	const char *id;
	enum signal_kind signal;
	pthread_mutex_t mu;				    /* held to add to `counts` */
	struct receiver_counts counts[RECEIVER_TRANSPORTS]; /* the first `count` are immutable */
	_Atomic unsigned count;
};

void receiver_counter_init(struct receiver_counter *c, struct host *host, const char *id,
			   enum signal_kind signal, struct consumer *next);
/*
 * Count a request that was refused before it was read, as one item, if `c` is the consumer of a
 * receiver_counter. `c` may be NULL.
 */
void receiver_counter_refuse(struct consumer *c, const char *transport);
void receiver_counter_fini(struct receiver_counter *c);

/*
 * Between two consumers of a pipeline: otelcol_processor_outgoing_items of the processor before,
 * and incoming_items of the one after; either may be NULL.
 */
struct processor_counter {
	struct consumer consumer;
	struct telemetry_value *outgoing, *incoming;
};

void processor_counter_init(struct processor_counter *c, struct telemetry_value *outgoing,
			    struct telemetry_value *incoming, struct consumer *next);

/* Return the counter of a processor: `what` is "incoming" or "outgoing". */
struct telemetry_value *processor_counter_value(struct telemetry *t, const char *what,
						const char *id, enum signal_kind signal);

/* Before an exporter: otelcol_exporter_sent_spans{exporter}, send_failed_spans, of all signals. */
struct exporter_counter {
	struct consumer consumer;
	struct telemetry_value *sent[SIGNALS], *failed[SIGNALS];
};

/* `signals` are those of the pipelines that use the exporter. */
void exporter_counter_init(struct exporter_counter *c, struct telemetry *t, const char *id,
			   unsigned signals, struct consumer *next);

#endif
