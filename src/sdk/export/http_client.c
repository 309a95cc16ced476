/* SPDX-License-Identifier: Apache-2.0 */
/* URLs and headers of endpoints, and requests over a persistent HTTP/1.1 connection. */
#include "sdk/export/http_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "sdk/export/http_connect.h"
#include "sdk/export/http_curl.h"
#include "sdk/grpc/grpc_client.h"
#include "wire/text.h"

/* -- URL and headers --------------------------------------------------------------------------- */

static int copy_url_part(char *out, size_t size, struct str s)
{
	if (s.n >= size)
		return -EINVAL;
	if (s.n)
		memcpy(out, s.p, s.n);
	out[s.n] = 0;
	return 0;
}

/* Return whether the text has no character that would end a header or request line. */
static bool has_no_controls(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f)
			return false;
	return true;
}

static int read_authority(struct post_url *out, struct str authority, const char *default_port)
{
	struct str host = authority, port = str_from(default_port);
	size_t colon;
	uint64_t number;

	if (authority.n && authority.p[0] == '[') {
		size_t end = str_find(authority, ']');

		if (end == authority.n)
			return -EINVAL;
		host = str_of(authority.p + 1, end - 1);
		authority = str_of(authority.p + end + 1, authority.n - end - 1);
		if (authority.n && authority.p[0] != ':')
			return -EINVAL;
		if (authority.n)
			port = str_from_at(authority, 1);
	} else {
		colon = str_find_last(authority, ':');
		if (colon < authority.n) {
			host = str_head(authority, colon);
			port = str_from_at(authority, colon + 1);
		}
	}
	if (!host.n || memchr(host.p, '@', host.n) || str_to_u64(port, 10, &number) || !number ||
	    number > 65535)
		return -EINVAL;
	return copy_url_part(out->host, sizeof(out->host), host) ||
			       copy_url_part(out->port, sizeof(out->port), port)
		       ? -EINVAL
		       : 0;
}

int post_url_read(struct post_url *out, const char *url, const char *default_port, struct err *e)
{
	struct str rest = str_trim(str_from(url)), authority;
	int rc;

	*out = (struct post_url){0};
	if (str_starts(rest, STR("https://"))) {
		out->tls = true;
		rest = str_from_at(rest, 8);
	} else if (str_starts(rest, STR("http://"))) {
		rest = str_from_at(rest, 7);
	} else if (str_find_str(rest, STR("://")) < rest.n) {
		return err_set(e, -EINVAL, "endpoint \"%.200s\": expected http:// or https://",
			       url);
	}
	authority = str_head(rest, str_find(rest, '/'));
	rest = str_from_at(rest, authority.n);
	while (rest.n && rest.p[rest.n - 1] == '/')
		rest.n--;
	rc = has_no_controls(authority) && has_no_controls(rest) ? 0 : -EINVAL;
	rc = rc ? rc : read_authority(out, authority, default_port);
	rc = rc ? rc : copy_url_part(out->path, sizeof(out->path), rest);
	return rc ? err_set(e, rc, "endpoint \"%.200s\": expected http://host:port", url) : 0;
}

int post_percent_decode(struct buf *out, struct str value)
{
	for (size_t i = 0; i < value.n; i++) {
		char c = value.p[i];

		if (c == '%' && i + 2 < value.n && hex_digit(value.p[i + 1]) >= 0 &&
		    hex_digit(value.p[i + 2]) >= 0) {
			c = (char)(hex_digit(value.p[i + 1]) << 4 | hex_digit(value.p[i + 2]));
			i += 2;
		}
		if ((unsigned char)c < ' ' || c == 0x7f)
			return -EINVAL;
		buf_put_char(out, c);
	}
	return 0;
}

/* Return whether the text is a token (RFC 9110), as header names are. */
static bool is_token(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c <= ' ' || c >= 0x7f || strchr("()<>@,;:\\\"/[]?={}", c))
			return false;
	}
	return s.n > 0;
}

int post_headers_read(struct buf *out, const char *headers, struct err *e)
{
	struct str rest = str_from(headers ? headers : ""), value, name;

	while (rest.n) {
		value = str_trim(str_cut(&rest, ','));
		if (!value.n)
			continue;
		name = str_trim(str_cut(&value, '='));
		if (!value.p || !is_token(name))
			return err_set(e, -EINVAL, "headers: expected key=value,key=value");
		buf_put_str(out, name);
		buf_put_str(out, STR(": "));
		if (post_percent_decode(out, str_trim(value)))
			return err_set(e, -EINVAL,
				       "headers: the value of %.*s has control characters",
				       STR_ARG(str_head(name, 64)));
		buf_put_str(out, STR("\r\n"));
	}
	return buf_error(out) ? err_errno(e, -ENOMEM, "headers") : 0;
}

/* -- a request on the connection --------------------------------------------------------------- */

