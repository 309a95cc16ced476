/* SPDX-License-Identifier: Apache-2.0 */
/* The OTLP decoder: all layouts, repairs, errors. */
#include "format/otlp/otlp.h"

#include <errno.h>

#include "test/test.h"

#include "format/otlp/otlp_text.h"

struct fixture {
	struct budget budget;
	struct profile_batch b;
	struct buf message;
	struct err e;
	struct decode_options o;
	char warnings[1024];
};

static void save_warning(void *arg, const char *text)
{
	struct fixture *f = arg;
	size_t n = strlen(f->warnings);

	snprintf(f->warnings + n, sizeof(f->warnings) - n, "%s\n", text);
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	f->budget.limit = 256 * MIB;
	f->o = (struct decode_options){.warn = save_warning, .warn_arg = f};
	return profile_batch_init(&f->b, &f->budget);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	size_t left;

	profile_batch_fini(&f->b);
	left = f->budget.used;
	buf_fini(&f->message);
	free(f);
	return left != 0;
}

static int decode(struct fixture *f, const char *text)
{
	int rc;

	buf_clear(&f->message);
	otlp_text(&f->message, text);
	rc = otlp_decode(&f->b, buf_str(&f->message), &f->o, &f->e);
	if (!rc)
		assert_ok_err(profile_batch_check(&f->b, &f->e), &f->e);
	return rc;
}

#define WARNED(f, text)                                                                            \
	do {                                                                                       \
		if (!strstr((f)->warnings, text))                                                  \
			fail_msg("warnings are \"%s\", expected \"%s\"", (f)->warnings, text);     \
	} while (0)

/* A dictionary with one row after the zero row in each table. */
#define DICTIONARY                                                                                 \
	"2{ 1{} 1{ 1:0x1000 2:0x2000 3:16 4:4 5[1] }"                                              \
	"   2{} 2{ 1:1 2:0x1234 3{ 1:1 2:7 3:8 } 3{ 1:2 2:9 } 4[2] }"                              \
	"   3{} 3{ 1:1 2:2 3:3 4:5 } 3{ 1:3 }"                                                     \
	"   4{} 4{ 1#000102030405060708090a0b0c0d0e0f 2#0001020304050607 }"                        \
	"   5\"\" 5\"main\" 5\"_main\" 5\"main.c\" 5\"/bin/app\" 5\"thread\" 5\"frame\" 5\"cpu\""  \
	"   5\"ns\" 5\"service\""                                                                  \
	"   6{} 6{ 1:5 2{ 3:42 } 3:8 } 6{ 1:6 2{ 1\"native\" } }"                                  \
	"   7{} 7{ 1[1] } 7{ 1[1 1] } }"

#define PROFILES(samples)                                                                          \
	"1{ 1{ 1{ 1\"service.name\" 2{ 1\"shop\" } } 2:3 }"                                        \
	"   2{ 1{ 1\"profiler\" 2\"1.0\" } 2{ 1{ 1:7 2:8 } " samples                               \
	" 3@1000 4:500 5{ 1:7 2:8 } 6:20 7#000102030405060708090a0b0c0d0e0f 8:2 9\"jfr\" 10#ff00"  \
	" 11[2] } 3\"scope-url\" } 3\"resource-url\" }"

