/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_ADMISSION_SENDERS_H
#define VARVE_PIPELINE_ADMISSION_SENDERS_H

#include <pthread.h>

#include "net/http/http.h"
#include "signal/series.h"
#include "signal/span_batch.h"

/*
 * Ingest statistics by protocol, tenant and sender, for users who check whether their data arrives.
 * A request is recorded once, when it is answered, under one lock. A sender is identified by
 * address, user agent, protocol and tenant; when the table is full, the least recently active
 * sender is replaced. Any thread.
 */
enum receive_protocol {
	RECEIVE_OTLP_HTTP,
	RECEIVE_OTLP_GRPC,
	RECEIVE_INGEST,
	RECEIVE_PUSH,
	RECEIVE_UPLOAD,
	RECEIVE_REMOTE_WRITE,
	RECEIVE_PROTOCOLS,
};
extern const char *const receive_protocol_names[RECEIVE_PROTOCOLS];

enum receive_refused {
	REFUSED_BAD,	  /* could not be decoded */
	REFUSED_REJECTED, /* profiles or spans that were refused individually */
	REFUSED_FAILED,	  /* may be retried: overload, disk */
	REFUSED_OVERLOAD, /* not admitted */
	REFUSED_REASONS,
};
extern const char *const receive_refused_names[REFUSED_REASONS];

enum {
	SENDERS_MAX = 2048,
	SENDERS_TENANTS_MAX = 1024,
	SENDER_SERVICES = 4,
	SERVICES_LOOKED_AT = 16, /* series of a request, or runs of spans of one service */
	SENDER_SERVICE = 64,
	SENDER_AGENT = 80,
	SENDER_PEER = 64,
	SENDER_TENANT = 152,
	SENDER_REFUSAL = 200,
};

/* Names of services, truncated to fit. */
struct service_names {
	unsigned n;
	char at[SENDER_SERVICES][SENDER_SERVICE];
};

/* Add a name unless it is present or the set is full. */
void service_names_add(struct service_names *s, struct str name);

/* Add the services of the first SERVICES_LOOKED_AT series; most requests have a single service. */
void service_names_add_series(struct service_names *s, const struct series_map *series);

/* Add the services of the spans; those of one service are adjacent. */
void service_names_add_spans(struct service_names *s, const struct span_batch *spans);

/* The result of one answered request. All pointers are borrowed. */
struct receipt {
	enum receive_protocol protocol;
	const struct http_exchange *x;
	uint64_t bytes; /* of the body as received */
	uint64_t profiles, samples, duplicates, spans;
	uint64_t refused[REFUSED_REASONS];
	const char *reason;		      /* of a refusal; NULL or "": none */
	const struct service_names *services; /* may be NULL */
};

struct receive_sums {
	uint64_t requests, profiles, samples, bytes, duplicates, spans;
	uint64_t refused[REFUSED_REASONS];
};

/* What the sending profiler reports about itself, since its start. */
struct sender_profiler {
	bool reported;
	uint64_t samples, lost, cpu_ns;
};

struct known_sender {
	uint64_t hash; /* of the next four fields */
	enum receive_protocol protocol;
	char peer[SENDER_PEER], agent[SENDER_AGENT + 1], tenant[SENDER_TENANT];
	struct service_names services;
	struct receive_sums sums;
	uint64_t last; /* nanoseconds since 1970 */
	char refusal[SENDER_REFUSAL];
	uint64_t refusal_time;
	struct sender_profiler profiler;
};

struct tenant_sums {
	uint64_t hash; /* of the name */
	char tenant[SENDER_TENANT];
	struct receive_sums sums[RECEIVE_PROTOCOLS];
};

struct senders {
	pthread_mutex_t mu; /* guards what follows */
	struct receive_sums sums[RECEIVE_PROTOCOLS];
	/* The sums of the first SENDERS_TENANTS_MAX tenants. */
	struct tenant_sums *tenants;
	unsigned tenant_n, tenant_room;
	struct known_sender *at; /* SENDERS_MAX entries, allocated for the first sender */
	uint64_t *hashes;	 /* of `at` */
	unsigned n;
	uint64_t forgotten; /* senders that were replaced by others */
	/*
	 * The greatest `last`. It always increases, so that no two are equal, whatever the clock
	 * does.
	 */
	uint64_t newest;
};

void senders_init(struct senders *s);
void senders_fini(struct senders *s);

/* Record a request; without memory for the table of senders, only the sums include it. */
void senders_note(struct senders *s, const struct receipt *r);

/*
 * Copy the statistics of a tenant (empty: of all): the sums by protocol, and the senders, most
 * recently active first. `at` has room for SENDERS_MAX; NULL: only the sums. Return the number of
 * senders.
 */
unsigned senders_copy(struct senders *s, struct str tenant,
		      struct receive_sums sums[RECEIVE_PROTOCOLS], struct known_sender *at);

/* Return how many senders were replaced by others, because there were more than SENDERS_MAX. */
uint64_t senders_forgotten(struct senders *s);

#endif
