/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_DRIFT_DRIFT_NAME_H
#define VARVE_QUERY_DRIFT_DRIFT_NAME_H

#include "base/buf.h"

/*
 * Names of functions across builds of a program. Compilers put numbers and hashes into names, which
 * differ between builds of the same source.
 */
enum { DRIFT_NAME_MAX = 512 }; /* bytes; the rest of a longer name is cut */

/*
 * Write the part of the name that stays the same: without suffixes of clones (.cold, .part.N,
 * .isra.N, .constprop.N, .llvm.N, .lto_priv.N, [clone ...]) and Rust's hash, and with # for the
 * number of a lambda or closure. The buffer is overwritten.
 */
void drift_name_key(struct buf *out, struct str name);

/* Write the key without template arguments and parameters: "a<b>::c(d)" is "a::c". */
void drift_name_plain(struct buf *out, struct str name);

#endif
