/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding of attributes: canonical, bounded, valid UTF-8. */
#include "sdk/attributes.h"

#include "sdk/metrics/proto_parts.h"

static void values_of_each_type_are_encoded(void **state)
{
	struct varve_attribute rows[] = {varve_str("s", "text"), varve_int("i", -1),
					 varve_double("d", 0.5), varve_bool("b", 7),
					 varve_str("null", NULL)};
	uint8_t bytes[ATTRIBUTES_BYTES];
	struct str set;
	size_t n;

	(void)state;
	assert_true(attributes_encode(bytes, &n, rows, countof(rows)));
	attributes_retag(bytes, n, 3);
	set = str_of((char *)bytes, n);
	assert_str_equal(proto_part(proto_attribute(set, 3, "s"), 1, 0), STR("text"));
	assert_int_equal(proto_number(proto_attribute(set, 3, "i"), 3), -1);
	assert_true(proto_real(proto_attribute(set, 3, "d"), 4) == 0.5);
	assert_int_equal(proto_number(proto_attribute(set, 3, "b"), 2), 1);
	assert_true(proto_attribute(set, 3, "null").n > 0);
	assert_str_equal(proto_part(proto_part(set, 3, 0), 1, 0), STR("b")); /* sorted */
	assert_int_equal(proto_part(set, 7, 0).n, 0);
}

static void texts_are_cut_and_repaired(void **state)
{
	static char large[5000];
	struct varve_attribute rows[] = {varve_str("k\xff", "a\xc3"), varve_str("large", large)};
	uint8_t bytes[ATTRIBUTES_BYTES];
	size_t n;

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	memcpy(large + ATTRIBUTE_TEXT_MAX - 1, "\xe2\x82\xac", 3);
	assert_true(attributes_encode(bytes, &n, rows, 2));
	assert_str_equal(proto_part(proto_attribute(str_of((char *)bytes, n), 7, "k?"), 1, 0),
			 STR("a?"));
	assert_int_equal(proto_part(proto_attribute(str_of((char *)bytes, n), 7, "large"), 1, 0).n,
			 ATTRIBUTE_TEXT_MAX - 1);
}

static void a_set_is_bounded(void **state)
{
	static char keys[40][16], text[2000];
	struct varve_attribute rows[40];
	uint8_t bytes[ATTRIBUTES_BYTES];
	size_t n;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < 40; i++) {
		snprintf(keys[i], sizeof(keys[i]), "k%02d", i);
		rows[i] = varve_int(keys[i], i);
	}
	assert_true(attributes_encode(bytes, &n, rows, 32));
	assert_false(attributes_encode(bytes, &n, rows, 33));
	for (int i = 0; i < 3; i++)
		rows[i] = varve_str(keys[i], text);
	assert_false(attributes_encode(bytes, &n, rows, 3));
	assert_true(n > 4000 && n <= ATTRIBUTES_BYTES);
	assert_true(attributes_encode(bytes, &n, rows, 0));
	assert_int_equal(n, 0);
}

TEST_MAIN(test(values_of_each_type_are_encoded), test(texts_are_cut_and_repaired),
	  test(a_set_is_bounded))