static void each_field_of_the_current_layout_is_read(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	assert_ok_err(decode(f, PROFILES("2{ 1:2 2[1 2] 3:1 4[5 6] 5<1001 1002> }") DICTIONARY),
		      &f->e);
	assert_string_equal(f->warnings, "");

	assert_str_equal(b->keyvalues.at[b->resources.at[0].attributes.at].key,
			 STR("service.name"));
	assert_str_equal(b->keyvalues.at[0].value.s, STR("shop"));
	assert_int_equal(b->resources.at[0].dropped_attributes, 3);
	assert_str_equal(b->resources.at[0].schema_url, STR("resource-url"));
	assert_str_equal(b->scopes.at[0].name, STR("profiler"));
	assert_str_equal(b->scopes.at[0].version, STR("1.0"));
	assert_str_equal(b->scopes.at[0].schema_url, STR("scope-url"));

	const struct profile *p = &b->profiles.at[0];

	assert_str_equal(string_of(b, p->sample_type.type), STR("cpu"));
	assert_str_equal(string_of(b, p->period_type.unit), STR("ns"));
	assert_int_equal(p->period, 20);
	assert_int_equal(p->time_unix_nano, 1000);
	assert_int_equal(p->duration_nano, 500);
	assert_int_equal(p->id[15], 15);
	assert_int_equal(p->dropped_attributes, 2);
	assert_str_equal(p->payload_format, STR("jfr"));
	assert_int_equal(p->payload.n, 2);
	assert_int_equal(b->attribute_refs.at[p->attributes.at], 2);

	assert_int_equal(b->mappings.at[1].limit, 0x2000);
	assert_int_equal(b->mappings.at[1].offset, 16);
	assert_str_equal(string_of(b, b->mappings.at[1].filename), STR("/bin/app"));
	assert_int_equal(b->mappings.at[1].attributes.n, 1);
	assert_int_equal(b->locations.at[1].address, 0x1234);
	assert_int_equal(b->locations.at[1].lines.n, 2);
	assert_int_equal(b->lines.at[0].line, 7);
	assert_int_equal(b->lines.at[0].column, 8);
	assert_int_equal(b->lines.at[1].function, 2);
	assert_int_equal(b->functions.at[1].start_line, 5);
	assert_int_equal(b->attributes.at[1].value.i, 42);
	assert_str_equal(string_of(b, b->attributes.at[1].unit), STR("ns"));
	assert_int_equal(b->links.at[1].span_id[7], 7);
}

static void a_sample_keeps_its_values_times_attributes_and_link(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	assert_ok_err(decode(f, PROFILES("2{ 1:2 2[1 2] 3:1 4[5 6] 5<1001 1002> }"
					 "2{ 1:1 4[-7] }") DICTIONARY),
		      &f->e);
	assert_int_equal(b->sample_count, 2);
	assert_int_equal(b->sample_stack[0], 2);
	assert_int_equal(b->sample_link[0], 1);
	assert_int_equal(b->sample_attributes_at[1], 2);
	assert_int_equal(b->sample_attributes.at[1], 2);
	assert_int_equal(b->values.at[1], 6);
	assert_int_equal(b->times.at[1], 1002);
	assert_int_equal(sample_total(b, 1), -7);
}

static void unpacked_lists_are_accepted(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	assert_ok_err(decode(f, PROFILES("2{ 1:2 3:1 4[9 9] 5@1001 5@1002 } 2{ 2:1 2:2 3:1 4:5 }")
					DICTIONARY),
		      &f->e);
	assert_int_equal(b->sample_times_at[1], 2);
	assert_int_equal(b->sample_attributes_at[2], 2);
	assert_int_equal(sample_total(b, 1), 5);
}

static void layout_1_9_is_converted(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	/* values 2, attributes 3, link 4 */
	assert_ok_err(decode(f, PROFILES("2{ 1:2 2[77] 3[1 2] 4:1 5<1001> }") DICTIONARY), &f->e);
	assert_int_equal(b->values.at[0], 77);
	assert_int_equal(b->sample_attributes.n, 2);
	assert_int_equal(b->sample_link[0], 1);
	assert_int_equal(b->times.at[0], 1001);
	assert_int_equal(b->profiles.at[0].id[1], 1);
}

static void samples_with_only_fields_1_and_2_are_layout_1_9(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(decode(f, PROFILES("2{ 1:1 2[2] }") DICTIONARY), &f->e);
	assert_int_equal(sample_total(&f->b, 0), 2);
	assert_int_equal(f->b.sample_attributes.n, 0);
}

