/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded store with a failing allocation, read, write or sync, for each such call in turn:
 * acknowledged data is kept, refused data is not, and queries return exact results afterwards, from
 * the same store and after reopening it. No fault makes the store consider an intact file damaged.
 */
#include "fault/inject.h"
#include "store/oracle.h"
#include "store/random_details.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)
#define TO (FROM + 2 * TEST_NS_PER_DAY)

enum { FULL_CHECK_EVERY = 100, SELECTIONS = 7, SPANS_IN_TRACE = 4, TRACES_MAX = 4096 };

struct fixture {
	char directory[64];
	struct store *store;
	struct oracle oracle;
	uint64_t seed;
	/* the prepared write */
	struct profile_batch batch;
	struct series_map series;
	struct arena arena;
	struct store_write write;
	/* the prepared trace, its number, and the ids of those that were acknowledged */
	struct span_batch spans;
	uint32_t traces, traces_n;
	uint8_t acknowledged[TRACES_MAX][16];
};

static int try_open(struct fixture *f, struct err *e)
{
	struct sqlite_store_options o = {.directory = f->directory, .window_ms = 1, .manual = true};

	return sqlite_store_open(&f->store, &o, e);
}

static void open_store(struct fixture *f)
{
	struct err e = {0};

	assert_ok_err(try_open(f, &e), &e);
}

static void reopen(struct fixture *f)
{
	f->store->ops->close(f->store);
	open_store(f);
}

static void put_some(struct fixture *f, struct str tenant, unsigned batches)
{
	struct err e = {0};

	for (unsigned i = 0; i < batches; i++) {
		struct profile_batch b;

		support_batch(&b, &f->seed, 2, 4, FROM, TO);
		assert_ok_err(put_batch(f->store, &f->oracle, tenant, &b, FROM, NULL, &e), &e);
		profile_batch_fini(&b);
	}
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	f->seed = 7;
	make_directory(f->directory);
	open_store(f);
	put_some(f, STR(""), 6);
	assert_ok_err(sqlite_store_work(f->store, true, &e), &e);
	put_some(f, STR(""), 2);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	arena_fini(&f->oracle.arena);
	remove_tree(f->directory);
	free(f);
	return 0;
}

/* Check that no partition was set aside and that the sums match the oracle. */
static void check_sums(struct fixture *f, const struct inject_sweep *s)
{
	struct store_stats stats;
	struct store_select all = {.from = 0, .to = UINT64_MAX};
	struct stack_tree tree;
	struct stack_sums sums = {0};
	int64_t found = 0, expected = 0;
	struct err e = {0};

	assert_ok_err(f->store->ops->stats(f->store, STR(""), &stats, &e), &e);
	if (stats.partitions_damaged) {
		inject_report(s, "a partition was set aside as damaged");
		inject_check();
	}
	assert_ok(stack_tree_init(&tree, NULL));
	assert_ok_err(f->store->ops->stacks(f->store, &all, &tree, &sums, &e), &e);
	for (uint32_t i = 0; i < sums.self.n; i++)
		found += sums.self.at[i];
	for (uint32_t i = 0; i < f->oracle.facts.n; i++)
		expected += f->oracle.facts.at[i].value;
	stack_tree_fini(&tree);
	if (found != expected)
		inject_report(s, "the sum is %lld, expected %lld", (long long)found,
			      (long long)expected);
	if (found != expected)
		inject_check(); /* after a reported error later comparisons would fail, too */
}

static void check_all(struct fixture *f)
{
	struct sqlite_store_report report = {0};
	uint64_t problems = 0;
	struct err e = {0};

	check_answers(f->store, &f->oracle, f->seed, FROM, TO, SELECTIONS);
	assert_ok_err(sqlite_store_check(f->store, &report, &problems, &e), &e);
	assert_int_equal(problems, 0);
}

/* ---- the steps of a round ---- */

struct step {
	/* Called before arming; may be NULL. */
	void (*prepare)(struct fixture *f);
	int (*run)(struct fixture *f, struct err *e);
	/* Called after disarming; may be NULL. */
	void (*settle)(struct fixture *f, int rc, const struct inject_sweep *s);
};

static void run_steps(struct fixture *f, const struct step *step, unsigned kinds,
		      enum inject_mode mode)
{
	struct inject_sweep s = inject_sweep(kinds, mode);

	while (inject_next(&s)) {
		struct err e = {0};
		int rc;

		if (step->prepare)
			step->prepare(f);
		inject_arm(&s);
		rc = step->run(f, &e);
		inject_disarm(&s);
		if (!s.round)
			assert_ok_err(rc, &e);
		if (rc == -EUCLEAN || (rc && !e.text[0]))
			inject_report(&s, "%d, \"%s\"", rc, e.text);
		if (step->settle)
			step->settle(f, rc, &s);
		check_sums(f, &s);
		if (s.round % FULL_CHECK_EVERY == FULL_CHECK_EVERY - 1)
			check_all(f);
	}
	check_all(f);
	reopen(f);
	check_all(f);
	inject_check();
}

