/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to targets. */
#include "pipeline/receivers/prometheus/scrape_fetch.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "net/client/http_redirect.h"
#include "net/http/header.h"
#include "net/http/uri.h"
#include "wire/text.h"

enum { REDIRECTS_MAX = 10, URL_MAX = 8192 };

#define BODY_MAX (512 * MIB)

static const struct str accept_formats =
	STR_INIT("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
		 "application/openmetrics-text;version=0.0.1;q=0.5,"
		 "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
		 "text/plain;version=0.0.4;q=0.3,*/*;q=0.2");

/* ---- credentials ---- */

static int secret_init(struct fetch_secret *s, struct str fixed, struct str path)
{
	s->fixed = fixed;
	return secret_file_init(&s->file, path);
}

static void secret_fini(struct fetch_secret *s)
{
	secret_file_fini(&s->file);
	secret_buf_fini(&s->text);
}

/* Return the current text in *out. */
static int secret_text(struct fetch_secret *s, struct str *out, struct err *e)
{
	int rc;

	*out = s->fixed;
	if (!s->file.path)
		return 0;
	rc = secret_file_poll(&s->file, &s->text, e);
	if (rc < 0)
		return rc;
	*out = str_trim(buf_str(&s->text));
	return out->n ? 0 : err_set(e, -ENOENT, "no credentials in %s", s->file.path);
}

static int make_basic(struct scrape_fetch *f, struct err *e)
{
	struct str user, password;
	struct buf both = {0};
	int rc = secret_text(&f->user, &user, e);

	if (!rc)
		rc = secret_text(&f->secret, &password, e);
	if (rc)
		return rc;
	buf_put_str(&both, user);
	buf_put_char(&both, ':');
	buf_put_str(&both, password);
	buf_put_str(&f->authorization, STR("Basic "));
	base64_encode(&f->authorization, buf_str(&both));
	rc = buf_error(&both) ? -ENOMEM : buf_error(&f->authorization);
	secret_buf_fini(&both);
	return rc;
}

/* Put the value of the Authorization header into f->authorization; empty: no header. */
static int make_authorization(struct scrape_fetch *f, struct err *e)
{
	const struct scrape_config *c = f->config;
	struct str token;
	int rc;

	buf_clear(&f->authorization);
	if (c->has_basic_auth)
		return make_basic(f, e);
	rc = secret_text(&f->secret, &token, e);
	if (rc || !token.n)
		return rc;
	buf_put_str(&f->authorization,
		    c->has_authorization ? c->authorization.type : STR("Bearer"));
	buf_put_char(&f->authorization, ' ');
	buf_put_str(&f->authorization, token);
	return buf_error(&f->authorization);
}

static int init_secrets(struct scrape_fetch *f, const struct scrape_config *c)
{
	int rc;

	if (c->has_basic_auth) {
		rc = secret_init(&f->user, c->basic_auth.username, c->basic_auth.username_file);
		return rc ? rc
			  : secret_init(&f->secret, c->basic_auth.password,
					c->basic_auth.password_file);
	}
	if (c->has_authorization)
		return secret_init(&f->secret, c->authorization.credentials,
				   c->authorization.credentials_file);
	return secret_init(&f->secret, c->bearer_token, c->bearer_token_file);
}

/* ---- client ---- */

/* "TLS12" -> 12 */
static unsigned tls_number(struct str version)
{
	return version.n == 5 ? 10 + (unsigned)(version.p[4] - '0') : 0;
}

static int copy_option(struct arena *a, struct str s, const char **out)
{
	struct str copy;
	int rc;

	if (!s.n)
		return 0;
	rc = arena_copy_str(a, s, &copy);
	if (!rc)
		*out = copy.p;
	return rc;
}

int scrape_fetch_init(struct scrape_fetch *f, const struct scrape_config *c, struct err *e)
{
	struct net_client_options o = {.skip_verify = c->tls.insecure_skip_verify,
				       .min_tls = tls_number(c->tls.min_version),
				       .max_tls = tls_number(c->tls.max_version),
				       .connect_timeout_ms = c->timeout_ns / NS_PER_MS};
	const struct {
		struct str from;
		const char **to;
	} texts[] = {
		{c->tls.ca, &o.ca_pem},
		{c->tls.ca_file, &o.ca_file},
		{c->tls.cert, &o.certificate_pem},
		{c->tls.cert_file, &o.certificate},
		{c->tls.key, &o.key_pem},
		{c->tls.key_file, &o.key},
		{c->tls.server_name, &o.server_name},
		{c->proxy_url, &o.proxy},
	};
	struct arena arena;
	int rc;

	*f = (struct scrape_fetch){.config = c, .accept = accept_formats, .body_max = BODY_MAX};
	arena_init(&arena, NULL);
	rc = init_secrets(f, c);
	for (size_t i = 0; i < countof(texts) && !rc; i++)
		rc = copy_option(&arena, texts[i].from, texts[i].to);
	if (rc)
		err_set(e, rc, "out of memory");
	else
		rc = http_client_new(&f->client, &o, e);
	arena_fini(&arena);
	return rc;
}

