/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SEAL_AES_GCM_H
#define VARVE_SEAL_AES_GCM_H

#include "base/err.h"
#include "base/str.h"

/*
 * AES-256-GCM (NIST SP 800-38D) with 96-bit nonces and 128-bit tags, by OpenSSL's libcrypto, which
 * is loaded at the first use: libvarve must not bring it into every process.
 *
 * The cipher is looked up and the key is expanded once, by gcm_init(); a message sets only the
 * nonce and allocates nothing. A nonce must never be used twice with a key: take each one from
 * seal_random(). One thread at a time per struct gcm.
 */
enum { SEAL_KEY = 32, SEAL_NONCE = 12, SEAL_TAG = 16, SEAL_DIGEST = 32 };

struct gcm {
	void *sealing, *opening; /* contexts of OpenSSL with the key */
};

/*
 * Prepare to seal and to open with a key, which is copied. Return 0, -ENOMEM, or -ENOTSUP without
 * libcrypto. gcm_fini() takes the zero value.
 */
MUST_USE int gcm_init(struct gcm *g, const uint8_t key[SEAL_KEY], struct err *e);
void gcm_fini(struct gcm *g);

/*
 * Encrypt `n` bytes to `out`, which may be `in`, and set the tag of them and of `aad`. Return 0 or
 * -EIO.
 */
MUST_USE int gcm_seal(struct gcm *g, const uint8_t nonce[SEAL_NONCE], struct str aad,
		      const void *in, size_t n, void *out, uint8_t tag[SEAL_TAG]);

/*
 * Decrypt `n` bytes to `out`, which may be `in`. Return 0, or -EBADMSG if the tag does not belong
 * to them and `aad`; then `out` is zero.
 */
MUST_USE int gcm_open(struct gcm *g, const uint8_t nonce[SEAL_NONCE], struct str aad,
		      const void *in, size_t n, void *out, const uint8_t tag[SEAL_TAG]);

/*
 * The same in pieces: begin, any number of pieces, end. What gcm_open_piece() returns must not be
 * used before gcm_open_end() has returned 0. Each returns 0, -EIO, or gcm_open_end() -EBADMSG.
 */
MUST_USE int gcm_seal_begin(struct gcm *g, const uint8_t nonce[SEAL_NONCE], struct str aad);
MUST_USE int gcm_seal_piece(struct gcm *g, const void *in, size_t n, void *out);
MUST_USE int gcm_seal_end(struct gcm *g, uint8_t tag[SEAL_TAG]);
MUST_USE int gcm_open_begin(struct gcm *g, const uint8_t nonce[SEAL_NONCE], struct str aad);
MUST_USE int gcm_open_piece(struct gcm *g, const void *in, size_t n, void *out);
MUST_USE int gcm_open_end(struct gcm *g, const uint8_t tag[SEAL_TAG]);

/*
 * Fill `out` from the kernel's random numbers. They do not repeat after a fork or where a virtual
 * machine is restored, which is why nonces are not counted. Return 0 or -errno.
 */
MUST_USE int seal_random(void *out, size_t n);

/* Set *out to the SHA-256 of the bytes. Return 0, -EIO or -ENOTSUP. */
MUST_USE int seal_digest(uint8_t out[SEAL_DIGEST], struct str bytes);

#endif
