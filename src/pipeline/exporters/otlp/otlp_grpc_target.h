/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_OTLP_OTLP_GRPC_TARGET_H
#define VARVE_PIPELINE_EXPORTERS_OTLP_OTLP_GRPC_TARGET_H

#include "pipeline/exporters/sender/client_settings.h"
#include "pipeline/exporters/sender/sender.h"

/*
 * A destination of OTLP/gRPC. It is the exporter of otlp_grpc_ops; each consumer thread has a
 * connection of its own.
 */
struct otlp_grpc_options {
	const struct client_settings *client; /* with a checked compression */
	struct str address;		      /* "host:port", NUL-terminated; outlives the target */
	bool tls;
	struct str authority; /* empty: the address */
	bool pick_first; /* always the first address of the name; else connections take turns */
};

struct otlp_grpc_target;

/* Return 0, or a negative errno with text in `e`. The settings outlive the target. */
MUST_USE int otlp_grpc_target_new(struct otlp_grpc_target **out, const struct component_env *env,
				  const struct otlp_grpc_options *options, struct err *e);
void otlp_grpc_target_free(struct otlp_grpc_target *t); /* takes NULL */

/* Check that the files of certificates and keys can be used. Return 0 or an error that names one. */
MUST_USE int otlp_grpc_target_check(struct otlp_grpc_target *t, struct err *e);

extern const struct sender_ops otlp_grpc_ops;

#endif
