/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_SINK_H
#define VARVE_SDK_EXPORT_SINK_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/err.h"
#include "signal/profile/profile.h"
#include "varve/varve.h"

/*
 * The destination of profiles, spans, metrics and logs: OTLP over HTTP/1.1 (plain sockets; https by
 * libcurl, loaded when needed), OTLP over gRPC (our own HTTP/2; TLS by libssl, loaded when needed),
 * Pyroscope's /ingest, files in a directory, or a callback. The exporter (sdk/export/export.h)
 * calls it.
 */
enum export_signal {
	EXPORT_PROFILES,
	EXPORT_TRACES,
	EXPORT_METRICS,
	EXPORT_LOGS,
	EXPORT_SIGNALS, /* number of signals */
};

/* One encoded message in the queue. */
struct export_item {
	struct export_item *next;
	enum export_signal signal;
	enum varve_profile kind; /* for profiles */
	uint64_t start_unix_ns, duration_ns;
	struct buf body;     /* uncompressed OTLP protobuf, or pprof for Pyroscope and files */
	struct buf packed;   /* what the sink sends, made by the first attempt */
	uint64_t sent_bytes; /* in the last attempt */
	uint64_t put_ns;     /* when it was queued; monotonic clock */
};

struct sink {
	const char *name;
	bool pprof;		  /* profiles are passed as pprof, not as OTLP */
	bool profiles_only;	  /* traces, metrics and logs are never passed */
	const _Atomic bool *stop; /* the exporter's: cancels deliveries when true; may be NULL */
	/*
	 * Deliver one item. Return 0 when confirmed; -EAGAIN for a transient error (*retry_after_ms
	 * is set if the server sent a delay); -EOPNOTSUPP when the server does not support the
	 * signal; another -errno when rejected permanently. Items of one signal are delivered one
	 * at a time; different signals use different threads concurrently. Must return when `stop`
	 * is set or after the timeout.
	 */
	int (*deliver)(struct sink *s, struct export_item *item, uint64_t timeout_ms,
		       uint64_t *retry_after_ms, struct err *e);
	/* Return 0 if the server is ready. Any thread, also during a delivery. May be NULL. */
	int (*check)(struct sink *s, uint64_t timeout_ms, struct err *e);
	/*
	 * In a forked child: drop the parent's connections. Bit n of `busy` is set if the parent
	 * was inside deliver() with signal n: what it was using is inconsistent here and must not
	 * be freed. May be NULL.
	 */
	void (*forked)(struct sink *s, unsigned busy);
	void (*free)(struct sink *s);
};

#endif
