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

int receive_unseal_bytes(const struct host *host, const struct http_exchange *x,
			 struct arena *arena, struct str *bytes, struct err *e)
{
	bool marked = x && bytes->n && is_marked(x);
	struct buf content = {0};
	struct err why = {0};
	char *copy;
	int rc;

	if (!marked && sealed_form_of(str_head(*bytes, KEY_SLOT)) != SEALED_BINARY)
		return 0;
	rc = sealed_read(&content, *bytes, host->sender_keys, &why);
	copy = rc ? NULL : arena_alloc(arena, content.n + 1, 1);
	if (!rc && !copy)
		rc = -ENOMEM;
	if (!rc) {
		if (content.n)
			memcpy(copy, content.p, content.n);
		*bytes = str_of(copy, content.n);
	}
	buf_fini(&content);
	return rc ? refuse_sealed(host, rc, &why, e) : 0;
}

static bool is_grpc(const struct http_exchange *x)
{
	bool json;
	enum rpc_protocol protocol = rpc_protocol_of(x, &json);

	return protocol != RPC_NONE && protocol != RPC_CONNECT;
}

int receive_unseal(const struct host *host, struct http_exchange *x, struct err *e)
{
	return is_grpc(x) ? 0 : receive_unseal_bytes(host, x, x->arena, &x->body, e);
}

int receive_unseal_call(const struct host *host, struct rpc_call *call, struct err *e)
{
	struct str sealed = call->message;
	int rc;

	if (!is_grpc(call->x))
		return 0;
	rc = receive_unseal_bytes(host, call->x, call->x->arena, &call->message, e);
	/* no protobuf message begins with these bytes */
	if (!rc && call->message.p != sealed.p && str_starts(call->message, STR("\x1f\x8b")))
		rc = rpc_decompress(call, COMPRESS_GZIP, e);
	return rc;
}
