/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans in the embedded store: found once by trace and by id, before and after merging, in the
 * right tenant and day.
 */
#include <sqlite3.h>

#include "signal/selector.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/spans/span_block.h"
#include "store/store_support.h"

struct fixture {
	char directory[64];
	struct store *store;
	bool read_only;
	uint64_t problems;
};

static void open_store(struct fixture *f)
{
	struct sqlite_store_options o = {.directory = f->directory,
					 .window_ms = 1,
					 .manual = true,
					 .read_only = f->read_only};
	struct err e = {0};

	assert_ok_err(sqlite_store_open(&f->store, &o, &e), &e);
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

/* ---- putting ---- */

static void put(struct fixture *f, struct str tenant, struct span_batch *b)
{
	struct waiter waiter;
	struct store_write w = {.tenant = tenant,
				.spans = b,
				.received = TEST_DAY * TEST_NS_PER_DAY + 77,
				.done = waiter_done,
				.owner = &waiter};
	struct err e = {0};

	waiter_init(&waiter);
	waiter.pending = 1;
	assert_true(f->store->ops->put(f->store, &w, &e) >= 0);
	assert_ok(waiter_wait(&waiter));
}

/* Add span `id` of trace `trace`; times are in seconds of the day. */
static void add(struct span_batch *b, unsigned trace, unsigned id, unsigned parent, double start,
		const char *name)
{
	struct span s = {.name = str_from(name),
			 .service = STR("shop"),
			 .kind = SPAN_KIND_SERVER,
			 .status = SPAN_STATUS_ERROR,
			 .start = TEST_DAY * TEST_NS_PER_DAY + (uint64_t)(start * 1e9)};

	s.end = s.start + 1000000 + id;
	memcpy(s.trace_id + 4, &trace, sizeof(trace));
	memcpy(s.span_id, &id, sizeof(id));
	memcpy(s.parent_id, &parent, sizeof(parent));
	assert_ok(vec_push(&b->arena, &b->spans, s));
}

/* Put a trace of a root and its children in one write. */
static void put_trace(struct fixture *f, struct str tenant, unsigned trace, unsigned spans,
		      double start)
{
	struct span_batch b;

	span_batch_init(&b, NULL);
	for (unsigned i = spans; i > 0; i--) /* the root ends last and is sent last */
		add(&b, trace, trace * 1000 + i, i == 1 ? 0 : trace * 1000 + 1, start + i * 0.001,
		    i == 1 ? "root" : "child");
	put(f, tenant, &b);
	span_batch_fini(&b);
}

/* ---- queries ---- */

struct found {
	unsigned n, roots, children;
	struct span last;
	char name[64];
};

static int note(void *ctx, const struct span *s)
{
	struct found *f = ctx;

	f->n++;
	f->roots += str_eq(s->name, STR("root"));
	f->children += str_eq(s->name, STR("child"));
	f->last = *s;
	snprintf(f->name, sizeof(f->name), "%.*s", STR_ARG(s->name));
	return 0;
}

static struct found find_spans(struct fixture *f, struct str tenant, unsigned trace, unsigned id)
{
	uint8_t traces[1][16] = {{0}}, ids[1][8] = {{0}};
	struct store_span_select sel = {.tenant = tenant,
					.to = UINT64_MAX,
					.traces = (const uint8_t(*)[16])traces,
					.ids = (const uint8_t(*)[8])ids,
					.trace_count = trace != 0,
					.id_count = id != 0};
	struct found found = {0};
	struct err e = {0};

	memcpy(traces[0] + 4, &trace, sizeof(trace));
	memcpy(ids[0], &id, sizeof(id));
	assert_ok_err(f->store->ops->spans(f->store, &sel, note, &found, &e), &e);
	return found;
}

static void assert_trace(struct fixture *f, struct str tenant, unsigned trace, unsigned spans)
{
	struct found found = find_spans(f, tenant, trace, 0);

	assert_int_equal(found.n, spans);
	assert_int_equal(found.roots, spans ? 1 : 0);
	assert_int_equal(found.children, spans ? spans - 1 : 0);
}

static void work(struct fixture *f, bool all)
{
	struct err e = {0};

	assert_ok_err(sqlite_store_work(f->store, all, &e), &e);
}

static void on_problem(void *context, const char *partition, const char *text)
{
	(void)context;
	print_message("%s: %s\n", partition, text);
}

static uint64_t count_problems(struct fixture *f)
{
	struct sqlite_store_report report = {.problem = on_problem};
	uint64_t problems = 0;
	struct err e = {0};

	assert_ok_err(sqlite_store_check(f->store, &report, &problems, &e), &e);
	return problems;
}

static struct store_stats stats(struct fixture *f)
{
	struct store_stats s;
	struct err e = {0};

	assert_ok_err(f->store->ops->stats(f->store, (struct str){0}, &s, &e), &e);
	return s;
}

/* Return the number that an SQL query selects from the partition's file. */
static int file_number(struct fixture *f, const char *sql)
{
	char path[128];
	sqlite3_stmt *s = NULL;
	sqlite3 *db;
	int n;

	snprintf(path, sizeof(path), "%s/2024-10-04.db", f->directory);
	db = open_test_database(path, SQLITE_OPEN_READONLY);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	n = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

static void change_file(struct fixture *f, const char *sql)
{
	char path[128];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/2024-10-04.db", f->directory);
	db = open_test_database(path, SQLITE_OPEN_READWRITE);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* ---- tests ---- */

static void a_span_is_returned_as_it_was_put(void **state)
{
	struct fixture *f = *state;
	struct span_batch b;
	struct found found;
	uint32_t parent = 6;

	span_batch_init(&b, NULL);
	add(&b, 5, 7, 6, 3600.5, "GET /cart");
	put(f, STR(""), &b);
	for (unsigned round = 0; round < 3; round++) {
		found = find_spans(f, STR(""), 0, 7);
		assert_int_equal(found.n, 1);
		assert_string_equal(found.name, "GET /cart");
		assert_int_equal(found.last.start, b.spans.at[0].start);
		assert_int_equal(found.last.end, b.spans.at[0].end);
		assert_int_equal(found.last.kind, SPAN_KIND_SERVER);
		assert_int_equal(found.last.status, SPAN_STATUS_ERROR);
		assert_memory_equal(found.last.trace_id, b.spans.at[0].trace_id, 16);
		assert_memory_equal(found.last.parent_id, &parent, sizeof(parent));
		if (round)
			reopen(f);
		else
			work(f, true);
	}
	span_batch_fini(&b);
}

static void spans_are_found_by_trace_and_by_id_at_every_stage(void **state)
{
	struct fixture *f = *state;

	for (unsigned stage = 0; stage < 4; stage++) {
		for (unsigned i = 0; i < 50; i++)
			put_trace(f, STR(""), stage * 50 + i + 1, 1 + i % 7,
				  (stage * 50 + i) * 400.0);
		for (unsigned i = 0; i < (stage + 1) * 50; i++) {
			assert_trace(f, STR(""), i + 1, 1 + i % 50 % 7);
			assert_int_equal(find_spans(f, STR(""), 0, (i + 1) * 1000 + 1).n, 1);
		}
		assert_trace(f, STR(""), 9999, 0);
		assert_int_equal(find_spans(f, STR(""), 0, 9999999).n, 0);
		work(f, stage > 1);
		if (stage == 2)
			reopen(f);
		assert_int_equal(count_problems(f), 0);
	}
	assert_int_equal(stats(f).spans, 4 * (7 * 28 + 1));
	assert_true(stats(f).bytes_spans > 0);
	assert_true(stats(f).bytes_live >= stats(f).bytes_spans);
}

static void span_blocks_of_an_hour_are_merged(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 150; i++) {
		put_trace(f, STR(""), i + 1, 20, i < 75 ? 100 + i : 3700 + i);
		if (i % 10 == 9)
			work(f, false);
	}
	work(f, true);
	assert_int_equal(file_number(f, "SELECT count(*) FROM spans"), 2);
	assert_int_equal(file_number(f, "SELECT min(spans) FROM spans"), 75 * 20);
	assert_int_equal(file_number(f, "SELECT count(*) FROM blob WHERE kind LIKE 'span%'"), 6);
	assert_int_equal(file_number(f, "SELECT rows FROM span_state"), 2);
	for (unsigned i = 0; i < 150; i++)
		assert_trace(f, STR(""), i + 1, 20);
	assert_int_equal(count_problems(f), 0);
}

static void a_span_sent_twice_is_returned_once(void **state)
{
	struct fixture *f = *state;

	put_trace(f, STR(""), 1, 5, 60);
	put_trace(f, STR(""), 1, 5, 60);
	assert_trace(f, STR(""), 1, 5);
	work(f, true);
	assert_trace(f, STR(""), 1, 5);
	assert_int_equal(stats(f).spans, 5);
	put_trace(f, STR(""), 1, 5, 60);
	assert_trace(f, STR(""), 1, 5);
	work(f, true);
	assert_int_equal(stats(f).spans, 5);
}

static void tenants_do_not_see_the_spans_of_others(void **state)
{
	struct fixture *f = *state;

	put_trace(f, STR("a"), 1, 3, 60);
	put_trace(f, STR("b"), 1, 4, 60);
	for (unsigned round = 0; round < 2; round++) {
		assert_trace(f, STR("a"), 1, 3);
		assert_trace(f, STR("b"), 1, 4);
		assert_trace(f, STR(""), 1, 0);
		work(f, true);
	}
}

static void a_write_across_midnight_is_stored_in_both_days(void **state)
{
	struct fixture *f = *state;
	struct span_batch b;

	span_batch_init(&b, NULL);
	add(&b, 1, 1, 0, 86399.9, "root");
	add(&b, 1, 2, 1, 86400.1, "child");
	put(f, STR(""), &b);
	assert_trace(f, STR(""), 1, 2);
	assert_int_equal(stats(f).partitions, 2);
	work(f, true);
	assert_trace(f, STR(""), 1, 2);
	assert_int_equal(count_problems(f), 0);
	span_batch_fini(&b);
}

static void a_span_without_a_start_gets_its_arrival_time(void **state)
{
	struct fixture *f = *state;
	struct span_batch b;

	span_batch_init(&b, NULL);
	add(&b, 1, 1, 0, 0, "root");
	b.spans.at[0].start = b.spans.at[0].end = 0;
	put(f, STR(""), &b);
	assert_int_equal(find_spans(f, STR(""), 1, 0).last.start, TEST_DAY * TEST_NS_PER_DAY + 77);
	span_batch_fini(&b);
}

static void a_range_excludes_spans_that_started_outside(void **state)
{
	struct fixture *f = *state;
	uint8_t traces[1][16] = {{0}};
	struct store_span_select sel = {.from = TEST_DAY * TEST_NS_PER_DAY + 61 * NS_PER_SECOND,
					.to = UINT64_MAX,
					.traces = (const uint8_t(*)[16])traces,
					.trace_count = 1};
	struct found found = {0};

	traces[0][4] = 1;
	put_trace(f, STR(""), 1, 3, 60);
	assert_ok(f->store->ops->spans(f->store, &sel, note, &found, NULL));
	assert_int_equal(found.n, 0);
	sel.from -= 2 * NS_PER_SECOND;
	assert_ok(f->store->ops->spans(f->store, &sel, note, &found, NULL));
	assert_int_equal(found.n, 3);
}

static void remove_until(struct fixture *f, struct str tenant, const char *text, uint64_t to)
{
	struct selector selector;
	struct store_select sel = {.tenant = tenant, .selector = &selector, .to = to};
	uint64_t profiles;
	struct err e = {0};

	selector_init(&selector);
	assert_ok_err(selector_parse(&selector, str_from(text), &e), &e);
	assert_ok_err(f->store->ops->remove(f->store, &sel, &profiles, &e), &e);
	selector_fini(&selector);
}

static void spans_are_dropped_with_their_day(void **state)
{
	struct fixture *f = *state;
	uint64_t midnight = (TEST_DAY + 1) * TEST_NS_PER_DAY;

	put_trace(f, STR("a"), 1, 3, 60);
	put_trace(f, STR("b"), 1, 3, 60);
	put_trace(f, STR("a"), 2, 3, 86400 + 60);
	work(f, true);
	put_trace(f, STR("a"), 3, 3, 90); /* not merged */
	remove_until(f, STR("a"), "shop{}", UINT64_MAX);
	remove_until(f, STR("a"), "{}", midnight - 1);
	assert_trace(f, STR("a"), 1, 3);
	remove_until(f, STR("a"), "{}", midnight);
	assert_trace(f, STR("a"), 1, 0);
	assert_trace(f, STR("a"), 3, 0);
	assert_trace(f, STR("b"), 1, 3);
	assert_trace(f, STR("a"), 2, 3);
	assert_int_equal(count_problems(f), 0);
	remove_until(f, STR("b"), "{}", midnight);
	assert_int_equal(stats(f).partitions, 1);
	put_trace(f, STR("a"), 1, 3, 60);
	assert_trace(f, STR("a"), 1, 3);
}

/* A file of format 1 has no span tables, and has all links of a chunk in one part. */
static void a_file_of_format_1_is_read_and_upgraded(void **state)
{
	struct fixture *f = *state;

	put_trace(f, STR(""), 1, 3, 60);
	f->store->ops->close(f->store);
	change_file(f,
		    "DROP TABLE spans; DROP TABLE span_state; DELETE FROM blob;"
		    "ALTER TABLE chunk DROP COLUMN links; DROP INDEX dictionary_of_book;"
		    "ALTER TABLE groups DROP COLUMN book; ALTER TABLE dictionary DROP COLUMN book;"
		    "DROP TABLE book; DROP TABLE book_state;"
		    "DROP TABLE chunk_group; DROP INDEX chunk_of_group;"
		    "DROP TABLE logs; DROP TABLE log_state;"
		    "DROP TABLE metrics; DROP TABLE metric_state;"
		    "UPDATE meta SET value = 1 WHERE key = 'format'");
	f->read_only = true;
	open_store(f);
	assert_trace(f, STR(""), 1, 0);
	assert_int_equal(count_problems(f), 0);
	f->read_only = false;
	reopen(f);
	assert_trace(f, STR(""), 1, 0);
	assert_int_equal(file_number(f, "SELECT value FROM meta WHERE key = 'format'"), 1);
	put_trace(f, STR(""), 2, 3, 60); /* a reader is open at this point */
	assert_trace(f, STR(""), 2, 3);
	assert_int_equal(file_number(f, "SELECT value FROM meta WHERE key = 'format'"),
			 PARTITION_VERSION);
	reopen(f);
	assert_trace(f, STR(""), 2, 3);
	assert_int_equal(count_problems(f), 0);
}

static void a_damaged_span_block_sets_its_day_aside(void **state)
{
	static const char *const damage[] = {
		"UPDATE blob SET data = zeroblob(99) WHERE kind = 'spans'",
		"UPDATE spans SET spans = spans + 1",
		"DELETE FROM spans",
		"UPDATE span_state SET rows = 0",
		"DROP TABLE span_state",
	};

	(void)state;
	for (size_t i = 0; i < countof(damage); i++) {
		struct fixture *f;

		fixture_setup((void **)&f);
		put_trace(f, STR(""), 1, 3, 60);
		put_trace(f, STR(""), 2, 3, 86400 + 60);
		f->store->ops->close(f->store);
		change_file(f, damage[i]);
		f->read_only = true;
		open_store(f);
		assert_int_equal(count_problems(f), 1);
		f->read_only = false;
		reopen(f);
		assert_trace(f, STR(""), 1, 0);
		assert_trace(f, STR(""), 2, 3);
		assert_int_equal(stats(f).partitions_damaged, 1);
		put_trace(f, STR(""), 3, 3, 60); /* goes into a new file of that day */
		assert_trace(f, STR(""), 3, 3);
		fixture_teardown((void **)&f);
	}
}

/* ---- blocks ---- */

static void random_rows(struct span_rows *r, struct arena *a, uint32_t n, uint64_t *seed)
{
	for (uint32_t i = 0; i < n; i++) {
		struct kept_span s = {.start = 1000000000ull * (3600 + test_random(seed, 3000)),
				      .duration = test_random(seed, 1 << 30),
				      .kind = (uint8_t)test_random(seed, SPAN_KINDS),
				      .status = (uint8_t)test_random(seed, SPAN_STATUSES)};
		char text[32];

		s.trace_id[3] = (uint8_t)(1 + test_random(seed, 20));
		s.span_id[0] = (uint8_t)i;
		s.span_id[7] = (uint8_t)(i >> 8 | 0x80);
		s.parent_id[0] = (uint8_t)test_random(seed, 256);
		s.parent_id[7] = s.parent_id[0] % 3 ? 0x80 : 0;
		snprintf(text, sizeof(text), "name %u", test_random(seed, 30));
		assert_ok(span_rows_string(r, a, str_from(text), &s.name));
		assert_ok(span_rows_string(r, a, i % 2 ? STR("shop") : STR("db"), &s.service));
		assert_ok(span_rows_string(r, a, i % 5 ? STR("") : STR("tenant"), &s.tenant));
		assert_ok(vec_push(a, &r->spans, s));
	}
}

static const struct kept_span *find(const struct span_rows *r, const uint8_t *id)
{
	for (uint32_t i = 0; i < r->spans.n; i++)
		if (memcmp(r->spans.at[i].span_id, id, 8) == 0)
			return &r->spans.at[i];
	return NULL;
}

static void a_block_decodes_to_what_was_encoded(void **state)
{
	struct span_rows r = {0}, again;
	struct span_extent extent;
	struct buf block = {0};
	struct arena a;
	struct err e = {0};
	uint64_t seed = 3;

	(void)state;
	arena_init(&a, NULL);
	random_rows(&r, &a, 900, &seed);
	assert_ok(span_block_encode(&block, NULL, &r, 0, r.spans.n, &extent));
	assert_ok_err(span_block_decode(&again, buf_str(&block), NULL, &a, &e), &e);
	assert_int_equal(again.spans.n, 900);
	assert_int_equal(extent.spans, 900);
	for (uint32_t i = 0; i < r.spans.n; i++) {
		const struct kept_span *x = &r.spans.at[i], *y = find(&again, x->span_id);

		assert_non_null(y);
		assert_memory_equal(x->trace_id, y->trace_id, 16);
		assert_memory_equal(x->parent_id, y->parent_id, 8);
		assert_int_equal(x->start, y->start);
		assert_int_equal(x->duration, y->duration);
		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->status, y->status);
		assert_str_equal(r.strings.at[x->name], again.strings.at[y->name]);
		assert_str_equal(r.strings.at[x->service], again.strings.at[y->service]);
		assert_str_equal(r.strings.at[x->tenant], again.strings.at[y->tenant]);
		assert_true(x->start >= extent.first && x->start <= extent.last);
	}
	buf_fini(&block);
	arena_fini(&a);
}

static void truncated_and_changed_blocks_do_no_harm(void **state)
{
	struct span_rows r = {0}, again;
	struct span_extent extent;
	struct buf block = {0};
	struct arena a, b;
	uint64_t seed = 3;

	(void)state;
	arena_init(&a, NULL);
	arena_init(&b, NULL);
	random_rows(&r, &a, 60, &seed);
	assert_ok(span_block_encode(&block, NULL, &r, 0, r.spans.n, &extent));
	for (size_t n = 0; n < block.n; n++) {
		char *cut = malloc(n ? n : 1);

		memcpy(cut, block.p, n);
		arena_reset(&b);
		assert_int_equal(span_block_decode(&again, str_of(cut, n), NULL, &b, NULL),
				 -EUCLEAN);
		free(cut);
	}
	for (unsigned i = 0; i < 20000; i++) {
		size_t at = test_random(&seed, (uint32_t)block.n);
		char was = block.p[at];
		int rc;

		block.p[at] = (char)test_random(&seed, 256);
		arena_reset(&b);
		rc = span_block_decode(&again, buf_str(&block), NULL, &b, NULL);
		assert_true(!rc || rc == -EUCLEAN);
		for (uint32_t k = 0; !rc && k < again.spans.n; k++)
			assert_true(again.spans.at[k].name < again.strings.n);
		block.p[at] = was;
	}
	buf_fini(&block);
	arena_fini(&a);
	arena_fini(&b);
}

TEST_MAIN(test_with(fixture, a_span_is_returned_as_it_was_put),
	  test_with(fixture, spans_are_found_by_trace_and_by_id_at_every_stage),
	  test_with(fixture, span_blocks_of_an_hour_are_merged),
	  test_with(fixture, a_span_sent_twice_is_returned_once),
	  test_with(fixture, tenants_do_not_see_the_spans_of_others),
	  test_with(fixture, a_write_across_midnight_is_stored_in_both_days),
	  test_with(fixture, a_span_without_a_start_gets_its_arrival_time),
	  test_with(fixture, a_range_excludes_spans_that_started_outside),
	  test_with(fixture, spans_are_dropped_with_their_day),
	  test_with(fixture, a_file_of_format_1_is_read_and_upgraded),
	  test(a_damaged_span_block_sets_its_day_aside), test(a_block_decodes_to_what_was_encoded),
	  test(truncated_and_changed_blocks_do_no_harm))
