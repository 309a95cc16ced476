/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serve the query API over a store in memory, for tests of the query commands. Print the port and
 * run until stdin is closed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/api.h"
#include "test/memory_store.h"

enum { ROUTES_MAX = 192 };

int main(void)
{
	static struct http_route routes[ROUTES_MAX];
	struct http_app app = {.routes = routes};
	struct net_listener listener = {.address = "127.0.0.1:0", .app = &app};
	struct api_options options = {.threads = 2, .version = "test"};
	struct net_server *server = NULL;
	struct store *store = NULL;
	struct api *api = NULL;
	struct err e = {0};
	char byte;
	int rc = memory_store_open(&store);

	options.store = store;
	if (!rc)
		rc = api_new(&api, &options, &e);
	if (!rc) {
		app.route_count = api_routes(api, routes, ROUTES_MAX);
		rc = net_server_start(&server, &listener, 1, NULL, NULL, &e);
	}
	if (!rc) {
		printf("%u\n", net_server_port(server, 0));
		fflush(stdout);
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
	} else {
		fprintf(stderr, "%s\n", e.text);
	}
	net_server_free(server);
	api_free(api);
	if (store)
		store->ops->close(store);
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
