/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_SINK_PYROSCOPE_H
#define VARVE_SDK_EXPORT_SINK_PYROSCOPE_H

#include "sdk/export/sink.h"

struct keyvalue;

/*
 * Make a sink for Pyroscope's /ingest. `resource` is borrowed: service.name is the application, the
 * other attributes are its labels. `endpoint` and `headers` as in sink_otlp.h. Return 0, -EINVAL or
 * -ENOMEM.
 */
MUST_USE int sink_pyroscope(struct sink **out, const char *endpoint, const char *headers,
			    const struct keyvalue *resource, uint32_t resource_count,
			    struct err *e);

#endif
