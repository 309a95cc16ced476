/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_BASICAUTH_H
#define VARVE_PIPELINE_BASICAUTH_H

#include "pipeline/component.h"

/* Authenticates requests by name and password, or adds them to the requests of exporters. */
extern const struct component basicauth_extension;

#endif
