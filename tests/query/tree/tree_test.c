/* SPDX-License-Identifier: Apache-2.0 */
/* The call tree of a batch and its table: filters, grouping, modules, labels, sample types. */
#include "query/query_test.h"
#include "signal/profile/profile_rows.h"

static const struct tree_options plain;

static void samples_of_equal_stacks_add_up_and_children_are_sorted(void **state)
{
	struct sketch s;

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "main;b", 1);
	sketch_sample(&s, "main;a;leaf", 2);
	sketch_sample(&s, "main;a;leaf", 3);
	sketch_sample(&s, "main;c", 1);
	sketch_sample(&s, "main", 7);
	assert_tree(&s.batch, &plain, "(main 7/14(a 0/5(leaf 5/5), b 1/1, c 1/1))");
	assert_top(&s.batch, &plain, TOP_BY_SELF, "main 7/14, leaf 5/5, b 1/1, c 1/1, a 0/5");
	assert_top(&s.batch, &plain, TOP_BY_TOTAL, "main 7/14, leaf 5/5, a 0/5, b 1/1, c 1/1");
	sketch_fini(&s);
}

static void recursion_counts_once_in_the_total(void **state)
{
	struct sketch s;

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "main;fib;fib;fib", 4);
	sketch_sample(&s, "main;fib;fib", 2);
	sketch_sample(&s, "main;fib;other;fib", 1);
	assert_top(&s.batch, &plain, TOP_BY_TOTAL, "fib 7/7, main 0/7, other 0/1");
	sketch_fini(&s);
}

static void inlined_calls_are_frames_of_their_own_in_order(void **state)
{
	struct sketch s;

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "main;tiny<small<big", 5);
	sketch_sample(&s, "main;big", 1);
	assert_tree(&s.batch, &plain, "(main 0/6(big 1/6(small 0/5(tiny 5/5))))");
	sketch_fini(&s);
}

static void an_inverted_tree_starts_at_the_leaves(void **state)
{
	struct sketch s;
	struct tree_options o = {.invert = true};

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "main;a;malloc", 2);
	sketch_sample(&s, "main;b;malloc", 3);
	sketch_sample(&s, "main;b", 1);
	assert_tree(&s.batch, &o,
		    "(malloc 0/5(b 0/3(main 3/3), a 0/2(main 2/2)), b 0/1(main 1/1))");
	sketch_fini(&s);
}

static void filters_behave_as_in_go_pprof(void **state)
{
	static const struct {
		const char *focus, *ignore, *hide, *show, *show_from, *expected;
	} rows[] = {
		{"^a$", NULL, NULL, NULL, NULL, "(main 0/2(a 0/2(leaf 2/2)))"},
		{NULL, "leaf", NULL, NULL, NULL, "(main 1/1)"},
		{NULL, NULL, "^[ab]$", NULL, NULL, "(main 1/6(leaf 5/5))"},
		{NULL, NULL, NULL, "^[ab]$", NULL, "(b 3/3, a 2/2)"},
		{NULL, NULL, NULL, NULL, "^[ab]$", "(b 0/3(leaf 3/3), a 0/2(leaf 2/2))"},
		{"leaf", "^b$", "main", NULL, NULL, "(a 0/2(leaf 2/2))"},
		{"nothing", NULL, NULL, NULL, NULL, ""},
	};
	struct sketch s;

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "main;a;leaf", 2);
	sketch_sample(&s, "main;b;leaf", 3);
	sketch_sample(&s, "main", 1);
	for (size_t i = 0; i < countof(rows); i++) {
		struct tree_options o = {0};
		const char *const patterns[] = {rows[i].focus, rows[i].ignore, rows[i].hide,
						rows[i].show, rows[i].show_from};
		struct regex **const fields[] = {&o.frames.focus, &o.frames.ignore, &o.frames.hide,
						 &o.frames.show, &o.frames.show_from};
		struct tree t;
		struct buf text = {0};

		for (size_t k = 0; k < countof(patterns); k++)
			if (patterns[k])
				*fields[k] = regex_of(patterns[k]);
		build_tree(&t, &s.batch, &o);
		tree_print(&text, &t, 0);
		assert_str_equal(buf_str(&text), str_from(rows[i].expected));
		assert_int_equal(t.sum[0].all, 6);
		assert_int_equal(t.sum[0].kept, tree_total(&t, 0).in[0]);
		buf_fini(&text);
		tree_fini(&t);
		for (size_t k = 0; k < countof(patterns); k++)
			regex_free(*fields[k]);
	}
	sketch_fini(&s);
}

