/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DEMANGLE_DEMANGLE_H
#define VARVE_SYMBOL_DEMANGLE_DEMANGLE_H

#include "base/str.h"

enum { SYMBOL_DEMANGLED_MAX = 1024 }; /* bytes; longer names are cut and end in dots */

/*
 * A Rust name, legacy (_ZN...17h<hash>E) or v0 (_R...), as people write it, without hashes. Returns the length, `size` when
 * it was cut there, 0 when the name is not Rust's. `out` is not NUL-terminated.
 */
int symbol_demangle_rust(struct str name, char *out, size_t size);

int symbol_demangle_rust_legacy(struct str name, char *out, size_t size);

/* A code point as UTF-8: how many bytes it took. */
size_t symbol_utf8(uint32_t c, char out[4]);

enum { SYMBOL_PUNYCODE_MAX = 128 };

/* The code points of a Punycode identifier: how many, or -EINVAL when it is not one or has too many. */
int symbol_punycode(struct str text, uint32_t points[SYMBOL_PUNYCODE_MAX]);

#endif
