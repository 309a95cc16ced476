/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP client: libcurl with our limits, errors and buffers. */
#include "net/http_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/libcurl.h"
#include "net/http/uri.h"

enum { TIMEOUT_MS = 30000, CONNECT_TIMEOUT_MS = 5000 };
#define MAX_RESPONSE (64 * MIB)

struct http_client {
	const struct libcurl *api;
	CURL *curl;
	char *authorization; /* "Authorization: Bearer ..." or NULL */
	char why[CURL_ERROR_SIZE];
	struct http_client_answer *answer; /* of the call in progress */
	struct str want;		   /* of its request */
	size_t max_response;
	bool too_large;
};

static size_t on_body_bytes(char *p, size_t size, size_t count, void *user)
{
	struct http_client *c = user;
	size_t n = size * count;

	if (c->answer->body.n + n > c->max_response) {
		c->too_large = true;
		return 0;
	}
	buf_put(&c->answer->body, p, n);
	return buf_error(&c->answer->body) ? 0 : n;
}

static size_t on_header_line(char *p, size_t size, size_t count, void *user)
{
	struct http_client *c = user;
	struct str line = str_trim(str_of(p, size * count)), name = str_cut(&line, ':');

	line = str_trim(line);
	if (str_eq_ignoring_case(name, STR("retry-after")) &&
	    str_to_u64(line, 10, &c->answer->retry_after_s))
		c->answer->retry_after_s = 0; /* a date: ignored */
	if (str_eq_ignoring_case(name, STR("content-type")))
		snprintf(c->answer->content_type, sizeof(c->answer->content_type), "%.*s",
			 STR_ARG(line));
	if (c->want.n && str_eq_ignoring_case(name, c->want))
		buf_put_str(&c->answer->wanted, line);
	return size * count;
}

