/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SEALED_PAGES_H
#define VARVE_STORE_SQLITE_SEALED_PAGES_H

#include "seal/key_block.h"
#include "store/sqlite/sealed/sealed_vfs.h"

/* Pages and small records of an encrypted database, to and from ciphertext. */

/* What the open database file and its log share: the key, and room for one write. */
struct sealed_pages {
	struct gcm gcm;
	uint8_t file[FILE_ID];
	uint8_t room[128 + SEALED_PAGE];
};

/* What a piece is authenticated with: its place. */
enum sealed_place_kind { PLACE_PAGE = 1, PLACE_LOG_HEADER, PLACE_FRAME_HEADER, PLACE_FRAME };
struct sealed_place {
	uint64_t kind;
	uint64_t number; /* of the page, or of the frame */
	uint8_t page[8]; /* of a frame: the page number in its header; else zero */
	uint8_t file[FILE_ID];
};

/*
 * Encrypt a page to `out`, with a fresh nonce. Its last SEALED_RESERVE bytes have to be zero,
 * because they are not stored. Return 0, -EINVAL if they are not, or another -errno.
 */
MUST_USE int sealed_page_seal(struct sealed_pages *p, const struct sealed_place *at,
			      const uint8_t *page, uint8_t *out);

/* Decrypt a page in place. Return 0, or -EBADMSG; then it is zero. */
MUST_USE int sealed_page_open(struct sealed_pages *p, const struct sealed_place *at, uint8_t *page);

/* Encrypt `n` bytes to n + SEALED_EXTRA bytes, and back. Return as above. */
enum { SEALED_EXTRA = SEAL_NONCE + SEAL_TAG };
MUST_USE int sealed_record_seal(struct sealed_pages *p, const struct sealed_place *at,
				const uint8_t *in, size_t n, uint8_t *out);
MUST_USE int sealed_record_open(struct sealed_pages *p, const struct sealed_place *at,
				const uint8_t *in, size_t n, uint8_t *out);

#endif
