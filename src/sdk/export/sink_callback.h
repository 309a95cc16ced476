/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_SINK_CALLBACK_H
#define VARVE_SDK_EXPORT_SINK_CALLBACK_H

#include "sdk/export/sink.h"

/* Make a sink that calls o->on_profile with each profile. Return 0 or -ENOMEM. */
MUST_USE int sink_callback(struct sink **out, const struct varve_options *o, struct err *e);

#endif