static void filters_match_single_inlined_lines(void **state)
{
	struct sketch s;
	struct tree_options hide = {.frames.hide = regex_of("^small$")};
	struct tree_options from = {.frames.show_from = regex_of("^small$")};
	struct tree_options focus = {.frames.focus = regex_of("^tiny$")};

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "main;tiny<small<big", 5);
	sketch_sample(&s, "small;tiny<small<big", 1);
	assert_tree(&s.batch, &hide, "(main 0/5(big 0/5(tiny 5/5)), big 0/1(tiny 1/1))");
	/* The inlined caller is cut only if its location is the outermost match. */
	assert_tree(&s.batch, &from, "(small 0/6(tiny 5/5, big 0/1(small 0/1(tiny 1/1))))");
	assert_tree(&s.batch, &focus,
		    "(main 0/5(big 0/5(small 0/5(tiny 5/5))), "
		    "small 0/1(big 0/1(small 0/1(tiny 1/1))))");
	regex_free(hide.frames.hide);
	regex_free(from.frames.show_from);
	regex_free(focus.frames.focus);
	sketch_fini(&s);
}

/*
 * Add samples with two addresses in libx.so, one of them with a function in a file, and an address
 * without a module.
 */
static void add_places(struct sketch *s)
{
	struct mapping m = {.start = 0x10000, .limit = 0x20000, .offset = 0x400};
	struct function f = {0};
	struct line line = {.line = 42};
	struct location_parts at = {.address = 0x10020}, named = {.lines = &line, .line_count = 1};
	uint32_t ids[2], stack;

	assert_ok(profile_add_string(&s->builder, STR("/usr/lib/libx.so"), &m.filename));
	assert_ok(profile_add_mapping(&s->builder, &m, NULL, 0, &at.mapping));
	assert_ok(profile_add_string(&s->builder, STR("f"), &f.name));
	assert_ok(profile_add_string(&s->builder, STR("src/x.c"), &f.filename));
	assert_ok(profile_add_function(&s->builder, &f, &line.function));
	named.mapping = at.mapping;
	named.address = 0x10999;
	assert_ok(profile_add_location(&s->builder, &at, &ids[0]));
	assert_ok(profile_add_location(&s->builder, &named, &ids[1]));
	assert_ok(profile_add_stack(&s->builder, ids, 2, &stack));
	assert_ok(profile_add_sample(&s->builder, stack, 0, NULL, 0, 1));
	at.mapping = 0;
	assert_ok(profile_add_location(&s->builder, &at, &ids[0]));
	assert_ok(profile_add_stack(&s->builder, ids, 1, &stack));
	assert_ok(profile_add_sample(&s->builder, stack, 0, NULL, 0, 1));
}

static void frames_without_a_name_are_never_dropped(void **state)
{
	struct sketch s;
	struct tree_options o = {0};

	(void)state;
	sketch_init(&s);
	add_places(&s);
	assert_tree(&s.batch, &o, "(0x10020 1/1, f 0/1(libx.so+0x420 1/1))");
	o.group = GROUP_LINE;
	assert_tree(&s.batch, &o, "(0x10020 1/1, f:42 0/1(libx.so+0x420 1/1))");
	o.group = GROUP_FILE;
	assert_tree(&s.batch, &o, "([unknown file] 1/1, src/x.c 0/1([libx.so] 1/1))");
	o.group = GROUP_MODULE; /* adjacent frames of one module are merged */
	assert_tree(&s.batch, &o, "(/usr/lib/libx.so 1/1, [unknown module] 1/1)");
	o.group = GROUP_ADDRESS;
	assert_tree(&s.batch, &o, "(0x10020 1/1, 0x10999 f:42 0/1(libx.so+0x420 1/1))");
	sketch_fini(&s);
}

static void a_sample_without_a_stack_is_shown_as_such(void **state)
{
	struct sketch s;
	struct tree_options focus = {.frames.focus = regex_of(".")};

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "", 3);
	sketch_sample(&s, "main", 1);
	assert_tree(&s.batch, &plain, "([no stack] 3/3, main 1/1)");
	assert_tree(&s.batch, &focus, "(main 1/1)");
	regex_free(focus.frames.focus);
	sketch_fini(&s);
}

