/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a payload: what it finds, and what is written after changes. */
#include "signal/otlp/tree.h"

#include <errno.h>

#include "signal/otlp/build.h"
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

static struct otlp_tree read_tree(const struct payload *p)
{
	struct otlp_tree tree;
	struct err e = {0};

	assert_ok_err(otlp_tree_read(&tree, p, &arena, &e), &e);
	return tree;
}

static struct otlp_tree read_message(enum signal_kind signal, struct str message)
{
	struct payload_slice slice;
	struct payload p;

	payload_borrow(&p, &slice, signal, 0, message);
	return read_tree(&p);
}

static void add_log(struct otlp_builder *b, const char *text)
{
	otlp_add_log(b, &(struct otlp_log){.severity = 9, .body = VALUE_OF_STR(str_from(text))});
}

/* Two resources with two scopes of two records each: "000", "001", "010" ... */
static struct payload *some_logs(void)
{
	struct otlp_builder b;
	struct payload *p;
	char name[4] = "000";

	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	for (unsigned i = 0; i < 8; i++) {
		struct attributes a = {0};

		name[0] = (char)('0' + i / 4);
		name[1] = (char)('0' + i / 2 % 2);
		name[2] = (char)('0' + i % 2);
		assert_ok(attributes_set(&a, &arena, STR("resource"),
					 &VALUE_OF_STR(str_of(name, 1))));
		if (i % 4 == 0)
			otlp_begin_resource(&b, &a, STR("schema"));
		if (i % 2 == 0)
			otlp_begin_scope(&b, str_of(name, 2), STR("v"));
		add_log(&b, name);
	}
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	return p;
}

static bool str_has(struct str s, const char *part)
{
	return str_find_str(s, str_from(part)) < s.n;
}

static void resources_scopes_and_items_are_found(void **state)
{
	struct payload *p = some_logs(), *same;
	struct otlp_tree tree = read_tree(p);

	(void)state;
	assert_int_equal(tree.resource_count, 2);
	assert_int_equal(tree.items, 8);
	assert_int_equal(tree.resources[1].scope_count, 2);
	assert_true(str_has(tree.resources[1].resource, "resource"));
	assert_str_equal(tree.resources[1].schema_url, STR("schema"));
	assert_str_equal(tree.resources[1].scopes[0].scope, STR("\x0a\x02"
								"10\x12\x01v"));
	assert_int_equal(tree.resources[1].scopes[1].item_count, 2);
	assert_true(str_has(tree.resources[1].scopes[1].items[0].bytes, "110"));
	same = otlp_tree_write(&tree, NULL);
	assert_int_equal(same->items, 8);
	assert_int_equal(same->bytes, p->bytes);
	tree = read_tree(same);
	assert_int_equal(tree.items, 8);
	assert_str_equal(tree.resources[1].schema_url, STR("schema"));
	payload_release(same);
	payload_release(p);
}

static void changes_are_written(void **state)
{
	struct payload *p = some_logs(), *changed;
	struct otlp_tree tree = read_tree(p);

	(void)state;
	tree.resources[0].scopes[0].items[0].dropped = true;
	tree.resources[0].scopes[0].items[1].dropped = true;
	tree.resources[0].scopes[1].items[0].bytes = STR("\x2a\x05\x0a\x03new");
	tree.resources[1].resource = STR("");
	changed = otlp_tree_write(&tree, NULL);
	assert_int_equal(changed->items, 6);
	tree = read_tree(changed);
	assert_int_equal(tree.items, 6);
	assert_int_equal(tree.resources[0].scope_count, 1);
	assert_str_equal(tree.resources[0].scopes[0].items[0].bytes, STR("\x2a\x05\x0a\x03new"));
	assert_true(str_has(tree.resources[0].scopes[0].items[1].bytes, "011"));
	assert_int_equal(tree.resources[1].resource.n, 0);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 2; k++)
			tree.resources[1].scopes[i].items[k].dropped = true;
	p->items = 0;
	payload_release(p);
	p = otlp_tree_write(&tree, NULL);
	assert_int_equal(p->items, 2);
	tree = read_tree(p);
	assert_int_equal(tree.resource_count, 1);
	tree.resources[0].scopes[0].items[0].dropped = true;
	tree.resources[0].scopes[0].items[1].dropped = true;
	payload_release(changed);
	changed = otlp_tree_write(&tree, NULL);
	assert_int_equal(changed->items, 0);
	assert_int_equal(changed->bytes, 0);
	payload_release(changed);
	payload_release(p);
}

static void all_slices_are_read(void **state)
{
	struct payload *parts[] = {some_logs(), some_logs(), some_logs()}, *all, *changed;
	struct otlp_tree tree;

	(void)state;
	all = payload_concat(parts, 3);
	for (unsigned i = 0; i < 3; i++)
		payload_release(parts[i]);
	tree = read_tree(all);
	assert_int_equal(tree.resource_count, 6);
	assert_int_equal(tree.items, 24);
	changed = otlp_tree_write(&tree, NULL);
	assert_int_equal(changed->slice_count, 1);
	assert_int_equal(changed->bytes, all->bytes);
	payload_release(changed);
	payload_release(all);
}

