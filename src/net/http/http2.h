/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_HTTP2_H
#define VARVE_NET_HTTP_HTTP2_H

#include "net/conn.h"

/* Private to src/net: HTTP/2 on a connection, by nghttp2. Loop thread only. */

/* Make the session and queue our settings. Return 0 or -ENOMEM. */
MUST_USE int http2_init(struct conn *c);
void http2_fini(struct conn *c);

bool http2_wants_input(const struct conn *c);
bool http2_wants_output(const struct conn *c);

/* Process input. Return `n`: all bytes are used. May close the connection. */
size_t http2_input(struct conn *c, const char *p, size_t n);

/* Append frames that are due to the connection's output. */
void http2_output(struct conn *c);

/* Return whether nothing more will be sent or read. */
bool http2_finished(const struct conn *c);

/* Submit the response of an exchange. */
void http2_answer(struct conn *c, struct exchange *x);
uint64_t http2_deadline(const struct conn *c);
void http2_expired(struct conn *c);

/* Submit GOAWAY. */
void http2_drain(struct conn *c);

#endif
