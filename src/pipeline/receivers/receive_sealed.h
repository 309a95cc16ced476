/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVE_SEALED_H
#define VARVE_PIPELINE_RECEIVE_SEALED_H

#include "net/rpc/rpc.h"
#include "pipeline/host.h"

/*
 * Bodies that a sender has encrypted (seal/sealed_file.h). The header
 *
 *	Varve-Sealed: aes-256-gcm
 *
 * marks them; one in the binary form is also recognized without it. Compression, if any, comes
 * before encryption: over HTTP, Content-Encoding describes the content. A message of gRPC is
 * encrypted within its frame, which is not marked as compressed; a content of gzip is recognized.
 * The keys are those of service.access.sender_key_file. Any thread.
 *
 * Each function returns 0, also for what is not encrypted; -EBADMSG if it is damaged or its key is
 * missing, with a text for the sender; or -ENOMEM.
 */

/* Replace x->body by its content. Bodies of gRPC stay: use receive_unseal_call(). */
MUST_USE int receive_unseal(const struct host *host, struct http_exchange *x, struct err *e);

/* Replace the message of a call by its content; -EFBIG if that is too large. */
MUST_USE int receive_unseal_call(const struct host *host, struct rpc_call *call, struct err *e);

/* Replace bytes of a request by their content, in the arena. `x` may be NULL: no headers. */
MUST_USE int receive_unseal_bytes(const struct host *host, const struct http_exchange *x,
				  struct arena *arena, struct str *bytes, struct err *e);

#endif
