/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_RESOURCE_H
#define VARVE_SDK_RESOURCE_H

#include "base/err.h"

/* The OpenTelemetry resource of this process: service, process, host and SDK attributes. */

struct sdk;

/* Fill s->resource from options, environment and host. 0, -EIO or -ENOMEM. */
MUST_USE int sdk_make_resource(struct sdk *s, struct err *e);

/* In a forked child: set a new service.instance.id, and process.pid. 0 or -EIO. */
MUST_USE int sdk_new_instance(struct sdk *s);

#endif
