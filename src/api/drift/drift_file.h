/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_DRIFT_DRIFT_FILE_H
#define VARVE_API_DRIFT_DRIFT_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "seal/key_ring.h"

/*
 * A text in a file that is replaced as a whole: a line "varve-drift 1 BYTES CRC32C" and the text.
 *
 * With keys the file is a key block (seal/key_block.h, kind 3), which `varve store rotate-key`
 * rewrites, a random nonce (12 bytes), and this encrypted by AES-256-GCM, with its tag (16 bytes). The
 * id of the file is authenticated.
 */
enum { DRIFT_FILE_MAX = 64 << 20 };

/* Append the text to `out`. Return 0, -ENOENT, -EBADMSG if it is damaged, -ENOKEY, or -errno. */
MUST_USE int drift_file_read(const char *path, struct key_ring *keys, struct buf *out,
			     struct err *e);

/* Write FILE.new, sync it and rename it. Return 0 or -errno; then the old file is unchanged. */
MUST_USE int drift_file_write(const char *path, struct key_ring *keys, struct str text,
			      struct err *e);

#endif