static int set_credentials(struct http_client *c, const struct net_client_options *o)
{
	bool failed = false;

	if (o->token && asprintf(&c->authorization, "Authorization: Bearer %s", o->token) < 0) {
		c->authorization = NULL;
		failed = true;
	}
	if (o->user) {
		failed |= c->api->setopt(c->curl, CURLOPT_USERNAME, o->user) != CURLE_OK;
		failed |= c->api->setopt(c->curl, CURLOPT_PASSWORD,
					 o->password ? o->password : "") != CURLE_OK;
	}
	if (o->ca_file)
		failed |= c->api->setopt(c->curl, CURLOPT_CAINFO, o->ca_file) != CURLE_OK;
	if (o->certificate)
		failed |= c->api->setopt(c->curl, CURLOPT_SSLCERT, o->certificate) != CURLE_OK;
	if (o->key)
		failed |= c->api->setopt(c->curl, CURLOPT_SSLKEY, o->key) != CURLE_OK;
	if (o->skip_verify) {
		c->api->setopt(c->curl, CURLOPT_SSL_VERIFYPEER, 0L);
		c->api->setopt(c->curl, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	return failed ? -ENOMEM : 0;
}

int http_client_new(struct http_client **out, const struct net_client_options *options,
		    struct err *e)
{
	static const struct net_client_options none;
	const struct net_client_options *o = options ? options : &none;
	uint64_t connect_ms = o->connect_timeout_ms ? o->connect_timeout_ms : CONNECT_TIMEOUT_MS;
	struct http_client *c = calloc(1, sizeof(*c));

	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	c->api = libcurl_load();
	if (!c->api) {
		http_client_free(c);
		return err_set(
			e, -ENOSYS,
			"libcurl (libcurl.so.4) is required but not found: install libcurl4");
	}
	c->curl = c->api->init();
	if (!c->curl || set_credentials(c, o)) {
		http_client_free(c);
		return err_set(e, -ENOMEM, "out of memory");
	}
	c->api->setopt(c->curl, CURLOPT_ERRORBUFFER, c->why);
	c->api->setopt(c->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	c->api->setopt(c->curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	c->api->setopt(c->curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	c->api->setopt(c->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
	c->api->setopt(c->curl, CURLOPT_ACCEPT_ENCODING, ""); /* all that libcurl can decode */
	c->api->setopt(c->curl, CURLOPT_USERAGENT, "varve");
	c->api->setopt(c->curl, CURLOPT_WRITEFUNCTION, on_body_bytes);
	c->api->setopt(c->curl, CURLOPT_WRITEDATA, c);
	c->api->setopt(c->curl, CURLOPT_HEADERFUNCTION, on_header_line);
	c->api->setopt(c->curl, CURLOPT_HEADERDATA, c);
	*out = c;
	return 0;
}

void http_client_free(struct http_client *c)
{
	if (!c)
		return;
	if (c->curl)
		c->api->cleanup(c->curl);
	if (c->authorization)
		explicit_bzero(c->authorization, strlen(c->authorization));
	free(c->authorization);
	free(c);
}

/* Format the URL without user and password, for error texts. */
static void url_without_credentials(const char *url, char *out, size_t n)
{
	struct str all = str_from(url);
	size_t scheme = str_find_str(all, STR("://"));
	struct str rest = scheme < all.n ? str_from_at(all, scheme + 3) : all;
	struct str host = str_head(rest, min_size(str_find(rest, '/'), str_find(rest, '?')));
	size_t at = str_find_last(host, '@');

	if (at < host.n)
		rest = str_from_at(rest, at + 1);
	snprintf(out, n, "%.*s%.*s", (int)(rest.p ? (scheme < all.n ? scheme + 3 : 0) : 0), url,
		 STR_ARG(rest));
}

static int errno_of_curl(CURLcode rc, const struct http_client *c)
{
	switch (rc) {
	case CURLE_OPERATION_TIMEDOUT:
		return -ETIMEDOUT;
	case CURLE_COULDNT_CONNECT:
		return -ECONNREFUSED;
	case CURLE_COULDNT_RESOLVE_HOST:
		return -EHOSTUNREACH;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		return -EINVAL;
	case CURLE_WRITE_ERROR:
		return c->too_large ? -EFBIG : -ENOMEM;
	case CURLE_OUT_OF_MEMORY:
		return -ENOMEM;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
		return -EACCES;
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
		return -ECONNRESET;
	default:
		return -EPROTO;
	}
}

/* Return libcurl's list of headers, or NULL if memory is out. "Expect:" disables waiting for "100 Continue". */
static struct curl_slist *make_curl_headers(const struct http_client *c,
					    const struct http_client_request *request)
{
	struct curl_slist *list = c->api->append(NULL, "Expect:"), *longer = list;

	if (longer && c->authorization)
		longer = c->api->append(list, c->authorization);
	for (size_t i = 0; i < request->header_count && longer; i++) {
		const struct http_header *h = &request->headers[i];
		char *line;

		list = longer;
		longer = NULL;
		if (asprintf(&line, "%.*s: %.*s", STR_ARG(h->name), STR_ARG(h->value)) >= 0) {
			longer = c->api->append(list, line);
			free(line);
		}
	}
	if (!longer)
		c->api->free_all(list);
	return longer;
}

int http_client_request(struct http_client *c, const struct http_client_request *request,
			struct http_client_answer *answer, struct err *e)
{
	struct curl_slist *headers = make_curl_headers(c, request);
	bool has_body = request->body.n || (request->method && !strcmp(request->method, "POST"));
	char url[256];
	CURLcode rc;
	long status = 0;

	*answer = (struct http_client_answer){0};
	c->answer = answer;
	c->want = request->want;
	c->max_response = request->max_response ? request->max_response : MAX_RESPONSE;
	c->too_large = false;
	c->why[0] = 0;
	c->api->setopt(c->curl, CURLOPT_URL, request->url);
	c->api->setopt(c->curl, CURLOPT_HTTPHEADER, headers);
	c->api->setopt(c->curl, CURLOPT_TIMEOUT_MS,
		       (long)(request->timeout_ms ? request->timeout_ms : TIMEOUT_MS));
	if (has_body) {
		c->api->setopt(c->curl, CURLOPT_POST, 1L);
		c->api->setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.n);
		c->api->setopt(c->curl, CURLOPT_POSTFIELDS, request->body.p ? request->body.p : "");
	} else {
		c->api->setopt(c->curl, CURLOPT_HTTPGET, 1L);
	}
	c->api->setopt(c->curl, CURLOPT_CUSTOMREQUEST, request->method);
	rc = headers ? c->api->perform(c->curl) : CURLE_OUT_OF_MEMORY;
	c->api->getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	c->api->free_all(headers);
	c->answer = NULL;
	answer->status = (unsigned)status;
	if (rc == CURLE_OK)
		return 0;
	url_without_credentials(request->url, url, sizeof(url));
	if (c->too_large)
		return err_set(e, -EFBIG, "%s: response exceeds %zu bytes", url, c->max_response);
	return err_set(e, errno_of_curl(rc, c), "%s: %s", url,
		       c->why[0] ? c->why : c->api->strerror(rc));
}

void http_client_answer_fini(struct http_client_answer *answer)
{
	buf_fini(&answer->body);
	buf_fini(&answer->wanted);
}
