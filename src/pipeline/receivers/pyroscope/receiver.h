/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_PRIVATE_H
#define VARVE_PIPELINE_PYROSCOPE_PRIVATE_H

#include "pipeline/receivers/receive.h"

/*
 * The pyroscope receiver, private to this folder: its settings and state, and the handlers of
 * receiver_ingest.c and receiver_push.c.
 */
struct pyroscope_settings {
	struct str endpoint;
	uint64_t max_bytes;
	int64_t max_labels, max_label_name, max_label_value;
	struct receive_tls tls;
};

enum { PYROSCOPE_ROUTES = 3 };

struct pyroscope_receiver {
	struct host *host;
	struct consumer *next;
	struct series_limits limits;
	size_t max_bytes;
	struct receive_tls tls;
	struct http_route routes[PYROSCOPE_ROUTES];
};

/* Handle a request of /ingest or push.v1, on a loop or a worker. */
void pyroscope_ingest(struct receive_job *job);
void pyroscope_push(struct receive_job *job);

/* Respond with an error in Pyroscope's form: {"code":"...","message":"..."}. */
void pyroscope_fail(struct http_exchange *x, unsigned status, enum rpc_code code,
		    unsigned retry_after_s, struct str message);

#endif
