/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_GRPC_GRPC_CLIENT_H
#define VARVE_SDK_GRPC_GRPC_CLIENT_H

#include "sdk/export/http_client.h"

/*
 * Make a gRPC call over HTTP/2, plain or with TLS. r->path is the method; the bodies of request and
 * answer include the frame of five bytes. Errors as post_request(), and -EACCES when the server's
 * certificate is rejected.
 */
MUST_USE int post_by_grpc(struct post_client *c, const struct post_request *r,
			  struct post_answer *a, struct err *e);

/* Free the gRPC state of the connection; the socket is the caller's. */
void post_grpc_disconnect(struct post_client *c);

/* Drop the gRPC state without freeing it, in a forked child whose parent was using it. */
void post_grpc_forget(struct post_client *c);

#endif
