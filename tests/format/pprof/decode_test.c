/* SPDX-License-Identifier: Apache-2.0 */
/* The pprof decoder: contents of the batch, invalid files. */
#include "format/pprof/list_value.h"
#include "format/pprof/pprof_make.h"
#include "format/pprof/pprof_mutate.h"
#include "format/pprof/pprof_support.h"

struct fixture {
	struct profile_batch b;
	struct buf in;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || profile_batch_init(&f->b, NULL))
		return -1;
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	profile_batch_fini(&f->b);
	buf_fini(&f->in);
	free(f);
	return 0;
}

static int decode(struct fixture *f)
{
	return pprof_decode(&f->b, buf_str(&f->in), &(struct decode_options){0}, &f->e);
}

static void decode_made(struct fixture *f)
{
	make_profile(&f->in);
	assert_ok_err(decode(f), &f->e);
	assert_ok_err(profile_batch_check(&f->b, &f->e), &f->e);
}

static const struct attribute *label(struct fixture *f, uint32_t sample, const char *key)
{
	uint32_t at = f->b.sample_attributes_at[sample];

	return profile_find_attribute(&f->b, f->b.sample_attributes.at + at,
				      f->b.sample_attributes_at[sample + 1] - at, str_from(key));
}

static void each_sample_type_is_a_profile_of_one_scope(void **state)
{
	struct fixture *f = *state;

	decode_made(f);
	assert_int_equal(f->b.resources.n, 1);
	assert_int_equal(f->b.scopes.n, 1);
	assert_int_equal(f->b.profiles.n, 2);
	assert_str_equal(string_of(&f->b, f->b.profiles.at[0].sample_type.type), STR("samples"));
	assert_str_equal(string_of(&f->b, f->b.profiles.at[1].sample_type.unit),
			 STR("nanoseconds"));
	assert_int_equal(f->b.sample_count, 8);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(f->b.sample_stack[i], f->b.sample_stack[i + 4]);
		assert_int_equal(f->b.sample_link[i], f->b.sample_link[i + 4]);
		assert_int_equal(f->b.sample_attributes_at[i + 1] - f->b.sample_attributes_at[i],
				 f->b.sample_attributes_at[i + 5] -
					 f->b.sample_attributes_at[i + 4]);
	}
	assert_int_equal(sample_total(&f->b, 0), 3);
	assert_int_equal(sample_total(&f->b, 3), -1);
	assert_int_equal(sample_total(&f->b, 4), 30000000);
}

static void header_is_kept_under_semantic_conventions(void **state)
{
	struct fixture *f = *state;

	decode_made(f);

	const struct profile *p = &f->b.profiles.at[1];
	const uint32_t *refs = f->b.attribute_refs.at + p->attributes.at;
	const struct value *type = profile_find_keyvalue(&f->b, f->b.scopes.at[0].attributes,
							 PPROF_ATTR_DEFAULT_SAMPLE_TYPE);
	const struct attribute *a =
		profile_find_attribute(&f->b, refs, p->attributes.n, PPROF_ATTR_COMMENT);
	struct list_item item;

	assert_int_equal(p->time_unix_nano, 1700000000000000000);
	assert_int_equal(p->duration_nano, 10000000000);
	assert_int_equal(p->period, 10000000);
	assert_str_equal(string_of(&f->b, p->period_type.type), STR("cpu"));
	assert_str_equal(type->s, STR("cpu"));
	assert_int_equal(p->attributes.n, 4);
	assert_int_equal(a->value.kind, VALUE_LIST);

	struct proto_reader r = list_value_reader(&a->value);

	assert_true(list_value_next(&r, &item));
	assert_str_equal(item.value.s, STR("made by hand"));
	assert_true(list_value_next(&r, &item));
	assert_str_equal(item.value.s, STR("for tests"));
	assert_false(list_value_next(&r, &item));
	a = profile_find_attribute(&f->b, refs, p->attributes.n, PPROF_ATTR_DROP_FRAMES);
	assert_str_equal(a->value.s, STR("drop.*"));
}

