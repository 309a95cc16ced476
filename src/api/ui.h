/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_UI_H
#define VARVE_API_UI_H

#include "base/err.h"
#include "net/http/http.h"

/*
 * The web UI as built by ui/build.mjs, embedded plain and compressed, so that a response needs no
 * memory whatever encoding the client accepts. Files named after their content hash are cached by
 * browsers forever; the page that refers to them is revalidated each time.
 */
struct ui_asset {
	struct str path; /* "/": the page of all views; without a slash: not served */
	struct str type;
	struct str etag; /* with quotes */
	struct str plain, gzip, brotli;
	bool lasting; /* immutable: named after its content */
};

extern const struct ui_asset ui_assets[];
extern const size_t ui_asset_count;

/* Write up to `room` routes of the UI to `out`. Return the number of all routes. */
size_t ui_routes(struct http_route *out, size_t room);

/* Get the self-contained page, split where its data is inserted. Return 0 or -ENOENT. */
MUST_USE int ui_single_page(struct str *head, struct str *tail, struct err *e);

#endif
