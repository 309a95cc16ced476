/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FUNCTIONS_HASHES_H
#define VARVE_PIPELINE_OTTL_FUNCTIONS_HASHES_H

#include "pipeline/ottl/ottl_call.h"

/* Digests and encodings: SHA256, FNV, Hex, Base64Decode ... */
extern const struct ottl_function ottl_hash_functions[];

#endif