static void negative_values_and_wrapping_sums_are_kept(void **state)
{
	struct sketch s;
	struct tree t;

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "main;a", -5);
	sketch_sample(&s, "main;b", 3);
	assert_tree(&s.batch, &plain, "(main 0/-2(a -5/-5, b 3/3))");
	build_tree(&t, &s.batch, &plain);
	assert_int_equal(t.sum[0].magnitude, 8);
	assert_false(t.wrapped);
	tree_fini(&t);
	sketch_sample(&s, "main;a", INT64_MIN);
	build_tree(&t, &s.batch, &plain);
	assert_true(t.wrapped);
	tree_fini(&t);
	sketch_fini(&s);
}

/* Add a sample of the function in that file; an empty module means none. */
static void add_in_file(struct sketch *s, const char *name, const char *file, const char *module)
{
	struct function f = {0};
	struct mapping m = {0};
	struct line line = {0};
	struct location_parts at = {.lines = &line, .line_count = 1};
	uint32_t id, stack;

	assert_ok(profile_add_string(&s->builder, str_from(name), &f.name));
	assert_ok(profile_add_string(&s->builder, str_from(file), &f.filename));
	assert_ok(profile_add_string(&s->builder, str_from(module), &m.filename));
	assert_ok(profile_add_function(&s->builder, &f, &line.function));
	if (*module)
		assert_ok(profile_add_mapping(&s->builder, &m, NULL, 0, &at.mapping));
	assert_ok(profile_add_location(&s->builder, &at, &id));
	assert_ok(profile_add_stack(&s->builder, &id, 1, &stack));
	assert_ok(profile_add_sample(&s->builder, stack, 0, NULL, 0, 1));
}

static void functions_of_one_name_can_be_grouped_by_file(void **state)
{
	struct sketch s;
	struct tree_options o = {.group = GROUP_FILE_FUNCTION};
	struct tree t;

	(void)state;
	sketch_init(&s);
	add_in_file(&s, "init", "a.c", "/bin/app");
	add_in_file(&s, "init", "b.c", "/bin/app");
	assert_tree(&s.batch, &plain, "(init 2/2)");
	assert_tree(&s.batch, &o, "(init 1/1, init 1/1)");
	build_tree(&t, &s.batch, &plain);
	assert_str_equal(t.names.rows.at[0].file, STR("a.c"));
	assert_true(t.names.rows.at[0].many_files);
	tree_fini(&t);
	sketch_fini(&s);
}

static void functions_of_different_modules_are_distinguished(void **state)
{
	struct tree_options by_name = {.group = GROUP_NAME};
	struct sketch s;

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "main;work|/usr/bin/api", 5);
	sketch_sample(&s, "main;work|/usr/bin/worker", 3);
	assert_tree(&s.batch, &plain, "(main 0/8(work 5/5, work 3/3))");
	assert_top(&s.batch, &plain, TOP_BY_SELF, "work 5/5, work 3/3, main 0/8");
	assert_tree(&s.batch, &by_name, "(main 0/8(work 8/8))");
	sketch_fini(&s);
}

/*
 * Another directory, a file that was replaced, and JIT code of another process count as the same
 * module.
 */
static void builds_of_a_program_are_one_module(void **state)
{
	struct sketch s;

	(void)state;
	sketch_init(&s);
	sketch_sample(&s, "work|/opt/v1/app", 1);
	sketch_sample(&s, "work|/opt/v2/app", 2);
	sketch_sample(&s, "work|/opt/v2/app (deleted)", 4);
	sketch_sample(&s, "jit|/tmp/perf-17.map", 8);
	sketch_sample(&s, "jit|/tmp/perf-18.map", 16);
	sketch_sample(&s, "jit|/tmp/.debug/jitted-18-3.so", 32);
	sketch_sample(&s, "jit", 64);
	assert_tree(&s.batch, &plain, "(jit 120/120, work 7/7)");
	sketch_fini(&s);
}

/* The module of interpreted code is its file, in any directory. */
static void without_a_module_functions_are_distinguished_by_file(void **state)
{
	struct sketch s;

	(void)state;
	sketch_init(&s);
	add_in_file(&s, "run", "/srv/v1/jobs.py", "");
	add_in_file(&s, "run", "/srv/v2/jobs.py", "");
	add_in_file(&s, "run", "/srv/v2/mail.py", "");
	add_in_file(&s, "run", "", "");
	assert_tree(&s.batch, &plain, "(run 2/2, run 1/1, run 1/1)");
	sketch_fini(&s);
}

