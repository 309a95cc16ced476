/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics in the embedded store: what was acknowledged is found at once, after merging and after a
 * restart; each time of a series once, the last write wins; matchers, tenants and limits.
 */
#include "store/metric_store.h"
#include "store/store_support.h"

enum { SERIES = 40, MINUTES = 300, TIMES_MAX = MINUTES + 1 };

#define DAY_NS (TEST_DAY * TEST_NS_PER_DAY)
#define BASE_MS ((int64_t)(TEST_DAY * 86400000))

struct fixture {
	char directory[64];
	struct store *store;
	uint32_t max_series;
	/* What was written: the bits of each series and minute; 0: nothing. */
	uint64_t expected[SERIES][TIMES_MAX];
};

static void open_store(struct fixture *f)
{
	struct sqlite_store_options o = {.directory = f->directory,
					 .window_ms = 1,
					 .manual = true,
					 .metric_series = f->max_series};
	struct err e = {0};

	assert_ok_err(open_test_store(&f->store, &o, &e), &e);
}

static void reopen(struct fixture *f)
{
	f->store->ops->close(f->store);
	open_store(f);
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	make_directory(f->directory);
	open_store(f);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	remove_tree(f->directory);
	free(f);
	return 0;
}

/* ---- writing ---- */

static uint32_t put(struct fixture *f, struct str tenant, struct metric_batch *b, char *reason)
{
	struct waiter waiter;
	struct store_write w = {.tenant = tenant,
				.metrics = b,
				.received = TEST_DAY * TEST_NS_PER_DAY + 77,
				.done = waiter_done,
				.owner = &waiter};
	struct err e = {0};

	waiter_init(&waiter);
	waiter.pending = 1;
	assert_true(f->store->ops->put(f->store, &w, &e) >= 0);
	assert_ok(waiter_wait(&waiter));
	if (reason)
		snprintf(reason, STORE_REASON_MAX, "%s", w.reason);
	return w.rejected;
}

static uint32_t add_series(struct metric_batch *b, unsigned number)
{
	char instance[16], name[32];
	struct label labels[] = {{STR("job"), number % 2 ? STR("odd") : STR("even")},
				 {STR("instance"), {0}},
				 {STR("__name__"), {0}}};
	const char *wrong;
	uint32_t id;

	snprintf(instance, sizeof(instance), "i%02u", number);
	snprintf(name, sizeof(name), "metric_%u", number / 10);
	labels[1].value = str_from(instance);
	labels[2].value = str_from(name);
	assert_ok(metric_batch_series(b, labels, countof(labels), &id, &wrong));
	return id;
}

static void add_sample(struct metric_batch *b, uint32_t series, int64_t time, uint64_t bits)
{
	assert_ok(vec_push(&b->arena, &b->samples, (struct metric_sample){series, time, bits}));
}

static uint64_t random_bits(void)
{
	unsigned kind = (unsigned)rand() % 10;

	return kind == 0   ? NATIVE_STALE_BITS
	       : kind == 1 ? metric_bits((double)rand() / 3)
			   : metric_bits((double)(rand() % 100000));
}

/* Write some minutes of some series, in any order. */
static void put_some(struct fixture *f)
{
	struct metric_batch b;

	metric_batch_init(&b, NULL);
	for (unsigned i = 0; i < 60; i++) {
		unsigned s = (unsigned)rand() % SERIES, minute = 1 + (unsigned)rand() % MINUTES;
		uint64_t bits = random_bits();

		add_sample(&b, add_series(&b, s), BASE_MS + 60000 * (int64_t)minute, bits);
		f->expected[s][minute] = bits;
	}
	assert_ok(metric_batch_check(&b, NULL));
	assert_int_equal(put(f, STR(""), &b, NULL), 0);
	metric_batch_fini(&b);
}

/* ---- reading ---- */

static struct str label_of(const struct store_metric_series *s, const char *name)
{
	for (uint32_t i = 0; i < s->label_count; i++)
		if (str_eq(s->labels[i].name, str_from(name)))
			return s->labels[i].value;
	return STR("");
}

