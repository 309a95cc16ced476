/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_PREPARE_H
#define VARVE_FORMAT_OTLP_PREPARE_H

#include "signal/profile/profile.h"

/*
 * Copy `src` into the empty batch `dst` so that its encoding passes otlp_check(): normalize it,
 * extend the time range of each profile to cover its samples, clear invalid address ranges and
 * negative line numbers, and repair text that is not UTF-8. `dst` borrows from `src`. Return 0,
 * -ENOMEM or -EOVERFLOW.
 */
MUST_USE int otlp_prepare(struct profile_batch *dst, const struct profile_batch *src);

#endif
