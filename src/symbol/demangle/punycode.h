/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DEMANGLE_PUNYCODE_H
#define VARVE_SYMBOL_DEMANGLE_PUNYCODE_H

#include "base/str.h"

enum { SYMBOL_PUNYCODE_MAX = 128 };

/* Decode a Punycode identifier. Return the number of code points, or -EINVAL. */
int symbol_punycode(struct str text, uint32_t points[SYMBOL_PUNYCODE_MAX]);

/* Encode a code point as UTF-8. Return the number of bytes. */
size_t symbol_utf8(uint32_t c, char out[4]);

#endif
