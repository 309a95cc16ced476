/* SPDX-License-Identifier: Apache-2.0 */
/* HTTPS by libcurl. Each request opens a connection: there is one every few seconds. */
#include "sdk/export/http_curl.h"

#include <errno.h>
#include <stdio.h>

#include "base/libcurl.h"

/* The argument of the callbacks. */
struct transfer {
	struct post_answer *a;
	const _Atomic bool *stop;
};

static size_t append_answer_body(char *data, size_t size, size_t count, void *arg)
{
	struct transfer *t = arg;
	struct str part = str_of(data, size * count);

	if (t->a->body.n < POST_ANSWER_MAX)
		buf_put_str(&t->a->body, str_head(part, POST_ANSWER_MAX - t->a->body.n));
	return part.n; /* bytes above the limit are discarded */
}

static bool header_is(struct str *line, const char *name)
{
	size_t n = strlen(name);

	if (line->n <= n || strncasecmp(line->p, name, n) || line->p[n] != ':')
		return false;
	*line = str_trim(str_from_at(*line, n + 1));
	return true;
}

static size_t read_answer_field(char *data, size_t size, size_t count, void *arg)
{
	struct transfer *t = arg;
	struct str line = str_trim(str_of(data, size * count));

	if (header_is(&line, "retry-after"))
		t->a->retry_after_ms = post_retry_after(line);
	return size * count;
}

static int check_stop(void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total,
		      curl_off_t up_now)
{
	const struct transfer *t = arg;

	(void)total, (void)now, (void)up_total, (void)up_now;
	return t->stop && atomic_load(t->stop);
}

static struct curl_slist *make_curl_headers(const struct libcurl *api, const struct post_client *c,
					    const struct post_request *r)
{
	struct curl_slist *list = api->append(NULL, "Expect:"); /* do not wait for 100 Continue */
	struct str rest = buf_str(&c->headers), line;
	char text[1024];

	if (r->content_type) {
		snprintf(text, sizeof(text), "Content-Type: %s", r->content_type);
		list = api->append(list, text);
	}
	if (r->header)
		list = api->append(list, r->header);
	if (r->gzip)
		list = api->append(list, "Content-Encoding: gzip");
	while (str_next_line(&rest, &line) && line.n < sizeof(text)) {
		snprintf(text, sizeof(text), "%.*s", STR_ARG(line));
		list = api->append(list, text);
	}
	return list;
}

static void set_curl_options(const struct libcurl *api, CURL *curl, const struct post_client *c,
			     const struct post_request *r, struct transfer *t)
{
	bool v6 = strchr(c->url.host, ':') != NULL;
	char url[POST_HOST_MAX + 4 * POST_PATH_MAX + 32];

	snprintf(url, sizeof(url), "%s://%s%s%s:%s%s%s", c->url.tls ? "https" : "http",
		 v6 ? "[" : "", c->url.host, v6 ? "]" : "", c->url.port, c->url.path, r->path);
	api->setopt(curl, CURLOPT_URL, url);
	api->setopt(curl, CURLOPT_NOSIGNAL, 1L);
	api->setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	api->setopt(curl, CURLOPT_USERAGENT, "varve/" VARVE_VERSION);
	api->setopt(curl, CURLOPT_TIMEOUT_MS, (long)r->timeout_ms);
	api->setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (c->ca_file[0])
		api->setopt(curl, CURLOPT_CAINFO, c->ca_file);
	api->setopt(curl, CURLOPT_FORBID_REUSE, 1L);
	api->setopt(curl, CURLOPT_WRITEFUNCTION, append_answer_body);
	api->setopt(curl, CURLOPT_WRITEDATA, t);
	api->setopt(curl, CURLOPT_HEADERFUNCTION, read_answer_field);
	api->setopt(curl, CURLOPT_HEADERDATA, t);
	api->setopt(curl, CURLOPT_NOPROGRESS, 0L);
	api->setopt(curl, CURLOPT_XFERINFOFUNCTION, check_stop);
	api->setopt(curl, CURLOPT_XFERINFODATA, t);
	if (!r->content_type) {
		api->setopt(curl, CURLOPT_HTTPGET, 1L);
		return;
	}
	api->setopt(curl, CURLOPT_POST, 1L);
	api->setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
	api->setopt(curl, CURLOPT_POSTFIELDS, r->body.p ? r->body.p : "");
}

static int curl_error_to_errno(CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return 0;
	case CURLE_COULDNT_RESOLVE_HOST:
		return -EHOSTUNREACH;
	case CURLE_COULDNT_CONNECT:
		return -ECONNREFUSED;
	case CURLE_OPERATION_TIMEDOUT:
		return -ETIMEDOUT;
	case CURLE_ABORTED_BY_CALLBACK:
		return -ECANCELED;
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_GOT_NOTHING:
		return -ECONNRESET;
	case CURLE_OUT_OF_MEMORY:
		return -ENOMEM;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CONNECT_ERROR:
		return -EACCES;
	default:
		return -EPROTO;
	}
}

int post_by_curl(const struct post_client *c, const struct post_request *r, struct post_answer *a,
		 struct err *e)
{
	const struct libcurl *api = libcurl_load();
	struct transfer t = {a, r->stop};
	struct curl_slist *headers = NULL;
	CURLcode code = CURLE_OUT_OF_MEMORY;
	CURL *curl;
	long status = 0;
	int rc;

	if (!api)
		return err_set(e, -ENOSYS,
			       "https needs libcurl (libcurl.so.4), which is not installed");
	curl = api->init();
	if (curl)
		headers = make_curl_headers(api, c, r);
	if (headers) {
		set_curl_options(api, curl, c, r, &t);
		api->setopt(curl, CURLOPT_HTTPHEADER, headers);
		code = api->perform(curl);
		api->getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	}
	a->status = (unsigned)status;
	a->sent += r->body.n;
	api->free_all(headers);
	if (curl)
		api->cleanup(curl);
	rc = curl_error_to_errno(code);
	rc = rc ? rc : buf_error(&a->body);
	if (rc)
		return err_set(e, rc, "%s:%s: %s", c->url.host, c->url.port, api->strerror(code));
	return 0;
}
