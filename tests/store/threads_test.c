/* SPDX-License-Identifier: Apache-2.0 */
/* Writers, readers, a deleting thread and the worker at the same time. */
#include "base/thread.h"
#include "signal/profile/profile_rows.h"
#include "store/oracle.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)

enum { WRITERS = 2, READERS = 2, BATCHES = 40, TOTAL = 1000, TRACES = 150, SPANS = 4 };

struct shared {
	struct store *store;
	_Atomic unsigned acknowledged; /* batches */
	_Atomic unsigned traces;       /* acknowledged traces: 1, 2, ... */
	_Atomic bool stop;
};

/* Make a batch that spans two days and whose values add up to TOTAL. */
static void make_batch(struct profile_batch *b, uint64_t *seed)
{
	struct profile_builder builder;

	assert_ok(profile_batch_init(b, NULL));
	assert_ok(profile_builder_init(&builder, b));
	for (uint32_t p = 0; p < 4; p++) {
		uint64_t time =
			FROM + p % 2 * TEST_NS_PER_DAY + test_random(seed, 7200) * NS_PER_SECOND;

		assert_ok(support_profile(&builder, seed, time, false));
		for (uint32_t i = 0; i < 5; i++) {
			uint32_t stack;

			assert_ok(random_stack(&builder, seed, &stack));
			assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, TOTAL / 20));
		}
	}
}

static void run_writer(void *arg)
{
	struct shared *s = arg;
	uint64_t seed = (uintptr_t)&seed;

	for (unsigned i = 0; i < BATCHES; i++) {
		struct profile_batch b;
		struct err e = {0};

		make_batch(&b, &seed);
		assert_ok_err(put_batch(s->store, NULL, STR(""), &b, FROM, NULL, &e), &e);
		profile_batch_fini(&b);
		s->acknowledged++;
	}
}

static int64_t sum_day(struct store *store, uint64_t day)
{
	struct store_select all = {.from = FROM + day * TEST_NS_PER_DAY,
				   .to = FROM + (day + 1) * TEST_NS_PER_DAY};
	struct stack_tree tree;
	struct stack_sums sums = {0};
	struct err e = {0};
	int64_t sum = 0;

	assert_ok(stack_tree_init(&tree, NULL));
	assert_ok_err(store->ops->stacks(store, &all, &tree, &sums, &e), &e);
	for (uint32_t i = 0; i < sums.self.n; i++)
		sum += sums.self.at[i];
	stack_tree_fini(&tree);
	return sum;
}

static int add_point(void *ctx, const struct store_point *p)
{
	*(int64_t *)ctx += p->total;
	return 0;
}

static int count_visit(void *ctx, uint32_t series, const struct store_series *s)
{
	(void)series;
	assert_true(s->first <= s->last);
	++*(uint32_t *)ctx;
	return 0;
}

/* Return how many series the second day has, starting `seconds` after midnight. */
static uint32_t count_series(struct store *store, uint32_t seconds, bool untimed)
{
	struct store_select s = {.from = FROM + TEST_NS_PER_DAY + seconds * NS_PER_SECOND,
				 .to = FROM + 2 * TEST_NS_PER_DAY,
				 .untimed = untimed};
	struct err e = {0};
	uint32_t n = 0;

	assert_ok_err(store->ops->series(store, &s, count_visit, &n, &e), &e);
	return n;
}

/* Check that the number of series never decreases. */
static void check_series(struct store *store, uint32_t seen[2])
{
	uint32_t all = count_series(store, 0, false), late = count_series(store, 1800, true);

	assert_true(all >= seen[0] && late >= seen[1]);
	seen[0] = all;
	seen[1] = late;
}

/*
 * Check that acknowledged data is visible, that every commit is complete, and that nothing is
 * counted twice.
 */
static void run_reader(void *arg)
{
	struct shared *s = arg;
	uint32_t series[2] = {0};
	int64_t last = 0;

	while (!s->stop) {
		int64_t least = (int64_t)s->acknowledged * TOTAL / 2, sum = sum_day(s->store, 1),
			points = 0;
		struct store_select day = {.from = FROM + TEST_NS_PER_DAY,
					   .to = FROM + 2 * TEST_NS_PER_DAY};
		struct err e = {0};

		assert_true(sum >= least && sum >= last && sum % (TOTAL / 2) == 0);
		assert_ok_err(s->store->ops->points(s->store, &day, add_point, &points, &e), &e);
		assert_true(points >= sum);
		last = sum;
		check_series(s->store, series);
	}
}

/* Write traces of a few spans across midnight, each trace in one write. */
static void run_span_writer(void *arg)
{
	struct shared *s = arg;

	for (unsigned trace = 1; trace <= TRACES; trace++) {
		struct span_batch b;
		struct waiter waiter;
		struct store_write w = {.spans = &b, .done = waiter_done, .owner = &waiter};
		struct err e = {0};

		span_batch_init(&b, NULL);
		for (unsigned i = 1; i <= SPANS; i++) {
			struct span span = {.name = STR("work"), .service = STR("shop")};

			span.start = FROM + TEST_NS_PER_DAY - NS_PER_SECOND / 2 +
				     (trace % 2 ? i : 0) * NS_PER_SECOND / 4;
			span.end = span.start + 9;
			memcpy(span.trace_id, &trace, sizeof(trace));
			memcpy(span.span_id, &i, sizeof(i));
			assert_ok(vec_push(&b.arena, &b.spans, span));
		}
		waiter_init(&waiter);
		waiter.pending = 1;
		assert_true(s->store->ops->put(s->store, &w, &e) >= 0);
		assert_ok(waiter_wait(&waiter));
		span_batch_fini(&b);
		s->traces = trace;
	}
}

