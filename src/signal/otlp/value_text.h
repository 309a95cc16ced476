/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_OTLP_VALUE_TEXT_H
#define VARVE_SIGNAL_OTLP_VALUE_TEXT_H

#include "base/buf.h"
#include "base/err.h"
#include "signal/value.h"

/*
 * Append a value as text, as the collector does: a string as it is, numbers in decimal, true and
 * false, bytes in base64, lists and maps as JSON with sorted keys, nothing for an empty value.
 * Return 0, or -EBADMSG for a damaged list or map. Memory errors are kept in `out`.
 */
MUST_USE int otlp_value_text(struct buf *out, const struct value *value);

/*
 * Append a double as the collector writes it: the shortest digits that are read as the same number,
 * with an exponent below 1e-6 and from 1e21 on; NaN, +Inf, -Inf.
 */
void otlp_double_text(struct buf *out, double d);

#endif