static void inlined_calls_stay_in_order(void **state)
{
	struct fixture *f = *state;
	uint32_t n;

	decode_made(f);

	const uint32_t *stack = stack_of(&f->b, f->b.sample_stack[0], &n);

	assert_int_equal(n, 2);

	const struct location *leaf = &f->b.locations.at[stack[0]];
	const struct line *lines = f->b.lines.at + leaf->lines.at;

	assert_int_equal(leaf->address, 0x400123);
	assert_int_equal(leaf->lines.n, 2);
	assert_str_equal(string_of(&f->b, f->b.functions.at[lines[0].function].name), STR("inner"));
	assert_int_equal(lines[0].column, 9);
	assert_str_equal(string_of(&f->b, f->b.functions.at[lines[1].function].name), STR("main"));
	assert_int_equal(f->b.locations.at[stack[1]].attributes.n, 1); /* folded */
	assert_str_equal(string_of(&f->b, f->b.mappings.at[leaf->mapping].filename),
			 STR("/bin/app"));
	assert_int_equal(f->b.mappings.at[leaf->mapping].attributes.n, 5);
}

static void labels_keep_units_and_several_values(void **state)
{
	struct fixture *f = *state;
	struct list_item item;

	decode_made(f);
	assert_str_equal(label(f, 0, "thread")->value.s, STR("worker"));
	assert_int_equal(label(f, 0, "size")->value.i, 64);
	assert_str_equal(string_of(&f->b, label(f, 0, "size")->unit), STR("bytes"));
	assert_int_equal(label(f, 0, "bare")->value.kind, VALUE_EMPTY);

	/* differing units are kept with their values */
	struct proto_reader r = list_value_reader(&label(f, 1, "size")->value);

	assert_true(list_value_next(&r, &item));
	assert_int_equal(item.value.i, 64);
	assert_str_equal(item.unit, STR("bytes"));
	assert_true(list_value_next(&r, &item));
	assert_int_equal(item.value.i, 2);
	assert_str_equal(item.unit, STR("kilobytes"));

	/* a text and a number under one key */
	r = list_value_reader(&label(f, 1, "bare")->value);
	assert_true(list_value_next(&r, &item));
	assert_str_equal(item.value.s, STR("made by hand"));
	assert_true(list_value_next(&r, &item));
	assert_int_equal(item.value.i, -7);
}

static void trace_and_span_ids_become_links(void **state)
{
	struct fixture *f = *state;

	decode_made(f);

	const struct link *link = &f->b.links.at[f->b.sample_link[2]];

	assert_int_equal(link->trace_id[0], 0x0a);
	assert_int_equal(link->trace_id[15], 0x9c);
	assert_int_equal(link->span_id[7], 0x31);
	assert_null(label(f, 2, "trace_id"));
	link = &f->b.links.at[f->b.sample_link[3]];
	assert_int_equal(link->trace_id[0], 0);
	assert_int_equal(link->span_id[0], 0xb7);
	/* not an id: stays a label */
	assert_str_equal(label(f, 3, "trace_id")->value.s, STR("worker"));
	assert_int_equal(f->b.sample_link[0], 0);
}

static void equal_keys_at_two_indices_are_one_key(void **state)
{
	struct fixture *f = *state;
	struct buf m = {0};

	PB_ROW(&f->in, PPROF_SAMPLE_TYPE, 1, 2);
	pb_number(&m, PPROF_SAMPLE_VALUE, 1);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, 3, 1);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, 4, 2);
	pb_message(&f->in, PPROF_SAMPLE, &m);
	buf_fini(&m);
	for (size_t i = 0; i < 5; i++)
		pb_bytes(&f->in, PPROF_STRING_TABLE,
			 str_from((const char *[]){"", "n", "count", "key", "key"}[i]));
	assert_ok_err(decode(f), &f->e);
	assert_ok_err(profile_batch_check(&f->b, &f->e), &f->e);
	assert_int_equal(f->b.sample_attributes_at[1], 1);
	assert_int_equal(label(f, 0, "key")->value.kind, VALUE_LIST);
}

