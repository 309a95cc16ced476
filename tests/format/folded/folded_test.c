/* SPDX-License-Identifier: Apache-2.0 */
/* Collapsed stacks, with counts or one stack per line. */
#include "format/folded/folded.h"

#include "format/decode_helper.h"
#include "format/perf_script/perf_script.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"

#define SAMPLE                                                                                     \
	"main;work;read_[k] 12\nmain;work 3\nmain;Foo::operator new (unsigned long);x_[j] 5\n"

static void stacks_are_decoded_and_encoded(void **state)
{
	static const struct {
		struct str in, out;
	} cases[] = {
		{STR_INIT("a;b;c 12\n"), STR_INIT("a;b;c 12\n")},
		/* no final line break, Windows line breaks, a byte order mark */
		{STR_INIT("a;b 1"), STR_INIT("a;b 1\n")},
		{STR_INIT("a;b 1\r\na 2\r\n"), STR_INIT("a 2\na;b 1\n")},
		{STR_INIT("\xef\xbb\xbf"
			  "a;b 1\n"),
		 STR_INIT("a;b 1\n")},
		/* equal stacks are merged */
		{STR_INIT("a;b 1\nc 1\na;b 41\n"), STR_INIT("a;b 42\nc 1\n")},
		/* spaces in names, a tab before the count */
		{STR_INIT("main;operator new (long) 7\n"),
		 STR_INIT("main;operator new (long) 7\n")},
		{STR_INIT("V8 Worker;run\t7\n"), STR_INIT("V8 Worker;run 7\n")},
		{STR_INIT("f (x.py:12);g (y.py:3) 9\n"), STR_INIT("f (x.py:12);g (y.py:3) 9\n")},
		/* a stack of one frame, recursion, empty frames */
		{STR_INIT("a 3\na;a 1\na;a;a 1\n"), STR_INIT("a 3\na;a 1\na;a;a 1\n")},
		{STR_INIT(";a;;b; 3\n"), STR_INIT("a;b 3\n")},
		/* comments, but not a frame that begins with the comment sign */
		{STR_INIT("# austin: 3.3.0\n# interval: 100\n#x\n\n#1 main;b 3\n"),
		 STR_INIT(";#1 main;b 3\n")},
		{STR_INIT(";# a 1\n;;# a;b 2\n"), STR_INIT(";# a 1\n;# a;b 2\n")},
		/* the type by the suffix is kept, also for equal names */
		{STR_INIT("a;b_[k] 1\na;b_[j] 2\na;b_[i] 3\na;b_[w] 4\na;b_[0] 5\na;b_[1] 6\na;b "
			  "7\n"),
		 STR_INIT("a;b 7\na;b_[0] 5\na;b_[1] 6\na;b_[i] 3\na;b_[j] 2\na;b_[k] 1\na;b_[w] "
			  "4\n")},
		{STR_INIT("a;_[k] 1\n"), STR_INIT("a;_[k] 1\n")},
		/* counts: rounded, negative (a difference), zero, the largest */
		{STR_INIT("a 31.23\nb 6.5\nc 1e3\n"), STR_INIT("a 31\nb 7\nc 1000\n")},
		{STR_INIT("a -5\nb 0\n"), STR_INIT("a -5\nb 0\n")},
		{STR_INIT("a 9223372036854775807\n"), STR_INIT("a 9223372036854775807\n")},
		/* py-spy writes stacks without frames */
		{STR_INIT(" 5\na 1\n"), STR_INIT("[unknown] 5\na 1\n")},
		/* invalid lines are skipped */
		{STR_INIT("a;b 1\nTHIS IS BAD\nBAD 12V.43\nBAD nan\nBAD inf\n7\na;c 1\n"),
		 STR_INIT("a;b 1\na;c 1\n")},
		/* a name that starts like a compressed file is changed */
		{STR_INIT("a\x04\"M\x18 1\n"), STR_INIT("a?\"M? 1\n")},
		{STR_INIT("a\xff;b\xc3\xa9 1\n"), STR_INIT("a\xef\xbf\xbd;b\xc3\xa9 1\n")},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_converts(&format_folded, cases[i].in, &format_folded, STR(""), cases[i].out);
}

static void each_line_of_the_lines_format_counts_one(void **state)
{
	(void)state;
	assert_converts(&format_lines, STR("a;b\na;c\n\na;b\nfoo bar 7\n"), &format_folded, STR(""),
			STR("a;b 2\na;c 1\nfoo bar 7; 1\n"));
}

/* Output of difffolded.pl. */
#define TWO_COLUMNS "main;work 10 12\nmain;gone 7 0\nmain;new 0 3\nmain;V8 Worker 2 2\n"

static void two_columns_are_before_and_after(void **state)
{
	struct str in = STR("# a comment\n" TWO_COLUMNS);

	(void)state;
	assert_converts(&format_folded, in, &format_folded, STR("before"),
			STR("main;V8 Worker 2\nmain;gone 7\nmain;work 10\n"));
	assert_converts(&format_folded, in, &format_folded, STR("after"),
			STR("main;V8 Worker 2\nmain;new 3\nmain;work 12\n"));
	/* as flamegraph.pl displays it */
	assert_converts(&format_folded, in, &format_folded, STR(""),
			STR("main;V8 Worker 2\nmain;new 3\nmain;work 12\n"));
	assert_converts(&format_folded, STR("a;b 1.5\t2.4\n"), &format_folded, STR("after"),
			STR("a;b 2\n"));
	assert_true(format_folded.sniff(in) >= 60);
}

static void numbers_at_the_end_of_names_are_not_a_column(void **state)
{
	(void)state;
	assert_converts(&format_folded, STR("main;worker 1 12\nmain;run 5\n"), &format_folded,
			STR(""), STR("main;run 5\nmain;worker 1; 12\n"));
	assert_converts(&format_folded, STR("worker 1 12\n"), &format_folded, STR(""),
			STR("worker 1; 12\n"));
	/* and are written so that they are not read as columns */
	assert_converts(&format_folded, STR("main;worker 1; 12\n"), &format_folded, STR(""),
			STR("main;worker 1; 12\n"));
}

static void a_line_with_one_column_among_two_is_reported(void **state)
{
	unsigned warnings = 0;
	struct decode_options o = {.warn = count_warning, .warn_arg = &warnings};
	struct profile_batch b;
	struct err e = {0};
	struct buf in = {0};

	(void)state;
	for (int i = 0; i < 60; i++)
		buf_printf(&in, "a;f%d_ 1 2\n", i);
	buf_put_str(&in, STR("a;b 5\na;c 3 4\n"));
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(format_decode(&b, buf_str(&in), &format_folded, STR(""), &o, NULL, &e), &e);
	assert_int_equal(warnings, 1);
	assert_int_equal(b.profiles.n, 2);
	assert_int_equal(b.sample_count, 2 * 61);
	o.strict = true;
	assert_ok(profile_batch_reset(&b));
	assert_int_equal(format_decode(&b, buf_str(&in), &format_folded, STR(""), &o, NULL, &e),
			 -EBADMSG);
	assert_err_says(&e, "line 61: expected \"frame;frame before after\", found \"a;b 5\"");
	profile_batch_fini(&b);
	buf_fini(&in);
}

/* Frames without a name are written as their module, in one pair of brackets. */
static void frames_without_a_name_show_their_module(void **state)
{
	(void)state;
	assert_converts(&format_perf_script,
			STR("app 1 1.0: 1 cycles:\n"
			    "\t7ffe0001 [unknown] ([vdso])\n"
			    "\t7f000001 [unknown] (/lib/libc.so.6)\n"
			    "\t1234 [unknown] ([unknown])\n\n"),
			&format_folded, STR(""), STR("[unknown];[libc.so.6];[vdso] 1\n"));
}

static void kernel_frames_have_their_type(void **state)
{
	struct profile_batch b;
	struct err e = {0};
	const struct attribute *type;
	uint32_t n;
	const uint32_t *stack;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(decode_as(&b, &format_folded, STR("main;read_[k] 12\n"), &e), &e);
	stack = stack_of(&b, b.sample_stack[0], &n);
	assert_int_equal(n, 2);
	type = profile_find_attribute(
		&b, b.attribute_refs.at + b.locations.at[stack[0]].attributes.at,
		b.locations.at[stack[0]].attributes.n, STR("profile.frame.type"));
	assert_non_null(type);
	assert_str_equal(type->value.s, STR("kernel"));
	assert_str_equal(
		string_of(&b, b.functions.at[b.lines.at[b.locations.at[stack[0]].lines.at].function]
				      .name),
		STR("read"));
	assert_int_equal(b.locations.at[stack[1]].attributes.n, 0);
	assert_str_equal(string_of(&b, b.profiles.at[0].sample_type.type), STR("samples"));
	assert_str_equal(string_of(&b, b.profiles.at[0].sample_type.unit), STR("count"));
	profile_batch_fini(&b);
}

static void skipped_lines_are_reported(void **state)
{
	unsigned warnings = 0;
	struct decode_options o = {.warn = count_warning, .warn_arg = &warnings};
	struct profile_batch b;
	struct err e = {0};

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(format_decode(&b, STR("a;b 1\nbad\n"), &format_folded, STR(""), &o, NULL, &e),
		      &e);
	assert_int_equal(warnings, 1);
	o.strict = true;
	assert_ok(profile_batch_reset(&b));
	assert_int_equal(
		format_decode(&b, STR("a;b 1\nbad\n"), &format_folded, STR(""), &o, NULL, &e),
		-EBADMSG);
	assert_err_says(&e, "line 2: expected \"frame;frame count\", found \"bad\"");
	profile_batch_fini(&b);
}

static void text_without_a_stack_is_rejected(void **state)
{
	(void)state;
	assert_refused(&format_folded, STR("hello world\n"), "found no stack");
	assert_refused(&format_folded, STR("# only a comment\n"), "found no stack");
}

static void separators_in_names_are_replaced(void **state)
{
	struct profile_batch b;
	struct profile_builder builder;
	struct buf out = {0};
	uint32_t frames[3], stack;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	assert_ok(profile_begin(&builder, STR("cpu"), STR("nanoseconds")));
	assert_ok(profile_add_frame(&builder, STR("La;b\n"), STR(""), 0, &frames[0]));
	assert_ok(
		profile_add_location(&builder, &(struct location_parts){.address = 4}, &frames[1]));
	assert_ok(profile_add_frame(&builder, STR("main"), STR("m.c"), 3, &frames[2]));
	assert_ok(profile_add_stack(&builder, frames, 3, &stack));
	assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 4));
	assert_ok(profile_add_frame(&builder, STR("main"), STR("m.c"), 4, &frames[2]));
	assert_ok(profile_add_stack(&builder, frames, 3, &stack));
	assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 5));
	assert_ok(profile_add_sample(&builder, 0, 0, NULL, 0, 6));
	assert_ok(format_folded.encode(&out, &b, NULL, NULL));
	assert_str_equal(buf_str(&out), STR("[unknown] 6\nmain;[unknown];La:b  9\n"));
	buf_fini(&out);
	profile_batch_fini(&b);
}

