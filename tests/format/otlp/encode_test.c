/* SPDX-License-Identifier: Apache-2.0 */
/* The OTLP encoder: round trips, normal form, JSON. */
#include "format/otlp/otlp_support.h"

static void make(struct buf *out, const char *text)
{
	buf_clear(out);
	otlp_text(out, text);
}

static void the_real_file_is_converted_completely(void **state)
{
	struct buf in = {0};
	struct profile_batch b;
	struct err e = {0};

	(void)state;
	if (!otlp_read_fixture(&in, "otlp/profile-1.9.otlp"))
		skip();
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(otlp_decode(&b, buf_str(&in), NULL, &e), &e);
	assert_ok_err(profile_batch_check(&b, &e), &e);
	assert_int_equal(b.profiles.n, 4);
	assert_int_equal(b.sample_count, 49);
	assert_int_equal(b.times.n, 189);
	assert_int_equal(b.values.n, 0);
	assert_int_equal(b.mappings.n, 11);
	assert_int_equal(b.locations.n, 301);
	assert_int_equal(b.functions.n, 191);
	assert_int_equal(b.strings.n, 284);
	assert_int_equal(b.attributes.n, 67);
	assert_int_equal(b.stacks.n, 50);
	assert_int_equal(b.sample_attributes.n > 49, 1);
	profile_batch_fini(&b);
	buf_fini(&in);
}

static void assert_round_trip(struct str in)
{
	struct buf first = {0}, second = {0}, json = {0}, third = {0};

	otlp_convert(&first, &format_otlp, in, &format_otlp);
	otlp_convert(&second, &format_otlp, buf_str(&first), &format_otlp);
	assert_int_equal(first.n, second.n);
	assert_memory_equal(first.p, second.p, first.n);
	otlp_convert(&json, &format_otlp, in, &format_otlp_json);
	otlp_convert(&third, &format_otlp_json, buf_str(&json), &format_otlp);
	assert_int_equal(first.n, third.n);
	assert_memory_equal(first.p, third.p, first.n);
	buf_fini(&first);
	buf_fini(&second);
	buf_fini(&json);
	buf_fini(&third);
}

static void round_trips_through_protobuf_and_json_are_identical(void **state)
{
	struct buf in = {0};

	(void)state;
	make(&in, OTLP_TEXT_EVERYTHING);
	assert_round_trip(buf_str(&in));
	buf_fini(&in);
}

static void round_trips_of_the_real_file_are_identical(void **state)
{
	struct buf in = {0};

	(void)state;
	if (!otlp_read_fixture(&in, "otlp/profile-1.9.otlp"))
		skip();
	assert_round_trip(buf_str(&in));
	buf_fini(&in);
}

/* A message in normal form is encoded to the same bytes. */
static void a_normalized_message_is_encoded_to_the_same_bytes(void **state)
{
	struct buf in = {0}, out = {0};

	(void)state;
	make(&in,
	     "1{ 1{ 1{ 1\"a\" 2{ 1\"\" } } } 2{ 2{ 1{ 1:1 2:2 } 2{ 1:1 2[1] 3:1 4[5] } 3@9 } } }"
	     "2{ 1{} 1{ 1:1 2:2 4:3 } 2{} 2{ 1:1 2:7 3{ 1:1 2:3 } } 3{} 3{ 1:4 } 4{}"
	     " 4{ 1#000102030405060708090a0b0c0d0e0f 2#0001020304050607 }"
	     " 5\"\" 5\"cpu\" 5\"ns\" 5\"app\" 5\"main\" 5\"k\" 6{} 6{ 1:5 2{ 2:0 } } 7{}"
	     " 7{ 1[1] } }");
	otlp_convert(&out, &format_otlp, buf_str(&in), &format_otlp);
	assert_int_equal(in.n, out.n);
	for (size_t i = 0; i < in.n; i++)
		if (in.p[i] != out.p[i])
			fail_msg("byte %zu differs", i);
	buf_fini(&in);
	buf_fini(&out);
}

