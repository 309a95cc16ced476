/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log records in the embedded store: found by every condition, newest first and page by page, before
 * and after merging, in the right tenant and day, and once if a request is sent twice.
 */
#include <sqlite3.h>

#include "base/regex.h"
#include "store/store_support.h"
#include "wire/proto.h"

enum { RECORDS = 6000 };

struct fixture {
	char directory[64];
	struct store *store;
	bool read_only;
	uint64_t problems;
};

static const uint64_t day = TEST_DAY * TEST_NS_PER_DAY;

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

static void work(struct fixture *f)
{
	struct err e = {0};

	assert_ok_err(sqlite_store_work(f->store, true, &e), &e);
}

static void on_problem(void *context, const char *partition, const char *text)
{
	struct fixture *f = context;

	print_error("%s: %s\n", partition, text);
	f->problems++;
}

static uint64_t count_problems(struct fixture *f)
{
	struct sqlite_store_report report = {.problem = on_problem, .context = f};
	uint64_t problems = 0;
	struct err e = {0};

	assert_ok_err(sqlite_store_check(f->store, &report, &problems, &e), &e);
	return problems;
}

/* ---- writing ---- */

static void put_bytes(struct buf *out, char tag, struct str s)
{
	buf_put_char(out, tag);
	for (size_t n = s.n; n || s.n < 1; n >>= 7) {
		buf_put_char(out, (char)(n >= 0x80 ? n | 0x80 : n));
		if (n < 0x80)
			break;
	}
	buf_put_str(out, s);
}

/* Record i: a text with its number, every tenth an error with "kraken", an attribute, ids. */
static void add_record(struct log_batch *b, uint32_t i, uint64_t time)
{
	struct buf body = {0}, value = {0}, pair = {0}, attributes = {0}, message = {0};
	struct log_record r = {.time = time, .severity = i % 10 ? 9 : 17};
	struct log_item item = {.time = time, .resource = 1, .scope = 1};
	char text[160], number[16];

	snprintf(text, sizeof(text), "%s request %u of User%u took %ums",
		 i % 10 ? "done:" : "KRAKEN", i, i % 7, i % 900);
	put_bytes(&body, 0x0a, str_from(text));
	snprintf(number, sizeof(number), "%u", i);
	put_bytes(&value, 0x0a, str_from(number));
	put_bytes(&pair, 0x0a, STR("number"));
	put_bytes(&pair, 0x12, buf_str(&value));
	put_bytes(&attributes, 0x32, buf_str(&pair));
	r.body = buf_str(&body);
	r.attributes = buf_str(&attributes);
	memcpy(r.trace_id + 4, &(uint32_t){i / 10 + 1}, 4);
	memcpy(r.span_id, &(uint32_t){i + 1}, 4);
	log_record_put(&message, &r);
	assert_ok(arena_copy_str(&b->arena, buf_str(&message), &item.message));
	assert_ok(vec_push(&b->arena, &b->logs, item));
	b->bytes += message.n;
	buf_fini(&body);
	buf_fini(&value);
	buf_fini(&pair);
	buf_fini(&attributes);
	buf_fini(&message);
}

static void begin_batch(struct log_batch *b, struct str service)
{
	struct span_origin none = {0};

	log_batch_init(b, NULL);
	assert_ok(vec_push(&b->arena, &b->resources, none));
	assert_ok(vec_push(&b->arena, &b->scopes, none));
	assert_ok(vec_push(&b->arena, &b->services, service));
}

/* Store a batch; return the number of duplicates. */
static uint32_t put(struct fixture *f, struct str tenant, const struct log_batch *b)
{
	struct waiter waiter;
	struct store_write w = {.tenant = tenant,
				.logs = b,
				.received = day + 77,
				.done = waiter_done,
				.owner = &waiter};
	struct err e = {0};

	waiter_init(&waiter);
	waiter.pending = 1;
	assert_true(f->store->ops->put(f->store, &w, &e) >= 0);
	assert_ok(waiter_wait(&waiter));
	return w.duplicates;
}

/* Times are a second apart, over two hours. */
static uint64_t time_of(uint32_t i)
{
	return day + 3600 * NS_PER_SECOND + i * (uint64_t)NS_PER_SECOND;
}

