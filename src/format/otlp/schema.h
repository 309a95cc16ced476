/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_SCHEMA_H
#define VARVE_FORMAT_OTLP_SCHEMA_H

#include "signal/signal_kind.h"
#include "wire/schema.h"

/*
 * The messages of OTLP 1.11, for conversion from and to JSON (wire/schema.h). The messages of files
 * (TracesData ...) have the same fields as those of requests.
 */
extern const struct schema_message otlp_profiles_request;
extern const struct schema_message otlp_traces_request;	 /* schema_traces.c */
extern const struct schema_message otlp_metrics_request; /* schema_metrics.c */
extern const struct schema_message otlp_logs_request;	 /* schema_logs.c */

/* Return the Export request of a signal. */
const struct schema_message *otlp_request_schema(enum signal_kind signal);

#endif
