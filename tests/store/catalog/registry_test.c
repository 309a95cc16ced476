/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of series: a series keeps its number as long as something refers to it. */
#include "store/sqlite/catalog/registry.h"

#include "signal/random_batch.h"
#include "test/test.h"

static struct str encode_pod(struct buf *out, unsigned pod)
{
	char text[32];
	struct label labels[] = {
		{STR("pod"), test_text(text, sizeof(text), "pod_", pod)},
		{STR("service_name"), STR("checkout")},
	};

	buf_clear(out);
	labels_encode(out, STR("tenant"), (struct label_set){labels, 2});
	return buf_str(out);
}

static uint32_t add(struct registry *r, unsigned pod)
{
	struct buf bytes = {0};
	struct err e = {0};
	uint32_t number;

	assert_ok_err(registry_add(r, encode_pod(&bytes, pod), &number, &e), &e);
	buf_fini(&bytes);
	return number;
}

static void check_pod(const struct registry *r, uint32_t number, unsigned pod)
{
	const struct registry_series *s = registry_get(r, number);
	char text[32];

	assert_str_equal(s->tenant, STR("tenant"));
	assert_int_equal(s->labels.n, 2);
	assert_true(str_eq(s->labels.at[0].value, test_text(text, sizeof(text), "pod_", pod)));
	assert_str_equal(s->labels.at[1].name, STR("service_name"));
}

static struct registry *new_registry(void)
{
	struct registry *r = malloc(sizeof(*r));

	assert_non_null(r);
	assert_ok(registry_init(r));
	return r;
}

static void free_registry(struct registry *r)
{
	registry_fini(r);
	free(r);
}

static void a_series_has_one_number_while_it_is_referenced(void **state)
{
	struct registry *r = new_registry();

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 3000; i++)
			assert_int_equal(add(r, i), i);
	for (unsigned i = 0; i < 3000; i++)
		check_pod(r, i, i);
	free_registry(r);
}

enum { KEPT = 100, PASSING = 2000 };

static void unreferenced_series_are_evicted(void **state)
{
	struct registry *r = new_registry();
	uint32_t kept[KEPT], passing[PASSING];

	(void)state;
	for (unsigned i = 0; i < KEPT; i++)
		kept[i] = add(r, i);
	for (unsigned round = 1; round <= 5; round++) {
		for (unsigned i = 0; i < PASSING; i++)
			passing[i] = add(r, round * 10000 + i);
		for (unsigned i = 0; i < PASSING; i++)
			check_pod(r, passing[i], round * 10000 + i);
		assert_int_equal(registry_sweep(r, 0), 0);
		for (unsigned i = 0; i < PASSING; i++)
			registry_unref(r, passing[i]);
		assert_int_equal(add(r, round * 10000), passing[0]); /* the number is unchanged */
		registry_hold(r);
		assert_int_equal(registry_sweep(r, 0), 0);
		registry_release(r);
		assert_int_equal(registry_sweep(r, 0), PASSING - 1);
		registry_unref(r, passing[0]);
		assert_int_equal(registry_sweep(r, 0), 1);
		assert_true(r->count <= KEPT + PASSING);
	}
	for (unsigned i = 0; i < KEPT; i++) {
		check_pod(r, kept[i], i);
		assert_int_equal(add(r, i), kept[i]);
	}
	free_registry(r);
}

static void recently_used_series_are_not_evicted(void **state)
{
	struct registry *r = new_registry();

	(void)state;
	registry_unref(r, add(r, 1));
	assert_int_equal(registry_sweep(r, UINT64_MAX / 2), 0);
	assert_int_equal(add(r, 2), 1);
	free_registry(r);
}

TEST_MAIN(test(a_series_has_one_number_while_it_is_referenced),
	  test(unreferenced_series_are_evicted), test(recently_used_series_are_not_evicted))
