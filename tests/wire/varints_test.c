/* SPDX-License-Identifier: Apache-2.0 */
/* Varints many bytes at a time say the same as the plain reader, byte by byte. */
#include "wire/varints.h"

#include "test/test.h"
#include "wire/proto.h"

/* `value` as a varint with ones behind it, which must not matter. Returns its length. */
static size_t put(uint8_t *out, uint64_t value)
{
	size_t n = 0;

	memset(out, 0xff, 16);
	for (; value >= 0x80; value >>= 7)
		out[n++] = (uint8_t)(value | 0x80);
	out[n++] = (uint8_t)value;
	return n;
}

static void numbers_of_every_length_are_joined(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 56; bit++)
		for (uint64_t less = 0; less <= 2; less++) {
			uint64_t value = ((uint64_t)1 << bit) + 1 - less, read = 0;
			uint8_t bytes[16];
			size_t n = put(bytes, value);
			uint32_t word;

			assert_ptr_equal(varint_read(bytes, &read), bytes + n);
			assert_true(read == value);
			memcpy(&word, bytes, sizeof(word));
			assert_int_equal(varint_join_short(word, (unsigned)n), n <= 4 ? value : 0);
		}
}

static void a_number_of_more_than_eight_bytes_is_left_to_others(void **state)
{
	uint8_t bytes[16];
	uint64_t read = 0;

	(void)state;
	assert_int_equal(put(bytes, 1ull << 56), 9);
	assert_null(varint_read(bytes, &read));
	assert_int_equal(varint_join_short(0x01010101, VARINT_WINDOW), 0);
}

static void stops_behind_the_end_do_not_count(void **state)
{
	(void)state;
	assert_true(varint_stops(0x0000000000800180u, 8) == 0x8080808080008000u);
	assert_true(varint_stops(0x0000000000800180u, 2) == 0x8000u);
	assert_true(varint_stops(0, 0) == 0);
}

static void high_bits_are_those_of_the_window(void **state)
{
	uint8_t bytes[VARINT_WINDOW];

	(void)state;
	for (unsigned i = 0; i < VARINT_WINDOW; i++) {
		memset(bytes, 0x7f, sizeof(bytes));
		bytes[i] = 0x80;
		assert_true(varint_high_bits(bytes) == 1ull << i);
		assert_true(varint_window(i) == (1ull << i) - 1);
	}
	assert_true(varint_window(VARINT_WINDOW) == UINT64_MAX);
	assert_true(varint_window(VARINT_WINDOW + 1) == UINT64_MAX);
}

TEST_MAIN(test(numbers_of_every_length_are_joined),
	  test(a_number_of_more_than_eight_bytes_is_left_to_others),
	  test(stops_behind_the_end_do_not_count), test(high_bits_are_those_of_the_window))
