/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries with too little memory: the result is complete or an error, and all memory is returned in
 * both cases.
 */
#include "signal/profile/profile_rows.h"
#include "store/store_support.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)
#define HOUR (3600 * NS_PER_SECOND)

enum { HOURS = 6, FIRST_HOUR = 400, SPANS = 200 };

struct fixture {
	char directory[64];
	struct store *store;
};

static void open_store(struct fixture *f)
{
	struct sqlite_store_options o = {.directory = f->directory, .window_ms = 1, .manual = true};
	struct err e = {0};

	assert_ok_err(sqlite_store_open(&f->store, &o, &e), &e);
}

/* Put profiles with one series each: most of them in the first hour, fewer in every later hour. */
static void put_series(struct fixture *f)
{
	struct profile_builder builder;
	struct profile_batch b;
	struct err e = {0};
	uint32_t n = 0;

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	for (unsigned hour = 0; hour < HOURS; hour++)
		for (unsigned i = 0; i < (unsigned)FIRST_HOUR >> hour; i++) {
			struct profile row = {.time_unix_nano = FROM + hour * HOUR + i + 1};
			uint32_t location, stack;
			char name[32];
			struct keyvalue kv[] = {
				{STR("service.name"), VALUE_OF_STR(STR("a"))},
				{STR("pod"), VALUE_OF_STR(test_text(name, sizeof(name), "p", n++))},
			};

			assert_ok(profile_add_resource(&builder, kv, 2));
			assert_ok(profile_add_scope(&builder, STR("s"), STR(""), NULL, 0));
			assert_ok(profile_add_string(&builder, STR("cpu"), &row.sample_type.type));
			assert_ok(profile_add_string(&builder, STR("nanoseconds"),
						     &row.sample_type.unit));
			assert_ok(profile_add_profile(&builder, &row, NULL, 0));
			assert_ok(profile_add_frame(&builder, STR("f"), STR("n.c"), 1, &location));
			assert_ok(profile_add_stack(&builder, &location, 1, &stack));
			assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 1));
		}
	assert_ok_err(put_batch(f->store, NULL, STR(""), &b, FROM, NULL, &e), &e);
	profile_batch_fini(&b);
}

static void put_spans(struct fixture *f)
{
	struct waiter wait;
	struct span_batch b;
	struct store_write w = {.spans = &b, .received = FROM, .done = waiter_done, .owner = &wait};
	struct err e = {0};

	waiter_init(&wait);
	wait.pending = 1;
	span_batch_init(&b, NULL);
	for (uint32_t i = 0; i < SPANS; i++) {
		struct span s = {.start = FROM + i + 1, .end = FROM + i + 2, .name = STR("s")};

		s.trace_id[0] = 1;
		memcpy(s.span_id, &i, sizeof(i));
		s.span_id[7] = 1;
		assert_ok(vec_push(&b.arena, &b.spans, s));
	}
	assert_true(f->store->ops->put(f->store, &w, &e) >= 0);
	assert_ok(waiter_wait(&wait));
	span_batch_fini(&b);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	make_directory(f->directory);
	open_store(f);
	put_series(f);
	put_spans(f);
	assert_ok_err(sqlite_store_work(f->store, true, &e), &e);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	remove_tree(f->directory);
	free(f);
	return 0;
}

static int count_series(void *ctx, uint32_t number, const struct store_series *s)
{
	(void)number;
	(void)s;
	++*(uint32_t *)ctx;
	return 0;
}

static int count_points(void *ctx, const struct store_point *p)
{
	(void)p;
	++*(uint32_t *)ctx;
	return 0;
}

static int count_samples(void *ctx, const struct store_samples *s)
{
	*(uint32_t *)ctx += s->n;
	return 0;
}

static int count_spans(void *ctx, const struct span *s)
{
	(void)s;
	++*(uint32_t *)ctx;
	return 0;
}

enum query_kind { SERIES, SERIES_OF_HOURS, POINTS, SAMPLES, SPANS_OF_TRACE, QUESTIONS };

static int run_query(struct fixture *f, enum query_kind q, struct budget *budget, uint32_t *n)
{
	static const uint8_t trace[1][16] = {{1}};
	struct store_select sel = {.to = UINT64_MAX, .limits.budget = budget};
	struct store_span_select spans = {
		.to = UINT64_MAX, .traces = trace, .trace_count = 1, .limits.budget = budget};
	const struct store_ops *ops = f->store->ops;
	struct err e = {0};

	*n = 0;
	switch (q) {
	case SERIES:
		return ops->series(f->store, &sel, count_series, n, &e);
	/* reads pages of hours, because the range does not cover the whole day */
	case SERIES_OF_HOURS:
		sel.from = FROM;
		sel.to = FROM + (HOURS - 1) * HOUR;
		return ops->series(f->store, &sel, count_series, n, &e);
	case POINTS:
		return ops->points(f->store, &sel, count_points, n, &e);
	case SAMPLES:
		return ops->scan(f->store, &sel, NULL, count_samples, n, &e);
	default:
		return ops->spans(f->store, &spans, count_spans, n, &e);
	}
}

static uint32_t expected(enum query_kind q)
{
	uint32_t n = 0;

	for (unsigned hour = 0; hour < HOURS; hour++)
		if (q != SERIES_OF_HOURS || hour < HOURS - 1)
			n += (uint32_t)FIRST_HOUR >> hour;
	return q == SPANS_OF_TRACE ? SPANS : n;
}

static void a_result_is_complete_or_an_error(void **state)
{
	struct fixture *f = *state;

	for (enum query_kind q = 0; q < QUESTIONS; q++) {
		unsigned failed = 0, answered = 0;

		for (size_t limit = 1024; limit < 4 * MIB; limit += limit / 16) {
			struct budget budget = {.limit = limit};
			uint32_t n;
			int rc;

			f->store->ops->close(f->store); /* empties the caches */
			open_store(f);
			rc = run_query(f, q, &budget, &n);
			if (rc)
				assert_int_equal(rc, -ENOMEM);
			else if (n != expected(q))
				fail_msg("query %d, %zu bytes: %u instead of %u", (int)q, limit, n,
					 expected(q));
			failed += rc != 0;
			answered += rc == 0;
			assert_int_equal(budget.used, 0);
		}
		assert_true(failed > 2 && answered > 2);
	}
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_store(a_result_is_complete_or_an_error))
