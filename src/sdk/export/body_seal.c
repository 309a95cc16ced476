/* SPDX-License-Identifier: Apache-2.0 */
/* The binary form of seal/sealed_file.h, in place of the body. */
#include "sdk/export/body_seal.h"

#include "seal/sealed_file.h"

int body_seal_mark(const struct key_ring *keys, struct post_client *clients, unsigned n)
{
	int rc = 0;

	for (unsigned i = 0; i < n && keys && !rc; i++) {
		buf_put_str(&clients[i].headers, STR("Varve-Sealed: aes-256-gcm\r\n"));
		rc = buf_error(&clients[i].headers);
	}
	return rc;
}

int body_seal(struct buf *body, size_t keep, struct key_ring *keys, struct err *e)
{
	struct buf sealed = {0};
	int rc;

	buf_put(&sealed, body->p, keep);
	rc = sealed_write(&sealed, str_from_at(buf_str(body), keep), SEALED_BINARY, keys, e);
	rc = rc ? rc : buf_error(&sealed);
	buf_fini(rc ? &sealed : body);
	if (!rc)
		*body = sealed;
	return rc;
}