static void put_all(struct fixture *f, struct str tenant)
{
	for (uint32_t first = 0; first < RECORDS; first += 500) {
		struct log_batch b;

		begin_batch(&b, first / 500 % 2 ? STR("shop") : STR("cart"));
		for (uint32_t i = first; i < first + 500; i++)
			add_record(&b, i, time_of(i));
		assert_int_equal(put(f, tenant, &b), 0);
		log_batch_fini(&b);
	}
}

/* ---- queries ---- */

struct found {
	uint32_t n;
	uint64_t last;
	uint32_t numbers[RECORDS]; /* of the records, in order */
};

static int note(void *ctx, const struct store_log *l)
{
	struct found *f = ctx;
	uint32_t number;

	assert_true(!f->last || l->time <= f->last);
	assert_true(f->n < RECORDS);
	f->last = l->time;
	memcpy(&number, l->record.span_id, sizeof(number));
	f->numbers[f->n++] = number - 1;
	assert_true(l->time == time_of(number - 1));
	assert_true(str_eq(l->service, (number - 1) / 500 % 2 ? STR("shop") : STR("cart")));
	return 0;
}

static struct store_log_select everything(void)
{
	return (struct store_log_select){.tenant = STR("a"), .to = UINT64_MAX, .limit = RECORDS};
}

static struct found *search(struct fixture *f, struct store_log_select sel)
{
	struct found *found = calloc(1, sizeof(*found));
	struct store_log_end end;
	struct err e = {0};

	assert_ok_err(f->store->ops->logs(f->store, &sel, note, found, &end, &e), &e);
	assert_false(end.stopped);
	return found;
}

static uint32_t search_count(struct fixture *f, struct store_log_select sel)
{
	struct found *found = search(f, sel);
	uint32_t n = found->n;

	free(found);
	return n;
}

static int add_counts(void *ctx, const struct store_log_count *c)
{
	*(uint64_t *)ctx += c->n;
	assert_true(c->time % NS_PER_SECOND == 0);
	return 0;
}

static uint64_t count(struct fixture *f, struct store_log_select sel, uint64_t step)
{
	uint64_t n = 0;
	bool stopped;
	struct err e = {0};

	assert_ok_err(f->store->ops->log_counts(f->store, &sel, step, add_counts, &n, &stopped, &e),
		      &e);
	return n;
}

/* Both ways to query see n records. */
static void assert_records(struct fixture *f, struct store_log_select sel, uint32_t n)
{
	assert_int_equal(search_count(f, sel), n);
	assert_int_equal(count(f, sel, 60 * NS_PER_SECOND), n);
	assert_int_equal(count(f, sel, 7 * NS_PER_SECOND), n);
}

static void assert_text(struct fixture *f, const char *phrase, const char *part, const char *regex,
			uint32_t n)
{
	struct store_log_select sel = everything();
	struct str p = str_from(phrase ? phrase : ""), c = str_from(part ? part : "");

	sel.phrases = &p;
	sel.phrase_count = phrase != NULL;
	sel.parts = &c;
	sel.part_count = part != NULL;
	if (regex)
		assert_ok(regex_new(&sel.regex, str_from(regex), REGEX_COMPILED, NULL));
	assert_records(f, sel, n);
	regex_free(sel.regex);
}

static void assert_match(struct fixture *f, enum store_log_scope scope, const char *key,
			 const char *value, bool negated, uint32_t n)
{
	struct store_log_match m = {scope, str_from(key), str_from(value), NULL, negated};
	struct store_log_select sel = everything();

	sel.matches = &m;
	sel.match_count = 1;
	assert_records(f, sel, n);
}

