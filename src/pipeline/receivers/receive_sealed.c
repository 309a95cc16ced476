/* SPDX-License-Identifier: Apache-2.0 */
/* Decrypts bodies into the arena of their exchange. */
#include "pipeline/receivers/receive_sealed.h"

#include <errno.h>

#include "base/arena.h"
#include "net/http/header.h"
#include "seal/sealed_file.h"

static bool is_marked(const struct http_exchange *x)
{
	return http_header(x, STR("varve-sealed")).n;
}

/* The text of an error is for the sender: it does not name files of the server. */
static int refuse_sealed(const struct host *host, int rc, const struct err *why, struct err *e)
{
	if (rc == -ENOMEM)
		return err_set(e, rc, "out of memory to decrypt the body; try again");
	log_warn(host->log, "an encrypted body cannot be decrypted", LOG_ERR(why));
	if (!host->sender_keys)
		return err_set(e, -EBADMSG,
			       "the body is encrypted, and this receiver has no keys: set "
			       "service.access.sender_key_file");
	return err_set(e, -EBADMSG,
		       rc == -ENOKEY ? "the body is encrypted with a key that this receiver does "
				       "not have"
				     : "the encrypted body is damaged, or its key is not one of "
				       "this receiver's");
}

int receive_unseal(const struct host *host, struct http_exchange *x, struct err *e)
{
	struct buf content = {0};
	struct err why = {0};
	char *copy;
	int rc;

	if (!is_marked(x) && sealed_form_of(str_head(x->body, KEY_SLOT)) != SEALED_BINARY)
		return 0;
	rc = sealed_read(&content, x->body, host->sender_keys, &why);
	copy = rc ? NULL : arena_alloc(x->arena, content.n + 1, 1);
	if (!rc && !copy)
		rc = -ENOMEM;
	if (!rc) {
		if (content.n)
			memcpy(copy, content.p, content.n);
		x->body = str_of(copy, content.n);
	}
	buf_fini(&content);
	return rc ? refuse_sealed(host, rc, &why, e) : 0;
}
