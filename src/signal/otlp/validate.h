/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_OTLP_VALIDATE_H
#define VARVE_SIGNAL_OTLP_VALIDATE_H

#include "base/err.h"
#include "base/str.h"
#include "signal/signal_kind.h"

/*
 * Check a received message as a decoder would: the structure of all known messages and UTF-8 in all
 * strings. One damaged message must not make a batch of many senders unreadable for the next
 * receiver. Count its spans, data points, log records or samples in *items. Profiles of other
 * layouts than 1.11 may pass or fail: see otlp_is_current(). Indices into their dictionary are not
 * checked. Return 0, or -EBADMSG with the place of the mistake in `e`.
 */
MUST_USE int otlp_validate(enum signal_kind signal, struct str message, uint32_t *items,
			   struct err *e);

#endif
