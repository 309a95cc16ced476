/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXTENSIONS_ZPAGES_H
#define VARVE_PIPELINE_EXTENSIONS_ZPAGES_H

#include "pipeline/component.h"

/* zpages: the state of the service as pages for browsers, at /debug/servicez and others. */
extern const struct component zpages_extension;

#endif
