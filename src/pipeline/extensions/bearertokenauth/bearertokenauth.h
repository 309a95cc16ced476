/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_BEARERTOKENAUTH_H
#define VARVE_PIPELINE_BEARERTOKENAUTH_H

#include "pipeline/component.h"

/* Authenticates requests by a token, and adds a token to the requests of exporters. */
extern const struct component bearertokenauth_extension;

#endif
