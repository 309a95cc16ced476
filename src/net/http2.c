/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http2.h"

#include <errno.h>

int http2_init(struct conn *c)
{
	(void)c;
	return -ENOTSUP;
}
void http2_fini(struct conn *c)
{
	(void)c;
}
bool http2_wants_input(const struct conn *c)
{
	return c->h2;
}
bool http2_wants_output(const struct conn *c)
{
	return c->h2;
}
size_t http2_input(struct conn *c, const char *p, size_t n)
{
	(void)c;
	(void)p;
	return n;
}
void http2_output(struct conn *c)
{
	(void)c;
}
bool http2_finished(const struct conn *c)
{
	return !c->h2;
}
void http2_answer(struct conn *c, struct exchange *x)
{
	(void)c;
	(void)x;
}
uint64_t http2_deadline(const struct conn *c)
{
	(void)c;
	return UINT64_MAX;
}
void http2_expired(struct conn *c)
{
	conn_close(c);
}
void http2_drain(struct conn *c)
{
	conn_close(c);
}
