/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_EXPORT_H
#define VARVE_SDK_EXPORT_EXPORT_H

#include "sdk/export/sink.h"

/* The exporter: see sdk/export/sink.h. */
struct exporter;

struct exporter_options {
	size_t max_bytes;    /* waiting; over it the oldest is dropped and counted as failed */
	uint32_t max_items;  /* 100 */
	uint64_t timeout_ms; /* of one delivery; 10000 */
	uint64_t retry_first_ms, retry_max_ms, retry_total_ms; /* 1000, 30000, 300000 */
};

/* Takes the sink over, also on failure. A thread of each signal starts with the first item of it. */
MUST_USE int exporter_new(struct exporter **out, struct sink *sink,
			  const struct exporter_options *o, struct err *e);

/* Hand an item over: it is the exporter's from now on, on failure too. 0, -ENOBUFS when it is larger than all the room, -EAGAIN without a thread. */
MUST_USE int exporter_put(struct exporter *x, struct export_item *item);
struct export_item *export_item_new(enum export_signal signal);
void export_item_free(struct export_item *item);

/* Wait until all that was put is confirmed or given up. 0 or -ETIMEDOUT. */
MUST_USE int exporter_flush(struct exporter *x, uint64_t timeout_ms);

/* Flush for at most that long, stop, free. Takes NULL. */
void exporter_free(struct exporter *x, uint64_t timeout_ms);

/* fork(): before, after in the parent, and in the child, which begins with empty queues and without threads. */
void exporter_before_fork(struct exporter *x);
void exporter_after_fork(struct exporter *x);
void exporter_in_child(struct exporter *x);

void exporter_counters(struct exporter *x, struct varve_delivery *out);
bool exporter_wants_pprof(const struct exporter *x);
bool exporter_profiles_only(const struct exporter *x);

/* Why the last delivery failed, in words; "" when none did. Returns the length, below `size`. */
size_t exporter_last_error(struct exporter *x, char *out, size_t size);

MUST_USE int exporter_check(struct exporter *x, struct err *e);

/* The sinks. `endpoint` is a URL; `headers` "key=value,..." go with each request. */
MUST_USE int sink_otlp_http(struct sink **out, const char *endpoint, const char *headers,
			    struct err *e);
MUST_USE int sink_otlp_grpc(struct sink **out, const char *endpoint, const char *headers,
			    struct err *e);
/* `resource`: service.name is the application, the others are its labels; borrowed. */
struct keyvalue;
MUST_USE int sink_pyroscope(struct sink **out, const char *endpoint, const char *headers,
			    const struct keyvalue *resource, uint32_t resource_count,
			    struct err *e);
MUST_USE int sink_files(struct sink **out, const char *directory, struct err *e);

/* `varve run` names the process that it started (VARVE_MAIN_PID): is this another one? Its files have its pid in their names. */
bool sink_is_child(void);

/* Copy a batch without what is a moment and no sum, as memory in use: a program that is gone has none. 0 or -ENOMEM. */
MUST_USE int sink_keep_sums(struct profile_batch *out, const struct profile_batch *batch);

/* Make the directory, with those above it, if it is not there. -ENOTDIR, -EACCES ...: nothing can be written there; says why. */
MUST_USE int sink_files_directory(const char *path, struct err *e);

/*
 * What the profilers of this process have cost so far, as a header of each export: "varve-profiler: samples=N lost=N cpu_ns=N". All since the start:
 * samples taken, how many of them were dropped because a buffer was full, CPU time of our own threads and of the hooks that took samples. Returns `out`.
 */
enum { SINK_COST_MAX = 128 };
const char *sink_cost(char out[SINK_COST_MAX]);

/* What check() of a sink over HTTP does: GET /ready, with a connection of its own. Any thread. */
struct post_client;
MUST_USE int sink_check_ready(const struct post_client *client, uint64_t timeout_ms, struct err *e);
MUST_USE int sink_callback(struct sink **out, const struct varve_options *o, struct err *e);

#endif
