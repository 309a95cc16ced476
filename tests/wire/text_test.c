/* SPDX-License-Identifier: Apache-2.0 */
/* Hex and base64. */
#include "wire/text.h"

#include <errno.h>

#include "test/test.h"

static void hex_is_encoded_and_decoded(void **state)
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

static void base64_matches_the_examples_of_the_rfc(void **state)
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

static void both_base64_alphabets_are_accepted(void **state)
{
	char bytes[3];
	size_t n;

	(void)state;
	assert_ok(base64_decode(STR("+/+/"), bytes, sizeof(bytes), &n));
	assert_str_equal(str_of(bytes, n), STR("\xfb\xff\xbf"));
	assert_ok(base64_decode(STR("-_-_"), bytes, sizeof(bytes), &n));
	assert_str_equal(str_of(bytes, n), STR("\xfb\xff\xbf"));
}

static void invalid_base64_is_rejected(void **state)
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

static void inputs_of_all_lengths_round_trip(void **state)
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

TEST_MAIN(test(hex_is_encoded_and_decoded), test(base64_matches_the_examples_of_the_rfc),
	  test(both_base64_alphabets_are_accepted), test(invalid_base64_is_rejected),
	  test(inputs_of_all_lengths_round_trip), )
