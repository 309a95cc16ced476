/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DEMANGLE_DEMANGLE_RUST_H
#define VARVE_SYMBOL_DEMANGLE_DEMANGLE_RUST_H

#include "base/str.h"

/*
 * Demangle a Rust name, legacy (_ZN...17h<hash>E) or v0 (_R...), without its hashes. Return the
 * length of the text; `size` when it was truncated; 0 when the name is not a Rust name. `out` is
 * not NUL-terminated.
 */
int symbol_demangle_rust(struct str name, char *out, size_t size);

/* The same for a name that begins with _ZN. (demangle_legacy.c) */
int symbol_demangle_rust_legacy(struct str name, char *out, size_t size);

#endif
