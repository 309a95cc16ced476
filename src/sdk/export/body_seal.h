/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_BODY_SEAL_H
#define VARVE_SDK_EXPORT_BODY_SEAL_H

#include "sdk/export/http_client.h"
#include "seal/key_ring.h"

/*
 * Bodies of requests, encrypted for a receiver that has the key (docs/encryption.md). A body is
 * encrypted after it is compressed, and the header Varve-Sealed marks it.
 */

/*
 * Mark the requests of `n` clients as encrypted, unless `keys` is NULL. Return 0 or -ENOMEM.
 */
MUST_USE int body_seal_mark(const struct key_ring *keys, struct post_client *clients, unsigned n);

/* Replace what follows the first `keep` bytes by its encrypted form. Return 0 or -errno. */
MUST_USE int body_seal(struct buf *body, size_t keep, struct key_ring *keys, struct err *e);

#endif
