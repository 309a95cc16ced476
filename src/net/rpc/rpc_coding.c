/* SPDX-License-Identifier: Apache-2.0 */
/* The table of compressions of gRPC; "snappy" is the framing format there. */
#include "net/rpc/rpc_coding.h"

static const char *const coding_names[COMPRESS_KINDS] = {
	[COMPRESS_GZIP] = "gzip",
	[COMPRESS_ZSTD] = "zstd",
	[COMPRESS_SNAPPY_FRAMED] = "snappy",
};

const char *rpc_coding_name(enum compress_kind kind)
{
	return coding_names[kind];
}

enum compress_kind rpc_coding_find(struct str name)
{
	for (unsigned i = 0; i < COMPRESS_KINDS; i++)
		if (coding_names[i] && str_eq(name, str_from(coding_names[i])))
			return i;
	return COMPRESS_NONE;
}