static void unused_and_equal_rows_are_not_written(void **state)
{
	struct buf in = {0}, out = {0}, expected = {0};

	(void)state;
	make(&in, "1{ 2{ 2{ 1{ 1:1 2:2 } 2{ 1:2 3:0 4[5] } } } }"
		  "2{ 1{} 2{} 2{ 2:7 } 2{ 2:7 } 3{} 3{ 1:3 } 4{} 5\"\" 5\"cpu\" 5\"ns\" 5\"gone\""
		  " 5\"ns\" 6{} 7{} 7{ 1[1] } 7{ 1[1 2] } }");
	otlp_convert(&out, &format_otlp, buf_str(&in), &format_otlp);
	make(&expected, "1{ 2{ 2{ 1{ 1:1 2:2 } 2{ 1:1 4[5] } } } }"
			"2{ 1{} 2{} 2{ 2:7 } 3{} 4{} 5\"\" 5\"cpu\" 5\"ns\" 6{} 7{} 7{ 1[1 1] } }");
	assert_str_equal(buf_str(&out), buf_str(&expected));
	buf_fini(&in);
	buf_fini(&out);
	buf_fini(&expected);
}

static void the_range_of_a_profile_covers_its_times(void **state)
{
	struct buf in = {0}, out = {0}, expected = {0};

	(void)state;
	make(&in, "1{ 2{ 2{ 2{ 3:0 5<90 110> } 3@100 4:10 } 2{ 2{ 3:0 5<5 9> } } } "
		  "}" OTLP_TEXT_ZERO_DICTIONARY);
	otlp_convert(&out, &format_otlp, buf_str(&in), &format_otlp);
	make(&expected, "1{ 2{ 2{ 2{ 5<90 110> } 3@90 4:21 } 2{ 2{ 5<5 9> } 3@5 4:5 } } "
			"}" OTLP_TEXT_ZERO_DICTIONARY);
	assert_str_equal(buf_str(&out), buf_str(&expected));
	buf_fini(&in);
	buf_fini(&out);
	buf_fini(&expected);
}

static void samples_of_mixed_shapes_become_one_profile_per_shape(void **state)
{
	struct buf in = {0}, out = {0}, expected = {0};

	(void)state;
	make(&in, "1{ 2{ 2{ 2{ 3:0 4[3] } 2{ 5<100 101> } 2{ 4[7] 5<102> } 2{} 3@100 4:10 } } "
		  "}" OTLP_TEXT_ZERO_DICTIONARY);
	otlp_convert(&out, &format_otlp, buf_str(&in), &format_otlp);
	make(&expected, "1{ 2{ 2{ 2{ 4[3] } 2{ 4[0] } 3@100 4:10 }"
			" 2{ 2{ 4[1 1] 5<100 101> } 2{ 4[7] 5<102> } 3@100 4:10 } } "
			"}" OTLP_TEXT_ZERO_DICTIONARY);
	assert_str_equal(buf_str(&out), buf_str(&expected));
	buf_fini(&in);
	buf_fini(&out);
	buf_fini(&expected);
}

static void invalid_ranges_and_lines_are_not_written(void **state)
{
	struct buf in = {0}, out = {0}, expected = {0};

	(void)state;
	make(&in, "1{ 2{ 2{ 2{ 1:1 3:0 4[5] } } } }"
		  "2{ 1{} 1{ 1:0x1000 2:0x500 4:1 } 2{} 2{ 1:1 3{ 1:1 2:-3 } } 3{} 3{ 1:1 4:-1 } "
		  "4{} 5\"\""
		  " 5\"a\" 6{} 7{} 7{ 1[1] } }");
	otlp_convert(&out, &format_otlp, buf_str(&in), &format_otlp);
	make(&expected, "1{ 2{ 2{ 2{ 1:1 4[5] } } } }"
			"2{ 1{} 1{ 1:0x1000 2:-1 4:1 } 2{} 2{ 1:1 3{ 1:1 } } 3{} 3{ 1:1 } 4{} 5\"\""
			" 5\"a\" 6{} 7{} 7{ 1[1] } }");
	assert_str_equal(buf_str(&out), buf_str(&expected));
	buf_fini(&in);
	buf_fini(&out);
	buf_fini(&expected);
}

