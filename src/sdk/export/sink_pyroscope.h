/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_SINK_PYROSCOPE_H
#define VARVE_SDK_EXPORT_SINK_PYROSCOPE_H

#include "sdk/export/sink_otlp.h"

struct keyvalue;

/*
 * Make a sink for Pyroscope's /ingest. `resource` is borrowed: service.name is the application, the
 * other attributes are its labels. `endpoint`, and `headers` and `keys` of the options, as in
 * sink_otlp.h. Return 0, -EINVAL or -ENOMEM.
 */
MUST_USE int sink_pyroscope(struct sink **out, const char *endpoint,
			    const struct otlp_sink_options *o, const struct keyvalue *resource,
			    uint32_t resource_count, struct err *e);

#endif