void scrape_fetch_fini(struct scrape_fetch *f)
{
	http_client_free(f->client);
	secret_fini(&f->user);
	secret_fini(&f->secret);
	secret_buf_fini(&f->authorization);
}

/* ---- requests ---- */

/* Send one request. Credentials are sent only to the origin of the target. */
static int request_once(struct scrape_fetch *f, const char *url, bool same_origin,
			uint64_t timeout_ns, struct http_client_answer *answer, struct err *e)
{
	const struct scrape_config *c = f->config;
	char seconds[32];
	struct http_header headers[4] = {{STR("accept"), f->accept}};
	struct http_client_request r = {.url = url,
					.headers = headers,
					.header_count = 2,
					.timeout_ms = timeout_ns / NS_PER_MS + 1,
					.max_response = c->limits.body_size ? c->limits.body_size
									    : f->body_max,
					.want = STR("location"),
					.cancelled = f->cancelled};
	int rc;

	snprintf(seconds, sizeof(seconds), "%g", (double)timeout_ns / 1e9);
	headers[1] =
		(struct http_header){STR("x-prometheus-scrape-timeout-seconds"), str_from(seconds)};
	if (!c->enable_compression)
		headers[r.header_count++] =
			(struct http_header){STR("accept-encoding"), STR("identity")};
	if (f->authorization.n && same_origin)
		headers[r.header_count++] =
			(struct http_header){STR("authorization"), buf_str(&f->authorization)};
	rc = http_client_request(f->client, &r, answer, e);
	if (rc == -EFBIG && c->limits.body_size)
		err_prefix(e, "body_size_limit exceeded");
	return rc;
}

/* Send requests until one is not redirected. */
static int request_following(struct scrape_fetch *f, const char *target, uint64_t timeout_ns,
			     struct http_client_answer *answer, struct err *e)
{
	uint64_t deadline = clock_monotonic_ns() + timeout_ns, now = clock_monotonic_ns();
	char url[URL_MAX], next[URL_MAX];
	int rc = 0;

	if ((size_t)snprintf(url, sizeof(url), "%s", target) >= sizeof(url))
		return err_set(e, -EINVAL, "the URL is longer than %d bytes", URL_MAX);
	for (unsigned i = 0; i <= REDIRECTS_MAX && now < deadline; i++) {
		bool same =
			str_eq(http_url_origin(str_from(url)), http_url_origin(str_from(target)));

		rc = request_once(f, url, same, deadline - now, answer, e);
		if (rc || !http_is_redirect(answer->status) || !f->config->follow_redirects)
			return rc;
		if (!http_redirect_url(url, buf_str(&answer->wanted), next, sizeof(next)))
			return 0;
		memcpy(url, next, sizeof(url));
		http_client_answer_fini(answer);
		*answer = (struct http_client_answer){0};
		now = clock_monotonic_ns();
	}
	return err_set(e, -ETIMEDOUT, "too many redirects, or no time left");
}

/* Set the error for a status, with the first line of the response if that is plain text. */
static int fail_status(const struct http_client_answer *answer, struct err *e)
{
	struct str line = str_head(buf_str(&answer->body), 120);
	size_t end = 0;

	if (!str_starts(str_from(answer->content_type), STR("text/plain")))
		line.n = 0;
	while (end < line.n && (unsigned char)line.p[end] >= ' ' && line.p[end] != 0x7f)
		end++;
	return err_set(e, -EPROTO, "server returned HTTP status %u %s%s%.*s", answer->status,
		       http_status_text(answer->status), end ? ": " : "",
		       STR_ARG(str_head(line, end)));
}

int scrape_fetch(struct scrape_fetch *f, const char *url, uint64_t timeout_ns,
		 struct http_client_answer *answer, enum text_format *format, struct err *e)
{
	int rc;

	*answer = (struct http_client_answer){0};
	rc = make_authorization(f, e);
	if (!rc)
		rc = request_following(f, url, timeout_ns, answer, e);
	if (!rc && answer->status != 200)
		rc = fail_status(answer, e);
	if (rc) {
		http_client_answer_fini(answer);
		*answer = (struct http_client_answer){0};
		return rc;
	}
	if (format)
		*format = str_starts(str_from(answer->content_type),
				     STR("application/openmetrics-text"))
				  ? TEXT_OPENMETRICS
				  : TEXT_PROMETHEUS;
	return 0;
}

int scrape_post(struct scrape_fetch *f, const struct http_client_request *request,
		struct http_client_answer *answer, struct err *e)
{
	struct http_header headers[SCRAPE_POST_HEADERS_MAX + 1];
	struct http_client_request r = *request;
	int rc;

	*answer = (struct http_client_answer){0};
	rc = make_authorization(f, e);
	if (rc)
		return rc;
	r.headers = headers;
	r.header_count = min_size(request->header_count, SCRAPE_POST_HEADERS_MAX);
	memcpy(headers, request->headers, r.header_count * sizeof(headers[0]));
	if (f->authorization.n)
		headers[r.header_count++] =
			(struct http_header){STR("authorization"), buf_str(&f->authorization)};
	return http_client_request(f->client, &r, answer, e);
}
