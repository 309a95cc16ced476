/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_DELIVERY_TRACES_H
#define VARVE_PIPELINE_SERVICE_DELIVERY_TRACES_H

#include <pthread.h>
#include <stdatomic.h>

#include "pipeline/delivery.h"

/*
 * Recent deliveries by operation ("receiver/otlp/traces/grpc") and latency, for /debug/tracez. They
 * are recorded while somebody watches, i.e. while an extension zpages exists. Any thread.
 */
enum {
	TRACED_LATENCIES = 9, /* from 0, 10us, 100us, 1ms, 10ms, 100ms, 1s, 10s, 1m40s */
	TRACED_KEPT = 8,      /* deliveries by operation and latency */
	TRACED_OPERATIONS_MAX = 128,
	TRACED_NAME_MAX = 96,
	TRACED_REASON_MAX = 160,
};

struct traced_delivery {
	uint64_t ended; /* nanoseconds since 1970 */
	uint64_t latency_ns;
	uint64_t items;
	int rc; /* of struct delivery_result */
	char reason[TRACED_REASON_MAX];
};

struct traced_deliveries {
	uint64_t count;				  /* all */
	struct traced_delivery kept[TRACED_KEPT]; /* the last ones; the next is at count % KEPT */
};

struct traced_operation {
	struct traced_operation *next;
	char name[TRACED_NAME_MAX];
	struct traced_deliveries by_latency[TRACED_LATENCIES]; /* without an error */
	struct traced_deliveries errors;
};

struct delivery_traces {
	_Atomic unsigned watchers;
	pthread_mutex_t mu; /* guards what follows */
	struct traced_operation *first;
	unsigned count;
};

void delivery_traces_init(struct delivery_traces *t);
void delivery_traces_fini(struct delivery_traces *t);

/* Start or stop to record. What was recorded stays. */
void delivery_traces_watch(struct delivery_traces *t, bool on);

static inline bool delivery_traces_watched(struct delivery_traces *t)
{
	return atomic_load_explicit(&t->watchers, memory_order_relaxed) != 0;
}

/* "receiver/otlp/traces/grpc"; `transport` may be NULL or empty. */
struct traced_name {
	const char *kind, *id, *transport;
	enum signal_kind signal;
};

/* Record a delivery, if somebody watches. `reason` may be empty. */
void delivery_traces_add(struct delivery_traces *t, const struct traced_name *name,
			 const struct traced_delivery *d);

/* Call `visit` for each operation, which must not change or keep it, with `mu` held. */
void delivery_traces_visit(struct delivery_traces *t,
			   void (*visit)(void *arg, const struct traced_operation *o), void *arg);

/* The lower bounds of latencies in nanoseconds. */
extern const uint64_t traced_latency_bounds[TRACED_LATENCIES];

#endif
