/* SPDX-License-Identifier: Apache-2.0 */
/* Intakes: memory of decoding is reused, but leaves enough for the next message. */
#include "pipeline/intake.h"

#include <sched.h>

#include "base/thread.h"
#include "signal/profile/profile_builder.h"
#include "test/test.h"

/* Add strings of about `bytes` in total to the batch. */
static void fill(struct intake *in, size_t bytes)
{
	struct profile_builder b;
	char text[1000];

	assert_ok(profile_builder_init(&b, &in->work->batch));
	for (size_t n = 0; n < bytes; n += sizeof(text)) {
		uint32_t id;

		memset(text, 'x', sizeof(text));
		memcpy(text, &n, sizeof(n));
		assert_ok(profile_add_string(&b, str_of(text, sizeof(text)), &id));
	}
}

static void small_work_memory_is_reused(void **state)
{
	struct budget budget = {.limit = 64 * MIB};
	struct intake_work *first;
	struct intake_pool pool;
	struct intake *in;

	(void)state;
	assert_ok(intake_pool_init(&pool, &budget));
	in = intake_get(&pool);
	assert_non_null(in);
	fill(in, 100000);
	first = in->work;
	intake_put(&pool, in);
	assert_true(budget.used);
	in = intake_get(&pool);
	assert_ptr_equal(in->work, first);
	assert_int_equal(in->work->batch.strings.n, 1); /* the reused batch is empty */
	intake_put(&pool, in);
	intake_pool_fini(&pool);
	assert_int_equal(budget.used, 0);
}

static void memory_kept_for_reuse_leaves_room_for_other_messages(void **state)
{
	struct budget budget = {.limit = 16 * MIB};
	struct intake_pool pool;
	struct intake *in[6];

	(void)state;
	assert_ok(intake_pool_init(&pool, &budget));
	for (size_t i = 0; i < countof(in); i++) {
		in[i] = intake_get(&pool);
		assert_non_null(in[i]);
		fill(in[i], MIB);
	}
	for (size_t i = 0; i < countof(in); i++)
		intake_put(&pool, in[i]);
	assert_true(budget.used <= budget.limit / INTAKE_KEPT_PART);
	while (intake_pool_trim(&pool))
		;
	assert_int_equal(budget.used, 0);
	intake_pool_fini(&pool);
}

/* Add strings until memory runs out. */
static void fill_up(struct intake *in)
{
	struct profile_builder b;
	char text[1000];
	uint32_t id;
	int rc = profile_builder_init(&b, &in->work->batch);

	for (size_t n = 0; !rc; n++) {
		memset(text, 'x', sizeof(text));
		memcpy(text, &n, sizeof(n));
		rc = profile_add_string(&b, str_of(text, sizeof(text)), &id);
	}
	assert_int_equal(rc, -ENOMEM);
}

static void a_message_that_can_never_fit_is_refused_for_good(void **state)
{
	struct budget rest = {.limit = 2 * MIB};
	struct budget budget = {.limit = 4 * MIB, .own = 3 * MIB, .rest = &rest};
	struct intake_pool pool;
	struct intake *in, *other;
	struct err e = {0};

	(void)state;
	assert_ok(intake_pool_init(&pool, &budget));
	in = intake_get(&pool);
	other = intake_get(&pool);
	assert_non_null(in);
	assert_non_null(other);
	/* the system is out of memory; the message is not too large */
	assert_int_equal(intake_explain(in, -ENOMEM, &e), -ENOMEM);
	assert_err_says(&e, "try again");
	assert_int_equal(intake_explain(NULL, -ENOMEM, &e), -ENOMEM);
	assert_int_equal(intake_explain(in, -EBADMSG, &e), -EBADMSG);
	fill_up(in);
	assert_int_equal(intake_explain(in, -ENOMEM, &e), -EFBIG);
	assert_err_says(&e, "more memory than decoding has (4194304 bytes)");
	intake_put(&pool, in);

	/* another intake holds the memory */
	fill(other, MIB);
	in = intake_get(&pool);
	fill_up(in);
	assert_int_equal(intake_explain(in, -ENOMEM, &e), -ENOMEM);
	intake_put(&pool, in);
	intake_put(&pool, other);

	/* another part of the program holds the memory */
	rest.used = 2 * MIB;
	in = intake_get(&pool);
	fill_up(in);
	assert_int_equal(intake_explain(in, -ENOMEM, &e), -ENOMEM);
	intake_put(&pool, in);
	rest.used -= 2 * MIB;
	intake_pool_fini(&pool);
	assert_int_equal(budget.used, 0);
	assert_int_equal(rest.used, 0);
}

enum { TAKERS = 4, ROUNDS = 20000 };

struct taker {
	struct intake_pool *pool;
	uint32_t number, wrong;
	struct thread thread;
};

/* Check that no other thread gets an intake that is in use. */
static void take_and_put(void *arg)
{
	struct taker *me = arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct intake *in = intake_get(me->pool);

		if (!in) {
			me->wrong++;
			continue;
		}
		in->owner = me;
		in->work->spans.rejected = me->number;
		if (i % 128 == 0)
			sched_yield();
		me->wrong += in->owner != me || in->work->spans.rejected != me->number;
		intake_put(me->pool, in);
	}
}

static void an_intake_has_one_owner(void **state)
{
	struct taker takers[TAKERS] = {0};
	struct intake_pool pool;
	struct err e = {0};

	(void)state;
	assert_ok(intake_pool_init(&pool, NULL));
	for (uint32_t i = 0; i < TAKERS; i++) {
		takers[i] = (struct taker){.pool = &pool, .number = i + 1};
		assert_ok(thread_start(&takers[i].thread, "taker", take_and_put, &takers[i], &e));
	}
	for (unsigned i = 0; i < TAKERS; i++)
		thread_join(&takers[i].thread);
	for (unsigned i = 0; i < TAKERS; i++)
		assert_int_equal(takers[i].wrong, 0);
	assert_in_range(pool.kept, 1, TAKERS);
	intake_pool_fini(&pool);
}

TEST_MAIN(cmocka_unit_test(an_intake_has_one_owner), cmocka_unit_test(small_work_memory_is_reused),
	  cmocka_unit_test(memory_kept_for_reuse_leaves_room_for_other_messages),
	  cmocka_unit_test(a_message_that_can_never_fit_is_refused_for_good))