static int send_bytes(struct post_client *c, struct str data, const struct post_deadline *d,
		      uint64_t *sent)
{
	while (data.n) {
		ssize_t n = send(c->fd, data.p, data.n, MSG_NOSIGNAL);

		if (n > 0) {
			data = str_from_at(data, (size_t)n);
			*sent += (uint64_t)n;
		} else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			int rc = post_wait(c->fd, POLLOUT, d);

			if (rc)
				return rc;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* Receive a complete answer. *any: bytes were received. */
static int receive_answer(struct post_client *c, const struct post_deadline *d,
			  struct post_answer *a, bool *any)
{
	enum { READ_SIZE = 4096 };
	struct post_parsed parsed = {0};
	int rc = 0;

	while (!rc) {
		char *at = buf_reserve(&c->in, READ_SIZE);
		ssize_t n = at ? recv(c->fd, at, READ_SIZE, 0) : -1;

		if (!at)
			return -ENOMEM;
		if (n >= 0) {
			c->in.n += (size_t)n;
			*any |= n > 0;
			rc = post_answer_parse(a, buf_str(&c->in), n == 0, &parsed);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			rc = post_wait(c->fd, POLLIN, d);
		} else if (errno != EINTR) {
			rc = -errno;
		}
	}
	if (rc < 0)
		return rc;
	/* unexpected bytes after the answer: the connection cannot be trusted any more */
	if (!parsed.keep || parsed.used != c->in.n)
		post_disconnect(c);
	buf_clear(&c->in);
	return 0;
}

static int make_request_head(struct post_client *c, const struct post_request *r)
{
	bool v6 = strchr(c->url.host, ':') != NULL;

	buf_clear(&c->head);
	buf_printf(&c->head, "%s %s%s HTTP/1.1\r\nHost: %s%s%s:%s\r\n", r->method, c->url.path,
		   r->path, v6 ? "[" : "", c->url.host, v6 ? "]" : "", c->url.port);
	buf_printf(&c->head, "User-Agent: varve/%s\r\n", VARVE_VERSION);
	if (r->content_type)
		buf_printf(&c->head, "Content-Type: %s\r\nContent-Length: %zu\r\n%s",
			   r->content_type, r->body.n, r->gzip ? "Content-Encoding: gzip\r\n" : "");
	if (r->header)
		buf_printf(&c->head, "%s\r\n", r->header);
	buf_put_str(&c->head, buf_str(&c->headers));
	buf_put_str(&c->head, STR("\r\n"));
	return buf_error(&c->head);
}

static int send_and_receive(struct post_client *c, const struct post_request *r,
			    struct post_answer *a, const struct post_deadline *d, bool *any)
{
	int rc = 0;

	*any = false;
	if (c->fd < 0)
		rc = post_connect(c, d);
	rc = rc ? rc : send_bytes(c, buf_str(&c->head), d, &a->sent);
	rc = rc ? rc : send_bytes(c, r->body, d, &a->sent);
	/* a server that rejects a request early answers before it has read all of it */
	if (!rc || rc == -EPIPE || rc == -ECONNRESET)
		rc = receive_answer(c, d, a, any);
	if (rc)
		post_disconnect(c);
	return rc;
}

int post_request(struct post_client *c, const struct post_request *r, struct post_answer *a,
		 struct err *e)
{
	struct post_deadline d = {clock_monotonic_ns() + r->timeout_ms * NS_PER_MS, r->stop};
	bool reused, any;
	int rc = make_request_head(c, r);

	if (rc)
		return err_errno(e, rc, "sending a request");
	if (c->fd >= 0 && post_is_stale(c->fd))
		post_disconnect(c);
	reused = c->fd >= 0;
	rc = send_and_receive(c, r, a, &d, &any);
	/* the server closed the idle connection at this moment: it did not see the request */
	if (reused && !any && (rc == -EPROTO || rc == -EPIPE || rc == -ECONNRESET))
		rc = send_and_receive(c, r, a, &d, &any);
	if (rc)
		return err_set(e, rc, "%s:%s: %s", c->url.host, c->url.port,
			       rc == -EPROTO ? "not an HTTP answer" : strerror(-rc));
	return 0;
}

/* Find the file of trusted certificates in the conventional variables, the most specific first. */
static void find_ca_file(char out[POST_PATH_MAX])
{
	static const char *const names[] = {"OTEL_EXPORTER_OTLP_CERTIFICATE", "SSL_CERT_FILE"};
	const char *file = NULL;

	for (size_t i = 0; (!file || !*file) && i < countof(names); i++)
		file = getenv(names[i]);
	snprintf(out, POST_PATH_MAX, "%s", file ? file : "");
}

int post_client_init(struct post_client *c, const char *url, const char *headers,
		     const char *default_port, struct err *e)
{
	int rc;

	*c = (struct post_client){.fd = -1};
	find_ca_file(c->ca_file);
	rc = post_url_read(&c->url, url, default_port, e);
	return rc ? rc : post_headers_read(&c->headers, headers, e);
}

void post_client_fini(struct post_client *c)
{
	post_disconnect(c);
	post_lookup_unref(take_ptr(&c->lookup));
	buf_fini(&c->headers);
	buf_fini(&c->head);
	buf_fini(&c->in);
}

void post_client_forked(struct post_client *c, bool busy)
{
	post_lookup_forked(c);
	if (busy) {
		post_grpc_forget(c);
		/* the parent's thread was changing the buffers: they are inconsistent */
		c->head = c->in = (struct buf){0};
	}
	post_disconnect(c);
}

int post_send(struct post_client *c, const struct post_request *r, struct post_answer *a,
	      struct err *e)
{
	a->grpc_status = -1;
	return c->url.tls ? post_by_curl(c, r, a, e) : post_request(c, r, a, e);
}