/* Run the step with all kinds and modes of faults. */
static void run_all(struct fixture *f, const struct step *step)
{
	run_steps(f, step, INJECT_MEMORY, INJECT_ONE);
	run_steps(f, step, INJECT_MEMORY, INJECT_REST);
	run_steps(f, step, INJECT_IO, INJECT_ONE);
	run_steps(f, step, INJECT_IO, INJECT_REST);
}

/* ---- writing ---- */

static void prepare_put(struct fixture *f)
{
	arena_init(&f->arena, NULL);
	f->series = (struct series_map){0};
	assert_ok(series_map_init(&f->series, &f->batch, &series_limits_default, &f->arena));
	f->write = (struct store_write){
		.batch = &f->batch, .series = &f->series, .received = FROM, .done = waiter_done};
}

static void prepare_write(struct fixture *f)
{
	uint64_t from = FROM + test_random(&f->seed, 2) * TEST_NS_PER_DAY;

	support_batch(&f->batch, &f->seed, 2, 4, from, from + TEST_NS_PER_DAY);
	prepare_put(f);
}

static int run_write(struct fixture *f, struct err *e)
{
	struct waiter wait;
	int rc;

	waiter_init(&wait);
	wait.pending = 1;
	f->write.owner = &wait;
	rc = f->store->ops->put(f->store, &f->write, e);
	if (rc < 0)
		return rc;
	rc = waiter_wait(&wait);
	if (rc)
		*e = wait.error;
	return rc;
}

static void settle_write(struct fixture *f, int rc, const struct inject_sweep *s)
{
	(void)s;
	if (!rc)
		oracle_add(&f->oracle, &f->write);
	profile_batch_fini(&f->batch);
	arena_fini(&f->arena);
}

static void writes_survive_faults(void **state)
{
	static const struct step step = {prepare_write, run_write, settle_write};

	run_all(*state, &step);
}

static void prepare_first_write(struct fixture *f)
{
	reopen(f);
	prepare_write(f);
}

static void the_first_write_survives_faults(void **state)
{
	static const struct step step = {prepare_first_write, run_write, settle_write};

	run_all(*state, &step);
}

/*
 * A write that spans two days may be stored in part when it fails. Its profiles have ids, so that a
 * retry completes the write without duplicates.
 */
static void prepare_two_days(struct fixture *f)
{
	support_batch(&f->batch, &f->seed, 3, 4, FROM, TO);
	for (uint32_t i = 0; i < f->batch.profiles.n; i++)
		for (unsigned k = 0; k < PROFILE_ID_SIZE; k++)
			f->batch.profiles.at[i].id[k] = (uint8_t)(1 + test_random(&f->seed, 255));
	prepare_put(f);
}

static void settle_two_days(struct fixture *f, int rc, const struct inject_sweep *s)
{
	struct err e = {0};

	if (rc)
		assert_ok_err(run_write(f, &e), &e);
	settle_write(f, 0, s);
}

static void a_retry_completes_a_write_that_spans_two_days(void **state)
{
	static const struct step step = {prepare_two_days, run_write, settle_two_days};

	run_all(*state, &step);
}

/* ---- background work ---- */

static void prepare_work(struct fixture *f)
{
	put_some(f, STR(""), 1);
}

static int run_work(struct fixture *f, struct err *e)
{
	return sqlite_store_work(f->store, true, e);
}

static void background_work_survives_faults(void **state)
{
	static const struct step step = {prepare_work, run_work, NULL};

	run_all(*state, &step);
}

/* ---- deleting ---- */

static void prepare_remove(struct fixture *f)
{
	struct oracle gone = {0};
	struct oracle kept = f->oracle;

	f->oracle = gone;
	put_some(f, STR("gone"), 2);
	arena_fini(&f->oracle.arena);
	f->oracle = kept;
}

static int run_remove(struct fixture *f, struct err *e)
{
	struct store_select all = {.tenant = STR("gone"), .from = 0, .to = UINT64_MAX};
	uint64_t profiles;

	return f->store->ops->remove(f->store, &all, &profiles, e);
}

static void settle_remove(struct fixture *f, int rc, const struct inject_sweep *s)
{
	static const struct oracle nothing;
	struct store_select all = {.tenant = STR("gone"), .from = 0, .to = UINT64_MAX};
	struct err e = {0};

	(void)s;
	if (rc)
		assert_ok_err(run_remove(f, &e), &e);
	check_stacks(f->store, &nothing, &all);
}

static void deleting_survives_faults(void **state)
{
	static const struct step step = {prepare_remove, run_remove, settle_remove};

	run_all(*state, &step);
}

/* ---- opening, numbers, checking ---- */

static void prepare_open(struct fixture *f)
{
	f->store->ops->close(f->store);
	f->store = NULL;
}

static void settle_open(struct fixture *f, int rc, const struct inject_sweep *s)
{
	(void)s;
	if (rc)
		open_store(f);
}

static void opening_survives_faults(void **state)
{
	static const struct step step = {prepare_open, try_open, settle_open};

	run_all(*state, &step);
}