static void check_samples(const struct fixture *f, const struct store_metric_series *s,
			  unsigned number, unsigned from, unsigned to)
{
	uint32_t at = 0;

	for (unsigned m = from; m <= to; m++) {
		if (!f->expected[number][m])
			continue;
		assert_true(at < s->count);
		assert_true(s->times[at] == BASE_MS + 60000 * (int64_t)m);
		assert_true(metric_bits(s->values[at]) == f->expected[number][m]);
		at++;
	}
	assert_int_equal(at, s->count);
}

/* Check all series that match, in the minutes [from, to]. Return their number. */
static unsigned check(struct fixture *f, const char *text, unsigned from, unsigned to)
{
	const struct store_metric_ops *ops = f->store->ops->metrics;
	struct store_metric_select sel = {.from = BASE_MS + 60000 * (int64_t)from,
					  .to = BASE_MS + 60000 * (int64_t)to};
	struct store_matchers set;
	struct store_metric_cursor *c = NULL;
	struct store_metric_series s;
	struct selector selector;
	struct err e = {0};
	unsigned n = 0;
	int rc;

	selector_init(&selector);
	assert_ok_err(selector_parse(&selector, str_from(text), &e), &e);
	set = (struct store_matchers){selector.matchers.at, selector.matchers.n};
	sel.sets = &set;
	sel.set_count = 1;
	assert_ok_err(ops->open(f->store, &sel, &c, &e), &e);
	for (; (rc = ops->next(c, &s, &e)) > 0; n++) {
		unsigned number = (unsigned)atoi(label_of(&s, "instance").p + 1);

		check_samples(f, &s, number, from, to);
	}
	assert_int_equal(rc, 0);
	ops->close(c);
	selector_fini(&selector);
	return n;
}

static void check_all(struct fixture *f)
{
	unsigned all = check(f, "{}", 0, MINUTES);

	assert_in_range(all, 1, SERIES);
	check(f, "{}", 70, 130);
	check(f, "{}", 59, 60);
	assert_in_range(check(f, "{job=\"odd\"}", 0, MINUTES), 0, SERIES / 2);
	assert_int_equal(check(f, "{job=\"odd\"}", 0, MINUTES) +
				 check(f, "{job!=\"odd\"}", 0, MINUTES),
			 all);
	assert_int_equal(check(f, "{instance=~\"i0.\"}", 0, MINUTES) +
				 check(f, "{instance!~\"i0.\"}", 0, MINUTES),
			 all);
	assert_int_equal(check(f, "{absent=\"\"}", 0, MINUTES), all);
	assert_int_equal(check(f, "{absent!=\"\"}", 0, MINUTES), 0);
	assert_int_equal(check(f, "{job=\"other\"}", 0, MINUTES), 0);
}

static void work(struct fixture *f, bool all)
{
	struct err e = {0};

	assert_ok_err(sqlite_store_work(f->store, all, &e), &e);
}

static void problem(void *context, const char *partition, const char *text)
{
	(void)context;
	fail_msg("%s: %s", partition, text);
}

static void random_writes_are_read_at_every_stage(void **state)
{
	struct fixture *f = *state;
	struct sqlite_store_report report = {.problem = problem};
	uint64_t problems;

	for (unsigned round = 0; round < 40; round++) {
		put_some(f);
		if (round % 5 == 0)
			check_all(f);
		if (round % 7 == 3)
			work(f, false);
		if (round % 11 == 5)
			work(f, true);
		if (round % 13 == 6)
			reopen(f);
	}
	check_all(f);
	work(f, true);
	check_all(f);
	reopen(f);
	check_all(f);
	assert_ok(sqlite_store_check(f->store, &report, &problems, NULL));
	assert_true(problems == 0);
}

