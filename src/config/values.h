/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_VALUES_H
#define VARVE_CONFIG_VALUES_H

#include "base/str.h"

/* Parse the text of a setting. Return 0 or -EINVAL. */

/* "true", "True", "TRUE" and the same of false. */
MUST_USE int setting_parse_bool(struct str text, bool *out);

/* A number of bytes, or a number with a unit: "4194304", "4MiB", "64 KB". */
MUST_USE int setting_parse_bytes(struct str text, uint64_t *out);

/* Numbers with units, or "0", in nanoseconds: "200ms", "1h30m", "7d". */
MUST_USE int setting_parse_duration(struct str text, uint64_t *out);

#endif
