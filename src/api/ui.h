/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_UI_H
#define VARVE_API_UI_H

#include "base/err.h"
#include "net/http/http.h"

/*
 * The pages, as ui/build.mjs made them, inside of the program: plain and compressed, so that an answer needs no
 * memory of its own, whatever the client accepts. Files whose name is made of their
 * content are kept by browsers for good; the one page that names them is asked for again each time.
 */
struct ui_asset {
	struct str path; /* "/": the page of every view; without a slash: not served */
	struct str type;
	struct str etag; /* with its quotes */
	struct str plain, gzip, brotli;
	bool lasting;
};

extern const struct ui_asset ui_assets[];
extern const size_t ui_asset_count;

/* The routes of the pages; fills `out` up to `room`, returns how many there are. */
size_t ui_routes(struct http_route *out, size_t room);

/* The page that carries its data with it, cut where the data goes. 0 or -ENOENT. */
MUST_USE int ui_single_page(struct str *head, struct str *tail, struct err *e);

#endif