static void new_series_beyond_the_limit_are_refused(void **state)
{
	struct fixture *f = *state;
	char reason[STORE_REASON_MAX];
	struct metric_batch b;

	f->max_series = 5;
	reopen(f);
	metric_batch_init(&b, NULL);
	for (unsigned s = 0; s < 8; s++) {
		uint64_t bits = metric_bits(s + 1);

		add_sample(&b, add_series(&b, s), BASE_MS + 60000, bits);
		f->expected[s][1] = s < 5 ? bits : 0;
	}
	assert_int_equal(put(f, STR(""), &b, reason), 3);
	assert_non_null(strstr(reason, "5 active series"));
	assert_int_equal(put(f, STR("other"), &b, reason), 3); /* a limit of its own */
	metric_batch_fini(&b);
	assert_int_equal(check(f, "{}", 0, MINUTES), 5);
}

static int count_text(void *ctx, struct str text)
{
	(void)text;
	++*(unsigned *)ctx;
	return 0;
}

static unsigned values(struct fixture *f, struct str tenant, const char *name)
{
	struct store_metric_select sel = {
		.tenant = tenant, .from = BASE_MS, .to = BASE_MS + 86400000 - 1};
	unsigned n = 0;

	assert_ok(f->store->ops->metrics->texts(f->store, &sel, str_from(name), count_text, &n,
						NULL));
	return n;
}

static void lists_are_of_the_tenant(void **state)
{
	struct fixture *f = *state;
	struct metric_batch b;

	metric_batch_init(&b, NULL);
	for (unsigned s = 0; s < 4; s++)
		add_sample(&b, add_series(&b, s), BASE_MS + 60000, 1);
	assert_int_equal(put(f, STR("a"), &b, NULL), 0);
	for (unsigned s = 4; s < 14; s++)
		add_sample(&b, add_series(&b, s), BASE_MS + 60000, 1);
	assert_int_equal(put(f, STR("b"), &b, NULL), 0);
	metric_batch_fini(&b);
	assert_int_equal(values(f, STR("a"), "instance"), 4);
	assert_int_equal(values(f, STR("b"), "instance"), 14);
	assert_int_equal(values(f, STR("b"), "__name__"), 2);
	assert_int_equal(values(f, STR("c"), "instance"), 0);
	assert_int_equal(values(f, STR("a"), ""), 3);
}

static void a_tenant_is_deleted_alone(void **state)
{
	struct fixture *f = *state;
	struct store_select everything = {
		.tenant = STR("b"), .from = DAY_NS, .to = DAY_NS + TEST_NS_PER_DAY};
	struct sqlite_store_report report = {.problem = problem};
	uint64_t profiles, problems;
	struct err e = {0};

	for (unsigned round = 0; round < 3; round++) {
		put_some(f);
		for (unsigned i = 0; i < 2; i++) {
			struct metric_batch b;

			metric_batch_init(&b, NULL);
			add_sample(&b, add_series(&b, i), BASE_MS + 60000, 1);
			assert_int_equal(put(f, STR("b"), &b, NULL), 0);
			metric_batch_fini(&b);
		}
		work(f, round == 1);
		assert_ok_err(f->store->ops->remove(f->store, &everything, &profiles, &e), &e);
		check_all(f);
	}
	reopen(f);
	check_all(f);
	assert_ok(sqlite_store_check(f->store, &report, &problems, NULL));
	assert_true(problems == 0);
}

static void put_histogram(struct fixture *f, double scale, int64_t time)
{
	struct native_span span = {-2, 3};
	double counts[] = {scale, 2 * scale, 3 * scale};
	struct native_histogram h = {.schema = 3,
				     .zero_threshold = 1e-128,
				     .count = 6 * scale,
				     .sum = 17.5 * scale,
				     .positive = {&span, counts, 1, 3}};
	struct metric_batch b;

	metric_batch_init(&b, NULL);
	assert_ok(vec_push(&b.arena, &b.histograms,
			   (struct metric_histogram){add_series(&b, 1), time, h}));
	assert_ok(metric_batch_check(&b, NULL));
	assert_int_equal(put(f, STR(""), &b, NULL), 0);
	metric_batch_fini(&b);
}