static struct str json_of(struct buf *out, const char *text)
{
	struct buf in = {0};

	make(&in, text);
	buf_clear(out);
	otlp_convert(out, &format_otlp, buf_str(&in), &format_otlp_json);
	buf_fini(&in);
	return buf_str(out);
}

static void json_has_the_names_and_forms_of_the_mapping(void **state)
{
	struct buf out = {0};
	struct str json = json_of(&out, OTLP_TEXT_EVERYTHING);

	(void)state;
#define SAYS(text)                                                                                 \
	if (str_find_str(json, STR(text)) == json.n)                                               \
		fail_msg("expected %s in %.*s", text, STR_ARG(json));
	SAYS("{\"resourceProfiles\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
	     "\"value\":{\"stringValue\":\"shop\"}}")
	SAYS("\"intValue\":\"-5\"")
	SAYS("\"boolValue\":false")
	SAYS("\"doubleValue\":1.5")
	SAYS("\"bytesValue\":\"AP8=\"")
	SAYS("\"entityRefs\":[{\"schemaUrl\":\"u\",\"type\":\"host\",\"idKeys\":[\"host.id\"]}]")
	SAYS("\"profileId\":\"000102030405060708090a0b0c0d0e0f\"")
	SAYS("\"traceId\":\"000102030405060708090a0b0c0d0e0f\",\"spanId\":\"0001020304050607\"")
	SAYS("\"timeUnixNano\":\"1000\"")
	SAYS("\"timestampsUnixNano\":[\"1001\",\"1002\"]")
	SAYS("\"values\":[\"9223372036854775807\"]")
	SAYS("\"droppedAttributesCount\":2")
	SAYS("\"stackIndex\":1")
	SAYS("\"originalPayload\":\"/wA=\"")
	SAYS("\"stringTable\":[\"\",")
#undef SAYS
	buf_fini(&out);
}

static void assert_json_reads_as(const char *json, const char *text)
{
	struct buf in = {0}, a = {0}, b = {0};

	make(&in, text);
	otlp_convert(&a, &format_otlp, buf_str(&in), &format_otlp);
	otlp_convert(&b, &format_otlp_json, str_from(json), &format_otlp);
	assert_int_equal(a.n, b.n);
	assert_memory_equal(a.p, b.p, a.n);
	buf_fini(&in);
	buf_fini(&a);
	buf_fini(&b);
}

static void variants_of_json_are_accepted(void **state)
{
	(void)state;
	/*
	 * snake_case, 64-bit values as numbers, null, unknown keys, upper-case hex, base64 ids, NaN
	 */
	assert_json_reads_as(
		"{\"resource_profiles\":[{\"resource\":{\"attributes\":[{\"key\":\"x\",\"value\":"
		"{\"doubleValue\":\"NaN\"}},{\"key\":\"y\",\"value\":{\"intValue\":7}}],\"new\":[{}"
		"]},"
		"\"scope_profiles\":[{\"scope\":null,\"profiles\":[{\"time_unix_nano\":5,"
		"\"sample\":[{\"stackIndex\":0,\"link_index\":1,\"values\":[\"3\"]}],"
		"\"profileId\":\"AAECAwQFBgcICQoLDA0ODw==\",\"period\":\"4\"}]}]}],"
		"\"dictionary\":{\"linkTable\":[{},{\"traceId\":"
		"\"000102030405060708090A0B0C0D0E0F\","
		"\"spanId\":\"0001020304050607\"}],\"stringTable\":[\"\"]}}",
		"1{ 1{ 1{ 1\"x\" 2{ 4@0x7ff8000000000000 } } 1{ 1\"y\" 2{ 3:7 } } } 2{ 2{ 2{ 3:1 "
		"4[3] } 3@5"
		" 6:4 7#000102030405060708090a0b0c0d0e0f } } }"
		"2{ 1{} 2{} 3{} 4{} 4{ 1#000102030405060708090a0b0c0d0e0f 2#0001020304050607 } "
		"5\"\" 6{}"
		" 7{} }");
}

