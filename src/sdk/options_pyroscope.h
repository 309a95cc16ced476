/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_OPTIONS_PYROSCOPE_H
#define VARVE_SDK_OPTIONS_PYROSCOPE_H

#include "sdk/options.h"

/*
 * Fill options that neither code, other variables nor a file give from Pyroscope's variables
 * (docs/sdk.md lists them). They apply if PYROSCOPE_SERVER_ADDRESS is set, no endpoint or directory
 * is given and the protocol is not another one. 0, -EINVAL or -ENOMEM.
 */
MUST_USE int sdk_options_from_pyroscope(struct sdk_options *out, struct err *e);

#endif