static void file_without_types_and_samples_keeps_its_header(void **state)
{
	struct fixture *f = *state;

	pb_bytes(&f->in, PPROF_STRING_TABLE, STR(""));
	pb_number(&f->in, PPROF_TIME_NANOS, 5);
	assert_ok_err(decode(f), &f->e);
	assert_ok_err(profile_batch_check(&f->b, &f->e), &f->e);
	assert_int_equal(f->b.profiles.n, 1);
	assert_int_equal(f->b.profiles.at[0].time_unix_nano, 5);
}

/* Invalid files: each appends a few fields to a valid beginning. */
struct bad_case {
	const char *says;
	void (*make)(struct buf *b);
};

static void bad_location_id(struct buf *b)
{
	pb_location(b, 0, 0, 1, NULL, 0, false);
}

static void bad_location_twice(struct buf *b)
{
	pb_location(b, 7, 0, 1, NULL, 0, false);
	pb_location(b, 7, 0, 1, NULL, 0, false);
}

static void bad_location_twice_far(struct buf *b)
{
	pb_location(b, 1ull << 60, 0, 1, NULL, 0, false);
	pb_location(b, 1ull << 60, 0, 1, NULL, 0, false);
}

static void bad_location_reference(struct buf *b)
{
	struct buf m = {0};

	PB_PACKED(&m, PPROF_SAMPLE_LOCATION, 9);
	PB_PACKED(&m, PPROF_SAMPLE_VALUE, 1);
	pb_message(b, PPROF_SAMPLE, &m);
	buf_fini(&m);
}

static void bad_value_count(struct buf *b)
{
	struct buf m = {0};

	PB_PACKED(&m, PPROF_SAMPLE_VALUE, 1, 2);
	pb_message(b, PPROF_SAMPLE, &m);
	buf_fini(&m);
}

static void bad_empty_sample(struct buf *b)
{
	pb_bytes(b, PPROF_SAMPLE, STR(""));
}

static void bad_function_reference(struct buf *b)
{
	const uint64_t lines[1][3] = {{8, 1, 0}};

	pb_location(b, 1, 0, 1, lines, 1, false);
}

static void bad_function_ids(struct buf *b)
{
	PB_ROW(b, PPROF_FUNCTION, 0, 1);
	PB_ROW(b, PPROF_FUNCTION, 0, 1);
}

static void bad_mapping_twice(struct buf *b)
{
	PB_ROW(b, PPROF_MAPPING, 1, 1);
	PB_ROW(b, PPROF_MAPPING, 1, 1);
}

static void bad_string_index(struct buf *b)
{
	PB_ROW(b, PPROF_FUNCTION, 1, 1000);
}

static void bad_negative_string_index(struct buf *b)
{
	pb_number(b, PPROF_DOC_URL, (uint64_t)-1);
}

static void bad_label_key(struct buf *b)
{
	struct buf m = {0};

	PB_PACKED(&m, PPROF_SAMPLE_VALUE, 1);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, 1000, 1);
	pb_message(b, PPROF_SAMPLE, &m);
	buf_fini(&m);
}

static void bad_utf8(struct buf *b)
{
	pb_bytes(b, PPROF_STRING_TABLE, STR("caf\xe9"));
}

static void bad_second_profile(struct buf *b)
{
	pb_number(b, PPROF_TIME_NANOS, 1);
	pb_number(b, PPROF_TIME_NANOS, 2);
}

static void bad_many_types(struct buf *b)
{
	for (int i = 0; i < 1000; i++)
		PB_ROW(b, PPROF_SAMPLE_TYPE, 1, 1);
}

