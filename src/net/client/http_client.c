/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP client: libcurl with our limits, errors and buffers. */
#include "net/client/http_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/libcurl.h"
#include "net/http/uri.h"

enum { TIMEOUT_MS = 30000, CONNECT_TIMEOUT_MS = 5000, UPLOAD_BUFFER = 256 << 10 };
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
	/* The position in the parts of the request's body. */
	const struct http_client_request *request;
	size_t part, part_offset;
	char *server_name; /* expected in the certificate instead of the URL's host; or NULL */
};

/* A URL whose host is replaced by the name in the server's certificate. */
struct named_url {
	char *url;
	char *host; /* the header with the original host and port */
	struct curl_slist *connect_to;
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

/* Return the seconds until a date such as "Sun, 06 Nov 1994 08:49:37 GMT"; 0 if it is past. */
static uint64_t seconds_until(struct str date)
{
	uint64_t now = clock_realtime_ns() / NS_PER_SECOND, at;
	struct tm tm = {0};
	char text[64];

	snprintf(text, sizeof(text), "%.*s", STR_ARG(date));
	if (!strptime(text, "%a, %d %b %Y %H:%M:%S", &tm) || tm.tm_year < 70)
		return 0;
	at = (uint64_t)timegm(&tm);
	return at > now ? at - now : 0;
}

/* Copy the next bytes of the body's parts. */
static size_t on_read_parts(char *to, size_t size, size_t count, void *user)
{
	struct http_client *c = user;
	const struct http_client_request *r = c->request;
	size_t room = size * count, done = 0;

	while (done < room && c->part < r->part_count) {
		struct str rest = str_from_at(r->parts[c->part], c->part_offset);
		size_t n = min_size(rest.n, room - done);

		if (n)
			memcpy(to + done, rest.p, n);
		done += n;
		c->part_offset += n;
		if (c->part_offset == r->parts[c->part].n) {
			c->part++;
			c->part_offset = 0;
		}
	}
	return done;
}

/* Start the body again, when a connection that was kept turns out to be closed. */
static int on_seek_parts(void *user, curl_off_t offset, int origin)
{
	struct http_client *c = user;

	if (offset || origin != SEEK_SET)
		return CURL_SEEKFUNC_CANTSEEK;
	c->part = c->part_offset = 0;
	return CURL_SEEKFUNC_OK;
}

static size_t on_header_line(char *p, size_t size, size_t count, void *user)
{
	struct http_client *c = user;
	struct str line = str_trim(str_of(p, size * count)), name = str_cut(&line, ':');

	line = str_trim(line);
	if (str_eq_ignoring_case(name, STR("retry-after")) &&
	    str_to_u64(line, 10, &c->answer->retry_after_s))
		c->answer->retry_after_s = seconds_until(line);
	if (str_eq_ignoring_case(name, STR("content-type")))
		snprintf(c->answer->content_type, sizeof(c->answer->content_type), "%.*s",
			 STR_ARG(line));
	if (c->want.n && str_eq_ignoring_case(name, c->want))
		buf_put_str(&c->answer->wanted, line);
	return size * count;
}

/* Set a text option that is copied. Return whether it failed. */
static bool set_blob(struct http_client *c, CURLoption option, const char *pem)
{
	struct curl_blob blob = {(void *)(uintptr_t)pem, pem ? strlen(pem) : 0, CURL_BLOB_COPY};

	return pem && c->api->setopt(c->curl, option, &blob) != CURLE_OK;
}

/* Called by libcurl at least once a second. Return whether the request has to end. */
static int on_progress(void *user, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
		       curl_off_t up)
{
	const struct http_client *c = user;
	const _Atomic bool *cancelled = c->request->cancelled;

	(void)down_total, (void)down, (void)up_total, (void)up;
	return cancelled && atomic_load_explicit(cancelled, memory_order_relaxed);
}

/* Return libcurl's number of a range of TLS versions. */
static long curl_versions(const struct net_client_options *o)
{
	static const long lowest[] = {CURL_SSLVERSION_TLSv1_0, CURL_SSLVERSION_TLSv1_1,
				      CURL_SSLVERSION_TLSv1_2, CURL_SSLVERSION_TLSv1_3};
	static const long highest[] = {CURL_SSLVERSION_MAX_TLSv1_0, CURL_SSLVERSION_MAX_TLSv1_1,
				       CURL_SSLVERSION_MAX_TLSv1_2, CURL_SSLVERSION_MAX_TLSv1_3};
	unsigned low = o->min_tls >= 10 && o->min_tls <= 13 ? o->min_tls - 10 : 2;
	unsigned high = o->max_tls >= 10 && o->max_tls <= 13 ? o->max_tls - 10 : 3;

	return lowest[low] | highest[high];
}

/* Return whether an option failed. */
static bool set_tls(struct http_client *c, const struct net_client_options *o)
{
	const struct libcurl *api = c->api;
	bool failed = false;

	if (o->ca_file)
		failed |= api->setopt(c->curl, CURLOPT_CAINFO, o->ca_file) != CURLE_OK;
	if ((o->ca_file || o->ca_pem) && !o->system_cas)
		failed |= api->setopt(c->curl, CURLOPT_CAPATH, NULL) != CURLE_OK;
	if (o->certificate)
		failed |= api->setopt(c->curl, CURLOPT_SSLCERT, o->certificate) != CURLE_OK;
	if (o->key)
		failed |= api->setopt(c->curl, CURLOPT_SSLKEY, o->key) != CURLE_OK;
	failed |= set_blob(c, CURLOPT_CAINFO_BLOB, o->ca_pem);
	failed |= set_blob(c, CURLOPT_SSLCERT_BLOB, o->certificate_pem);
	failed |= set_blob(c, CURLOPT_SSLKEY_BLOB, o->key_pem);
	if (o->skip_verify) {
		api->setopt(c->curl, CURLOPT_SSL_VERIFYPEER, 0L);
		api->setopt(c->curl, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	api->setopt(c->curl, CURLOPT_SSLVERSION, curl_versions(o));
	if (o->server_name) {
		c->server_name = strdup(o->server_name);
		failed |= !c->server_name;
	}
	return failed;
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
	failed |= set_tls(c, o);
	if (o->proxy)
		failed |= c->api->setopt(c->curl, CURLOPT_PROXY, o->proxy) != CURLE_OK;
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
	c->api->setopt(c->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
	c->api->setopt(c->curl, CURLOPT_ACCEPT_ENCODING, ""); /* all that libcurl can decode */
	c->api->setopt(c->curl, CURLOPT_USERAGENT, o->user_agent ? o->user_agent : "varve");
	c->api->setopt(c->curl, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BUFFER);
	c->api->setopt(c->curl, CURLOPT_READFUNCTION, on_read_parts);
	c->api->setopt(c->curl, CURLOPT_READDATA, c);
	c->api->setopt(c->curl, CURLOPT_SEEKFUNCTION, on_seek_parts);
	c->api->setopt(c->curl, CURLOPT_SEEKDATA, c);
	c->api->setopt(c->curl, CURLOPT_WRITEFUNCTION, on_body_bytes);
	c->api->setopt(c->curl, CURLOPT_WRITEDATA, c);
	c->api->setopt(c->curl, CURLOPT_HEADERFUNCTION, on_header_line);
	c->api->setopt(c->curl, CURLOPT_HEADERDATA, c);
	c->api->setopt(c->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	c->api->setopt(c->curl, CURLOPT_XFERINFODATA, c);
	c->api->setopt(c->curl, CURLOPT_NOPROGRESS, 0L);
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
	free(c->server_name);
	free(c);
}

void url_without_credentials(const char *url, char *out, size_t n)
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
	case CURLE_ABORTED_BY_CALLBACK:
		return -ECANCELED;
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

/* Return libcurl's list of headers, or NULL if memory is out. "Expect:" disables waiting for "100
 * Continue". */
static struct curl_slist *make_curl_headers(const struct http_client *c,
					    const struct http_client_request *request,
					    const char *host)
{
	struct curl_slist *list = c->api->append(NULL, "Expect:"), *longer = list;

	if (longer && c->authorization)
		longer = c->api->append(list, c->authorization);
	if (longer && host)
		longer = c->api->append(list, host);
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

/*
 * libcurl verifies the certificate for the host of the URL: put the expected name there, and have
 * it connect to the original host. Return 0 or -ENOMEM.
 */
static int name_url(struct http_client *c, const char *url, struct named_url *out)
{
	struct str scheme = STR("https://"), rest = str_from_at(str_from(url), scheme.n), authority;
	char *to = NULL;
	size_t end = 0, at, colon;

	while (end < rest.n && !memchr("/?#", rest.p[end], 3))
		end++;
	authority = str_head(rest, end);
	at = str_find_last(authority, '@');
	if (at < authority.n)
		authority = str_from_at(authority, at + 1);
	colon = str_find_last(authority, ':');
	if (memchr(authority.p + min_size(colon, authority.n), ']', authority.n - colon))
		colon = authority.n; /* "[::1]" */
	if (asprintf(&out->url, "https://%s%.*s%.*s", c->server_name,
		     STR_ARG(str_from_at(authority, colon)), STR_ARG(str_from_at(rest, end))) < 0)
		out->url = NULL;
	if (asprintf(&out->host, "Host: %.*s", STR_ARG(authority)) < 0)
		out->host = NULL;
	if (asprintf(&to, "::%.*s%s", STR_ARG(authority), colon < authority.n ? "" : ":443") < 0)
		to = NULL;
	out->connect_to = to ? c->api->append(NULL, to) : NULL;
	free(to);
	return out->url && out->host && out->connect_to ? 0 : -ENOMEM;
}

static void free_named_url(struct http_client *c, struct named_url *n)
{
	c->api->setopt(c->curl, CURLOPT_CONNECT_TO, NULL);
	c->api->free_all(n->connect_to);
	free(n->url);
	free(n->host);
}

static void set_body(struct http_client *c, const struct http_client_request *r)
{
	size_t n = r->part_count ? 0 : r->body.n;
	bool has_body = r->part_count || n || (r->method && !strcmp(r->method, "POST"));
	const char *bytes = r->body.p ? r->body.p : "";

	c->request = r;
	c->part = c->part_offset = 0;
	if (!has_body) {
		c->api->setopt(c->curl, CURLOPT_HTTPGET, 1L);
		return;
	}
	for (size_t i = 0; i < r->part_count; i++)
		n += r->parts[i].n;
	c->api->setopt(c->curl, CURLOPT_POST, 1L);
	c->api->setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
	c->api->setopt(c->curl, CURLOPT_POSTFIELDS, r->part_count ? NULL : bytes);
}

int http_client_request(struct http_client *c, const struct http_client_request *request,
			struct http_client_answer *answer, struct err *e)
{
	struct named_url named = {0};
	bool renamed = c->server_name && str_starts(str_from(request->url), STR("https://"));
	int failed = renamed ? name_url(c, request->url, &named) : 0;
	struct curl_slist *headers = failed ? NULL : make_curl_headers(c, request, named.host);
	char url[256];
	CURLcode rc;
	long status = 0;

	*answer = (struct http_client_answer){0};
	c->answer = answer;
	c->want = request->want;
	c->max_response = request->max_response ? request->max_response : MAX_RESPONSE;
	c->too_large = false;
	c->why[0] = 0;
	c->api->setopt(c->curl, CURLOPT_URL, renamed ? named.url : request->url);
	if (renamed)
		c->api->setopt(c->curl, CURLOPT_CONNECT_TO, named.connect_to);
	c->api->setopt(c->curl, CURLOPT_HTTPHEADER, headers);
	c->api->setopt(c->curl, CURLOPT_TIMEOUT_MS,
		       (long)(request->timeout_ms ? request->timeout_ms : TIMEOUT_MS));
	set_body(c, request);
	c->api->setopt(c->curl, CURLOPT_CUSTOMREQUEST, request->method);
	rc = headers ? c->api->perform(c->curl) : CURLE_OUT_OF_MEMORY;
	c->api->getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	c->api->free_all(headers);
	if (renamed)
		free_named_url(c, &named);
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
