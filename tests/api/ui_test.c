/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded pages: every view has a route, and all files are present, consistent and small. */
#include "api/ui.h"

#include "base/arena.h"
#include "test/test.h"
#include "wire/compress/compress.h"

enum { ROUTES_MAX = 64 };

static void every_view_has_a_route_and_nothing_else_is_served(void **state)
{
	static const char *const views[] = {"/",	   "/profiles", "/compare", "/traces",
					    "/dashboards", "/alerts",	"/status",  "/graph"};
	struct http_route routes[ROUTES_MAX];
	size_t n = ui_routes(routes, ROUTES_MAX);

	(void)state;
	assert_in_range(n, countof(views), ROUTES_MAX);
	for (size_t i = 0; i < countof(views); i++) {
		size_t k = 0;

		while (k < n && !str_eq(routes[k].path, str_from(views[i])))
			k++;
		assert_true(k < n);
	}
	for (size_t i = 0; i < n; i++) {
		/* a path that does not exist: the page says so */
		if (str_eq(routes[i].path, STR("/")) && routes[i].flags & HTTP_PREFIX)
			assert_int_equal(routes[i].flags, HTTP_OPEN | HTTP_PREFIX | HTTP_FALLBACK);
		else
			assert_int_equal(routes[i].flags, HTTP_OPEN);
		assert_true(str_starts(routes[i].path, STR("/")));
	}
}

static void plain_and_compressed_files_are_equal(void **state)
{
	struct arena arena;
	struct str unpacked;

	(void)state;
	arena_init(&arena, NULL);
	for (size_t i = 0; i < ui_asset_count; i++) {
		assert_ok(decompress_bytes(COMPRESS_GZIP, ui_assets[i].gzip, &arena, NULL,
					   &unpacked, NULL));
		assert_true(str_eq(unpacked, ui_assets[i].plain));
	}
	arena_fini(&arena);
}

/* The page refers to existing files; a page with files of two builds would stay empty. */
static void the_page_refers_to_existing_files(void **state)
{
	struct str page = {0};
	unsigned found = 0;

	(void)state;
	for (size_t i = 0; i < ui_asset_count; i++)
		if (str_eq(ui_assets[i].path, STR("/")))
			page = ui_assets[i].plain;
	for (size_t i = 0; i < ui_asset_count; i++)
		if (ui_assets[i].lasting &&
		    memmem(page.p, page.n, ui_assets[i].path.p, ui_assets[i].path.n))
			found++;
	/* two scripts, style, icon; the second script names the others and the worker */
	assert_int_equal(found, 4);
	assert_null(memmem(page.p, page.n, "<script>", 8));
	assert_null(memmem(page.p, page.n, "http:", 5));
}

/* A first page loads everything except the rarely used views. */
static void a_page_loads_at_most_150_kb_and_all_files_are_300(void **state)
{
	size_t total = 0, later = 0;

	(void)state;
	for (size_t i = 0; i < ui_asset_count; i++) {
		if (!str_starts(ui_assets[i].path, STR("/")))
			continue;
		total += ui_assets[i].gzip.n;
		if (str_starts(ui_assets[i].path, STR("/assets/lazy")))
			later += ui_assets[i].gzip.n;
	}
	assert_in_range(total - later, 1, 150 * 1024);
	assert_in_range(total, 1, 300 * 1024);
}

static void the_single_page_is_split_at_its_data(void **state)
{
	struct str head, tail;
	struct err e = {0};

	(void)state;
	assert_ok_err(ui_single_page(&head, &tail, &e), &e);
	assert_true(str_starts(head, STR("<!doctype html>")));
	assert_true(str_ends(str_trim(tail), STR("</html>")));
	assert_true(str_eq(str_of(head.p + head.n, strlen("<!--DATA-->")), STR("<!--DATA-->")));
	assert_ptr_equal(tail.p, head.p + head.n + strlen("<!--DATA-->"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(every_view_has_a_route_and_nothing_else_is_served),
		test(plain_and_compressed_files_are_equal),
		test(the_page_refers_to_existing_files),
		test(a_page_loads_at_most_150_kb_and_all_files_are_300),
		test(the_single_page_is_split_at_its_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
