/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the embedded web UI. */
#include "api/ui.h"

#include <errno.h>

#include "net/http/header.h"
#include "net/http/respond.h"

/* Each view has its own path; all of them are the same page. /graph is the page of Prometheus that
 * links of alerts name (ui/src/url.ts). */
static const struct str pages[] = {
	STR_INIT("/"),	     STR_INIT("/profiles"), STR_INIT("/compare"),    STR_INIT("/traces"),
	STR_INIT("/logs"),   STR_INIT("/promql"),   STR_INIT("/dashboards"), STR_INIT("/alerts"),
	STR_INIT("/status"), STR_INIT("/graph"),
};

/* Only our own files may run or be loaded. */
static const struct http_header page_headers[] = {
	{STR_INIT("content-security-policy"),
	 STR_INIT("default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; "
		  "img-src "
		  "'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
		  "frame-ancestors 'none'")},
	{STR_INIT("cross-origin-opener-policy"), STR_INIT("same-origin")},
};

enum { HEADERS_MAX = 8 };

/* Set the body in an encoding that the client accepts. Return the encoding's name, or "". */
static struct str choose_coding(struct http_response *r, const struct http_exchange *x,
				const struct ui_asset *a)
{
	struct str takes = http_header(x, STR("accept-encoding"));

	if (http_header_lists(takes, STR("br"))) {
		r->static_body = a->brotli;
		return STR("br");
	}
	if (http_header_lists(takes, STR("gzip"))) {
		r->static_body = a->gzip;
		return STR("gzip");
	}
	r->static_body = a->plain;
	return (struct str){0};
}

static void serve_asset(void *owner, struct http_exchange *x)
{
	const struct ui_asset *a = owner;
	struct http_response r = {.status = 200, .content_type = a->type};
	struct http_header headers[HEADERS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < countof(page_headers); i++)
		headers[n++] = page_headers[i];
	headers[n++] = (struct http_header){STR("cache-control"),
					    a->lasting ? STR("public, max-age=31536000, immutable")
						       : STR("no-cache")};
	headers[n++] = (struct http_header){STR("etag"), a->etag};
	headers[n++] = (struct http_header){STR("vary"), STR("accept-encoding")};
	if (str_eq(http_header(x, STR("if-none-match")), a->etag)) {
		r.status = 304;
	} else {
		struct str coding = choose_coding(&r, x, a);

		if (coding.n)
			headers[n++] = (struct http_header){STR("content-encoding"), coding};
	}
	r.headers = headers;
	r.header_count = n;
	http_respond(x, &r);
}

/* A path that does not exist: browsers get the page, which says so, other clients a text. */
static void serve_nowhere(void *owner, struct http_exchange *x)
{
	const struct ui_asset *a = owner;
	struct http_response r = {.status = 404,
				  .content_type = STR("text/plain; charset=utf-8"),
				  .headers = page_headers,
				  .header_count = countof(page_headers)};

	if (http_header_lists(http_header(x, STR("accept")), STR("text/html"))) {
		r.content_type = a->type;
		r.static_body = a->plain;
	} else {
		buf_printf(&r.body, "%.*s: no such path\n", STR_ARG(str_head(x->path, 128)));
	}
	http_respond(x, &r);
}

static size_t put_route(struct http_route *out, size_t at, size_t room, struct str path,
			const struct ui_asset *a)
{
	if (at < room)
		out[at] = (struct http_route){
			.methods = METHOD_GET,
			.flags = HTTP_OPEN,
			.path = path,
			.handler = serve_asset,
			.owner = (void *)(uintptr_t)a,
		};
	return at + 1;
}

static size_t put_nowhere(struct http_route *out, size_t at, size_t room, const struct ui_asset *a)
{
	if (at < room)
		out[at] = (struct http_route){
			.methods = METHOD_GET,
			.flags = HTTP_OPEN | HTTP_PREFIX | HTTP_FALLBACK,
			.path = STR("/"),
			.handler = serve_nowhere,
			.owner = (void *)(uintptr_t)a,
		};
	return at + 1;
}

size_t ui_routes(struct http_route *out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < ui_asset_count; i++) {
		const struct ui_asset *a = &ui_assets[i];

		if (str_eq(a->path, STR("/"))) {
			for (size_t k = 0; k < countof(pages); k++)
				n = put_route(out, n, room, pages[k], a);
			n = put_nowhere(out, n, room, a);
		} else if (str_starts(a->path, STR("/"))) {
			n = put_route(out, n, room, a->path, a);
		}
	}
	return n;
}

int ui_single_page(struct str *head, struct str *tail, struct err *e)
{
	static const struct str mark = STR_INIT("<!--DATA-->");

	for (size_t i = 0; i < ui_asset_count; i++) {
		struct str page = ui_assets[i].plain;
		size_t at = str_find_str(page, mark);

		if (!str_eq(ui_assets[i].path, STR("page.html")) || at == page.n)
			continue;
		*head = str_head(page, at);
		*tail = str_from_at(page, at + mark.n);
		return 0;
	}
	return err_set(e, -ENOENT, "this build does not contain the web UI");
}