static void ambiguous_samples_are_layout_1_11_if_field_2_can_be_attributes(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(decode(f, PROFILES("2{ 1:1 2[1 2] 5<1001 1002> }") DICTIONARY), &f->e);
	assert_int_equal(f->b.sample_attributes.n, 2);
	assert_int_equal(f->b.values.n, 0);
}

static void ambiguous_samples_are_layout_1_9_if_field_2_cannot_be_attributes(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(decode(f, PROFILES("2{ 1:1 2[1 1] 5<1001 1002> }") DICTIONARY), &f->e);
	assert_int_equal(f->b.sample_attributes.n, 0);
	assert_int_equal(f->b.values.n, 2);
}

static void layout_1_8_is_converted(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	assert_ok_err(decode(f, "1{ 2{ 2{ 1{ 1:7 2:8 3:1 } 2{ 1:1 2[3] 3[1] } 3@1000 4:500 7[1 3]"
				" 8#000102030405060708090a0b0c0d0e0f 9:4 10\"jfr\" 11#01 12[2] } } "
				"}" DICTIONARY),
		      &f->e);

	const struct profile *p = &b->profiles.at[0];
	const struct attribute *comment =
		profile_find_attribute(b, b->attribute_refs.at + p->attributes.at, p->attributes.n,
				       STR("pprof.profile.comment"));

	assert_int_equal(sample_total(b, 0), 3);
	assert_int_equal(p->id[15], 15);
	assert_int_equal(p->dropped_attributes, 4);
	assert_str_equal(p->payload_format, STR("jfr"));
	assert_int_equal(p->attributes.n, 2);
	assert_non_null(comment);
	assert_int_equal(comment->value.kind, VALUE_LIST);

	struct buf expected = {0};

	otlp_text(&expected, "5{ 1{ 1\"main\" } 1{ 1\"main.c\" } }");
	assert_str_equal(comment->value.s, buf_str(&expected));
	buf_fini(&expected);
}

/*
 * 1.7: zero row for strings only, inline keys, separate units, stacks as slices of a profile's
 * list.
 */
#define DICTIONARY_1_7                                                                             \
	"2{ 1{ 1:0x1000 2:0x2000 4:4 6:1 8:1 } 1{ 4:3 }"                                           \
	"   2{ 1:0 2:0x10 3{ 1:0 2:7 } 4:1 } 2{ 2:0x20 3{ 1:1 } 5[0] }"                            \
	"   3{ 1:1 } 3{ 1:3 } 4{ 1#000102030405060708090a0b0c0d0e0f 2#0001020304050607 }"          \
	"   5\"\" 5\"main\" 5\"thread\" 5\"main.c\" 5\"/bin/app\" 5\"alloc\" 5\"count\""           \
	"   5\"space\" 5\"bytes\" 5\"ns\""                                                         \
	"   6{ 1\"thread\" 2{ 3:42 } } 6{ 1\"color\" 2{ 1\"red\" } } 7{ 1:2 2:9 } }"

