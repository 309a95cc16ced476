/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_SINK_H
#define VARVE_SDK_EXPORT_SINK_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/err.h"
#include "signal/profile/profile.h"
#include "varve/varve.h"

/*
 * Where profiles, spans and metrics go. The exporter (sdk/export/export.h) has bounded queues of encoded messages and a thread for each signal, so
 * that a slow endpoint never holds up the collector, and no signal another; it retries with back-off what may be retried, and counts.
 * Sinks: OTLP over HTTP/1.1 (plain sockets; https by libcurl, loaded when needed), OTLP over gRPC (HTTP/2 of our own; TLS by libssl, loaded when
 * needed), Pyroscope's /ingest, files in a directory, a callback.
 */
enum export_signal {
	EXPORT_PROFILES,
	EXPORT_TRACES,
	EXPORT_METRICS,
	EXPORT_SIGNALS, /* how many there are */
};

/* One encoded message on its way. */
struct export_item {
	struct export_item *next;
	enum export_signal signal;
	enum varve_profile kind; /* of profiles */
	uint64_t start_unix_ns, duration_ns;
	struct buf body;   /* OTLP protobuf, or pprof for Pyroscope and files; not compressed yet */
	struct buf packed; /* what the sink made of it at the first try, for the next ones */
	uint64_t sent_bytes; /* how much of it went out, at the last try */
	uint64_t put_ns;     /* when the exporter got it; the monotonic clock */
};

struct sink {
	const char *name;
	bool pprof;		  /* wants profiles as pprof, not as OTLP */
	bool profiles_only;	  /* has no place for traces and metrics: they are not put */
	const _Atomic bool *stop; /* the exporter's: give up soon; NULL: never */
	/*
	 * Deliver one item. 0: confirmed; -EAGAIN: may be tried again (*retry_after_ms, if it is told); -EOPNOTSUPP: there is no
	 * place for this signal; another -errno: refused for good. Items of one signal come one after the other, those of different signals on
	 * different threads at the same time. Gives up when `stop` is set or after the time-out.
	 */
	int (*deliver)(struct sink *s, struct export_item *item, uint64_t timeout_ms,
		       uint64_t *retry_after_ms, struct err *e);
	/* Is the other side ready? GET /ready. Any thread, also while something is delivered. May be NULL. */
	int (*check)(struct sink *s, uint64_t timeout_ms, struct err *e);
	/*
	 * In a forked child: connections are the parent's. `busy` has bit n set if the parent was inside deliver() with signal n: what it works
	 * with is of no use here, and may not even be freed. May be NULL.
	 */
	void (*forked)(struct sink *s, unsigned busy);
	void (*free)(struct sink *s);
};

#endif