static int count_span(void *ctx, const struct span *span)
{
	++*(unsigned *)ctx;
	return str_eq(span->name, STR("work")) ? 0 : -EINVAL;
}

/* Check that every acknowledged trace is complete, wherever the worker has moved it. */
static void run_span_reader(void *arg)
{
	struct shared *s = arg;
	unsigned at = 0;

	while (!s->stop) {
		unsigned n = s->traces, count = 0, trace;
		uint8_t traces[1][16] = {{0}};
		struct store_span_select sel = {
			.to = UINT64_MAX, .traces = (const uint8_t(*)[16])traces, .trace_count = 1};
		struct err e = {0};

		if (!n)
			continue;
		trace = at++ % n + 1;
		memcpy(traces[0], &trace, sizeof(trace));
		assert_ok_err(s->store->ops->spans(s->store, &sel, count_span, &count, &e), &e);
		assert_int_equal(count, SPANS);
	}
}

static void concurrent_readers_see_only_complete_commits(void **state)
{
	struct thread writers[WRITERS] = {0}, readers[READERS] = {0}, span_writer = {0},
		      span_reader = {0};
	struct shared s = {0};
	char directory[64];
	struct sqlite_store_options o = {.window_ms = 1, .compact_ms = 1};
	struct store_stats stats;
	struct err e = {0};

	(void)state;
	make_directory(directory);
	o.directory = directory;
	assert_ok_err(sqlite_store_open(&s.store, &o, &e), &e);
	for (unsigned i = 0; i < READERS; i++)
		assert_ok(thread_start(&readers[i], "reader", run_reader, &s, &e));
	for (unsigned i = 0; i < WRITERS; i++)
		assert_ok(thread_start(&writers[i], "writer", run_writer, &s, &e));
	assert_ok(thread_start(&span_reader, "span-reader", run_span_reader, &s, &e));
	assert_ok(thread_start(&span_writer, "span-writer", run_span_writer, &s, &e));
	for (unsigned i = 0; i < 20; i++)
		assert_ok_err(sqlite_store_work(s.store, i % 3 == 2, &e), &e);
	for (unsigned i = 0; i < WRITERS; i++)
		thread_join(&writers[i]);
	thread_join(&span_writer);
	assert_ok_err(sqlite_store_work(s.store, true, &e), &e);
	assert_ok_err(s.store->ops->stats(s.store, STR(""), &stats, &e), &e);
	s.stop = true;
	for (unsigned i = 0; i < READERS; i++)
		thread_join(&readers[i]);
	thread_join(&span_reader);
	assert_int_equal(stats.spans, TRACES * SPANS);
	assert_int_equal(stats.samples, WRITERS * BATCHES * 20);
	assert_int_equal(sum_day(s.store, 0) + sum_day(s.store, 1), WRITERS * BATCHES * TOTAL);
	s.store->ops->close(s.store);
	remove_tree(directory);
}

enum { TENANTS = 60, PUTS = 120, SENDERS = 4 };

struct sender {
	struct store *store;
	uint32_t number;
	uint64_t sent; /* sent profiles that have a series */
};

/* Put batches of one day for one tenant after the other, each twice: the second put is a retry. */
static void run_sender(void *arg)
{
	struct sender *s = arg;
	uint64_t seed = 1000 + s->number;

	for (uint32_t i = 0; i < PUTS; i++) {
		struct profile_batch b;
		uint32_t with_id = 0, duplicates;
		char tenant[32];
		struct err e = {0};

		test_text(tenant, sizeof(tenant), "tenant", test_random(&seed, TENANTS));
		support_batch(&b, &seed, 2, 20, FROM, FROM + 7200 * NS_PER_SECOND);
		for (uint32_t p = 0; p < b.profiles.n; p++) {
			memcpy(b.profiles.at[p].id, (uint32_t[]){s->number, i, p, 1}, 16);
			with_id += b.profiles.at[p].sample_count != 0;
		}
		for (unsigned round = 0; round < 2; round++) {
			assert_ok_err(put_batch(s->store, NULL, str_from(tenant), &b, FROM,
						&duplicates, &e),
				      &e);
			assert_int_equal(duplicates, round ? with_id : 0);
		}
		s->sent += with_id;
		profile_batch_fini(&b);
	}
}

/*
 * Few of the books fit in memory and they fill up quickly: books are loaded and closed again and
 * again.
 */
static void reloading_books_under_load_loses_no_data(void **state)
{
	struct sqlite_store_options o = {
		.window_ms = 1, .compact_ms = 1, .memory = MIB, .book_bytes = 64 * KIB};
	struct sender senders[SENDERS] = {0};
	struct thread threads[SENDERS] = {0};
	struct store_stats stats;
	uint64_t sent = 0;
	struct store *store;
	char directory[64];
	struct err e = {0};

	(void)state;
	make_directory(directory);
	o.directory = directory;
	assert_ok_err(sqlite_store_open(&store, &o, &e), &e);
	for (uint32_t i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){store, i, 0};
		assert_ok(thread_start(&threads[i], "sender", run_sender, &senders[i], &e));
	}
	for (unsigned i = 0; i < 10; i++)
		assert_ok_err(sqlite_store_work(store, i % 3 == 2, &e), &e);
	for (uint32_t i = 0; i < SENDERS; i++) {
		thread_join(&threads[i]);
		sent += senders[i].sent;
	}
	assert_ok_err(store->ops->stats(store, STR(""), &stats, &e), &e);
	assert_int_equal(stats.profiles, sent);
	store->ops->close(store);
	remove_tree(directory);
}

TEST_MAIN(test(concurrent_readers_see_only_complete_commits),
	  test(reloading_books_under_load_loses_no_data))
