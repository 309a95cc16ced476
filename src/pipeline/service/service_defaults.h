/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_SERVICE_DEFAULTS_H
#define VARVE_PIPELINE_SERVICE_SERVICE_DEFAULTS_H

#include "config/config.h"

/*
 * Add the defaults of all components and sections that a configuration has, for `varve config
 * show`. The configuration must have passed service_check(). Return 0 or -ENOMEM.
 */
MUST_USE int service_add_defaults(struct config *c);

#endif
