/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded store and the in-memory store give byte for byte the same API responses. */
#include "api_test.h"

#include <stdio.h>
#include <unistd.h>

#include "api/endpoint.h"
#include "signal/random_batch.h"
#include "store/sqlite/sqlite_store.h"

enum { PROFILES = 150 };

struct both {
	char directory[64];
	struct store *memory, *sqlite;
};

static void put_both(struct both *b, const struct fill *f)
{
	assert_ok(store_fill(b->memory, f, NULL));
	assert_ok(store_fill(b->sqlite, f, NULL));
}

/*
 * Write a few days of profiles of several services, pods and types, some with spans, to both
 * stores.
 */
static void fill_both(struct both *b)
{
	static const char *const types[] = {CPU, "mutex:delay:nanoseconds:contentions:count", HEAP};
	uint64_t seed = 11;

	for (unsigned i = 0; i < PROFILES; i++) {
		char labels[128], samples[512], id[17];
		size_t n = 0;
		struct fill f = {
			.type = types[test_random(&seed, 3)],
			.labels = labels,
			.time = (T0 + test_random(&seed, 200000)) * S + i,
			.duration = 10 * S,
			.id = test_random(&seed, 2) ? id : NULL,
			.samples = samples,
		};

		snprintf(id, sizeof(id), "profile %u", i);
		snprintf(labels, sizeof(labels), "service_name=s%u,pod=p%u", test_random(&seed, 3),
			 test_random(&seed, 4));
		for (unsigned k = 0; k < 6; k++) {
			char time[32] = "";

			if (test_random(&seed, 2))
				snprintf(time, sizeof(time), " @%llu",
					 (unsigned long long)f.time +
						 test_random(&seed, 10000) * NS_PER_MS);
			n += (size_t)snprintf(samples + n, sizeof(samples) - n,
					      "%smain;f%u;g%u;h%u %u%s%s", k ? ", " : "",
					      test_random(&seed, 4), test_random(&seed, 5),
					      test_random(&seed, 6), 1 + test_random(&seed, 1000),
					      time, test_random(&seed, 3) ? "" : " #1a");
		}
		put_both(b, &f);
	}
}

static int setup(void **state)
{
	struct both *b = calloc(1, sizeof(*b));
	struct sqlite_store_options o = {.manual = true, .window_ms = 1};
	struct err e = {0};

	assert_non_null(b);
	strcpy(b->directory, "/tmp/varve-stores-XXXXXX");
	assert_non_null(mkdtemp(b->directory));
	o.directory = b->directory;
	assert_ok(memory_store_open(&b->memory));
	assert_ok_err(sqlite_store_open(&b->sqlite, &o, &e), &e);
	fill_both(b);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct both *b = *state;
	char command[128];

	b->memory->ops->close(b->memory);
	b->sqlite->ops->close(b->sqlite);
	snprintf(command, sizeof(command), "rm -rf %s", b->directory);
	assert_ok(system(command));
	free(b);
	return 0;
}

static void assert_same(struct both *b, const char *path, const char *query)
{
	const struct endpoint *at = varve_endpoints;
	struct test_request q[2];
	int rc[2];

	while (!str_eq(at->path, str_from(path)))
		at++;
	for (unsigned i = 0; i < 2; i++) {
		test_request_init(&q[i], i ? b->sqlite : b->memory);
		q[i].request.now_ns = (T0 + 200000) * S;
		rc[i] = request_page(&q[i], at->answer, query);
	}
	if (rc[0] != rc[1])
		fail_msg("%s?%s: %d %s, expected %d %s", path, query, rc[1], q[1].e.text, rc[0],
			 q[0].e.text);
	assert_str_equal(buf_str(&q[1].reply.body), buf_str(&q[0].reply.body));
	test_request_fini(&q[0]);
	test_request_fini(&q[1]);
}

static const char *const paths[] = {
	"/api/v1/services", "/api/v1/types",	"/api/v1/labels", "/api/v1/label-sets",
	"/api/v1/top",	    "/api/v1/tree",	"/api/v1/flame",  "/api/v1/series",
	"/api/v1/heatmap",  "/api/v1/profiles", "/api/v1/spans",  "/api/v1/moments",
};

static const char *const queries[] = {
	"from=now-10d&width=300&by=pod&step=1h",
	"from=now-1d&type=mutex&by=service_name&n=0&step=15m",
	"query=s1&from=now-2d&to=now-1h&type=cpu&step=30m",
	"query=s0%7Bpod%3D~%22p%5B12%5D%22%7D&from=now-3d&focus=f1&ignore=g2&step=1h",
	"query=s2&from=now-3d&function=g3&type=cpu&step=1h&invert=1",
	"query=s2&from=now-3d&span=000000000000001a&type=cpu&step=1h&spans=1",
	"query=nobody&from=now-3d&step=1h",
	"from=now-3d&type=cpu&phase_step=1000&phase_from=250&phase_to=700.5&rows=7",
	"from=now-3d&type=cpu&time_from=now-2d&time_to=now-1d&focus=f1",
	"from=now-3d&type=inuse_space&by=pod&step=2h", /* computes means instead of sums */
};

static void compare_all(struct both *b)
{
	for (size_t i = 0; i < countof(paths); i++)
		for (size_t k = 0; k < countof(queries); k++)
			assert_same(b, paths[i], queries[k]);
	assert_same(b, "/api/v1/diff",
		    "before=s0&after=s1&type=cpu&before_from=now-3d&"
		    "after_from=now-2d&flame=1&n=0");
	assert_same(b, "/api/v1/callers", "query=s0&function=g1&from=now-3d&type=cpu");
	assert_same(b, "/api/v1/trace",
		    "trace=00000000000000000000000000000001&from=now-3d&type=cpu");
	assert_same(b, "/api/v1/label-values", "name=pod&query=s1&from=now-3d");
}

/* Compare before merging, after the worker merged the data, and after a deletion. */
static void both_stores_give_the_same_responses(void **state)
{
	struct both *b = *state;
	struct err e = {0};

	compare_all(b);
	assert_ok_err(sqlite_store_work(b->sqlite, true, &e), &e);
	compare_all(b);
	assert_same(b, "/api/v1/data", "query=s1&before=now-1d");
	compare_all(b);
}

TEST_MAIN(cmocka_unit_test_setup_teardown(both_stores_give_the_same_responses, setup, teardown))
