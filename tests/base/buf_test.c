/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>

#include "test/test.h"

static void each_put_appends(void **state)
{
	struct buf b = {0};

	(void)state;
	buf_put_str(&b, STR("n="));
	buf_put_i64(&b, INT64_MIN);
	buf_put_char(&b, ' ');
	buf_put_u64(&b, UINT64_MAX);
	buf_printf(&b, " %s", "end");
	assert_str_equal(buf_str(&b), STR("n=-9223372036854775808 18446744073709551615 end"));
	assert_ok(buf_error(&b));
	buf_fini(&b);
}

/* Values around every power of ten, and of every number of digits. */
static void numbers_are_formatted_as_by_printf(void **state)
{
	uint64_t power = 1;

	(void)state;
	for (unsigned digits = 1; digits <= 20; digits++, power *= 10)
		for (unsigned i = 0; i < 5; i++) {
			const uint64_t values[] = {power - 1, power, power + 1, power * 9 / 8,
						   power * 3 / 2};
			struct buf b = {0};
			char text[32];

			buf_put_u64(&b, values[i]);
			snprintf(text, sizeof(text), "%llu", (unsigned long long)values[i]);
			assert_str_equal(buf_str(&b), str_from(text));
			buf_fini(&b);
		}
}

static void an_exceeded_budget_is_a_sticky_error(void **state)
{
	struct budget budget = {.limit = 1000};
	struct buf b;

	(void)state;
	buf_init(&b, &budget);
	for (int i = 0; i < 2000; i++)
		buf_put_char(&b, 'x');
	assert_int_equal(buf_error(&b), -ENOMEM);
	assert_true(b.n <= 1000);
	buf_clear(&b);
	assert_ok(buf_error(&b));
	buf_fini(&b);
	assert_int_equal(budget.used, 0);
}

TEST_MAIN(test(each_put_appends), test(numbers_are_formatted_as_by_printf),
	  test(an_exceeded_budget_is_a_sticky_error))