static void assert_all_queries(struct fixture *f)
{
	static const uint8_t trace[1][16] = {{0, 0, 0, 0, 8}}, span[1][8] = {{8}};
	const struct str shop = STR("shop");
	struct store_log_select sel = everything();
	struct found *found = search(f, sel);

	assert_int_equal(found->n, RECORDS);
	for (uint32_t i = 0; i < RECORDS; i++)
		assert_int_equal(found->numbers[i], RECORDS - 1 - i);
	free(found);
	assert_records(f, sel, RECORDS);
	sel.services = &shop;
	sel.service_count = 1;
	assert_records(f, sel, RECORDS / 2);
	sel.severity = 13;
	assert_records(f, sel, RECORDS / 20);
	sel = everything();
	sel.severity = 18;
	assert_records(f, sel, 0);
	sel = everything();
	sel.from = time_of(100) + 1;
	sel.to = time_of(400);
	assert_records(f, sel, 299);
	sel = everything();
	sel.traces = trace;
	sel.trace_count = 1;
	assert_records(f, sel, 10);
	sel = everything();
	sel.spans = span;
	sel.span_count = 1;
	assert_records(f, sel, 1);
	sel.tenant = STR("b");
	assert_records(f, sel, 0);
	assert_text(f, "kraken", NULL, NULL, RECORDS / 10);
	assert_text(f, "KRAKEN request 40", NULL, NULL, 1);
	assert_text(f, "user", NULL, NULL, 0);
	assert_text(f, "user3", NULL, NULL, (RECORDS + 3) / 7);
	assert_text(f, "krake", NULL, NULL, 0);
	assert_text(f, NULL, "RAKE", NULL, RECORDS / 10);
	assert_text(f, NULL, "rake", NULL, 0);
	assert_text(f, NULL, "t 4321 of", NULL, 1);
	assert_text(f, NULL, NULL, "KRAKEN request [0-9]{2} ", 9);
	assert_text(f, NULL, NULL, "request 77 |request 78 ", 2);
	assert_match(f, STORE_LOG_ANY, "number", "77", false, 1);
	assert_match(f, STORE_LOG_RECORD, "number", "77", false, 1);
	assert_match(f, STORE_LOG_RECORD, "number", "77", true, RECORDS - 1);
	assert_match(f, STORE_LOG_RESOURCE, "number", "77", false, 0);
	assert_match(f, STORE_LOG_ANY, "nothing", "", false, RECORDS);
}

static void every_condition_finds_its_records(void **state)
{
	struct fixture *f = *state;

	put_all(f, STR("a"));
	assert_all_queries(f);
	work(f);
	assert_all_queries(f);
	assert_int_equal(count_problems(f), 0);
	reopen(f);
	assert_all_queries(f);
}

struct page_walk {
	uint32_t n;
	bool seen[60];
};

static int walk_page(void *ctx, const struct store_log *l)
{
	struct page_walk *w = ctx;
	uint32_t number;

	memcpy(&number, l->record.span_id, sizeof(number));
	assert_false(w->seen[number - 1]);
	w->seen[number - 1] = true;
	w->n++;
	return 0;
}

/* Pages of 7 records have each record once, also where many have the same time. */
static void pages_continue_where_the_last_one_ended(void **state)
{
	struct fixture *f = *state;
	struct log_batch b;

	begin_batch(&b, STR("cart"));
	for (uint32_t i = 0; i < 60; i++)
		add_record(&b, i, time_of(i / 20));
	put(f, STR("a"), &b);
	log_batch_fini(&b);
	for (unsigned round = 0; round < 2; round++) {
		struct store_log_select sel = everything();
		struct store_log_end end = {.more = true, .to = UINT64_MAX};
		struct page_walk walk = {0};

		sel.limit = 7;
		while (end.more) {
			struct err e = {0};

			sel.to = end.to;
			sel.skip = end.skip;
			assert_ok_err(
				f->store->ops->logs(f->store, &sel, walk_page, &walk, &end, &e),
				&e);
		}
		assert_int_equal(walk.n, 60);
		work(f);
	}
}

static void a_request_that_is_sent_twice_is_stored_once(void **state)
{
	struct fixture *f = *state;
	struct log_batch b;

	begin_batch(&b, STR("cart"));
	for (uint32_t i = 0; i < 10; i++)
		add_record(&b, i, time_of(i));
	assert_int_equal(put(f, STR("a"), &b), 0);
	assert_int_equal(put(f, STR("a"), &b), 10);
	assert_int_equal(put(f, STR("b"), &b), 0);
	assert_records(f, everything(), 10);
	for (uint32_t i = 0; i < 10; i++) /* equal records may be different ones without a time */
		b.logs.at[i].untimed = true;
	assert_int_equal(put(f, STR("a"), &b), 0);
	log_batch_fini(&b);
}

