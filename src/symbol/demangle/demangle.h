/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DEMANGLE_DEMANGLE_H
#define VARVE_SYMBOL_DEMANGLE_DEMANGLE_H

#include "base/str.h"

struct arena;

enum { SYMBOL_DEMANGLED_MAX = 1024 }; /* bytes; longer names are truncated and end in "..." */

/*
 * Demangle a C++ or Rust (legacy or v0) name. Return the text, allocated in `a`; any other name,
 * and every name without memory, is returned unchanged.
 */
struct str symbol_demangle(struct arena *a, struct str name);

#endif