/*
 * { 1: { 1: "a", 9: 1, 2: { 1: "x", 8: 2, 1: "y", 2: "item", 8: 3, 3: "s" }, 1: "b", 9: 4, 1: "c" },
 * 7: 5 }
 */
static void pieces_and_unknown_fields_are_kept(void **state)
{
	struct otlp_tree tree = read_message(
		SIGNAL_LOGS, STR("\x0a\x22\x0a\x01"
				 "a\x48\x01\x12\x13\x0a\x01x\x40\x02\x0a\x01y\x12\x04item"
				 "\x40\x03\x1a\x01s\x0a\x01"
				 "b\x48\x04\x0a\x01"
				 "c\x38\x05"));
	struct payload *p;

	(void)state;
	assert_int_equal(tree.resource_count, 1);
	assert_str_equal(tree.unknown, STR("\x38\x05"));
	assert_str_equal(tree.resources[0].resource, STR("abc"));
	assert_str_equal(tree.resources[0].unknown, STR("\x48\x01\x48\x04"));
	assert_str_equal(tree.resources[0].scopes[0].scope, STR("xy"));
	assert_str_equal(tree.resources[0].scopes[0].unknown, STR("\x40\x02\x40\x03"));
	assert_str_equal(tree.resources[0].scopes[0].schema_url, STR("s"));
	p = otlp_tree_write(&tree, NULL);
	assert_str_equal(p->slices[0].bytes,
			 STR("\x0a\x1c\x0a\x03"
			     "abc\x12\x11\x0a\x02xy\x12\x04item\x1a\x01s\x40\x02\x40\x03"
			     "\x48\x01\x48\x04\x38\x05"));
	payload_release(p);
}

static void data_points_are_counted(void **state)
{
	static const enum otlp_metric_kind kinds[] = {OTLP_GAUGE, OTLP_SUM, OTLP_HISTOGRAM,
						      OTLP_EXPONENTIAL, OTLP_SUMMARY};
	struct otlp_builder b;
	struct otlp_tree tree;
	struct payload *p;
	struct str data;

	(void)state;
	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	for (unsigned i = 0; i < countof(kinds); i++) {
		otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("m"), .kind = kinds[i]});
		for (unsigned k = 0; k <= i; k++)
			otlp_add_number(&b, &(struct otlp_number){.d = k});
	}
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	tree = read_tree(p);
	assert_int_equal(tree.items, 15);
	for (uint32_t i = 0; i < countof(kinds); i++) {
		struct otlp_item *item = &tree.resources[0].scopes[0].items[i];

		assert_int_equal(item->count, i + 1);
		assert_int_equal(otlp_metric_data(item->bytes, &data), kinds[i]);
	}
	payload_release(p);
	assert_int_equal(otlp_metric_points(STR("\x0a\x01x")), 0);
}

static void dictionary_of_profiles_is_kept(void **state)
{
	/* { 1: { 2: { 2: { 2: {}, 2: {}, 4: 1 } } }, 2: "dictionary" } */
	struct str message = STR("\x0a\x0a\x12\x08\x12\x06\x12\x00\x12\x00\x20\x01\x12\x0a"
				 "dictionary");
	struct otlp_tree tree = read_message(SIGNAL_PROFILES, message);
	struct payload *p;

	(void)state;
	assert_int_equal(tree.items, 2);
	p = otlp_tree_write(&tree, NULL);
	assert_str_equal(p->slices[0].bytes, message);
	assert_int_equal(p->items, 2);
	payload_release(p);
}

static void damage_is_reported(void **state)
{
	struct payload_slice slice;
	struct payload p;
	struct otlp_tree tree;
	struct err e = {0};

	(void)state;
	payload_borrow(&p, &slice, SIGNAL_TRACES, 0, STR("\x0a\x04\x12\x02\x12\x05"));
	assert_int_equal(otlp_tree_read(&tree, &p, &arena, &e), -EBADMSG);
	assert_err_says(&e, "at byte 6");
}

static void memory_is_limited(void **state)
{
	struct budget budget = {.limit = 200};
	struct payload *p = some_logs();
	struct otlp_tree tree = read_tree(p);
	struct arena small;
	struct err e = {0};

	(void)state;
	assert_null(otlp_tree_write(&tree, &budget));
	assert_int_equal(budget.used, 0);
	arena_init(&small, &budget);
	assert_int_equal(otlp_tree_read(&tree, p, &small, &e), -ENOMEM);
	arena_fini(&small);
	payload_release(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resources_scopes_and_items_are_found),
		cmocka_unit_test(changes_are_written),
		cmocka_unit_test(all_slices_are_read),
		cmocka_unit_test(pieces_and_unknown_fields_are_kept),
		cmocka_unit_test(data_points_are_counted),
		cmocka_unit_test(dictionary_of_profiles_is_kept),
		cmocka_unit_test(damage_is_reported),
		cmocka_unit_test(memory_is_limited),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
