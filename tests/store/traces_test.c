/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole traces in the embedded store: what was put comes back, before and after merging, from
 * several writes, and beside data of older formats.
 */
#include <sqlite3.h>

#include "format/otlp/trace_fixtures.h"
#include "format/otlp/traces.h"

#include "store/random_details.h"
#include "store/store_support.h"

#define DAY (TEST_DAY * TEST_NS_PER_DAY)

struct fixture {
	char directory[64];
	struct store *store;
	bool read_only;
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

static void put_spans(struct fixture *f, const struct span_batch *b)
{
	struct waiter waiter;
	struct store_write w = {
		.spans = b, .received = DAY + 77, .done = waiter_done, .owner = &waiter};
	struct err e = {0};

	waiter_init(&waiter);
	waiter.pending = 1;
	assert_true(f->store->ops->put(f->store, &w, &e) >= 0);
	assert_ok(waiter_wait(&waiter));
}

static void change_file(struct fixture *f, const char *sql)
{
	char path[128], *text = NULL;
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/2024-10-04.db", f->directory);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK)
		fail_msg("%s: %s", sql, text);
	sqlite3_close(db);
}

/* ---- batches ---- */

/* Add a span with random details; of trace `trace`, at a second of the day. */
static void add_random(struct span_batch *b, unsigned trace, unsigned id, double second,
		       uint64_t *seed)
{
	struct proto_writer w = {0};
	struct span s = {.name = STR("work"),
			 .service = STR("shop"),
			 .kind = SPAN_KIND_CLIENT,
			 .start = DAY + (uint64_t)(second * 1e9)};

	random_details(&w, seed);
	assert_ok(arena_copy_str(&b->arena, proto_writer_str(&w), &s.details));
	proto_writer_fini(&w);
	s.end = s.start + id;
	memcpy(s.trace_id + 4, &trace, sizeof(trace));
	memcpy(s.span_id, &id, sizeof(id));
	s.resource = trace % 4 ? 1 + trace % b->resources.n : 0;
	s.scope = id % 4 ? 1 + id % b->scopes.n : 0;
	assert_ok(vec_push(&b->arena, &b->spans, s));
}

static void batch_init(struct span_batch *b)
{
	static const struct span_origin origins[] = {
		{STR("\x0a\x08\x0a\x01r\x12\x03\x0a\x01v"), STR("https://schema")},
		{STR("\x10\x07"), {0}},
		{{0}, STR("only a url")},
	};

	span_batch_init(b, NULL);
	for (unsigned i = 0; i < countof(origins); i++) {
		assert_ok(vec_push(&b->arena, &b->resources, origins[i]));
		assert_ok(vec_push(&b->arena, &b->scopes, origins[countof(origins) - 1 - i]));
	}
}

/* ---- comparing ---- */

struct expected {
	const struct span_batch *batch;
	unsigned found, traces;
};

static const struct span *find_span(const struct span_batch *b, const struct span *s)
{
	for (uint32_t i = 0; i < b->spans.n; i++)
		if (memcmp(b->spans.at[i].span_id, s->span_id, SPAN_ID_SIZE) == 0 &&
		    memcmp(b->spans.at[i].trace_id, s->trace_id, TRACE_ID_SIZE) == 0)
			return &b->spans.at[i];
	return NULL;
}

static void assert_same_origin(const struct span_origin *a, uint32_t x, const struct span_origin *b,
			       uint32_t y)
{
	assert_int_equal(x != 0, y != 0);
	if (!x)
		return;
	assert_int_equal(a[x - 1].message.p != NULL, b[y - 1].message.p != NULL);
	assert_str_equal(a[x - 1].message, b[y - 1].message);
	assert_str_equal(a[x - 1].schema_url, b[y - 1].schema_url);
}

static int compare_trace(void *ctx, const struct span_batch *trace)
{
	struct expected *x = ctx;

	assert_ok(span_batch_check(trace, NULL));
	x->traces++;
	for (uint32_t i = 0; i < trace->spans.n; i++) {
		const struct span *got = &trace->spans.at[i], *put = find_span(x->batch, got);

		assert_non_null(put);
		assert_memory_equal(got->trace_id, trace->spans.at[0].trace_id, TRACE_ID_SIZE);
		assert_memory_equal(got->parent_id, put->parent_id, SPAN_ID_SIZE);
		assert_true(!i || got->start >= trace->spans.at[i - 1].start);
		assert_str_equal(got->name, put->name);
		assert_str_equal(got->service, put->service);
		assert_int_equal(got->start, put->start);
		assert_int_equal(got->end, put->end);
		assert_int_equal(got->kind, put->kind);
		assert_int_equal(got->status, put->status);
		assert_str_equal(got->details, put->details);
		assert_same_origin(trace->resources.at, got->resource, x->batch->resources.at,
				   put->resource);
		assert_same_origin(trace->scopes.at, got->scope, x->batch->scopes.at, put->scope);
		x->found++;
	}
	return 0;
}

/* Query the traces of the batch in one query, and compare all spans. */
static void assert_traces(struct fixture *f, const struct span_batch *b, unsigned traces)
{
	uint8_t(*ids)[16] = calloc(b->spans.n, sizeof(*ids));
	struct store_span_select sel = {
		.to = UINT64_MAX, .traces = (const uint8_t(*)[16])ids, .trace_count = b->spans.n};
	struct expected x = {b, 0, 0};
	struct err e = {0};

	for (uint32_t i = 0; i < b->spans.n; i++)
		memcpy(ids[i], b->spans.at[i].trace_id, 16);
	assert_ok_err(f->store->ops->traces(f->store, &sel, compare_trace, &x, &e), &e);
	assert_int_equal(x.found, b->spans.n);
	if (traces)
		assert_int_equal(x.traces, traces);
	free(ids);
}

/* ---- tests ---- */

static void traces_come_back_at_every_stage(void **state)
{
	struct fixture *f = *state;
	struct span_batch b;
	uint64_t seed = 11;

	batch_init(&b);
	for (unsigned i = 0; i < 900; i++)
		add_random(&b, 1 + i % 60, 1 + i, 3600 + i * 7.7, &seed);
	put_spans(f, &b);
	assert_traces(f, &b, 60);
	assert_int_equal(count_problems(f), 0);
	work(f, false);
	assert_traces(f, &b, 60);
	work(f, true);
	assert_traces(f, &b, 60);
	assert_int_equal(count_problems(f), 0);
	reopen(f);
	assert_traces(f, &b, 60);
	put_spans(f, &b); /* a retry */
	assert_traces(f, &b, 60);
	work(f, true);
	assert_traces(f, &b, 60);
	assert_int_equal(count_problems(f), 0);
	span_batch_fini(&b);
}

/* The fixtures have a trace in four parts and one of 2,000 spans. Each message is one write. */
static void traces_of_several_writes_are_joined(void **state)
{
	struct fixture *f = *state;
	struct span_batch all;
	unsigned spans = 0;

	span_batch_init(&all, NULL);
	for (unsigned i = 0; i < TRACE_FIXTURES; i++) {
		struct buf message = {0};
		struct span_batch b;
		struct str copy;
		struct err e = {0};

		if (!read_trace_fixture(&message, i))
			skip();
		span_batch_init(&b, NULL);
		assert_ok(arena_copy_str(&all.arena, buf_str(&message), &copy));
		assert_ok_err(otlp_traces_decode(&b, copy, &e), &e);
		put_spans(f, &b);
		spans += b.spans.n;
		for (uint32_t k = 0; k < b.spans.n; k++) {
			struct span s = b.spans.at[k];

			assert_ok(arena_copy_str(&all.arena, s.name, &s.name));
			assert_ok(arena_copy_str(&all.arena, s.service, &s.service));
			assert_ok(arena_copy_str(&all.arena, s.details, &s.details));
			s.resource += all.resources.n;
			s.scope += all.scopes.n;
			assert_ok(vec_push(&all.arena, &all.spans, s));
		}
		for (uint32_t k = 0; k < b.resources.n; k++)
			assert_ok(vec_push(&all.arena, &all.resources, b.resources.at[k]));
		for (uint32_t k = 0; k < b.scopes.n; k++)
			assert_ok(vec_push(&all.arena, &all.scopes, b.scopes.at[k]));
		span_batch_fini(&b);
		buf_fini(&message);
	}
	assert_int_equal(spans, TRACE_FIXTURE_SPANS);
	assert_traces(f, &all, 500);
	work(f, true);
	assert_traces(f, &all, 500);
	assert_int_equal(count_problems(f), 0);
	span_batch_fini(&all);
}

static void large_spans_are_kept(void **state)
{
	struct fixture *f = *state;
	struct proto_writer w = {0};
	struct span_batch b;
	char *text = calloc(1, MIB);
	struct value v = {.kind = VALUE_STRING};
	uint64_t seed = 2;

	assert_non_null(text);
	memset(text, 'x', MIB);
	batch_init(&b);
	for (unsigned i = 0; i < 6; i++)
		add_random(&b, 1, 1 + i, 60 + i, &seed);
	for (unsigned i = 0; i < 3; i++) { /* 1 MB each */
		proto_writer_clear(&w);
		v.s = str_of(text, MIB - i);
		otlp_attribute_write(&w, SPAN_FIELD_ATTRIBUTES, STR("large"), &v);
		assert_ok(arena_copy_str(&b.arena, proto_writer_str(&w), &b.spans.at[i].details));
	}
	proto_writer_clear(&w);
	for (unsigned i = 0; i < 10000; i++) {
		snprintf(text, 64, "key %u", i);
		v = VALUE_OF_INT(i);
		otlp_attribute_write(&w, SPAN_FIELD_ATTRIBUTES, str_from(text), &v);
	}
	assert_ok(arena_copy_str(&b.arena, proto_writer_str(&w), &b.spans.at[4].details));
	put_spans(f, &b);
	assert_traces(f, &b, 1);
	work(f, true);
	assert_traces(f, &b, 1);
	assert_int_equal(count_problems(f), 0);
	proto_writer_fini(&w);
	span_batch_fini(&b);
	free(text);
}

static int count_spans(void *ctx, const struct span_batch *trace)
{
	*(unsigned *)ctx += trace->spans.n;
	return 0;
}

static void a_trace_can_be_read_in_part(void **state)
{
	struct fixture *f = *state;
	uint8_t id[1][16] = {{0}};
	bool cut = true;
	struct store_span_select sel = {.to = UINT64_MAX,
					.traces = (const uint8_t(*)[16])id,
					.trace_count = 1,
					.most_bytes = MIB,
					.cut = &cut};
	struct span_batch b;
	unsigned n = 0;
	uint64_t seed = 6;

	batch_init(&b);
	for (unsigned i = 0; i < 500; i++)
		add_random(&b, 1, 1 + i, 60 + i, &seed);
	memcpy(id[0], b.spans.at[0].trace_id, 16);
	put_spans(f, &b);
	assert_ok(f->store->ops->traces(f->store, &sel, count_spans, &n, NULL));
	assert_int_equal(n, 500);
	assert_false(cut);
	sel.most_bytes = 20000;
	for (unsigned round = 0; round < 2; round++) {
		n = 0;
		assert_ok(f->store->ops->traces(f->store, &sel, count_spans, &n, NULL));
		assert_in_range(n, 20, 300);
		assert_true(cut);
		work(f, true);
	}
	span_batch_fini(&b);
}

/* Details beyond the size of a block: several blocks, which are not merged any more. */
static void many_large_spans_become_several_blocks(void **state)
{
	struct fixture *f = *state;
	char *text = calloc(1, MIB);
	struct value v = {.kind = VALUE_BYTES};
	struct proto_writer w = {0};
	struct span_batch b;
	uint64_t seed = 2;

	assert_non_null(text);
	batch_init(&b);
	for (unsigned i = 0; i < 75; i++) {
		add_random(&b, 1 + i % 3, 1 + i, 60 + i, &seed);
		proto_writer_clear(&w);
		memset(text, (int)i, MIB);
		v.s = str_of(text, MIB);
		otlp_attribute_write(&w, SPAN_FIELD_ATTRIBUTES, STR("large"), &v);
		assert_ok(arena_copy_str(&b.arena, proto_writer_str(&w), &b.spans.at[i].details));
	}
	put_spans(f, &b);
	assert_traces(f, &b, 3);
	work(f, true);
	work(f, true);
	assert_traces(f, &b, 3);
	assert_int_equal(count_problems(f), 0);
	proto_writer_fini(&w);
	span_batch_fini(&b);
	free(text);
}

/* Format 5 has spans without details; new ones with details are stored beside them. */
static void a_file_of_format_5_is_read_and_upgraded(void **state)
{
	struct fixture *f = *state;
	struct span_batch old, new;
	uint64_t seed = 4;

	batch_init(&old);
	batch_init(&new);
	for (unsigned i = 0; i < 40; i++) {
		add_random(&old, 1 + i % 4, 1 + i, 3600 + i, &seed);
		old.spans.at[i].details = (struct str){0};
		old.spans.at[i].resource = old.spans.at[i].scope = 0;
		add_random(&new, 5 + i % 4, 1 + i, 3600 + i, &seed);
	}
	put_spans(f, &old);
	f->store->ops->close(f->store);
	change_file(f, "ALTER TABLE spans DROP COLUMN details;"
		       "ALTER TABLE spans DROP COLUMN column_index;"
		       "ALTER TABLE spans DROP COLUMN details_bytes;"
		       "ALTER TABLE spans DROP COLUMN trace_filter;"
		       "DROP TABLE logs; DROP TABLE log_state;"
		       "DROP TABLE metrics; DROP TABLE metric_state;"
		       "UPDATE meta SET value = 5 WHERE key = 'format'");
	f->read_only = true;
	open_store(f);
	assert_traces(f, &old, 4);
	assert_int_equal(count_problems(f), 0);
	f->read_only = false;
	reopen(f);
	assert_traces(f, &old, 4);
	put_spans(f, &new);
	for (unsigned round = 0; round < 3; round++) {
		assert_traces(f, &old, 4);
		assert_traces(f, &new, 4);
		assert_int_equal(count_problems(f), 0);
		if (round)
			reopen(f);
		else
			work(f, true);
	}
	span_batch_fini(&old);
	span_batch_fini(&new);
}

static void damaged_details_set_their_day_aside(void **state)
{
	static const struct {
		bool merged;
		const char *sql;
	} damage[] = {
		{false, "UPDATE blob SET data = zeroblob(99) WHERE kind = 'span_rows'"},
		{false, "DELETE FROM blob WHERE kind = 'span_rows'"},
		{true, "UPDATE blob SET data = zeroblob(99) WHERE kind = 'span_columns'"},
		{true, "UPDATE blob SET data = zeroblob(99) WHERE kind = 'span_index'"},
		{true, "UPDATE blob SET data = substr(data, 1, length(data) - 1)"
		       " WHERE kind = 'span_columns'"},
		{true, "UPDATE spans SET details = 0"},
		{true, "UPDATE spans SET details_bytes = details_bytes + 1"},
	};

	(void)state;
	for (size_t i = 0; i < countof(damage); i++) {
		struct fixture *f;
		struct span_batch b, later;
		uint64_t seed = 8;

		fixture_setup((void **)&f);
		batch_init(&b);
		batch_init(&later);
		for (unsigned k = 0; k < 20; k++) {
			add_random(&b, 1, 1 + k, 60 + k, &seed);
			add_random(&later, 2, 1 + k, 86400 + 60 + k, &seed);
		}
		put_spans(f, &b);
		put_spans(f, &later);
		if (damage[i].merged)
			work(f, true);
		f->store->ops->close(f->store);
		change_file(f, damage[i].sql);
		f->read_only = true;
		open_store(f);
		assert_int_equal(count_problems(f), 1);
		f->read_only = false;
		reopen(f);
		b.spans.n = 0;
		for (uint32_t k = 0; k < later.spans.n; k++)
			assert_ok(vec_push(&b.arena, &b.spans, later.spans.at[k]));
		assert_traces(f, &b, 1);
		fixture_teardown((void **)&f);
		span_batch_fini(&b);
		span_batch_fini(&later);
	}
}

TEST_MAIN(test_with(fixture, traces_come_back_at_every_stage),
	  test_with(fixture, traces_of_several_writes_are_joined),
	  test_with(fixture, large_spans_are_kept), test_with(fixture, a_trace_can_be_read_in_part),
	  test_with(fixture, many_large_spans_become_several_blocks),
	  test_with(fixture, a_file_of_format_5_is_read_and_upgraded),
	  test(damaged_details_set_their_day_aside))