static void json_lines_become_one_batch(void **state)
{
	static const char line[] = "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{"
				   "\"samples\":[{\"values\":[1]}]}]}]}]}\n";
	struct profile_batch b;
	struct buf in = {0};
	struct err e = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		buf_put_str(&in, str_from(line));
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(format_otlp_json.decode(&b, buf_str(&in), NULL, &e), &e);
	assert_ok_err(profile_batch_check(&b, &e), &e);
	assert_int_equal(b.profiles.n, 3);
	assert_int_equal(b.sample_count, 3);
	profile_batch_fini(&b);
	buf_fini(&in);
}

static void invalid_json_is_an_error_with_its_position(void **state)
{
	static const struct {
		const char *json, *says;
	} cases[] = {
		{"[]", "expected an object"},
		{"{\"resourceProfiles\":{}}", "at byte 20"},
		{"{\"dictionary\":{\"stringTable\":[7]}}", "expected a string, found a number"},
		{"{\"dictionary\":{\"stackTable\":[{\"locationIndices\":[4294967296]}]}}",
		 "expected a 32-bit integer"},
		{"{\"dictionary\":{\"linkTable\":[{\"traceId\":\"xyz!\"}]}}", "hex digits"},
		{"{\"resourceProfiles\":[", "at byte 21"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct profile_batch b;
		struct err e = {0};

		assert_ok(profile_batch_init(&b, NULL));
		assert_int_equal(format_otlp_json.decode(&b, str_from(cases[i].json), NULL, &e),
				 -EBADMSG);
		assert_err_says(&e, cases[i].says);
		profile_batch_fini(&b);
	}
}

static void otlp_is_detected_by_content(void **state)
{
	static const char pprof[] =
		"1{ 1:1 2:2 } 2{ 1[1] 2[5] } 4{ 1:1 4{ 1:1 } } 5{ 1:1 2:3 } 6\"\" 6\"a\"";
	struct buf b = {0};

	(void)state;
	make(&b, OTLP_TEXT_EVERYTHING);
	assert_ptr_equal(format_by_content(buf_str(&b)), &format_otlp);
	assert_ptr_equal(format_by_content(str_head(buf_str(&b), 300)), &format_otlp);
	make(&b, OTLP_TEXT_ZERO_DICTIONARY "1{ 2{ 2{ 2{ 4[1] } } } }");
	assert_ptr_equal(format_by_content(buf_str(&b)), &format_otlp);
	make(&b, pprof);
	assert_ptr_not_equal(format_by_content(buf_str(&b)), &format_otlp);
	assert_ptr_equal(format_by_content(STR(" {\"resourceProfiles\": [")), &format_otlp_json);
	assert_null(format_by_content(STR("{\"nodes\":[]}")));
	buf_fini(&b);
}

TEST_MAIN(test(the_real_file_is_converted_completely),
	  test(round_trips_through_protobuf_and_json_are_identical),
	  test(round_trips_of_the_real_file_are_identical),
	  test(a_normalized_message_is_encoded_to_the_same_bytes),
	  test(unused_and_equal_rows_are_not_written),
	  test(the_range_of_a_profile_covers_its_times),
	  test(samples_of_mixed_shapes_become_one_profile_per_shape),
	  test(invalid_ranges_and_lines_are_not_written),
	  test(json_has_the_names_and_forms_of_the_mapping), test(variants_of_json_are_accepted),
	  test(json_lines_become_one_batch), test(invalid_json_is_an_error_with_its_position),
	  test(otlp_is_detected_by_content))
