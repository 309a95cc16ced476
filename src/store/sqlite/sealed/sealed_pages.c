/* SPDX-License-Identifier: Apache-2.0 */
/* Nonce and tag of a page are in its reserved bytes, those of a record after it. */
#include "store/sqlite/sealed/sealed_pages.h"

#include <errno.h>

enum { CONTENT = SEALED_PAGE - SEALED_RESERVE };

static struct str place_bytes(const struct sealed_place *at)
{
	return str_of((const char *)at, sizeof(*at));
}

int sealed_page_seal(struct sealed_pages *p, const struct sealed_place *at, const uint8_t *page,
		     uint8_t *out)
{
	static const uint8_t none[SEALED_RESERVE];
	uint8_t *nonce = out + CONTENT;
	int rc;

	if (memcmp(page + CONTENT, none, sizeof(none)) != 0)
		return -EINVAL;
	memset(nonce, 0, SEALED_RESERVE);
	rc = seal_random(nonce, SEAL_NONCE);
	return rc ? rc
		  : gcm_seal(&p->gcm, nonce, place_bytes(at), page, CONTENT, out,
			     nonce + SEAL_NONCE);
}

int sealed_page_open(struct sealed_pages *p, const struct sealed_place *at, uint8_t *page)
{
	static const uint8_t none[SEALED_RESERVE - SEALED_EXTRA];
	const uint8_t *nonce = page + CONTENT;
	int rc = -EBADMSG;

	if (memcmp(nonce + SEALED_EXTRA, none, sizeof(none)) == 0)
		rc = gcm_open(&p->gcm, nonce, place_bytes(at), page, CONTENT, page,
			      nonce + SEAL_NONCE);
	memset(page + (rc ? 0 : CONTENT), 0, rc ? SEALED_PAGE : SEALED_RESERVE);
	return rc;
}

int sealed_record_seal(struct sealed_pages *p, const struct sealed_place *at, const uint8_t *in,
		       size_t n, uint8_t *out)
{
	uint8_t *nonce = out + n;
	int rc = seal_random(nonce, SEAL_NONCE);

	return rc ? rc : gcm_seal(&p->gcm, nonce, place_bytes(at), in, n, out, nonce + SEAL_NONCE);
}

int sealed_record_open(struct sealed_pages *p, const struct sealed_place *at, const uint8_t *in,
		       size_t n, uint8_t *out)
{
	const uint8_t *nonce = in + n;

	return gcm_open(&p->gcm, nonce, place_bytes(at), in, n, out, nonce + SEAL_NONCE);
}
