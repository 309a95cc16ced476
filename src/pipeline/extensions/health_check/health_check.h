/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXTENSIONS_HEALTH_CHECK_H
#define VARVE_PIPELINE_EXTENSIONS_HEALTH_CHECK_H

#include "pipeline/component.h"

/* health_check: an address for the probes of Kubernetes and load balancers. */
extern const struct component health_check_extension;

#endif
