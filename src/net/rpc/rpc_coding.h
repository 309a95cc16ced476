/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_RPC_CODING_H
#define VARVE_NET_RPC_CODING_H

#include "wire/compress/compress.h"

/* The compressions of gRPC messages, by their names in grpc-encoding. */
#define RPC_CODINGS "identity,gzip,zstd,snappy" /* for grpc-accept-encoding */

/* Return the name of a compression, or NULL if gRPC messages cannot have it. */
const char *rpc_coding_name(enum compress_kind kind);

/* Return the compression of that name, or COMPRESS_NONE if it is not supported. */
enum compress_kind rpc_coding_find(struct str name);

#endif
