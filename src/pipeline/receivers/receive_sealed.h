/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVE_SEALED_H
#define VARVE_PIPELINE_RECEIVE_SEALED_H

#include "net/http/http.h"
#include "pipeline/host.h"

/*
 * Bodies that a sender has encrypted (seal/sealed_file.h), over HTTP. The header
 *
 *	Varve-Sealed: aes-256-gcm
 *
 * marks them; one in the binary form is also recognized without it. Compression, if any, comes
 * before encryption, so that Content-Encoding describes the content. The keys are those of
 * service.access.sender_key_file.
 */

/*
 * Replace x->body by its content if it is encrypted. Return 0; -EBADMSG if it is damaged or its key
 * is missing, with a text for the sender; or -ENOMEM. Any thread.
 */
MUST_USE int receive_unseal(const struct host *host, struct http_exchange *x, struct err *e);

#endif
