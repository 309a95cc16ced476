/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads that are merged and split: no item is lost, doubled or moved; headers are repeated. */
#include "pipeline/convert/payload_parts.h"

#include <errno.h>

#include "signal/otlp/build.h"
#include "signal/otlp/tree.h"
#include "test/test.h"

static struct arena arena;

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena, NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_fini(&arena);
	return 0;
}

static void begin_resource(struct otlp_builder *b, const char *name)
{
	struct attributes a = {0};

	assert_ok(attributes_set(&a, &arena, STR("name"), &VALUE_OF_STR(str_from(name))));
	otlp_begin_resource(b, &a, STR("https://schema/1"));
}

/* Logs "0", "1", ... in resources of `per_resource` and scopes of `per_scope`. */
static struct payload *some_logs(unsigned n, unsigned per_resource, unsigned per_scope)
{
	struct otlp_builder b;
	struct payload *p;

	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	for (unsigned i = 0; i < n; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%u", i / per_resource);
		if (i % per_resource == 0)
			begin_resource(&b, text);
		snprintf(text, sizeof(text), "%u", i / per_scope);
		if (i % per_scope == 0)
			otlp_begin_scope(&b, str_from(text), STR("v"));
		otlp_add_log(&b, &(struct otlp_log){.time = i + 1});
	}
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	return p;
}

/* Metrics "0", "1", ... with these numbers of points; the value of a point counts up from 0. */
static struct payload *some_metrics(const unsigned *points, unsigned metrics)
{
	struct otlp_builder b;
	struct payload *p;
	int64_t value = 0;

	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	begin_resource(&b, "m");
	otlp_begin_scope(&b, STR("scope"), STR("v"));
	for (unsigned i = 0; i < metrics; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		otlp_begin_metric(&b, &(struct otlp_metric){.name = str_from(name),
							    .unit = STR("By"),
							    .kind = OTLP_SUM,
							    .temporality = OTLP_CUMULATIVE,
							    .monotonic = true});
		for (unsigned k = 0; k < points[i]; k++)
			otlp_add_number(&b, &(struct otlp_number){.is_int = true, .i = ++value});
	}
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	return p;
}

static struct otlp_tree read_tree(const struct payload *p)
{
	struct otlp_tree tree;
	struct err e = {0};

	assert_ok_err(otlp_tree_read(&tree, p, &arena, &e), &e);
	assert_int_equal(tree.items, p->items);
	return tree;
}

static uint64_t log_time(struct str log)
{
	struct proto_reader r = proto_reader_of(log);

	assert_true(proto_next(&r));
	return proto_fixed64(&r);
}

/* Check that the parts have logs 0 .. n-1 in order, each below its resource and scope. */
static void check_logs(const struct payload_list *parts, unsigned n, unsigned per_resource,
		       unsigned per_scope)
{
	unsigned seen = 0;

	for (uint32_t i = 0; i < parts->n; i++) {
		struct otlp_tree tree = read_tree(parts->at[i]);

		for (uint32_t r = 0; r < tree.resource_count; r++) {
			const struct otlp_resource *resource = &tree.resources[r];
			struct value name;

			assert_str_equal(resource->schema_url, STR("https://schema/1"));
			assert_true(otlp_attribute_find(
				resource->resource, OTLP_RESOURCE_ATTRIBUTES, STR("name"), &name));
			for (uint32_t s = 0; s < resource->scope_count; s++) {
				const struct otlp_scope *scope = &resource->scopes[s];
				char text[16];

				snprintf(text, sizeof(text), "%u", seen / per_resource);
				assert_str_equal(name.s, str_from(text));
				snprintf(text, sizeof(text), "%u", seen / per_scope);
				assert_str_equal(
					str_head(str_from_at(scope->scope, 2), strlen(text)),
					str_from(text));
				for (uint32_t k = 0; k < scope->item_count; k++)
					assert_int_equal(log_time(scope->items[k].bytes), ++seen);
			}
		}
	}
	assert_int_equal(seen, n);
}

static void test_nothing_to_split(void **state)
{
	struct payload *p = some_logs(10, 5, 5);
	struct payload_list parts = {0};
	struct err e = {0};

	(void)state;
	assert_ok(payload_parts_split(&parts, p, 0, 0, NULL, &e));
	assert_ok(payload_parts_split(&parts, p, 10, p->bytes, NULL, &e));
	assert_int_equal(parts.n, 2);
	assert_ptr_equal(parts.at[0], p);
	assert_ptr_equal(parts.at[1], p);
	payload_list_free(&parts);
	payload_list_free(&parts);
	payload_release(p);
}