static void layout_1_7_is_converted(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	assert_ok_err(decode(f, "1{ 2{ 2{ 1{ 1:5 2:6 3:1 } 1{ 1:7 2:8 3:1 }"
				" 2{ 1:0 2:2 3[10 4096] 4[0 1] 5:0 } 2{ 1:1 2:1 3[1 64] 6[1001] }"
				" 3[0 1] 4:1000 5:500 6{ 1:7 2:8 } 7:512 8[1] 9:1"
				" 10#000102030405060708090a0b0c0d0e0f 14[1] } } }" DICTIONARY_1_7),
		      &f->e);
	assert_string_equal(f->warnings, "");

	/* one profile per sample type, the default one first */
	assert_int_equal(b->profiles.n, 2);
	assert_str_equal(string_of(b, b->profiles.at[0].sample_type.type), STR("space"));
	assert_str_equal(string_of(b, b->profiles.at[1].sample_type.type), STR("alloc"));
	assert_int_equal(b->profiles.at[0].time_unix_nano, 1000);
	assert_int_equal(b->profiles.at[0].duration_nano, 500);
	assert_int_equal(b->profiles.at[0].period, 512);
	assert_int_equal(b->profiles.at[0].id[15], 15);
	assert_int_equal(sample_total(b, 0), 4096);
	assert_int_equal(sample_total(b, 1), 64);
	assert_int_equal(sample_total(b, 2), 10);

	/* stacks are slices: the first sample has both locations, the second only the last */
	uint32_t n;
	const uint32_t *stack = stack_of(b, b->sample_stack[0], &n);

	assert_int_equal(n, 2);
	assert_int_equal(b->locations.at[stack[1]].address, 0x20);
	stack = stack_of(b, b->sample_stack[1], &n);
	assert_int_equal(n, 1);
	assert_int_equal(b->locations.at[stack[0]].address, 0x20);
	assert_int_equal(b->sample_stack[2], b->sample_stack[0]);

	/* flags are attributes now; the second location had no mapping */
	const struct location *l = &b->locations.at[1];

	assert_int_equal(b->mappings.at[l->mapping].start, 0x1000);
	assert_int_equal(b->mappings.at[l->mapping].attributes.n, 2);
	assert_non_null(profile_find_attribute(b, b->attribute_refs.at + l->attributes.at,
					       l->attributes.n, STR("pprof.location.is_folded")));
	assert_int_equal(b->locations.at[2].mapping, 0);

	/* attributes have their unit, the link is kept, a missing link stays missing */
	assert_str_equal(string_of(b, b->attributes.at[1].unit), STR("ns"));
	assert_int_equal(b->sample_attributes_at[1], 2);
	assert_int_equal(b->links.at[b->sample_link[0]].span_id[7], 7);
	assert_int_equal(b->sample_link[1], 0);
}

static void values_of_layout_1_7_with_several_times_count_one_each(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(decode(f, "1{ 2{ 2{ 1{ 1:5 2:6 } 2{ 1:0 2:1 3[1] 6[5 6 7] } 3[0] } } "
				"}" DICTIONARY_1_7),
		      &f->e);
	assert_int_equal(f->b.values.n, 0);
	assert_int_equal(sample_total(&f->b, 0), 3);
}

static void string_references_are_resolved_everywhere(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	assert_ok_err(
		decode(f,
		       "1{ 1{ 1{ 3:9 2{ 8:1 } } 1{ 1\"list\" 2{ 5{ 1{ 8:3 } 1{ 6{ 1{ 3:5 2{ 8:7 }"
		       " } } } } } } } 2{ 1{ 3{ 3:5 2{ 8:2 } } } 2{ 2{ 1:1 4[1] } } } "
		       "}" DICTIONARY),
		&f->e);
	assert_str_equal(b->keyvalues.at[0].key, STR("service"));
	assert_str_equal(b->keyvalues.at[0].value.s, STR("main"));
	assert_int_equal(b->keyvalues.at[1].value.kind, VALUE_LIST);

	struct buf expected = {0};

	otlp_text(&expected, "5{ 1{ 1\"main.c\" } 1{ 6{ 1{ 1\"thread\" 2{ 1\"cpu\" } } } } }");
	assert_str_equal(b->keyvalues.at[1].value.s, buf_str(&expected));
	buf_fini(&expected);
	assert_str_equal(b->keyvalues.at[b->scopes.at[0].attributes.at].key, STR("thread"));
	assert_str_equal(b->keyvalues.at[b->scopes.at[0].attributes.at].value.s, STR("_main"));
}

static void a_missing_dictionary_is_accepted(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(decode(f, "1{ 2{ 2{ 2{ 1:3 3:1 4[7] } } } }"), &f->e);
	assert_int_equal(f->b.sample_count, 1);
	assert_int_equal(f->b.sample_stack[0], 0);
	assert_int_equal(sample_total(&f->b, 0), 7);
	WARNED(f, "no mapping_table");
	WARNED(f, "index 3 is out of range [0..0) of stack_table");
}

