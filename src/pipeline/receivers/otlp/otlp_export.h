/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_OTLP_OTLP_EXPORT_H
#define VARVE_PIPELINE_RECEIVERS_OTLP_OTLP_EXPORT_H

#include "pipeline/component.h"
#include "pipeline/receivers/receive.h"

/*
 * One Export request of OTLP, from its complete body to the response. The message is delivered in
 * the form that the next consumer takes: as the received bytes, which are only checked, or decoded.
 */

/* What requests to a port of the receiver need. Immutable. */
struct otlp_target {
	struct host *host;
	struct consumer *next[SIGNALS]; /* NULL: no pipeline */
	enum component_form form[SIGNALS];
	bool include_metadata; /* deliver the headers of requests */
};

/*
 * Decode, deliver and answer the request of a job, whose receiver is a struct otlp_target. Without
 * a pipeline for metrics or logs it is answered with success and the number of discarded items.
 */
void otlp_export(struct receive_job *job);

/* Return the signal of a path of OTLP, over gRPC or HTTP. */
enum signal_kind otlp_signal_of(struct str path);

/* A path of OTLP. The table ends with a NULL path. */
struct otlp_path {
	const char *path;
	enum signal_kind signal;
	bool grpc;
};
extern const struct otlp_path otlp_paths[];

#endif