static void test_split_by_items(void **state)
{
	static const unsigned shapes[][2] = {{100, 100}, {10, 5}, {7, 3}, {1, 1}, {50, 1}};

	(void)state;
	for (unsigned shape = 0; shape < countof(shapes); shape++) {
		unsigned per_resource = shapes[shape][0], per_scope = shapes[shape][1];
		/* Scopes must not span resources for check_logs(). */
		unsigned scope = per_resource % per_scope ? per_resource : per_scope;
		struct payload *p = some_logs(100, per_resource, scope);

		for (uint64_t max = 1; max < 101; max += 7) {
			struct payload_list parts = {0};
			struct err e = {0};

			assert_ok_err(payload_parts_split(&parts, p, max, 0, NULL, &e), &e);
			assert_int_equal(parts.n, (100 + max - 1) / max);
			for (uint32_t i = 0; i + 1 < parts.n; i++)
				assert_int_equal(parts.at[i]->items, max);
			check_logs(&parts, 100, per_resource, scope);
			payload_list_free(&parts);
		}
		payload_release(p);
	}
}

static void test_split_by_bytes(void **state)
{
	struct payload *p = some_logs(200, 20, 10);

	(void)state;
	for (size_t max = 50; max < p->bytes; max += 97) {
		struct payload_list parts = {0};
		struct err e = {0};

		assert_ok_err(payload_parts_split(&parts, p, 0, max, NULL, &e), &e);
		for (uint32_t i = 0; i < parts.n; i++)
			assert_true(parts.at[i]->bytes <= max || parts.at[i]->items == 1);
		check_logs(&parts, 200, 20, 10);
		payload_list_free(&parts);
	}
	payload_release(p);
}

static void test_whole_resources_are_shared(void **state)
{
	struct payload *p = some_logs(100, 10, 10);
	const struct payload_block *block = p->slices[0].block;
	struct payload_list parts = {0};
	struct err e = {0};

	(void)state;
	assert_ok_err(payload_parts_split(&parts, p, 20, 0, NULL, &e), &e);
	assert_int_equal(parts.n, 5);
	for (uint32_t i = 0; i < parts.n; i++) {
		assert_int_equal(parts.at[i]->slice_count, 1);
		assert_ptr_equal(parts.at[i]->slices[0].block, block);
	}
	payload_release(p);
	check_logs(&parts, 100, 10, 10);
	payload_list_free(&parts);
}

/* Check that the parts have `n` points with values 1 .. n in sums of unchanged properties. */
static void check_metrics(const struct payload_list *parts, unsigned n)
{
	unsigned seen = 0;

	for (uint32_t i = 0; i < parts->n; i++) {
		struct otlp_tree tree = read_tree(parts->at[i]);
		const struct otlp_scope *scope = &tree.resources[0].scopes[0];

		assert_int_equal(tree.resource_count, 1);
		assert_str_equal(tree.resources[0].schema_url, STR("https://schema/1"));
		for (uint32_t k = 0; k < scope->item_count; k++) {
			struct str metric = scope->items[k].bytes, data;
			struct proto_reader r;
			unsigned temporality = 0, monotonic = 0;

			assert_int_equal(otlp_metric_data(metric, &data), OTLP_SUM);
			assert_true(str_find_str(metric, STR("By")) < metric.n);
			r = proto_reader_of(data);
			while (proto_next(&r)) {
				struct proto_reader point;

				if (r.tag == PROTO_TAG(2, PROTO_VARINT))
					temporality += (unsigned)proto_varint(&r);
				else if (r.tag == PROTO_TAG(3, PROTO_VARINT))
					monotonic += (unsigned)proto_varint(&r);
				if (r.tag != PROTO_TAG(1, PROTO_BYTES))
					continue;
				point = proto_message(&r);
				assert_true(proto_next(&point));
				assert_int_equal(proto_fixed64(&point), ++seen);
			}
			assert_int_equal(temporality, OTLP_CUMULATIVE);
			assert_int_equal(monotonic, 1);
		}
	}
	assert_int_equal(seen, n);
}

