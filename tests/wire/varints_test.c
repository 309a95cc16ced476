/* SPDX-License-Identifier: Apache-2.0 */
/* The vectorized varint functions return the same as the plain bytewise reader. */
#include "wire/varints.h"

#include "test/test.h"
#include "wire/proto.h"

/* Write `value` as a varint, followed by one bits that must be ignored. Return its length. */
static size_t put(uint8_t *out, uint64_t value)
{
	size_t n = 0;

	memset(out, 0xff, 16);
	for (; value >= 0x80; value >>= 7)
		out[n++] = (uint8_t)(value | 0x80);
	out[n++] = (uint8_t)value;
	return n;
}

static void varints_of_every_length_are_decoded(void **state)
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
#ifdef VARINT_HAS_BMI2
			read = ~value;
			assert_true(!VARINT_HAS_BMI2 ||
				    varint_read_bmi2(bytes, &read) == bytes + n);
			assert_true(!VARINT_HAS_BMI2 || read == value);
#endif
			memcpy(&word, bytes, sizeof(word));
			assert_int_equal(varint_join_short(word, (unsigned)n), n <= 4 ? value : 0);
		}
}

static void varints_over_eight_bytes_are_left_to_the_plain_reader(void **state)
{
	uint8_t bytes[16];
	uint64_t read = 0;

	(void)state;
	assert_int_equal(put(bytes, 1ull << 56), 9);
	assert_null(varint_read(bytes, &read));
#ifdef VARINT_HAS_BMI2
	assert_true(!VARINT_HAS_BMI2 || !varint_read_bmi2(bytes, &read));
#endif
	assert_int_equal(varint_join_short(0x01010101, VARINT_WINDOW), 0);
}

static void stop_bits_past_the_end_do_not_count(void **state)
{
	(void)state;
	assert_true(varint_stops(0x0000000000800180u, 8) == 0x8080808080008000u);
	assert_true(varint_stops(0x0000000000800180u, 2) == 0x8000u);
	assert_true(varint_stops(0, 0) == 0);
}

static void high_bits_are_limited_to_the_window(void **state)
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

static uint32_t next_random(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 32) % below;
}

/* Read `list` with varint_take_indices(), and its rest with the plain reader. Return the count. */
static size_t take(struct str list, size_t slack, uint32_t last, uint32_t *out)
{
	struct varint_list l = {.at = (const uint8_t *)list.p,
				.end = (const uint8_t *)list.p + list.n,
				.readable = (const uint8_t *)list.p + list.n + slack,
				.last = last,
				.offset = 7,
				.out = out};

	while (l.at < l.end) {
		struct proto_reader r = {.at = l.at, .end = l.end};

		varint_take_indices(&l);
		if (l.at == l.end)
			break;
		r.at = l.at;
		*l.out++ = (uint32_t)proto_varint(&r) + 7;
		assert_int_equal(r.error, PROTO_OK);
		l.at = r.at;
	}
	return (size_t)(l.out - out);
}

static void lists_of_indices_match_the_plain_reader(void **state)
{
	static const uint32_t below[] = {100, 300, 16000, 20000, 3000000, 0xffffffff};
	uint8_t bytes[1200 + VARINT_WINDOW + VARINT_SLACK];
	uint32_t values[200], out[1200 + VARINT_ROOM];
	uint64_t seed = 5;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		uint32_t limit = below[round % countof(below)];
		size_t count = 1 + next_random(&seed, countof(values) - 1), n = 0;

		for (size_t i = 0; i < count; i++) {
			values[i] = next_random(&seed, limit);
			n += put(bytes + n, values[i]);
		}
		memset(bytes + n, 0xff, sizeof(bytes) - n);
		/* some are out of range, and the input has little or much slack */
		assert_int_equal(take(str_of((char *)bytes, n), round % 2 ? 0 : sizeof(bytes) - n,
				      round % 3 ? limit : limit / 2, out),
				 count);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(out[i], values[i] + 7);
	}
}

static void a_list_is_compared_by_its_mapped_indices(void **state)
{
	enum { LAST = 400 };
	uint8_t bytes[100 * 3 + VARINT_WINDOW + VARINT_SLACK];
	uint32_t map[LAST + 1] = {0}, numbers[100];
	uint64_t seed = 3;

	(void)state;
	for (uint32_t i = 1; i <= LAST; i++)
		map[i] = 7 * i;
	for (unsigned round = 0; round < 6000; round++) {
		uint32_t count = 1 + next_random(&seed, round % 3 ? 20 : countof(numbers)),
			 other = next_random(&seed, count), right;
		struct varint_list l = {.at = bytes, .last = LAST};
		size_t n = 0;

		for (uint32_t i = 0; i < count; i++) {
			uint32_t index = 1 + next_random(&seed, LAST);

			n += put(bytes + n, index);
			numbers[i] = map[index];
		}
		memset(bytes + n, round % 2 ? 0xff : 1, sizeof(bytes) - n);
		l.end = bytes + n;
		l.readable = bytes + sizeof(bytes);
		assert_true(varint_list_equals(&l, map, numbers, count));
		assert_false(varint_list_equals(&l, map, numbers, count - 1));
		right = numbers[other];
		numbers[other] = right > 7 ? right - 7 : 14;
		assert_false(varint_list_equals(&l, map, numbers, count));
		numbers[other] = right;
		l.last = right / 7 - 1; /* out of range, although the map is longer */
		assert_false(varint_list_equals(&l, map, numbers, count));
		l.last = LAST;
		map[right / 7] = 0; /* an unknown index */
		assert_false(varint_list_equals(&l, map, numbers, count));
		map[right / 7] = right;
	}
}

