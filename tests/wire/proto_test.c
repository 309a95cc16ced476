/* SPDX-License-Identifier: Apache-2.0 */
/* The protobuf cursor and writer. */
#include "wire/proto.h"

#include <errno.h>

#include "base/buf.h"

#include "test/test.h"

static void written_fields_are_read(void **state)
{
	struct proto_writer w;
	struct proto_reader r, nested;
	struct str whole;
	size_t mark;

	(void)state;
	proto_writer_init(&w, NULL);
	proto_put_fixed64(&w, 4, 0x0102030405060708);
	mark = proto_mark(&w);
	proto_put_int(&w, 2, -1);
	proto_put_uint(&w, 1, 300);
	proto_put_header(&w, 3, mark);
	proto_put_bytes(&w, 2, STR("name"));
	proto_put_uint(&w, 1, UINT64_MAX);
	assert_ok(proto_writer_error(&w));
	whole = proto_writer_str(&w);

	r = proto_reader_of(whole);
	assert_true(proto_next(&r));
	assert_int_equal(r.tag, PROTO_TAG(1, PROTO_VARINT));
	assert_true(proto_varint(&r) == UINT64_MAX);
	assert_true(proto_next(&r));
	assert_str_equal(proto_bytes(&r), STR("name"));
	assert_true(proto_next(&r));
	nested = proto_message(&r);
	assert_true(proto_next(&nested));
	assert_int_equal(proto_varint(&nested), 300);
	assert_true(proto_next(&nested));
	assert_true((int64_t)proto_varint(&nested) == -1);
	assert_false(proto_next(&nested));
	assert_true(proto_next(&r));
	assert_true(proto_fixed64(&r) == 0x0102030405060708);
	assert_false(proto_next(&r));
	assert_int_equal(r.error, PROTO_OK);
	proto_writer_fini(&w);
}

static void varint_sizes_are_exact(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 64; bits++) {
		struct proto_writer w;

		proto_writer_init(&w, NULL);
		proto_put_varint(&w, 1ull << bits);
		assert_int_equal(proto_mark(&w), proto_varint_size(1ull << bits));
		proto_writer_fini(&w);
	}
	assert_int_equal(proto_varint_size(0), 1);
}

/* Invalid input, the error, and its offset. */
static void errors_are_sticky_and_have_an_offset(void **state)
{
	static const struct {
		struct str bytes;
		enum proto_error error;
		size_t at;
	} cases[] = {
		{STR_INIT("\x08"), PROTO_TRUNCATED, 1},
		{STR_INIT("\x08\xff\xff"), PROTO_TRUNCATED, 3},
		{STR_INIT("\x12\x05"
			  "abc"),
		 PROTO_TRUNCATED, 2},
		{STR_INIT("\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), PROTO_TRUNCATED, 10},
		{STR_INIT("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), PROTO_BAD_VARINT,
		 11},
		{STR_INIT("\x09"
			  "1234567"),
		 PROTO_TRUNCATED, 1},
		{STR_INIT("\x0d"
			  "123"),
		 PROTO_TRUNCATED, 1},
		{STR_INIT("\x00"), PROTO_BAD_TAG, 1},
		{STR_INIT("\x0e"), PROTO_BAD_TAG, 1},
		{STR_INIT("\x0c"), PROTO_BAD_TAG, 1},
		{STR_INIT("\x0b\x14"), PROTO_BAD_TAG, 2},
		{STR_INIT("\x0b\x10\x01"), PROTO_TRUNCATED, 3},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct proto_reader r = proto_reader_of(cases[i].bytes);
		struct err e = {0};

		while (proto_next(&r))
			proto_skip(&r);
		assert_int_equal(r.error, cases[i].error);
		assert_int_equal((const char *)r.error_at - cases[i].bytes.p, cases[i].at);
		assert_int_equal(proto_varint(&r), 0);
		assert_int_equal(proto_bytes(&r).n, 0);
		assert_int_equal(proto_fail(&r, cases[i].bytes, &e), -EBADMSG);
		assert_err_says(&e, "at byte");
	}
}

/* Input other than a complete field with that tag and a short length is not consumed. */
static void a_run_of_fields_ends_before_any_other_input(void **state)
{
	static const char unusual[][6] = {"",	      "\x12",		"\x12\x03zz",
					  "\x12\x80", "\x12\x84\x80zz", "\x1a"};
	static const size_t sizes[] = {0, 1, 4, 2, 5, 2};
	static const char text[300];
	struct str bytes = STR("untouched");

	(void)state;
	for (size_t i = 0; i < countof(unusual); i++) {
		struct buf in = {0};
		const uint8_t *at, *end;

		buf_put_str(&in, STR("\x12\x02xy\x12\x01z\x12\xac\x02"));
		buf_put(&in, text, sizeof(text));
		buf_put(&in, unusual[i], sizes[i]);
		at = (const uint8_t *)in.p;
		end = at + in.n;
		assert_true(proto_next_short(&at, end, 0x12, &bytes));
		assert_str_equal(bytes, STR("xy"));
		assert_true(proto_next_short(&at, end, 0x12, &bytes));
		assert_str_equal(bytes, STR("z"));
		assert_true(proto_next_short(&at, end, 0x12, &bytes));
		assert_int_equal(bytes.n, sizeof(text));
		assert_false(proto_next_short(&at, end, 0x12, &bytes));
		assert_int_equal(end - at, sizes[i]);
		assert_int_equal(bytes.n, sizeof(text));
		buf_fini(&in);
	}
}

static void groups_are_skipped(void **state)
{
	struct proto_reader r = proto_reader_of(STR("\x0b\x13\x08\x01\x14\x0c\x10\x07"));

	(void)state;
	assert_true(proto_next(&r));
	proto_skip(&r);
	assert_true(proto_next(&r));
	assert_int_equal(proto_field(&r), 2);
	assert_int_equal(proto_varint(&r), 7);
}

static void the_writer_grows_within_its_budget(void **state)
{
	struct budget budget = {.limit = 100000};
	struct proto_writer w;
	char text[100] = {1};

	(void)state;
	proto_writer_init(&w, &budget);
	for (int i = 0; i < 200; i++)
		proto_put_entry(&w, 1, str_of(text, sizeof(text)));
	assert_ok(proto_writer_error(&w));
	assert_int_equal(proto_writer_str(&w).n, 200 * 102);
	for (int i = 0; i < 2000; i++)
		proto_put_entry(&w, 1, str_of(text, sizeof(text)));
	assert_int_equal(proto_writer_error(&w), -ENOMEM);
	proto_writer_clear(&w);
	assert_ok(proto_writer_error(&w));
	proto_writer_fini(&w);
	assert_int_equal(budget.used, 0);
}

TEST_MAIN(test(written_fields_are_read), test(varint_sizes_are_exact),
	  test(errors_are_sticky_and_have_an_offset),
	  test(a_run_of_fields_ends_before_any_other_input), test(groups_are_skipped),
	  test(the_writer_grows_within_its_budget))
