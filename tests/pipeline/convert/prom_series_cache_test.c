/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of label sets: what it keeps, and that batches are the same with it and without. */
#include "format/otlp/schema.h"
#include "pipeline/convert/prometheus/prom_batch.h"
#include "test/test.h"

/* ---- the cache ---- */

static void labels_are_found_by_their_key(void **state)
{
	struct prom_series_cache c = {0};
	uint32_t id;

	(void)state;
	assert_int_equal(prom_series_cache_find(&c, STR("a"), &id).n, 0);
	assert_true(id != PROM_CACHE_NONE);
	prom_series_cache_put(&c, id, STR("labels of a"));
	assert_int_equal(prom_series_cache_find(&c, STR("b"), &id).n, 0);
	assert_str_equal(prom_series_cache_find(&c, STR("a"), &id), STR("labels of a"));
	/* b was not put */
	assert_int_equal(prom_series_cache_find(&c, STR("b"), &id).n, 0);
	prom_series_cache_fini(&c);
}

static void a_full_cache_begins_anew_or_rests(void **state)
{
	struct prom_series_cache c = {0};
	char text[4096], key[16];
	uint32_t id, n = 0;

	(void)state;
	memset(text, 'x', sizeof(text));
	for (; c.bytes <= PROM_CACHE_BYTES; n++) {
		snprintf(key, sizeof(key), "%u", n);
		assert_int_equal(prom_series_cache_find(&c, str_from(key), &id).n, 0);
		prom_series_cache_put(&c, id, str_of(text, sizeof(text)));
	}
	assert_true(n > 900 && n < 1100);
	/* none of them was found again: it rests */
	assert_int_equal(prom_series_cache_find(&c, STR("0"), &id).n, 0);
	assert_int_equal(id, PROM_CACHE_NONE);
	c.rest = 1;
	assert_int_equal(prom_series_cache_find(&c, STR("0"), &id).n, 0);
	assert_int_equal(prom_series_cache_find(&c, STR("0"), &id).n, 0);
	assert_true(id != PROM_CACHE_NONE);
	prom_series_cache_fini(&c);
}

static void without_memory_nothing_is_kept(void **state)
{
	struct budget budget = {.limit = 64};
	struct prom_series_cache c = {.budget = &budget};
	uint32_t id;

	(void)state;
	assert_int_equal(prom_series_cache_find(&c, STR("a"), &id).n, 0);
	assert_int_equal(id, PROM_CACHE_NONE);
	prom_series_cache_fini(&c);
	assert_int_equal(budget.used, 0);
}

/* ---- batches ---- */

#define POINT(route, value)                                                                        \
	"{\"timeUnixNano\":\"1700000000000000000\",\"asInt\":\"" value "\",\"attributes\":["       \
	"{\"key\":\"route\",\"value\":{\"stringValue\":\"" route "\"}},"                           \
	"{\"key\":\"code\",\"value\":{\"intValue\":\"200\"}}]}"
#define MESSAGE(service, name, points)                                                             \
	"{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","          \
	"\"value\":{\"stringValue\":\"" service "\"}}]},\"scopeMetrics\":[{\"metrics\":[{"         \
	"\"name\":\"" name "\",\"gauge\":{\"dataPoints\":[" points "]}}]}]}]}"

static void read_message(struct metric_batch *b, struct prom_series_cache *cache,
			 enum prom_strategy strategy, const char *json)
{
	const struct prom_batch_options o = {.strategy = strategy, .cache = cache};
	struct payload_slice slice;
	struct payload payload;
	struct buf bytes = {0};
	struct err e = {0};
	struct str message;

	metric_batch_reset(b);
	assert_ok_err(schema_json_to_proto(&bytes, otlp_request_schema(SIGNAL_METRICS),
					   str_from(json), &b->arena, &e),
		      &e);
	assert_ok(arena_copy_str(&b->arena, buf_str(&bytes), &message));
	payload_borrow(&payload, &slice, SIGNAL_METRICS, 1, message);
	assert_ok_err(prom_batch_read(b, &payload, &o, &e), &e);
	assert_ok(metric_batch_check(b, &e));
	buf_fini(&bytes);
}

static void batches_are_the_same_with_a_cache(void **state)
{
	static const char *const messages[] = {
		MESSAGE("a", "load", POINT("/x", "1") "," POINT("/y", "2")),
		MESSAGE("b", "load", POINT("/x", "1") "," POINT("/y", "2")),
		MESSAGE("a", "queue.length", POINT("/y", "2") "," POINT("/z", "3")),
	};
	struct prom_series_cache cache = {0};
	struct metric_batch plain, cached;

	(void)state;
	metric_batch_init(&plain, NULL);
	metric_batch_init(&cached, NULL);
	for (unsigned round = 0; round < 9; round++) {
		const enum prom_strategy strategy =
			round / 3 % 2 ? PROM_NO_TRANSLATION : PROM_ESCAPE_WITH_SUFFIXES;
		const char *json = messages[round % countof(messages)];

		read_message(&plain, NULL, strategy, json);
		read_message(&cached, &cache, strategy, json);
		assert_int_equal(plain.series.n, cached.series.n);
		assert_int_equal(plain.samples.n, 2);
		for (uint32_t i = 0; i < plain.series.n; i++)
			assert_str_equal(plain.series.at[i], cached.series.at[i]);
		for (uint32_t i = 0; i < plain.samples.n; i++)
			assert_memory_equal(&plain.samples.at[i], &cached.samples.at[i],
					    sizeof(plain.samples.at[i]));
	}
	assert_int_equal(cache.hits, 6);
	metric_batch_fini(&plain);
	metric_batch_fini(&cached);
	prom_series_cache_fini(&cache);
}

TEST_MAIN(test(labels_are_found_by_their_key), test(a_full_cache_begins_anew_or_rests),
	  test(without_memory_nothing_is_kept), test(batches_are_the_same_with_a_cache))
