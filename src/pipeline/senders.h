/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SENDERS_H
#define VARVE_PIPELINE_SENDERS_H

#include <pthread.h>

#include "net/http/http.h"
#include "signal/series.h"

/*
 * What was received by which protocol, and from whom: for people who look whether their data arrives. A request is one
 * entry in the books, made when it is answered, under one lock. Senders are told apart by address, name of the program, protocol and
 * tenant; when there are more than fit, the one that was not heard of for longest makes room. Any thread.
 */
enum receive_protocol {
	RECEIVE_OTLP_HTTP,
	RECEIVE_OTLP_GRPC,
	RECEIVE_INGEST,
	RECEIVE_PUSH,
	RECEIVE_UPLOAD,
	RECEIVE_PROTOCOLS,
};
extern const char *const receive_protocol_names[RECEIVE_PROTOCOLS];

enum receive_refused {
	REFUSED_BAD,	  /* could not be decoded */
	REFUSED_REJECTED, /* profiles or spans that were refused alone */
	REFUSED_FAILED,	  /* may be tried again: overload, the disk */
	REFUSED_OVERLOAD, /* not let in */
	REFUSED_REASONS,
};
extern const char *const receive_refused_names[REFUSED_REASONS];

enum {
	SENDERS_MAX = 256,
	SENDERS_TENANTS_MAX = 1024,
	SENDER_SERVICES = 4,
	SERVICES_LOOKED_AT = 16, /* series or spans of a request */
	SENDER_SERVICE = 64,
	SENDER_AGENT = 80,
	SENDER_PEER = 64,
	SENDER_TENANT = 152,
	SENDER_REFUSAL = 200,
};

/* Names of services, cut to fit. */
struct service_names {
	unsigned n;
	char at[SENDER_SERVICES][SENDER_SERVICE];
};

/* Add it if it is new and there is room. */
void service_names_add(struct service_names *s, struct str name);

/* Add the services of these series: of the first few, since series of one service stand together nearly always. */
void service_names_add_series(struct service_names *s, const struct series_map *series);

/* One request that was answered. Borrowed. */
struct receipt {
	enum receive_protocol protocol;
	const struct http_exchange *x;
	uint64_t bytes; /* of the body, as it came */
	uint64_t profiles, samples, duplicates, spans;
	uint64_t refused[REFUSED_REASONS];
	const char *reason;		      /* of a refusal; NULL, "": none */
	const struct service_names *services; /* may be NULL */
};

struct receive_sums {
	uint64_t requests, profiles, samples, bytes, duplicates, spans;
	uint64_t refused[REFUSED_REASONS];
};

/* What the profiler that sends tells of itself, since it began. */
struct sender_profiler {
	bool told;
	uint64_t samples, lost, cpu_ns;
};

struct sender {
	uint64_t hash; /* of the next four */
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
	/* The same for each of the first SENDERS_TENANTS_MAX tenants. */
	struct tenant_sums *tenants;
	unsigned tenant_n, tenant_room;
	struct sender *at; /* SENDERS_MAX of them, made when the first one comes */
	unsigned n;
	uint64_t
		newest; /* `last` of the last one heard of: no two are the same, whatever the clock does */
};

void senders_init(struct senders *s);
void senders_fini(struct senders *s);

/* Enter a request; without memory for the table only the sums know of it. */
void senders_note(struct senders *s, const struct receipt *r);

/*
 * What is in the books now of a tenant (empty: of all): sums a protocol, and the senders, the last heard of first. `at` has room
 * for SENDERS_MAX; returns how many there are.
 */
unsigned senders_copy(struct senders *s, struct str tenant,
		      struct receive_sums sums[RECEIVE_PROTOCOLS], struct sender *at);

#endif