static void tenants_and_days_are_deleted_apart(void **state)
{
	struct fixture *f = *state;
	struct store_select sel = {.tenant = STR("a"), .to = day + TEST_NS_PER_DAY};
	struct store_log_select others = everything();
	struct selector selector;
	uint64_t profiles;
	struct err e = {0};

	put_all(f, STR("a"));
	work(f);
	put_all(f, STR("b"));
	selector_init(&selector);
	sel.selector = &selector;
	assert_ok_err(f->store->ops->remove(f->store, &sel, &profiles, &e), &e);
	selector_fini(&selector);
	assert_records(f, everything(), 0);
	others.tenant = STR("b");
	assert_records(f, others, RECORDS);
	work(f);
	assert_records(f, others, RECORDS);
	assert_int_equal(count_problems(f), 0);
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

static void a_file_of_format_6_is_read_and_upgraded(void **state)
{
	struct fixture *f = *state;

	put_all(f, STR("a"));
	f->store->ops->close(f->store);
	change_file(f, "DROP TABLE logs; DROP TABLE log_state;"
		       "DROP TABLE metrics; DROP TABLE metric_state; DELETE FROM blob;"
		       "UPDATE meta SET value = 6 WHERE key = 'format'");
	f->read_only = true;
	open_store(f);
	assert_records(f, everything(), 0);
	f->read_only = false;
	reopen(f);
	put_all(f, STR("a"));
	assert_records(f, everything(), RECORDS);
	assert_int_equal(count_problems(f), 0);
}

static int ignore_log(void *ctx, const struct store_log *l)
{
	(void)ctx, (void)l;
	return 0;
}

static void damage_sets_the_day_aside(void **state)
{
	static const char *const damage[] = {
		"UPDATE blob SET data = zeroblob(99) WHERE kind = 'log_page'",
		"UPDATE blob SET data = zeroblob(99) WHERE kind = 'log_index'",
		"DELETE FROM blob WHERE kind = 'log_page'",
		"UPDATE logs SET logs = logs + 1",
		"DELETE FROM logs",
		"DROP TABLE log_state",
	};

	(void)state;
	for (size_t i = 0; i < countof(damage); i++) {
		struct fixture f = {0};
		struct store_missing missing = {0};
		struct store_log_select sel = everything();
		struct store_log_end end;
		struct err e = {0};

		make_directory(f.directory);
		open_store(&f);
		put_all(&f, STR("a"));
		work(&f);
		f.store->ops->close(f.store);
		change_file(&f, damage[i]);
		open_store(&f);
		sel.limits.missing = &missing;
		assert_ok_err(f.store->ops->logs(f.store, &sel, ignore_log, NULL, &end, &e), &e);
		assert_int_equal(missing.n, 1);
		f.store->ops->close(f.store);
		remove_tree(f.directory);
	}
}

/* An expression that needs too many steps is an error, and other queries go on. */
static void a_hostile_expression_ends_by_a_limit(void **state)
{
	struct fixture *f = *state;
	struct store_log_select sel = everything();
	struct store_log_end end;
	struct err e = {0};

	put_all(f, STR("a"));
	for (unsigned round = 0; round < 2; round++) {
		assert_ok(regex_new(&sel.regex, STR("(([a-zA-Z0-9: ])+)+[&%]"), REGEX_COMPILED,
				    NULL));
		e = (struct err){0};
		assert_int_equal(f->store->ops->logs(f->store, &sel, ignore_log, NULL, &end, &e),
				 -E2BIG);
		assert_err_says(&e, "simplify");
		regex_free(sel.regex);
		work(f);
	}
	assert_records(f, everything(), RECORDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with(fixture, every_condition_finds_its_records),
		test_with(fixture, pages_continue_where_the_last_one_ended),
		test_with(fixture, a_request_that_is_sent_twice_is_stored_once),
		test_with(fixture, tenants_and_days_are_deleted_apart),
		test_with(fixture, a_file_of_format_6_is_read_and_upgraded),
		cmocka_unit_test(damage_sets_the_day_aside),
		test_with(fixture, a_hostile_expression_ends_by_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