static void an_empty_message_is_an_empty_batch(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(decode(f, ""), &f->e);
	assert_int_equal(f->b.profiles.n, 0);
	assert_string_equal(f->warnings, "");
}

static void a_non_empty_row_0_shifts_the_rows(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	assert_ok_err(decode(f,
			     "1{ 2{ 2{ 1{ 1:1 2:2 } 2{ 1:0 4[7] } } } }"
			     "2{ 1{} 2{ 3{ 1:0 } } 3{ 1:0 4:3 } 4{} 5\"main\" 5\"cpu\" 5\"ns\" 6{}"
			     " 7{ 1[0] } }"),
		      &f->e);
	WARNED(f, "does not begin with the zero row");

	uint32_t n;
	const uint32_t *stack = stack_of(b, b->sample_stack[0], &n);

	assert_int_equal(n, 1);

	const struct line *line = &b->lines.at[b->locations.at[stack[0]].lines.at];

	assert_str_equal(string_of(b, b->functions.at[line->function].name), STR("main"));
	assert_str_equal(string_of(b, b->profiles.at[0].sample_type.unit), STR("ns"));
}

static void indices_out_of_range_are_dropped_with_one_warning(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	assert_ok_err(decode(f, PROFILES("2{ 1:99 2[1 77 2] 3:55 4[5] } 2{ 1:98 4[6] }"
					 "2{ 1:-1 4[6] }") DICTIONARY),
		      &f->e);
	assert_int_equal(b->sample_count, 3);
	assert_int_equal(b->sample_stack[0], 0);
	assert_int_equal(b->sample_link[0], 0);
	assert_int_equal(b->sample_attributes_at[1], 2);
	WARNED(f, "index 99 is out of range [0..3) of stack_table");
	WARNED(f, "index 55 is out of range [0..2) of link_table");
	WARNED(f, "index 77 is out of range [0..3) of attribute_table");
	assert_null(strstr(f->warnings, "98"));
}

static void strict_decoding_rejects_repairable_input(void **state)
{
	static const char *const broken[] = {
		PROFILES("2{ 1:99 4[5] }") DICTIONARY,
		PROFILES("2{ 1:1 4[5 6] }") DICTIONARY,
		PROFILES("2{ 1:1 2[1 1] 4[5] }") DICTIONARY,
		"1{ 2{ 2{ 2{ 4[5] } } } }",
	};
	struct fixture *f = *state;

	f->o.strict = true;
	for (size_t i = 0; i < countof(broken); i++) {
		assert_ok(profile_batch_reset(&f->b));
		f->e = (struct err){0};
		assert_int_equal(decode(f, broken[i]), -EBADMSG);
		assert_true(f->e.text[0]);
	}
	f->e = (struct err){0};
	assert_ok(profile_batch_reset(&f->b));
	assert_ok_err(decode(f, PROFILES("2{ 1:1 4[5] }") DICTIONARY), &f->e);
}

static void shapes_are_repaired_without_losing_the_total(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	assert_ok_err(decode(f,
			     PROFILES("2{ 1:1 3:1 4[5 6 7] } 2{ 4[9] 5<1001 1002> }"
				      "2{ 4[4 5 6] 5<1001 1002> } 2{ 4[1] 5<1001 1002> } 2{ 1:1 }")
				     DICTIONARY),
		      &f->e);
	WARNED(f, "3 values and 0 times");
	assert_int_equal(sample_total(b, 0), 18);
	assert_int_equal(sample_total(b, 1), 9);
	assert_int_equal(b->sample_times_at[2] - b->sample_times_at[1], 2);
	assert_int_equal(sample_total(b, 2), 15);
	assert_int_equal(sample_total(b, 3), 2);
	assert_int_equal(sample_total(b, 4), 0);
}

