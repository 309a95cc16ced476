/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PromQL over the embedded store: scripts have the same results as with series in memory. Times of
 * scripts begin at 0, which is no time of a sample: the store has them a number of days later.
 */
#include <dirent.h>

#include "query/promql/promql_store.h"
#include "query/promql_script.h"
#include "store/store_support.h"

#define SHIFT ((int64_t)TEST_DAY * 86400000)

struct place {
	struct promql_source source; /* first */
	char directory[64];
	struct store *store;
	struct promql_store inner;
	bool merge;   /* rows of commits into chunks */
	bool refused; /* a histogram, as receivers refuse it */
};

/* A cursor of the store, whose times are moved back. */
struct promql_cursor {
	struct promql_source *source;
	struct promql_cursor *inner;
	struct arena arena;
};

static int shifted_select(struct promql_source *source, const struct promql_select *select,
			  struct promql_cursor **out, struct err *e)
{
	struct place *p = (struct place *)source;
	struct promql_cursor *c = calloc(1, sizeof(*c));
	struct promql_select shifted = *select;
	int rc;

	assert_non_null(c);
	arena_init(&c->arena, NULL);
	c->source = &p->inner.source;
	shifted.from_ms += SHIFT;
	shifted.to_ms += SHIFT;
	rc = c->source->select(c->source, &shifted, &c->inner, e);
	if (rc) {
		free(c);
		return rc;
	}
	*out = c;
	return 0;
}

static const int64_t *shift_back(struct arena *a, const int64_t *times, uint32_t n)
{
	int64_t *out = arena_alloc(a, n + 1, sizeof(*out));

	assert_non_null(out);
	for (uint32_t i = 0; i < n; i++)
		out[i] = times[i] - SHIFT;
	return out;
}

static int shifted_next(struct promql_cursor *c, struct promql_samples *out, struct err *e)
{
	int rc = c->source->next(c->inner, out, e);

	arena_reset(&c->arena);
	if (rc <= 0)
		return rc;
	out->times = shift_back(&c->arena, out->times, out->count);
	out->histogram_times = shift_back(&c->arena, out->histogram_times, out->histogram_count);
	return rc;
}

static void shifted_close(struct promql_cursor *c)
{
	if (!c)
		return;
	c->source->close(c->inner);
	arena_fini(&c->arena);
	free(c);
}

static void close_store(struct place *p)
{
	if (!p->store)
		return;
	p->store->ops->close(p->store);
	remove_tree(p->directory);
	p->store = NULL;
}

/* Add a series with its samples, a part of them in each of two writes. */
static void add_series(struct place *p, struct metric_batch *b,
		       const struct promql_memory_series *s, unsigned part)
{
	struct label labels[METRIC_LABELS_MAX];
	const char *wrong;
	uint32_t id;

	for (uint32_t i = 0; i < s->label_count; i++)
		labels[i] = (struct label){s->labels[i].name, s->labels[i].value};
	assert_ok(metric_batch_series(b, labels, s->label_count, &id, &wrong));
	for (uint32_t i = part; i < s->times.n; i += 2)
		assert_ok(vec_push(&b->arena, &b->samples,
				   (struct metric_sample){id, s->times.at[i] + SHIFT,
							  metric_bits(s->values.at[i])}));
	for (uint32_t i = part; i < s->histogram_times.n; i += 2) {
		struct metric_histogram h = {.series = id,
					     .time = s->histogram_times.at[i] + SHIFT};

		if (native_check(&s->histograms.at[i])) {
			p->refused = true;
			continue;
		}
		assert_ok(native_copy(&h.value, &s->histograms.at[i], &b->arena));
		assert_ok(vec_push(&b->arena, &b->histograms, h));
	}
}

static void write_part(struct place *p, const struct promql_memory *m, unsigned part)
{
	struct waiter waiter;
	struct metric_batch b;
	struct store_write w = {.metrics = &b,
				.received = (uint64_t)SHIFT * NS_PER_MS,
				.done = waiter_done,
				.owner = &waiter};
	struct err e = {0};

	metric_batch_init(&b, NULL);
	for (uint32_t i = 0; i < m->series.n; i++)
		add_series(p, &b, m->series.at[i], part);
	waiter_init(&waiter);
	waiter.pending = 1;
	assert_true(p->store->ops->put(p->store, &w, &e) >= 0);
	assert_ok(waiter_wait(&waiter));
	metric_batch_fini(&b);
}

static struct promql_source *store_source(void *ctx, const struct promql_memory *m, bool changed)
{
	struct sqlite_store_options o = {.window_ms = 1, .manual = true};
	const struct store_limits limits = {0};
	struct place *p = ctx;
	struct err e = {0};

	if (!changed)
		return &p->source;
	close_store(p);
	make_directory(p->directory);
	o.directory = p->directory;
	assert_ok_err(open_test_store(&p->store, &o, &e), &e);
	if (m->series.n) {
		write_part(p, m, 0);
		write_part(p, m, 1);
		if (p->merge)
			assert_ok_err(sqlite_store_work(p->store, true, &e), &e);
	}
	promql_store_init(&p->inner, p->store, STR(""), &limits);
	return &p->source;
}

/* Scripts about what the store does not keep: when counters began. */
static bool is_left_out(const char *name)
{
	return !strcmp(name, "start_timestamps.test");
}

static unsigned run_folder(const char *path, bool merge)
{
	struct place p = {.source = {shifted_select, shifted_next, shifted_close}, .merge = merge};
	const struct promql_script_place place = {store_source, &p};
	DIR *dir = opendir(path);
	struct dirent *entry;
	unsigned evals = 0;

	while (dir && (entry = readdir(dir))) {
		struct promql_script_result r;
		struct buf text = {0}, log = {0};
		char file[512];

		if (!str_ends(str_from(entry->d_name), STR(".test")) || is_left_out(entry->d_name))
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		assert_true(promql_script_read(file, &text));
		p.refused = false;
		r = promql_script_run_in(entry->d_name, buf_str(&text), &log, &place);
		/* one query is about histograms with a bound that is there twice */
		if (r.failures > p.refused)
			fail_msg("%u of %u evaluations failed:\n%.*s", r.failures, r.evals,
				 STR_ARG(buf_str(&log)));
		evals += r.evals;
		buf_fini(&text);
		buf_fini(&log);
	}
	if (dir)
		closedir(dir);
	close_store(&p);
	return evals;
}

static const char *root(void)
{
	const char *path = getenv("SOURCE_ROOT");

	return path ? path : ".";
}

static void our_scripts_pass_on_a_store(void **state)
{
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/query/promql", root());
	assert_true(run_folder(path, false) > 0);
	assert_true(run_folder(path, true) > 0);
}

static void scripts_of_prometheus_pass_on_a_store(void **state)
{
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/../shared/fixtures/promql", root());
	if (!run_folder(path, true)) {
		print_message("skipped: %s does not exist\n", path);
		skip();
	}
}

TEST_MAIN(test(our_scripts_pass_on_a_store), test(scripts_of_prometheus_pass_on_a_store))
