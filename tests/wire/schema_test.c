/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion between JSON and protobuf by message tables. */
#include "wire/schema.h"

#include "test/test.h"
#include "wire/proto.h"
#include "wire/schema_table.h"

struct fixture {
	struct arena arena;
	struct buf proto, json;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (f)
		arena_init(&f->arena, NULL);
	return f ? 0 : -1;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	arena_fini(&f->arena);
	buf_fini(&f->proto);
	buf_fini(&f->json);
	free(f);
	return 0;
}

/* Convert JSON to protobuf and back. */
static struct str round_trip(struct fixture *f, const char *json)
{
	buf_clear(&f->proto);
	buf_clear(&f->json);
	assert_ok_err(
		schema_json_to_proto(&f->proto, &everything, str_from(json), &f->arena, &f->e),
		&f->e);
	assert_ok_err(schema_to_json(&f->json, &everything, buf_str(&f->proto), &f->e), &f->e);
	return buf_str(&f->json);
}

static void fields_of_every_kind_round_trip(void **state)
{
	static const char text[] =
		"{\"labelSelector\":\"{a=\\\"b\\\"}\",\"rawProfile\":\"AAEC\",\"traceId\":"
		"\"00ff1122\","
		"\"yes\":true,\"small\":-5,\"smallPositive\":4294967295,\"color\":\"COLOR_BLUE\","
		"\"start\":\"-9223372036854775808\",\"size\":\"18446744073709551615\","
		"\"time\":\"17\",\"step\":1.5,\"names\":[\"a\",\"\",\"b\"],\"values\":[\"1\",\"0\","
		"\"-1\"],"
		"\"labels\":[{\"name\":\"x\",\"value\":\"y\"},{}],\"inner\":{\"step\":\"NaN\","
		"\"inner\":{}},"
		"\"limit\":\"0\",\"counts\":{\"a\":\"1\",\"\":\"0\"},\"byId\":{\"-7\":{\"name\":"
		"\"n\"},\"0\":{}}}";
	struct fixture *f = *state;

	assert_str_equal(round_trip(f, text), str_from(text));
}

static void json_of_other_writers_is_accepted(void **state)
{
	struct fixture *f = *state;

	assert_str_equal(round_trip(f,
				    "{\"label_selector\":\"x\",\"start\":1700000000000,"
				    "\"color\":1,\"small\":2e0,\"unknown\":[1,{}],\"names\":null,"
				    "\"raw_profile\":\"AAE\",\"yes\":null}"),
			 STR("{\"labelSelector\":\"x\",\"start\":\"1700000000000\","
			     "\"color\":\"COLOR_RED\",\"small\":2,\"rawProfile\":\"AAE=\"}"));
	assert_str_equal(round_trip(f, "{\"color\":9}"), STR("{\"color\":9}"));
	assert_str_equal(round_trip(f, "{\"start\":0,\"yes\":false,\"color\":\"COLOR_NONE\"}"),
			 STR("{}"));
	/* an unknown name of an open enum is ignored */
	assert_str_equal(round_trip(f, "{\"hue\":\"COLOR_RED\"}"), STR("{\"hue\":\"COLOR_RED\"}"));
	assert_str_equal(round_trip(f, "{\"hue\":\"COLOR_GREEN\",\"small\":2}"),
			 STR("{\"small\":2}"));
	assert_str_equal(round_trip(f, " "), STR("{}"));
	assert_str_equal(round_trip(f, "{\"counts\":{\"a\":null}}"),
			 STR("{\"counts\":{\"a\":\"0\"}}"));
}

static void the_encoding_is_protobuf(void **state)
{
	struct fixture *f = *state;

	(void)round_trip(f, "{\"start\":\"300\",\"labels\":[{\"name\":\"a\"}],\"values\":[1,2]}");
	assert_str_equal(buf_str(&f->proto),
			 STR("\x40\xac\x02\x72\x03\x0a\x01\x61\x6a\x02\x01\x02"));
}

static void invalid_json_is_reported_with_its_position(void **state)
{
	static const struct {
		const char *json, *says;
	} cases[] = {
		{"[]", "expected an object"},
		{"{\"start\":\"x\"}", "at byte 9 (line 1, column 10): expected a 64-bit integer"},
		{"{\"small\":3000000000}", "a 32-bit integer"},
		{"{\"color\":\"COLOR_GREEN\"}", "a name or number of the enum"},
		{"{\"hue\":true}", "a name or number of the enum"},
		{"{\"names\":\"x\"}", "expected an array"},
		{"{\"labels\":[1]}", "expected an object"},
		{"{\"rawProfile\":\"*\"}", "base64 text"},
		{"{\"counts\":[]}", "expected an object"},
		{"{\"byId\":{\"x\":{}}}", "a 64-bit integer"},
		{"{", "found the end"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		struct err e = {0};

		buf_clear(&f->proto);
		assert_int_equal(schema_json_to_proto(&f->proto, &everything,
						      str_from(cases[i].json), &f->arena, &e),
				 -EBADMSG);
		assert_err_says(&e, cases[i].says);
	}
}

static void truncated_protobuf_is_an_error(void **state)
{
	struct fixture *f = *state;

	(void)round_trip(f, "{\"labels\":[{\"name\":\"abc\"}],\"byId\":{\"7\":{\"name\":\"n\"}}}");
	for (size_t n = 0; n <= f->proto.n; n++) {
		int rc;

		buf_clear(&f->json);
		rc = schema_to_json(&f->json, &everything, str_head(buf_str(&f->proto), n), NULL);
		assert_true(rc == 0 || rc == -EBADMSG);
		if (n == f->proto.n - 1)
			assert_int_equal(rc, -EBADMSG);
	}
}

static void unbounded_nesting_is_rejected(void **state)
{
	struct fixture *f = *state;
	struct proto_writer w;

	proto_writer_init(&w, NULL);
	for (int i = 0; i < 300; i++)
		proto_put_header(&w, 15, 0); /* everything before becomes the nested message */
	assert_int_equal(schema_to_json(&f->json, &everything, proto_writer_str(&w), &f->e),
			 -EBADMSG);
	assert_err_says(&f->e, "nested deeper");
	proto_writer_fini(&w);
}

TEST_MAIN(test_with(fixture, fields_of_every_kind_round_trip),
	  test_with(fixture, json_of_other_writers_is_accepted),
	  test_with(fixture, the_encoding_is_protobuf),
	  test_with(fixture, invalid_json_is_reported_with_its_position),
	  test_with(fixture, truncated_protobuf_is_an_error),
	  test_with(fixture, unbounded_nesting_is_rejected))