static void the_first_of_equal_keys_in_a_list_wins(void **state)
{
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	/* the key is in the string table twice: 1 and 2 are equal */
	assert_ok_err(
		decode(f, "1{ 1{ 1{ 1\"a\" 2{ 3:1 } } 1{ 1\"a\" 2{ 3:2 } } }"
			  " 2{ 2{ 2{ 2[1 2 3] 4[7] } } } }"
			  "2{ 1{} 2{} 3{} 4{} 5\"\" 5\"k\" 5\"k\" 5\"other\" 6{} 6{ 1:1 2{ 3:1 } }"
			  " 6{ 1:2 2{ 3:2 } } 6{ 1:3 } 7{} }"),
		&f->e);
	assert_int_equal(b->sample_attributes.n, 2);
	assert_int_equal(b->sample_attributes.at[0], 1);
	assert_int_equal(b->sample_attributes.at[1], 3);
	assert_int_equal(b->resources.at[0].attributes.n, 1);
	assert_int_equal(b->keyvalues.at[0].value.i, 1);
	WARNED(f, "repeated attribute a in a list");
}

static void empty_keys_in_different_rows_are_equal(void **state)
{
	struct fixture *f = *state;

	/* row 0 and row 1 of the strings are both empty */
	assert_ok_err(decode(f, "1{ 2{ 2{ 2{ 2[1 2] 4[7] } } } }"
				"2{ 1{} 2{} 3{} 4{} 5\"\" 5\"\" 6{} 6{ 1:0 2{ 3:1 } } 6{ 1:1 2{ "
				"3:2 } } 7{} }"),
		      &f->e);
	assert_ok_err(profile_batch_check(&f->b, &f->e), &f->e);
	assert_int_equal(f->b.sample_attributes.n, 1);
}

static void long_lists_are_checked_in_linear_time(void **state)
{
	struct fixture *f = *state;
	struct buf text = {0};

	buf_printf(&text, "1{ 2{ 2{ 2{ 3:0 4[7] 2[");
	for (int i = 1; i <= 20000; i++)
		buf_printf(&text, "%d ", i);
	buf_printf(&text, "1] } } } } 2{ 1{} 2{} 3{} 4{} 7{} 6{} 5\"\" ");
	for (int i = 1; i <= 20000; i++)
		buf_printf(&text, "5\"k%d\" 6{ 1:%d } ", i, i);
	buf_printf(&text, "}");
	buf_put_char(&text, '\0');
	buf_clear(&f->message);
	otlp_text(&f->message, text.p);
	buf_fini(&text);
	assert_ok_err(otlp_decode(&f->b, buf_str(&f->message), &f->o, &f->e), &f->e);
	assert_int_equal(f->b.sample_attributes.n, 20000);
}

static void text_that_is_not_utf8_is_repaired(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(decode(f, "1{ 2{ 2{ 2{ 4[7] 3:0 } } } } 2{ 1{} 2{} 3{} 4{} 5\"\" 5#61ff62"
				" 6{} 7{} }"),
		      &f->e);
	assert_str_equal(f->b.strings.at[1], STR("a\xef\xbf\xbd"
						 "b"));
	WARNED(f, "expected UTF-8");
}

static void streams_of_messages_become_one_batch(void **state)
{
	static const char *const messages[] = {
		PROFILES("2{ 1:1 2[1] 4[1] }") DICTIONARY,
		"",
		PROFILES("2{ 1:2 2[2] 3:1 4[2] }") DICTIONARY,
	};
	struct fixture *f = *state;
	struct profile_batch *b = &f->b;

	for (int varint = 0; varint < 2; varint++) {
		struct buf stream = {0};

		for (size_t i = 0; i < countof(messages); i++) {
			buf_clear(&f->message);
			otlp_text(&f->message, messages[i]);
			for (int k = 3; !varint && k >= 0; k--)
				buf_put_char(&stream, (char)(f->message.n >> 8 * k));
			if (varint)
				otlp_text_varint(&stream, f->message.n);
			buf_put_str(&stream, buf_str(&f->message));
		}
		assert_ok(profile_batch_reset(b));
		assert_ok_err(otlp_decode(b, buf_str(&stream), &f->o, &f->e), &f->e);
		assert_ok_err(profile_batch_check(b, &f->e), &f->e);
		assert_int_equal(b->profiles.n, 2);
		assert_int_equal(b->sample_count, 2);

		/* the second message's rows follow the first's */
		uint32_t n;
		const uint32_t *stack = stack_of(b, b->sample_stack[1], &n);

		assert_int_equal(n, 2);
		assert_int_equal(stack[0], 2);
		assert_int_equal(b->locations.at[2].address, 0x1234);
		assert_int_equal(b->locations.at[2].mapping, 2);
		assert_int_equal(b->sample_attributes.at[1], 4);
		assert_str_equal(string_of(b, b->attributes.at[4].key), STR("frame"));
		assert_str_equal(string_of(b, b->profiles.at[1].sample_type.type), STR("cpu"));
		assert_int_equal(b->sample_link[1], 2);
		buf_fini(&stream);
	}
}