static void the_requested_type_is_written(void **state)
{
	struct encode_options o = {.sample_type = STR("wall")};
	struct profile_batch b;
	struct profile_builder builder;
	struct buf out = {0};
	struct err e = {0};
	uint32_t frame, stack;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	assert_ok(profile_begin(&builder, STR("cpu"), STR("nanoseconds")));
	assert_ok(profile_add_frame(&builder, STR("f"), STR(""), 0, &frame));
	assert_ok(profile_add_stack(&builder, &frame, 1, &stack));
	assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 4));
	assert_ok(profile_begin(&builder, STR("wall"), STR("nanoseconds")));
	assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 9));
	assert_ok(format_folded.encode(&out, &b, &o, &e));
	assert_str_equal(buf_str(&out), STR("f 9\n"));
	buf_clear(&out);
	assert_ok(format_folded.encode(&out, &b, NULL, &e));
	assert_str_equal(buf_str(&out), STR("f 4\n"));
	o.sample_type = STR("heap");
	assert_int_equal(format_folded.encode(&out, &b, &o, &e), -ENOENT);
	assert_err_says(&e, "existing types: cpu/nanoseconds, wall/nanoseconds");
	buf_fini(&out);
	profile_batch_fini(&b);
}

/* Make two threads with one stack, a sample without a thread, and a resource "shop". */
static void make_threads(struct profile_batch *b)
{
	struct keyvalue service = {STR("service.name"), VALUE_OF_STR(STR("shop"))};
	struct profile_builder builder;
	uint32_t location, stack, names[2], id;

	assert_ok(profile_batch_init(b, NULL));
	assert_ok(profile_builder_init(&builder, b));
	assert_ok(profile_add_resource(&builder, &service, 1));
	assert_ok(profile_add_scope(&builder, STR(""), STR(""), NULL, 0));
	assert_ok(profile_add_profile(&builder, &(struct profile){0}, NULL, 0));
	assert_ok(profile_add_frame(&builder, STR("run"), STR(""), 0, &location));
	assert_ok(profile_add_stack(&builder, &location, 1, &stack));
	assert_ok(profile_add_attribute(&builder, STR("thread.name"), VALUE_OF_STR(STR("a;b 1")),
					STR(""), &names[0]));
	assert_ok(profile_add_attribute(&builder, STR("thread.name"), VALUE_OF_STR(STR("#w")),
					STR(""), &names[1]));
	assert_ok(profile_add_attribute(&builder, STR("thread.id"), VALUE_OF_INT(7), STR(""), &id));
	assert_ok(profile_add_sample(&builder, stack, 0, &names[0], 1, 1));
	assert_ok(profile_add_sample(&builder, stack, 0, (uint32_t[]){id, names[1]}, 2, 20));
	assert_ok(profile_add_sample(&builder, stack, 0, &names[0], 1, 300));
	assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 4000));
	assert_ok(profile_add_sample(&builder, 0, 0, &names[0], 1, 50000));
}

