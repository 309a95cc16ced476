/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/text.h"

#include <errno.h>

#include "test/test.h"

static void hex_goes_both_ways(void **state)
{
	struct buf out = {0};
	char bytes[4];
	size_t n;

	(void)state;
	hex_encode(&out, STR("\x00\x9f\xff\x10"));
	assert_str_equal(buf_str(&out), STR("009fff10"));
	assert_ok(hex_decode(STR("009FfF10"), bytes, sizeof(bytes), &n));
	assert_str_equal(str_of(bytes, n), STR("\x00\x9f\xff\x10"));
	assert_ok(hex_decode(STR(""), bytes, 0, &n));
	assert_int_equal(n, 0);
	assert_int_equal(hex_decode(STR("0"), bytes, sizeof(bytes), &n), -EINVAL);
	assert_int_equal(hex_decode(STR("0g"), bytes, sizeof(bytes), &n), -EINVAL);
	assert_int_equal(hex_decode(STR("@0"), bytes, sizeof(bytes), &n), -EINVAL);
	assert_int_equal(hex_decode(STR("0011223344"), bytes, sizeof(bytes), &n), -ENOSPC);
	buf_fini(&out);
}

/* RFC 4648, section 10. */
static const struct {
	const char *bytes, *text;
} vectors[] = {
	{"", ""},
	{"f", "Zg=="},
	{"fo", "Zm8="},
	{"foo", "Zm9v"},
	{"foob", "Zm9vYg=="},
	{"fooba", "Zm9vYmE="},
	{"foobar", "Zm9vYmFy"},
};

static void base64_is_as_in_the_rfc(void **state)
{
	struct buf out = {0};
	char bytes[16];
	size_t n;

	(void)state;
	for (size_t i = 0; i < countof(vectors); i++) {
		struct str text = str_from(vectors[i].text);

		buf_clear(&out);
		base64_encode(&out, str_from(vectors[i].bytes));
		assert_str_equal(buf_str(&out), text);
		assert_ok(base64_decode(text, bytes, sizeof(bytes), &n));
		assert_str_equal(str_of(bytes, n), str_from(vectors[i].bytes));
		while (text.n && text.p[text.n - 1] == '=')
			text.n--;
		assert_ok(base64_decode(text, bytes, strlen(vectors[i].bytes), &n));
		assert_str_equal(str_of(bytes, n), str_from(vectors[i].bytes));
		assert_true(n <= BASE64_DECODED_MAX(text.n));
	}
	buf_fini(&out);
}

static void both_alphabets_are_read(void **state)
{
	char bytes[3];
	size_t n;

	(void)state;
	assert_ok(base64_decode(STR("+/+/"), bytes, sizeof(bytes), &n));
	assert_str_equal(str_of(bytes, n), STR("\xfb\xff\xbf"));
	assert_ok(base64_decode(STR("-_-_"), bytes, sizeof(bytes), &n));
	assert_str_equal(str_of(bytes, n), STR("\xfb\xff\xbf"));
}

static void bad_base64_is_refused(void **state)
{
	static const char *const texts[] = {"A",   "AAAAA", "A===", "=",    "====",
					    "AA=", "AA\n",  "A A=", "AA=A", "\xff\xff\xff\xff"};
	char bytes[16];
	size_t n;

	(void)state;
	for (size_t i = 0; i < countof(texts); i++)
		assert_int_equal(base64_decode(str_from(texts[i]), bytes, sizeof(bytes), &n),
				 -EINVAL);
	assert_int_equal(base64_decode(STR("AAAA"), bytes, 2, &n), -ENOSPC);
}

static void all_lengths_of_bytes_come_back(void **state)
{
	char bytes[64], back[64];
	struct buf out = {0};
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (char)(i * 37 + 250);
		buf_clear(&out);
		base64_encode(&out, str_of(bytes, i + 1));
		assert_ok(base64_decode(buf_str(&out), back, i + 1, &n));
		assert_true(str_eq(str_of(back, n), str_of(bytes, i + 1)));
	}
	buf_fini(&out);
}

static void leb128_goes_both_ways(void **state)
{
	static const int64_t values[] = {0,
					 1,
					 -1,
					 63,
					 64,
					 -64,
					 -65,
					 127,
					 128,
					 -128,
					 8191,
					 INT32_MAX,
					 INT32_MIN,
					 INT64_MAX,
					 INT64_MIN,
					 INT64_MIN + 1,
					 -0x4000000000000000};
	struct buf out = {0};

	(void)state;
	for (size_t i = 0; i < countof(values); i++) {
		struct str rest;
		uint64_t u;
		int64_t s;

		buf_clear(&out);
		leb128_put_i64(&out, values[i]);
		leb128_put_u64(&out, (uint64_t)values[i]);
		rest = buf_str(&out);
		assert_ok(leb128_i64(&rest, &s));
		assert_ok(leb128_u64(&rest, &u));
		assert_true(s == values[i]);
		assert_true(u == (uint64_t)values[i]);
		assert_int_equal(rest.n, 0);
		for (size_t n = 0; n < out.n - rest.n - 1; n++) {
			struct str cut = str_head(buf_str(&out), n);

			while (!leb128_i64(&cut, &s))
				;
			assert_int_equal(leb128_u64(&cut, &u), -EBADMSG);
		}
	}
	buf_fini(&out);
}

static void leb128_is_bounded(void **state)
{
	struct str padded = STR("\x85\x80\x80\x80\x80\x80\x80\x80\x80\x00");
	struct str large = STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
	struct str endless = STR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80");
	struct str cut = STR("\x80\x80"), none = {0};
	uint64_t u;
	int64_t s;

	(void)state;
	assert_int_equal(leb128_u64(&large, &u), -ERANGE);
	assert_int_equal(leb128_i64(&large, &s), -ERANGE);
	assert_int_equal(leb128_u64(&endless, &u), -ERANGE);
	assert_int_equal(leb128_i64(&endless, &s), -ERANGE);
	assert_int_equal(endless.n, 12);
	assert_int_equal(leb128_u64(&cut, &u), -EBADMSG);
	assert_int_equal(leb128_i64(&cut, &s), -EBADMSG);
	assert_int_equal(cut.n, 2);
	assert_int_equal(leb128_u64(&none, &u), -EBADMSG);
	assert_ok(leb128_u64(&padded, &u));
	assert_int_equal(u, 5);
}

TEST_MAIN(test(hex_goes_both_ways), test(base64_is_as_in_the_rfc), test(both_alphabets_are_read),
	  test(bad_base64_is_refused), test(all_lengths_of_bytes_come_back),
	  test(leb128_goes_both_ways), test(leb128_is_bounded))