static void corrupted_input_is_an_error_with_its_offset(void **state)
{
	struct fixture *f = *state;
	struct str cut = STR("\x0a\x05\x12\x03\x12\x08\x00");

	assert_int_equal(otlp_decode(&f->b, cut, &f->o, &f->e), -EBADMSG);
	assert_err_says(&f->e, "at byte 6");
	f->e = (struct err){0};
	cut = STR("\x00\x00\x00\x09xy");
	assert_int_equal(otlp_decode(&f->b, cut, &f->o, &f->e), -EBADMSG);
	assert_err_says(&f->e, "at byte 0: expected a message of 9 bytes, found 2");
}

static void values_nested_too_deep_are_an_error(void **state)
{
	struct fixture *f = *state;
	struct buf text = {0};

	buf_printf(&text, "1{ 1{ 1{ 1\"k\" 2{ ");
	for (int i = 0; i < 100; i++)
		buf_printf(&text, "5{ 1{ ");
	for (int i = 0; i < 100; i++)
		buf_printf(&text, "} } ");
	buf_printf(&text, "} } } }");
	buf_put_char(&text, '\0');
	assert_int_equal(decode(f, text.p), -EBADMSG);
	assert_err_says(&f->e, "deeper");
	buf_fini(&text);
}

TEST_MAIN(test_with(fixture, each_field_of_the_current_layout_is_read),
	  test_with(fixture, a_sample_keeps_its_values_times_attributes_and_link),
	  test_with(fixture, unpacked_lists_are_accepted),
	  test_with(fixture, layout_1_9_is_converted),
	  test_with(fixture, samples_with_only_fields_1_and_2_are_layout_1_9),
	  test_with(fixture, ambiguous_samples_are_layout_1_11_if_field_2_can_be_attributes),
	  test_with(fixture, ambiguous_samples_are_layout_1_9_if_field_2_cannot_be_attributes),
	  test_with(fixture, layout_1_8_is_converted), test_with(fixture, layout_1_7_is_converted),
	  test_with(fixture, values_of_layout_1_7_with_several_times_count_one_each),
	  test_with(fixture, string_references_are_resolved_everywhere),
	  test_with(fixture, a_missing_dictionary_is_accepted),
	  test_with(fixture, an_empty_message_is_an_empty_batch),
	  test_with(fixture, a_non_empty_row_0_shifts_the_rows),
	  test_with(fixture, indices_out_of_range_are_dropped_with_one_warning),
	  test_with(fixture, strict_decoding_rejects_repairable_input),
	  test_with(fixture, shapes_are_repaired_without_losing_the_total),
	  test_with(fixture, empty_keys_in_different_rows_are_equal),
	  test_with(fixture, the_first_of_equal_keys_in_a_list_wins),
	  test_with(fixture, long_lists_are_checked_in_linear_time),
	  test_with(fixture, text_that_is_not_utf8_is_repaired),
	  test_with(fixture, streams_of_messages_become_one_batch),
	  test_with(fixture, corrupted_input_is_an_error_with_its_offset),
	  test_with(fixture, values_nested_too_deep_are_an_error))