static void a_label_can_be_the_root_of_stacks(void **state)
{
	static const struct {
		struct str label, expected;
	} cases[] = {
		{STR_INIT(""), STR_INIT("[unknown] 50000\nrun 4321\n")},
		{STR_INIT("thread.name"),
		 STR_INIT(";#w;run 20\na:b 1; 50000\na:b 1;run 301\nrun 4000\n")},
		{STR_INIT("thread.id"), STR_INIT("7;run 20\n[unknown] 50000\nrun 4301\n")},
		{STR_INIT("service.name"), STR_INIT("shop 50000\nshop;run 4321\n")},
		{STR_INIT("nothing"), STR_INIT("[unknown] 50000\nrun 4321\n")},
	};
	struct profile_batch b;

	(void)state;
	make_threads(&b);
	assert_batch_valid(&b);
	for (size_t i = 0; i < countof(cases); i++) {
		struct encode_options o = {.root_label = cases[i].label};
		struct buf out = {0};
		struct err e = {0};

		assert_ok_err(format_folded.encode(&out, &b, &o, &e), &e);
		assert_str_equal(buf_str(&out), cases[i].expected);
		buf_fini(&out);
	}
	profile_batch_fini(&b);
}

static void folded_stacks_are_detected_by_content(void **state)
{
	(void)state;
	assert_int_equal(format_folded.sniff(STR(SAMPLE)), 60);
	assert_int_equal(format_folded.sniff(STR("# head\nmain;a 1\n")), 60);
	assert_true(format_folded.sniff(STR("main 5\nother 6\n")) > 0);
	assert_int_equal(format_folded.sniff(STR("hello; world\nthis is text\n")), 0);
	assert_int_equal(format_folded.sniff(STR("a;b;c\n1;2;3\n")), 0);
	assert_int_equal(format_folded.sniff(STR("{\"a\": 5\n}")), 0);
	assert_int_equal(format_folded.sniff(STR("\x0a\x04\x08\x01;\x00 5\n")), 0);
	assert_int_equal(format_folded.sniff(STR("")), 0);
}