static void bad_cut(struct buf *b)
{
	pb_raw(b, PROTO_TAG(PPROF_LOCATION, PROTO_BYTES));
	pb_raw(b, 4000000000u);
}

static const struct bad_case bad_cases[] = {
	{"expected a location id, found 0", bad_location_id},
	{"expected distinct location ids, found 7 a second time", bad_location_twice},
	{"expected distinct location ids, found 1152921504606846976", bad_location_twice_far},
	{"expected the id of a location in a sample, found 9", bad_location_reference},
	{"expected 1 values in a sample, found 2", bad_value_count},
	{"expected 1 values in a sample, found 0", bad_empty_sample},
	{"expected the id of a function in a line, found 8", bad_function_reference},
	{"expected distinct function ids, found 0 a second time", bad_function_ids},
	{"expected distinct mapping ids, found 1", bad_mapping_twice},
	{"expected an index into the 2 strings, found 1000", bad_string_index},
	{"expected an index into the 2 strings, found -1", bad_negative_string_index},
	{"expected an index into the 2 strings, found 1000", bad_label_key},
	{"expected UTF-8 in string 2, found byte 0xe9", bad_utf8},
	{"expected one profile, found a second one", bad_second_profile},
	{"expected at most 256 sample types", bad_many_types},
	{"the message ends inside a field", bad_cut},
};

static void invalid_files_are_rejected_with_their_position(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(bad_cases); i++) {
		void *one = NULL;
		struct fixture *f;

		assert_ok(fixture_setup(&one));
		f = one;
		PB_ROW(&f->in, PPROF_SAMPLE_TYPE, 1, 1);
		pb_bytes(&f->in, PPROF_STRING_TABLE, STR(""));
		pb_bytes(&f->in, PPROF_STRING_TABLE, STR("n"));
		bad_cases[i].make(&f->in);
		assert_int_equal(decode(f), -EBADMSG);
		assert_err_says(&f->e, bad_cases[i].says);
		assert_err_says(&f->e, "at byte ");
		fixture_teardown(&one);
	}
}

static void samples_without_types_are_rejected(void **state)
{
	struct fixture *f = *state;

	pb_bytes(&f->in, PPROF_SAMPLE, STR(""));
	assert_int_equal(decode(f), -EBADMSG);
	assert_err_says(&f->e, "expected sample types");
}

static void the_first_string_must_be_empty(void **state)
{
	struct fixture *f = *state;

	pb_bytes(&f->in, PPROF_STRING_TABLE, STR("x"));
	assert_int_equal(decode(f), -EBADMSG);
	assert_err_says(&f->e, "expected an empty string 0");
}

static void count_warning(void *arg, const char *text)
{
	assert_non_null(strstr(text, "mappings"));
	++*(unsigned *)arg;
}

static void count_function_warning(void *arg, const char *text)
{
	assert_non_null(strstr(text, "[unknown]"));
	++*(unsigned *)arg;
}

/*
 * Pyroscope's .NET profiler writes a function of id 0 with or without a name, or lines without a
 * function.
 */