static void check_histograms(struct fixture *f, unsigned n)
{
	const struct store_metric_ops *ops = f->store->ops->metrics;
	struct store_metric_select sel = {.from = BASE_MS, .to = BASE_MS + 86400000 - 1};
	struct store_metric_cursor *c = NULL;
	struct store_metric_series s;

	assert_ok(ops->open(f->store, &sel, &c, NULL));
	assert_int_equal(ops->next(c, &s, NULL), 1);
	assert_int_equal(s.count, 0);
	assert_int_equal(s.histogram_count, n);
	for (unsigned i = 0; i < n; i++) {
		assert_true(s.histogram_times[i] == BASE_MS + 1000 * (int64_t)(i + 1));
		assert_true(s.histograms[i].count == 6.0 * (i + 1));
		assert_true(s.histograms[i].positive.counts[2] == 3.0 * (i + 1));
	}
	assert_int_equal(ops->next(c, &s, NULL), 0);
	ops->close(c);
}

static void native_histograms_are_restored(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 5; i++)
		put_histogram(f, i + 1, BASE_MS + 1000 * (int64_t)(i + 1));
	check_histograms(f, 5);
	work(f, false);
	check_histograms(f, 5);
	work(f, true);
	reopen(f);
	check_histograms(f, 5);
}

static int check_family(void *ctx, const struct metric_metadata *m)
{
	++*(unsigned *)ctx;
	assert_true(str_eq(m->name, STR("http_requests_total")));
	assert_true(str_eq(m->help, STR("Second.")));
	assert_int_equal(m->type, METRIC_COUNTER);
	return 0;
}

static int count_exemplar(void *ctx, struct str labels, const struct metric_exemplar *x)
{
	++*(unsigned *)ctx;
	assert_true(str_eq(metric_labels_get(labels, STR("instance")), STR("i07")));
	assert_true(x->value == 0.25);
	return 0;
}

static void check_extras(struct fixture *f)
{
	struct store_metric_select sel = {.from = BASE_MS, .to = BASE_MS + 86400000 - 1};
	unsigned families = 0, exemplars = 0;

	assert_ok(f->store->ops->metrics->families(f->store, &sel, check_family, &families, NULL));
	assert_ok(f->store->ops->metrics->exemplars(f->store, &sel, count_exemplar, &exemplars,
						    NULL));
	assert_int_equal(families, 1);
	assert_int_equal(exemplars, 1);
}

static void metadata_and_exemplars_are_kept_once(void **state)
{
	static const char *const helps[] = {"First.", "Second."};
	struct fixture *f = *state;

	for (unsigned i = 0; i < countof(helps); i++) {
		struct metric_batch b;
		struct metric_exemplar x = {.time = BASE_MS + 5, .value = 0.25};
		struct label trace = {STR("trace_id"), STR("abc")};

		metric_batch_init(&b, NULL);
		assert_ok(metric_batch_metadata(
			&b, (struct metric_metadata){STR("http_requests_total"), str_from(helps[i]),
						     STR(""), METRIC_COUNTER}));
		x.series = add_series(&b, 7);
		add_sample(&b, x.series, BASE_MS + 5, 1);
		buf_clear(&b.scratch);
		assert_null(metric_labels_put_all(&b.scratch, &trace, 1));
		assert_ok(arena_copy_str(&b.arena, buf_str(&b.scratch), &x.labels));
		assert_ok(vec_push(&b.arena, &b.exemplars, x));
		assert_int_equal(put(f, STR(""), &b, NULL), 0);
		metric_batch_fini(&b);
	}
	check_extras(f);
	work(f, true);
	reopen(f);
	check_extras(f);
}

TEST_MAIN(test_with(fixture, random_writes_are_read_at_every_stage),
	  test_with(fixture, new_series_beyond_the_limit_are_refused),
	  test_with(fixture, native_histograms_are_restored),
	  test_with(fixture, lists_are_of_the_tenant),
	  test_with(fixture, a_tenant_is_deleted_alone),
	  test_with(fixture, metadata_and_exemplars_are_kept_once))
