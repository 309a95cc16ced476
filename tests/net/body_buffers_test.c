/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of bodies: reuse, and the size that a new one begins with. */
#include "net/body_buffers.h"

#include "test/test.h"

static void used_buffers_are_charged_only_in_use(void **state)
{
	struct budget budget = {.limit = 1 * MIB};
	struct body_buffers buffers = {.limit = 1 * MIB};
	struct buf b;
	char *memory;

	(void)state;
	body_buffers_get(&buffers, &budget, &b);
	assert_int_equal(b.cap, 0);
	memory = buf_reserve(&b, 100000);
	assert_non_null(memory);
	body_buffers_put(&buffers, &b);
	assert_int_equal(budget.used, 0);
	body_buffers_get(&buffers, &budget, &b);
	assert_ptr_equal(b.p, memory);
	assert_int_equal(budget.used, b.cap);
	buf_fini(&b);
	body_buffers_fini(&buffers);
}

static size_t reserved(const struct body_buffers *buffers, struct budget *budget, size_t max)
{
	struct buf b;
	size_t n;

	buf_init(&b, budget);
	body_buffers_reserve(buffers, &b, max);
	n = b.cap;
	assert_false(b.failed);
	buf_fini(&b);
	return n;
}

static void new_buffers_have_the_usual_size(void **state)
{
	struct budget small = {.limit = 1000};
	struct body_buffers buffers = {0};

	(void)state;
	assert_int_equal(reserved(&buffers, NULL, SIZE_MAX), 0);
	body_buffers_note(&buffers, 300000);
	assert_int_equal(reserved(&buffers, NULL, SIZE_MAX), 300000 + 300000 / 16);
	assert_int_equal(reserved(&buffers, NULL, 5000), 5000);
	assert_int_equal(reserved(&buffers, &small, SIZE_MAX), 0);
	body_buffers_note(&buffers, 100);
	assert_in_range(reserved(&buffers, NULL, SIZE_MAX), 250000, 310000);
	for (int i = 0; i < 200; i++)
		body_buffers_note(&buffers, 100);
	assert_in_range(reserved(&buffers, NULL, SIZE_MAX), 1, 1000);
	body_buffers_note(&buffers, 100 * MIB);
	assert_int_equal(reserved(&buffers, NULL, SIZE_MAX), BODY_BUFFER_BYTES_MAX);
	body_buffers_fini(&buffers);
	assert_int_equal(reserved(&buffers, NULL, SIZE_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(used_buffers_are_charged_only_in_use),
		test(new_buffers_have_the_usual_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
