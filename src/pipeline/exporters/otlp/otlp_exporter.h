/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_OTLP_OTLP_EXPORTER_H
#define VARVE_PIPELINE_EXPORTERS_OTLP_OTLP_EXPORTER_H

#include "pipeline/exporters/sender/client_settings.h"
#include "pipeline/exporters/sender/sender_settings.h"

/*
 * Sends data of all signals as OTLP over gRPC, or over HTTP if the endpoint is a URL with a path.
 * docs/collector/otlp-exporters.md describes it.
 */
extern const struct component otlp_exporter;

struct otlp_settings {
	struct sender_settings sender;
	struct client_settings client;
	struct str authority, balancer_name;
};

extern const struct setting otlp_exporter_table[];

#endif