static void labels_of_sample_and_resource_select_samples(void **state)
{
	struct sketch s;
	struct keyvalue service = {STR("service.name"), VALUE_OF_STR(STR("shop"))};
	struct label_filter filters[2] = {{STR("thread"), regex_of("^worker-[0-9]$")},
					  {STR("service.name"), regex_of("shop")}};
	struct tree_options o = {.labels = filters, .label_count = 2};
	uint32_t location, stack, attribute;

	(void)state;
	assert_ok(profile_batch_init(&s.batch, NULL));
	assert_ok(profile_builder_init(&s.builder, &s.batch));
	assert_ok(profile_add_resource(&s.builder, &service, 1));
	assert_ok(profile_add_scope(&s.builder, STR(""), STR(""), NULL, 0));
	assert_ok(profile_add_profile(&s.builder, &(struct profile){0}, NULL, 0));
	assert_ok(profile_add_frame(&s.builder, STR("f"), STR(""), 0, &location));
	assert_ok(profile_add_stack(&s.builder, &location, 1, &stack));
	for (int i = 0; i < 3; i++) {
		const char *names[] = {"worker-1", "main", "worker-2"};

		assert_ok(profile_add_attribute(&s.builder, STR("thread"),
						VALUE_OF_STR(str_from(names[i])), STR(""),
						&attribute));
		assert_ok(profile_add_sample(&s.builder, stack, 0, &attribute, 1, 1 << i));
	}
	assert_tree(&s.batch, &o, "(f 5/5)");
	regex_free(filters[1].value);
	filters[1].value = regex_of("other");
	assert_tree(&s.batch, &o, "");
	regex_free(filters[0].value);
	regex_free(filters[1].value);
	sketch_fini(&s);
}

static void a_type_is_picked_by_name_and_the_error_lists_all(void **state)
{
	struct sketch s;
	struct sample_type t;
	struct err e = {0};

	(void)state;
	sketch_init(&s);
	assert_ok(profile_begin(&s.builder, STR("alloc"), STR("bytes")));
	sketch_sample(&s, "main", 3);
	assert_ok(sample_type_pick(&t, &s.batch, STR("alloc"), false, &e));
	assert_str_equal(t.unit, STR("bytes"));
	assert_ok(sample_type_pick(&t, &s.batch, STR("cpu/nanoseconds"), false, &e));
	assert_str_equal(t.type, STR("cpu"));
	assert_ok(sample_type_pick(&t, &s.batch, STR(""), false, &e)); /* type cpu has no sample */
	assert_str_equal(t.type, STR("alloc"));
	assert_ok(sample_type_pick(&t, &s.batch, STR(""), true, &e));
	assert_str_equal(t.type, STR("alloc"));
	assert_int_equal(sample_type_pick(&t, &s.batch, STR("wall"), false, &e), -ENOENT);
	assert_err_says(&e, "no sample type 'wall'; existing types: cpu/nanoseconds, alloc/bytes");
	sketch_fini(&s);
}

static void every_failing_allocation_is_an_error_and_leaks_nothing(void **state)
{
	struct sketch s;
	struct tree_options o = {.group = GROUP_LINE, .frames.hide = regex_of("x")};

	(void)state;
	sketch_init(&s);
	add_places(&s);
	sketch_sample(&s, "main;a;b", 1);
	for (size_t limit = 0;; limit += 4096) {
		struct budget budget = {.limit = limit};
		struct tree t;
		struct err e = {0};
		int rc = tree_init(&t, &o, &budget);

		if (!rc)
			rc = tree_add(&t, &s.batch, TREE_ONLY, &e);
		if (!rc)
			rc = tree_finish(&t);
		tree_fini(&t);
		assert_int_equal(budget.used, 0);
		if (!rc)
			break;
		assert_int_equal(rc, -ENOMEM);
		assert_true(limit < 64 * MIB);
	}
	regex_free(o.frames.hide);
	sketch_fini(&s);
}

TEST_MAIN(test(samples_of_equal_stacks_add_up_and_children_are_sorted),
	  test(recursion_counts_once_in_the_total),
	  test(inlined_calls_are_frames_of_their_own_in_order),
	  test(an_inverted_tree_starts_at_the_leaves), test(filters_behave_as_in_go_pprof),
	  test(filters_match_single_inlined_lines), test(frames_without_a_name_are_never_dropped),
	  test(a_sample_without_a_stack_is_shown_as_such),
	  test(negative_values_and_wrapping_sums_are_kept),
	  test(functions_of_one_name_can_be_grouped_by_file),
	  test(functions_of_different_modules_are_distinguished),
	  test(builds_of_a_program_are_one_module),
	  test(without_a_module_functions_are_distinguished_by_file),
	  test(labels_of_sample_and_resource_select_samples),
	  test(a_type_is_picked_by_name_and_the_error_lists_all),
	  test(every_failing_allocation_is_an_error_and_leaks_nothing))