static void a_truncated_list_is_never_equal(void **state)
{
	uint8_t bytes[3 * VARINT_WINDOW] = {1, 2, 0x83, 2};
	uint32_t map[1000] = {0, 1, 2}, numbers[] = {1, 2, 3};
	struct varint_list l = {.at = bytes, .last = 999, .readable = bytes + sizeof(bytes)};

	(void)state;
	map[0x103] = map[3] = 3;
	l.end = bytes + 4;
	assert_true(varint_list_equals(&l, map, numbers, 3));
	l.end = bytes + 3;
	assert_false(varint_list_equals(&l, map, numbers, 3));
	assert_false(varint_list_equals(&l, map, numbers, 2));
	l.end = bytes + 2;
	assert_true(varint_list_equals(&l, map, numbers, 2));
	l.readable = l.end;
	/* not compared so close to the end */
	assert_false(varint_list_equals(&l, map, numbers, 2));
}

static void a_truncated_index_is_not_read(void **state)
{
	uint8_t bytes[2 * VARINT_WINDOW] = {1, 2, 0x83, 1};
	uint32_t out[3 + VARINT_ROOM];
	struct varint_list l = {.at = bytes,
				.end = bytes + 3,
				.readable = bytes + sizeof(bytes),
				.last = 1000,
				.out = out};

	(void)state;
	varint_take_indices(&l);
	assert_ptr_equal(l.at, bytes + 2);
	assert_ptr_equal(l.out, out + 2);
	varint_take_indices(&l);
	assert_ptr_equal(l.at, bytes + 2);
}

static void lists_of_numbers_match_the_plain_reader(void **state)
{
	uint8_t bytes[20 * 10 + VARINT_SLACK];
	uint64_t seed = 9;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		uint32_t count = 1 + next_random(&seed, 8), most = 1 + next_random(&seed, 10),
			 taken, expected = 0;
		int64_t out[3 * 10];
		const uint8_t *at = bytes;
		uint64_t values[8];
		size_t n = 0, left = 0;

		for (uint32_t i = 0; i < count; i++) {
			values[i] = ((uint64_t)next_random(&seed, UINT32_MAX) << 32 |
				     next_random(&seed, UINT32_MAX)) >>
				    next_random(&seed, 64);
			left += put(bytes + left, values[i]);
			if (expected == i && i < most && values[i] < 1ull << 56) {
				expected++;
				n = left;
			}
		}
		taken = varint_take_numbers(&at, bytes + left, out, 3, most);
		assert_int_equal(taken, expected);
		assert_ptr_equal(at, bytes + n);
		for (uint32_t i = 0; i < taken; i++)
			assert_true((uint64_t)out[3 * i] == values[i]);
		if (n > 1) { /* truncated: the last one is not read */
			at = bytes;
			assert_int_equal(varint_take_numbers(&at, bytes + n - 1, out, 3, most),
					 taken - 1);
		}
	}
}

static void numbers_are_added_completely_or_not_at_all(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		uint8_t bytes[8 * 10 + VARINT_WINDOW + VARINT_SLACK] = {0};
		uint32_t count = 1 + next_random(&seed, 8);
		uint64_t values[8], sums[9] = {[3] = 3};
		unsigned shortest = next_random(&seed, 64);
		bool fits = true;
		size_t n = 0;

		for (uint32_t i = 0; i < count; i++) {
			values[i] = ((uint64_t)next_random(&seed, UINT32_MAX) << 32 |
				     next_random(&seed, UINT32_MAX)) >>
				    (shortest + next_random(&seed, 64 - shortest));
			n += put(bytes + n, values[i]);
			fits &= values[i] < 1ull << 56;
		}
		fits &= n <= VARINT_WINDOW;
		assert_false(varint_add_numbers(bytes, n, sums, count - 1));
		assert_false(varint_add_numbers(bytes, n, sums, count + 1));
		assert_false(varint_add_numbers(bytes, 0, sums, count));
		if (bytes[n - 1] && n > 1 && bytes[n - 2] >= 0x80)
			assert_false(varint_add_numbers(bytes, n - 1, sums, count)); /* truncated */
		assert_int_equal(varint_add_numbers(bytes, n, sums, count), fits);
		for (uint32_t i = 0; i < countof(sums); i++)
			assert_true(sums[i] ==
				    (i < count && fits ? values[i] : 0) + (i == 3 ? 3 : 0));
	}
}

TEST_MAIN(test(varints_of_every_length_are_decoded),
	  test(varints_over_eight_bytes_are_left_to_the_plain_reader),
	  test(stop_bits_past_the_end_do_not_count), test(high_bits_are_limited_to_the_window),
	  test(lists_of_indices_match_the_plain_reader), test(a_truncated_index_is_not_read),
	  test(a_list_is_compared_by_its_mapped_indices), test(a_truncated_list_is_never_equal),
	  test(lists_of_numbers_match_the_plain_reader),
	  test(numbers_are_added_completely_or_not_at_all))
