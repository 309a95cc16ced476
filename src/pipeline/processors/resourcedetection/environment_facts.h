/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_RESOURCEDETECTION_ENVIRONMENT_FACTS_H
#define VARVE_PIPELINE_PROCESSORS_RESOURCEDETECTION_ENVIRONMENT_FACTS_H

#include "signal/otlp/attributes.h"

/*
 * Append the attributes of OTEL_RESOURCE_ATTRIBUTES (or of OTEL_RESOURCE, if that is not set), and
 * service.name from OTEL_SERVICE_NAME, which has precedence. Return 0, -ENOMEM, or -EINVAL with
 * text in `e`.
 */
MUST_USE int environment_facts(struct attributes *out, struct arena *arena, struct err *e);

#endif