static void test_metrics_are_cut_between_points(void **state)
{
	static const unsigned points[] = {3, 40, 1, 1, 7, 100, 2};
	struct payload *p = some_metrics(points, countof(points));

	(void)state;
	assert_int_equal(p->items, 154);
	for (uint64_t max = 1; max < 160; max += 9) {
		struct payload_list parts = {0};
		struct err e = {0};

		assert_ok_err(payload_parts_split(&parts, p, max, 0, NULL, &e), &e);
		assert_int_equal(parts.n, (154 + max - 1) / max);
		check_metrics(&parts, 154);
		payload_list_free(&parts);
	}
	for (size_t max = 80; max < p->bytes; max += 113) {
		struct payload_list parts = {0};
		struct err e = {0};

		assert_ok_err(payload_parts_split(&parts, p, 0, max, NULL, &e), &e);
		for (uint32_t i = 0; i < parts.n; i++)
			assert_true(parts.at[i]->bytes <= max || parts.at[i]->items == 1);
		check_metrics(&parts, 154);
		payload_list_free(&parts);
	}
	payload_release(p);
}

static void test_merged_parts_split_again(void **state)
{
	struct payload *parts[3], *merged = NULL;
	struct payload_list split = {0};
	struct err e = {0};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		parts[i] = some_logs(10, 5, 5);
	assert_ok_err(payload_parts_merge(&merged, parts, 3, NULL, &e), &e);
	assert_int_equal(merged->items, 30);
	assert_int_equal(merged->bytes, 3 * parts[0]->bytes);
	for (unsigned i = 0; i < 3; i++)
		payload_release(parts[i]);
	assert_ok_err(payload_parts_split(&split, merged, 12, 0, NULL, &e), &e);
	assert_int_equal(split.n, 3);
	assert_int_equal(split.at[0]->items, 12);
	assert_int_equal(split.at[2]->items, 6);
	payload_list_free(&split);
	payload_release(merged);
}

static void test_merge_of_one_and_none(void **state)
{
	struct payload *p = some_logs(3, 3, 3), *merged = NULL;
	struct err e = {0};

	(void)state;
	assert_ok(payload_parts_merge(&merged, &p, 1, NULL, &e));
	assert_ptr_equal(merged, p);
	payload_release(merged);
	merged = NULL;
	assert_int_equal(payload_parts_merge(&merged, &p, 0, NULL, &e), -EINVAL);
	assert_null(merged);
	payload_release(p);
}

static void test_borrowed_payload(void **state)
{
	struct payload *p = some_logs(10, 10, 10), borrowed;
	struct payload_list parts = {0};
	struct payload_slice slice;
	struct err e = {0};

	(void)state;
	payload_borrow(&borrowed, &slice, SIGNAL_LOGS, 10, p->slices[0].bytes);
	assert_ok_err(payload_parts_split(&parts, &borrowed, 4, 0, NULL, &e), &e);
	payload_release(p);
	check_logs(&parts, 10, 10, 10);
	payload_list_free(&parts);
}

static void test_damaged_and_without_memory(void **state)
{
	struct payload *p = some_logs(100, 100, 100);
	struct payload *bad = payload_copy(SIGNAL_LOGS, 100, STR("\x0a\x7fxx"), NULL);
	struct budget budget = {.limit = 100000};
	struct payload_list parts = {0};
	struct err e = {0};

	(void)state;
	assert_int_equal(payload_parts_split(&parts, bad, 1, 0, NULL, &e), -EBADMSG);
	assert_true(e.text[0]);
	payload_list_free(&parts);
	for (budget.limit = 0; budget.limit < 60000; budget.limit += 500) {
		int rc = payload_parts_split(&parts, p, 1, 0, &budget, &e);

		assert_true(!rc || rc == -ENOMEM);
		if (!rc)
			check_logs(&parts, 100, 100, 100);
		payload_list_free(&parts);
		assert_int_equal(budget.used, 0);
	}
	payload_release(bad);
	payload_release(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_nothing_to_split),
		test(test_split_by_items),
		test(test_split_by_bytes),
		test(test_whole_resources_are_shared),
		test(test_metrics_are_cut_between_points),
		test(test_merged_parts_split_again),
		test(test_merge_of_one_and_none),
		test(test_borrowed_payload),
		test(test_damaged_and_without_memory),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
