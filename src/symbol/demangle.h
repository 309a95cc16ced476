/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DEMANGLE_H
#define VARVE_SYMBOL_DEMANGLE_H

#include "base/str.h"

enum { SYMBOL_DEMANGLED_MAX = 1024 }; /* bytes; longer names are cut and end in dots */

/*
 * A Rust name, legacy (_ZN...17h<hash>E) or v0 (_R...), as people write it, without hashes. Returns the length, `size` when
 * it was cut there, 0 when the name is not Rust's. `out` is not NUL-terminated.
 */
int symbol_demangle_rust(struct str name, char *out, size_t size);

#endif