static void function_id_zero_is_unknown_unless_strict(void **state)
{
	static const struct {
		bool row; /* a function of id 0 */
		uint64_t name;
		const char *expected;
	} cases[] = {{false, 0, "[unknown]"}, {true, 0, "[unknown]"}, {true, 1, "n"}};
	const uint64_t lines[2][3] = {{0, 7, 0}, {5, 1, 0}};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		unsigned warnings = 0;
		struct decode_options o = {.warn = count_function_warning, .warn_arg = &warnings};

		buf_clear(&f->in);
		assert_ok(profile_batch_reset(&f->b));
		PB_ROW(&f->in, PPROF_SAMPLE_TYPE, 1, 1);
		pb_bytes(&f->in, PPROF_STRING_TABLE, STR(""));
		pb_bytes(&f->in, PPROF_STRING_TABLE, STR("n"));
		if (cases[i].row)
			PB_ROW(&f->in, PPROF_FUNCTION, 0, cases[i].name);
		PB_ROW(&f->in, PPROF_FUNCTION, 5, 1);
		pb_location(&f->in, 1, 0, 1, lines, 2, false);
		pb_location(&f->in, 2, 0, 1, lines, 1, false);
		assert_ok_err(pprof_decode(&f->b, buf_str(&f->in), &o, &f->e), &f->e);
		assert_int_equal(warnings, 1);
		for (uint32_t k = 0; k < f->b.lines.n; k++) {
			uint32_t function = f->b.lines.at[k].function;

			assert_true(function > 0 && function < f->b.functions.n);
			assert_str_equal(string_of(&f->b, f->b.functions.at[function].name),
					 str_from(k == 1 ? "n" : cases[i].expected));
		}
		assert_int_equal(f->b.functions.n, 3); /* one row for all such lines */
		assert_ok(profile_batch_reset(&f->b));
		o.strict = true;
		assert_int_equal(pprof_decode(&f->b, buf_str(&f->in), &o, &f->e), -EBADMSG);
		assert_err_says(&f->e, cases[i].row ? "expected a function id, found 0"
						    : "expected the id of a function in a line");
		f->e = (struct err){0};
	}
}

/* Pyroscope's .NET profiler: functions have no id and belong to the location at the same index. */
static void functions_without_ids_are_matched_by_location_index(void **state)
{
	const uint64_t lines[2][3] = {{1, 0, 0}, {2, 0, 0}};
	struct fixture *f = *state;

	PB_ROW(&f->in, PPROF_SAMPLE_TYPE, 1, 1);
	pb_bytes(&f->in, PPROF_STRING_TABLE, STR(""));
	pb_bytes(&f->in, PPROF_STRING_TABLE, STR("a"));
	pb_bytes(&f->in, PPROF_STRING_TABLE, STR("b"));
	pb_location(&f->in, 1, 0, 0, &lines[0], 1, false);
	pb_location(&f->in, 2, 0, 0, &lines[1], 1, false);
	PB_ROW(&f->in, PPROF_FUNCTION, 0, 1);
	PB_ROW(&f->in, PPROF_FUNCTION, 0, 2);
	assert_ok_err(decode(f), &f->e);
	for (uint32_t k = 0; k < 2; k++)
		assert_str_equal(
			string_of(&f->b, f->b.functions.at[f->b.lines.at[k].function].name),
			str_from(k ? "b" : "a"));
	assert_ok(profile_batch_reset(&f->b));
	assert_int_equal(pprof_decode(&f->b, buf_str(&f->in),
				      &(struct decode_options){.strict = true}, &f->e),
			 -EBADMSG);
	assert_err_says(&f->e, "expected a function id, found 0");
}

static void a_missing_mapping_is_ignored_unless_strict(void **state)
{
	struct fixture *f = *state;
	unsigned warnings = 0;
	struct decode_options o = {.warn = count_warning, .warn_arg = &warnings};

	pb_location(&f->in, 1, 6, 1, NULL, 0, false);
	pb_location(&f->in, 2, 6, 1, NULL, 0, false);
	assert_ok_err(pprof_decode(&f->b, buf_str(&f->in), &o, &f->e), &f->e);
	assert_int_equal(warnings, 1);
	assert_int_equal(f->b.locations.at[1].mapping, 0);
	assert_ok(profile_batch_reset(&f->b));
	o.strict = true;
	assert_int_equal(pprof_decode(&f->b, buf_str(&f->in), &o, &f->e), -EBADMSG);
	assert_err_says(&f->e, "expected the id of a mapping, found 6");
}

