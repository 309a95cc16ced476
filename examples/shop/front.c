/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shop-front PORT ORDERS_PORT [VERSION]: the customers' pages. GET /order/N places an order with
 * shop-orders and renders it as a page.
 *
 * Known problem: nearly all of its CPU time is escape_html().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "shop.h"

static int orders_port;

/* The hot spot: a linear search in a table for every character, 60,000 times. */
SHOP_FUNCTION size_t escape_html(const char *text, char *out, size_t size)
{
	static const char *const table[][2] = {
		{"<", "&lt;"}, {">", "&gt;"}, {"&", "&amp;"}, {"\"", "&quot;"}, {"'", "&#39;"}};
	size_t n = 0;

	for (int again = 0; again < 60000; again++) {
		n = 0;
		for (const char *c = text; *c && n + 8 < size; c++) {
			const char *with = NULL;

			for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
				if (*c == table[i][0][0])
					with = table[i][1];
			if (with) {
				memcpy(out + n, with, strlen(with));
				n += strlen(with);
			} else {
				out[n++] = *c;
			}
		}
	}
	out[n] = 0;
	return n;
}

SHOP_FUNCTION void render_page(const char *order, char *out, size_t size)
{
	VARVE_SPAN(span, "render-page");
	size_t n = (size_t)snprintf(out, size, "<html><body><pre>");

	n += escape_html(order, out + n, size - n);
	snprintf(out + n, size - n, "</pre></body></html>");
}

/* Send the order to shop-orders; the traceparent header has the id of the waiting span. */
static int place_order(const char *path, struct shop_answer *answer)
{
	char traceparent[VARVE_TRACEPARENT_SIZE] = "";
	VARVE_SPAN(span, "POST /orders");

	varve_span_set_kind(span, VARVE_SPAN_CLIENT);
	if (varve_traceparent(traceparent))
		traceparent[0] = 0;
	return shop_call(orders_port, "POST", path, traceparent, "", answer);
}

static void handle(const struct shop_request *request, struct shop_answer *answer)
{
	static __thread struct shop_answer order;
	struct varve_span *span;

	span = varve_span_start("GET /order",
				request->traceparent[0] ? request->traceparent : NULL);
	varve_span_set_kind(span, VARVE_SPAN_SERVER);
	varve_span_set_str(span, "url.path", request->path);
	if (varve_traceparent(answer->traceparent))
		answer->traceparent[0] = 0;
	if (place_order(request->path, &order) == 200) {
		render_page(order.body, answer->body, sizeof(answer->body));
	} else {
		answer->status = 502;
		varve_span_set_error(span, "shop-orders does not respond");
	}
	varve_span_end(span);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: shop-front PORT ORDERS_PORT [VERSION]\n");
		return 2;
	}
	orders_port = atoi(argv[2]);
	shop_profile("shop-front", argc > 3 ? argv[3] : "v1");
	return shop_serve("shop-front", atoi(argv[1]), 4, handle);
}