static int run_stats(struct fixture *f, struct err *e)
{
	struct store_stats clean, stats = {0};
	int rc;

	inject_exempt(true);
	assert_ok(f->store->ops->stats(f->store, STR(""), &clean, NULL));
	inject_exempt(false);
	rc = f->store->ops->stats(f->store, STR(""), &stats, e);
	if (!rc)
		assert_memory_equal(&clean, &stats, sizeof(stats));
	return rc;
}

static void stats_survive_faults(void **state)
{
	static const struct step step = {NULL, run_stats, NULL};

	run_all(*state, &step);
}

static void note_problem(void *context, const char *partition, const char *text)
{
	(void)context;
	inject_exempt(true);
	print_error("%s: %s\n", partition, text);
	inject_exempt(false);
}

static int run_check(struct fixture *f, struct err *e)
{
	struct sqlite_store_report report = {.problem = note_problem};
	uint64_t problems = 0;
	int rc = sqlite_store_check(f->store, &report, &problems, e);

	return !rc && problems ? err_set(e, -EUCLEAN, "the check found problems") : rc;
}

/*
 * A check without enough memory to read a block reports that and does not call the block damaged.
 */
static void checks_survive_memory_faults(void **state)
{
	static const struct step step = {NULL, run_check, NULL};

	run_steps(*state, &step, INJECT_MEMORY, INJECT_ONE);
	run_steps(*state, &step, INJECT_MEMORY, INJECT_REST);
}

/* ---- traces ---- */

static void prepare_trace(struct fixture *f)
{
	struct proto_writer w = {0};

	f->traces++;
	span_batch_init(&f->spans, NULL);
	for (unsigned i = 0; i < SPANS_IN_TRACE; i++) {
		struct span s = {.name = STR("work"), .service = STR("shop"), .start = FROM + i};

		s.end = s.start;
		memcpy(s.trace_id, &f->traces, sizeof(f->traces));
		s.span_id[0] = (uint8_t)(1 + i);
		proto_writer_clear(&w);
		random_details(&w, &f->seed);
		assert_ok(arena_copy_str(&f->spans.arena, proto_writer_str(&w), &s.details));
		assert_ok(vec_push(&f->spans.arena, &f->spans.spans, s));
	}
	proto_writer_fini(&w);
	f->write = (struct store_write){.spans = &f->spans, .received = FROM, .done = waiter_done};
}

static void settle_trace(struct fixture *f, int rc, const struct inject_sweep *s)
{
	(void)s;
	if (!rc && f->traces_n < TRACES_MAX)
		memcpy(f->acknowledged[f->traces_n++], &f->traces, sizeof(f->traces));
	span_batch_fini(&f->spans);
}

static int count_trace(void *ctx, const struct span_batch *trace)
{
	*(uint32_t *)ctx += trace->spans.n == SPANS_IN_TRACE;
	return 0;
}

/* Read all acknowledged traces, and set *whole to the number of complete ones. */
static int read_traces(struct fixture *f, uint32_t *whole, struct err *e)
{
	struct store_span_select sel = {.to = UINT64_MAX,
					.traces = (const uint8_t(*)[16])f->acknowledged,
					.trace_count = f->traces_n};

	*whole = 0;
	return f->store->ops->traces(f->store, &sel, count_trace, whole, e);
}

static int run_read_traces(struct fixture *f, struct err *e)
{
	uint32_t whole;

	return read_traces(f, &whole, e);
}

static int run_merge_traces(struct fixture *f, struct err *e)
{
	return sqlite_store_work(f->store, true, e);
}

static void check_traces(struct fixture *f, const struct inject_sweep *s)
{
	uint32_t whole;
	struct err e = {0};

	assert_ok_err(read_traces(f, &whole, &e), &e);
	if (whole != f->traces_n)
		inject_report(s, "%u of %u traces are complete", whole, f->traces_n);
}

static void put_one_trace(struct fixture *f)
{
	struct err e = {0};

	prepare_trace(f);
	assert_ok_err(run_write(f, &e), &e);
	settle_trace(f, 0, NULL);
}

static void settle_and_check(struct fixture *f, int rc, const struct inject_sweep *s)
{
	(void)rc;
	check_traces(f, s);
}

static void settle_write_of_trace(struct fixture *f, int rc, const struct inject_sweep *s)
{
	settle_trace(f, rc, s);
	check_traces(f, s);
}

static void traces_survive_faults(void **state)
{
	static const struct step write = {prepare_trace, run_write, settle_write_of_trace};
	static const struct step merge = {put_one_trace, run_merge_traces, settle_and_check};
	static const struct step read = {NULL, run_read_traces, settle_and_check};

	run_all(*state, &write);
	run_all(*state, &merge);
	run_all(*state, &read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with(fixture, writes_survive_faults),
		test_with(fixture, the_first_write_survives_faults),
		test_with(fixture, a_retry_completes_a_write_that_spans_two_days),
		test_with(fixture, traces_survive_faults),
		test_with(fixture, background_work_survives_faults),
		test_with(fixture, deleting_survives_faults),
		test_with(fixture, opening_survives_faults),
		test_with(fixture, stats_survive_faults),
		test_with(fixture, checks_survive_memory_faults),
	};

	inject_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