static void truncation_at_every_byte_is_safe(void **state)
{
	struct fixture *f = *state;

	make_profile(&f->in);
	for (size_t n = 0; n < f->in.n; n++) {
		char *copy = malloc(n + 1); /* ends at the heap block's end, to detect overreads */

		assert_non_null(copy);
		memcpy(copy + 1, f->in.p, n);
		decode_damaged(&f->b, str_of(copy + 1, n), true);
		free(copy);
	}
}

static void mutants_are_safe(void **state)
{
	struct fixture *f = *state;

	make_profile(&f->in);
	mutate(&f->b, buf_str(&f->in), 10000);
}

static void every_allocation_failure_is_an_error(void **state)
{
	struct fixture *f = *state;
	bool done = false;

	make_profile(&f->in);
	for (unsigned nth = 1; !done; nth++) {
		struct profile_batch b;
		struct err e = {0};
		int rc;

		assert_ok(profile_batch_init(&b, NULL));
		b.arena.fail_after = nth;
		rc = pprof_decode(&b, buf_str(&f->in), &(struct decode_options){0}, &e);
		assert_true(rc == 0 || rc == -ENOMEM);
		done = rc == 0;
		profile_batch_fini(&b);
	}
}

static void invalid_utf8_of_a_real_client_is_an_error(void **state)
{
	struct fixture *f = *state;
	char *path = fixture_path("pprof/invalid_utf8.pb.gz");

	if (!path) {
		print_message("no fixtures\n");
		skip();
	}

	struct profile_batch b;
	struct err e = {0};

	assert_ok(profile_batch_init(&b, NULL));
	assert_int_equal(
		pprof_decode(&f->b, read_plain(&b.arena, path), &(struct decode_options){0}, &e),
		-EBADMSG);
	assert_err_says(&e, "expected UTF-8");
	profile_batch_fini(&b);
	free(path);
}

static void pprof_is_distinguished_from_otlp_and_text_by_content(void **state)
{
	struct fixture *f = *state;
	char *path = fixture_path("otlp/profile-1.9.otlp");

	make_profile(&f->in);
	assert_true(pprof_sniff(buf_str(&f->in)) > 90);
	assert_true(pprof_sniff(str_head(buf_str(&f->in), 40)) > 90);
	assert_int_equal(pprof_sniff(STR("main;foo;bar 12\nmain;foo 3\n")), 0);
	assert_int_equal(pprof_sniff(STR("{\"resourceProfiles\":[]}")), 0);
	assert_int_equal(pprof_sniff(STR("heap profile: 1: 2 [3: 4] @ heap_v2/1\n")), 0);
	assert_int_equal(pprof_sniff(STR("")), 0);
	if (path) {
		assert_int_equal(pprof_sniff(read_whole(&f->b.arena, path)), 0);
		free(path);
	}
}

TEST_MAIN(test_with(fixture, each_sample_type_is_a_profile_of_one_scope),
	  test_with(fixture, header_is_kept_under_semantic_conventions),
	  test_with(fixture, inlined_calls_stay_in_order),
	  test_with(fixture, labels_keep_units_and_several_values),
	  test_with(fixture, trace_and_span_ids_become_links),
	  test_with(fixture, equal_keys_at_two_indices_are_one_key),
	  test_with(fixture, file_without_types_and_samples_keeps_its_header),
	  test(invalid_files_are_rejected_with_their_position),
	  test_with(fixture, samples_without_types_are_rejected),
	  test_with(fixture, the_first_string_must_be_empty),
	  test_with(fixture, a_missing_mapping_is_ignored_unless_strict),
	  test_with(fixture, function_id_zero_is_unknown_unless_strict),
	  test_with(fixture, functions_without_ids_are_matched_by_location_index),
	  test_with(fixture, truncation_at_every_byte_is_safe),
	  test_with(fixture, mutants_are_safe),
	  test_with(fixture, every_allocation_failure_is_an_error),
	  test_with(fixture, invalid_utf8_of_a_real_client_is_an_error),
	  test_with(fixture, pprof_is_distinguished_from_otlp_and_text_by_content))
