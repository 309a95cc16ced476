/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_UTF8_REPAIR_H
#define VARVE_FORMAT_OTLP_UTF8_REPAIR_H

#include "base/arena.h"
#include "base/str.h"

/*
 * Set *out to `s` if it is valid UTF-8, else to a copy in the arena with U+FFFD for each invalid
 * byte. Return 0 or -ENOMEM.
 */
MUST_USE int otlp_repair_utf8(struct arena *a, struct str s, struct str *out);

/*
 * Return whether all bytes are below 0x80. Most names are, and for short ones this is cheaper than
 * a call of the full UTF-8 check.
 */
bool otlp_is_ascii(struct str s);

#endif