static void invalid_input_is_safe(void **state)
{
	(void)state;
	survives_truncation(&format_folded, STR(SAMPLE));
	survives_mutation(&format_folded, STR(SAMPLE), 10000);
	survives_mutation(&format_lines, STR(SAMPLE), 1000);
	survives_mutation(&format_folded, STR(TWO_COLUMNS), 5000);
	survives_failing_allocations(&format_folded, STR(TWO_COLUMNS));
	survives_lack_of_memory(&format_folded, STR(SAMPLE));
	survives_failing_allocations(&format_folded, STR(SAMPLE));
}

static void many_distinct_stacks_are_kept(void **state)
{
	struct buf in = {0}, out = {0};
	struct profile_batch b;
	struct err e = {0};

	(void)state;
	for (unsigned i = 10000; i < 30000; i++)
		buf_printf(&in, "root;f%u;g%u %u\n", i, i % 7, i);
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(decode_as(&b, &format_folded, buf_str(&in), &e), &e);
	assert_int_equal(b.sample_count, 20000);
	assert_ok(format_folded.encode(&out, &b, NULL, &e));
	assert_str_equal(buf_str(&out), buf_str(&in));
	profile_batch_fini(&b);
	buf_fini(&in);
	buf_fini(&out);
}

TEST_MAIN(test(stacks_are_decoded_and_encoded), test(each_line_of_the_lines_format_counts_one),
	  test(two_columns_are_before_and_after),
	  test(numbers_at_the_end_of_names_are_not_a_column),
	  test(a_line_with_one_column_among_two_is_reported),
	  test(frames_without_a_name_show_their_module), test(kernel_frames_have_their_type),
	  test(skipped_lines_are_reported), test(text_without_a_stack_is_rejected),
	  test(separators_in_names_are_replaced), test(the_requested_type_is_written),
	  test(a_label_can_be_the_root_of_stacks), test(folded_stacks_are_detected_by_content),
	  test(invalid_input_is_safe), test(many_distinct_stacks_are_kept))
