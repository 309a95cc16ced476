/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages and blocks of log records: what is encoded comes back, for random records of all kinds;
 * damage at any byte is found or harmless.
 */
#include "base/clock.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/logs/log_block.h"
#include "store/sqlite/logs/log_details.h"
#include "store/sqlite/logs/log_text.h"
#include "test/test.h"

struct generator {
	uint64_t seed;
};

static uint32_t pick(struct generator *g, uint32_t n)
{
	g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(g->seed >> 33) % n;
}

static void put_text(struct generator *g, struct buf *out)
{
	static const char *const words[] = {
		"GET",
		"user",
		"x7f9k2q",
		"0007",
		"18446744073709551616",
		"37ms",
		"a",
		"deadbeef01",
		"42",
		"\xc3\xa4\xc3\xb6",
		"k8s",
		"550e8400-e29b-41d4-a716-446655440000",
		"12345678-aaaa-bbbb-cccc-dddddddddddd",
		"failed:",
		"",
		"\t",
		"_9",
		"000000000000000000",
		"abcdefab",
		"user42",
	};

	for (uint32_t n = pick(g, 9); n; n--) {
		buf_put_str(out, str_from(words[pick(g, countof(words))]));
		if (pick(g, 4))
			buf_put_char(out, " -/:="[pick(g, 5)]);
		if (!pick(g, 12))
			buf_put_u64(out, pick(g, 1000000));
		if (!pick(g, 60))
			buf_put_char(out, (char)pick(g, 8)); /* text without a template */
	}
}

/* Append an AnyValue message. */
static void put_any(struct generator *g, struct buf *out)
{
	struct proto_writer w;
	struct buf text = {0}, list = {0};
	struct value v = {.kind = (enum value_kind)pick(g, 8)};

	proto_writer_init(&w, NULL);
	put_text(g, &text);
	v.i = pick(g, 2) ? pick(g, 1000) : -(int64_t)pick(g, 100000);
	if (v.kind == VALUE_BOOL)
		v.i = pick(g, 2);
	if (v.kind == VALUE_DOUBLE)
		v.d = (double)pick(g, 1000) / 7;
	if (v.kind == VALUE_STRING || v.kind == VALUE_BYTES)
		v.s = buf_str(&text);
	if (v.kind == VALUE_LIST)
		buf_put(&list, "\x2a\x04\x0a\x02\x18\x05", 6); /* an array with the int 5 */
	if (v.kind == VALUE_MAP)
		buf_put(&list, "\x32\x07\x0a\x05\x0a\x01k\x12\x00", 9);
	if (v.kind == VALUE_LIST || v.kind == VALUE_MAP)
		v.s = buf_str(&list);
	otlp_value_write(&w, &v);
	buf_put_str(out, proto_writer_str(&w));
	proto_writer_fini(&w);
	buf_fini(&text);
	buf_fini(&list);
}

static void put_length(struct buf *out, size_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_put_char(out, (char)(n | 0x80));
	buf_put_char(out, (char)n);
}

static void put_attributes(struct generator *g, struct buf *out, uint32_t most)
{
	static const char *const keys[] = {"a", "http.status", "", "order.id", "a"};

	for (uint32_t n = pick(g, most); n; n--) {
		struct buf any = {0}, pair = {0};
		const char *key = keys[pick(g, countof(keys))];

		put_any(g, &any);
		if (key[0]) {
			buf_put_char(&pair, 0x0a);
			put_length(&pair, strlen(key));
			buf_put_str(&pair, str_from(key));
		}
		buf_put_char(&pair, 0x12);
		put_length(&pair, any.n);
		buf_put_str(&pair, buf_str(&any));
		buf_put_char(out, 0x32);
		put_length(out, pair.n);
		buf_put_str(out, buf_str(&pair));
		buf_fini(&any);
		buf_fini(&pair);
	}
}

static void put_record(struct generator *g, struct buf *out, uint64_t time, uint32_t attributes)
{
	static const char *const severities[] = {"", "INFO", "error", "what", "WARN"};
	struct buf body = {0}, fields = {0};
	struct log_record r = {.severity = pick(g, 3) ? pick(g, 25) : 0,
			       .flags = pick(g, 4) ? 0 : pick(g, 300),
			       .dropped_attributes = pick(g, 5) ? 0 : pick(g, 9),
			       .severity_text = str_from(severities[pick(g, 5)]),
			       .event_name = pick(g, 6) ? STR("") : STR("started 12")};
	uint32_t source = pick(g, 10);

	r.time = source ? time : 0;
	r.observed = source < 2 ? time - r.time : time + pick(g, 1000) - 500;
	put_any(g, &body);
	if (pick(g, 10))
		r.body = body.p ? buf_str(&body) : STR("");
	put_attributes(g, &fields, attributes);
	r.attributes = buf_str(&fields);
	for (unsigned i = 0; i < 16 && !pick(g, 2); i++)
		r.trace_id[i] = (uint8_t)pick(g, 3);
	for (unsigned i = 0; i < 8 && !pick(g, 2); i++)
		r.span_id[i] = (uint8_t)pick(g, 3);
	log_record_put(out, &r);
	buf_fini(&body);
	buf_fini(&fields);
}

static const uint64_t hour = 489 * NS_PER_HOUR;

/* Make n records of a few streams, sorted. */
static void make_rows(struct log_rows *rows, struct arena *a, uint32_t n, uint32_t attributes,
		      uint64_t seed)
{
	struct generator g = {seed};

	*rows = (struct log_rows){0};
	for (uint32_t i = 0; i < n; i++) {
		struct kept_log k = {.time = hour + pick(&g, 3600) * (uint64_t)NS_PER_SECOND};
		struct log_stream s = {.tenant = STR("t"), .service = STR("shop")};
		struct buf encoded = {0}, message = {0};

		s.scope.schema_url = str_of("abcdef", pick(&g, 5));
		log_stream_put(&encoded, &s);
		assert_ok(log_rows_stream(rows, a, buf_str(&encoded), &k.stream));
		put_record(&g, &message, k.time, attributes);
		assert_ok(arena_copy_str(a, buf_str(&message), &k.message));
		assert_ok(vec_push(a, &rows->logs, k));
		buf_fini(&encoded);
		buf_fini(&message);
	}
	assert_ok(log_rows_sort(rows, a));
}

/* Read a record's message back, as read/log_read.c does. */
static int read_message(struct log_page *p, struct log_details *d, uint32_t i, struct buf *out)
{
	struct buf text = {0}, body = {0};
	struct log_record r;
	int rc = log_details_record(d, i, &r);
	struct str t;

	if (p->body_kinds[i] == LOG_BODY_STRING) {
		t = log_page_text(p, i, &text);
		buf_put_char(&body, 0x0a);
		put_length(&body, t.n);
		buf_put_str(&body, t);
		r.body = buf_str(&body);
	} else if (p->body_kinds[i] == LOG_BODY_OTHER) {
		r.body = log_page_other_body(p, i);
	}
	log_record_put(out, &r);
	buf_fini(&text);
	buf_fini(&body);
	return rc;
}

/* Decode a page as far as it goes; compare it with the records unless they are NULL. */
static void read_page(struct str bytes, const struct kept_log *logs)
{
	struct budget budget = {.limit = 64 * MIB};
	struct log_details d = {0};
	struct arena a;
	struct log_page p;
	struct buf message = {0};
	int rc;

	arena_init(&a, &budget);
	rc = log_page_open(&p, bytes, NULL, &a, NULL);
	for (unsigned i = 0; !rc && i < LOG_PIECE_DETAILS; i++)
		rc = log_page_read(&p, (enum log_piece)i, NULL);
	if (!rc)
		rc = log_details_init(&d, &p, NULL);
	assert_true(!rc || (!logs && (rc == -EUCLEAN || rc == -ENOMEM)));
	for (uint32_t i = 0; !rc && i < p.n; i++) {
		buf_clear(&message);
		rc = read_message(&p, &d, i, &message);
		if (!logs)
			continue;
		assert_ok(rc);
		assert_true(p.times[i] == logs[i].time);
		assert_true(str_eq(buf_str(&message), logs[i].message));
	}
	log_details_fini(&d);
	buf_fini(&message);
	arena_fini(&a);
}

static int ignore_token(void *context, struct str text)
{
	(void)context, (void)text;
	return 0;
}

static void test_pages_return_all_fields(void **state)
{
	struct log_page_packer packer;

	(void)state;
	log_page_packer_init(&packer);
	for (uint64_t seed = 1; seed < 120; seed++) {
		struct arena a;
		struct log_rows rows;
		struct log_hashes hashes = {.arena = &a};
		struct buf page = {0};

		arena_init(&a, NULL);
		make_rows(&rows, &a, seed < 4 ? (uint32_t)seed - 1 : 300, seed % 9 ? 5 : 300, seed);
		assert_ok(log_page_put(&packer, &page, rows.logs.at, rows.logs.n, &hashes));
		read_page(buf_str(&page), rows.logs.at);
		buf_fini(&page);
		arena_fini(&a);
	}
	log_page_packer_fini(&packer);
}

static void test_damaged_pages_are_harmless(void **state)
{
	struct generator g = {7};
	struct log_page_packer packer;
	struct arena a;
	struct log_rows rows;
	struct log_hashes hashes = {.arena = &a};
	struct buf page = {0};

	(void)state;
	log_page_packer_init(&packer);
	arena_init(&a, NULL);
	make_rows(&rows, &a, 12, 5, 99);
	assert_ok(log_page_put(&packer, &page, rows.logs.at, rows.logs.n, &hashes));
	for (size_t n = 0; n < page.n; n++)
		read_page(str_of(page.p, n), NULL);
	for (unsigned i = 0; i < 4000; i++) {
		size_t at = pick(&g, (uint32_t)page.n);
		char old = page.p[at];

		page.p[at] = (char)pick(&g, 256);
		read_page(buf_str(&page), NULL);
		page.p[at] = old;
	}
	buf_fini(&page);
	arena_fini(&a);
	log_page_packer_fini(&packer);
}

static void test_rows_come_back(void **state)
{
	struct arena a;
	struct log_rows rows, again;
	struct buf bytes = {0};

	(void)state;
	arena_init(&a, NULL);
	make_rows(&rows, &a, 200, 5, 3);
	assert_ok(log_rows_put(&bytes, &rows, 0, rows.logs.n, &a));
	assert_ok(log_rows_get(&again, buf_str(&bytes), &a, NULL));
	assert_int_equal(again.logs.n, rows.logs.n);
	for (uint32_t i = 0; i < rows.logs.n; i++) {
		assert_true(again.logs.at[i].time == rows.logs.at[i].time);
		assert_true(str_eq(again.logs.at[i].message, rows.logs.at[i].message));
		assert_true(str_eq(again.streams.at[again.logs.at[i].stream],
				   rows.streams.at[rows.logs.at[i].stream]));
	}
	for (size_t n = 0; n < bytes.n; n++)
		assert_true(log_rows_get(&again, str_of(bytes.p, n), &a, NULL) != 0);
	buf_fini(&bytes);
	arena_fini(&a);
}

/* Every token, attribute and id of a record is in the filter of its page. */
static void test_blocks_have_an_index_and_a_filter(void **state)
{
	struct log_page_packer packer;
	struct log_block_frames frames = {0};
	struct arena a;
	struct log_rows rows;
	struct log_index index;
	struct str bytes, shards[LOG_SHARDS];
	uint32_t row = 0;
	uint64_t ends[64];

	(void)state;
	log_page_packer_init(&packer);
	arena_init(&a, NULL);
	make_rows(&rows, &a, 9000, 4, 5);
	assert_ok(log_block_put(&frames, &packer, &rows, 0, rows.logs.n, hour));
	assert_int_equal(frames.pages, 3);
	assert_int_equal(frames.shards, LOG_SHARDS);
	assert_true(frames.ends.n == (1 + 3 + LOG_SHARDS) * sizeof(uint64_t));
	memcpy(ends, frames.ends.p, frames.ends.n);
	assert_ok(frame_get(str_of(frames.frames.p, ends[0]), FRAME_LOG_INDEX, NULL, &a, &bytes,
			    NULL));
	assert_ok(log_index_get(&index, bytes, hour, &a, NULL));
	assert_int_equal(index.page_n, 3);
	for (unsigned i = 0; i < LOG_SHARDS; i++)
		assert_ok(
			frame_get(str_of(frames.frames.p + ends[3 + i], ends[4 + i] - ends[3 + i]),
				  FRAME_LOG_FILTER, NULL, &a, &shards[i], NULL));
	for (uint32_t p = 0; p < index.page_n; p++)
		for (uint32_t i = 0; i < index.pages[p].logs; i++, row++) {
			struct log_record r;
			struct value v;
			struct str token;

			assert_ok(log_record_read(&r, rows.logs.at[row].message));
			if (span_id_is_set(r.trace_id, 16)) {
				uint64_t hash = log_id_hash(r.trace_id, 16);

				assert_true(log_shard_has(shards[log_shard_of(hash, LOG_SHARDS)],
							  hash, p));
			}
			if (!r.body.p || !otlp_value_read(r.body, &v) || v.kind != VALUE_STRING)
				continue;
			while (log_next_token(&v.s, &token)) {
				uint64_t hash = log_token_hash(token);

				assert_true(log_shard_has(shards[log_shard_of(hash, LOG_SHARDS)],
							  hash, p));
			}
		}
	assert_int_equal(row, 9000);
	for (size_t n = 0; n < bytes.n; n++)
		assert_true(log_index_get(&index, str_of(bytes.p, n), hour, &a, NULL) != 0);
	buf_fini(&frames.frames);
	buf_fini(&frames.ends);
	arena_fini(&a);
	log_page_packer_fini(&packer);
}

/* The verdict of a template agrees with its texts. */
static void test_templates_are_searched_like_texts(void **state)
{
	static const char *const phrases[] = {"user",
					      "get",
					      "42",
					      "37ms",
					      "user42",
					      "a",
					      "k8s",
					      "aaaa",
					      "failed: a",
					      "get user",
					      "\xc3\xa4\xc3\xb6",
					      "e29b",
					      "deadbeef01",
					      "beef",
					      "ms",
					      "-",
					      "7"};
	char template[LOG_TEMPLATE_TEXT_MAX];
	struct log_scan scan = {.template = template};
	struct generator g = {17};

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct buf text = {0};
		struct str t;

		put_text(&g, &text);
		t = text.p ? buf_str(&text) : STR("");
		if (!log_scan_text(&scan, t)) {
			buf_fini(&text);
			continue;
		}
		for (size_t k = 0; k < countof(phrases); k++) {
			struct str p = str_from(phrases[k]), s = str_of(template, scan.template_n);
			enum log_verdict word = log_template_phrase(s, p);
			enum log_verdict part = log_template_part(s, p);
			bool has_word = log_has_phrase(t, p);
			bool has_part = t.n >= p.n && memmem(t.p, t.n, p.p, p.n);

			assert_true(word == LOG_MAYBE || has_word == (word == LOG_ALWAYS));
			assert_true(part == LOG_MAYBE || has_part == (part == LOG_ALWAYS));
		}
		buf_fini(&text);
	}
}

static void test_literals_of_expressions(void **state)
{
	static const struct {
		const char *pattern, *literal;
	} rows[] = {
		{"error.*timeout", "timeout"},
		{"a|b", ""},
		{"(?i)error", ""},
		{"user=[0-9]+ failed", " failed"},
		{"colou?r", "colo"},
		{"x{2}yz", "yz"},
		{"\\[error\\] \\d+", "[error] "},
		{"\\x41bcd", ""},
		{"(abc)def", "def"},
		{"[]abc]def", ""},
		{"ab+cd", "ab"},
		{"^start$", "start"},
		{"\\bword\\b", "word"},
		{"", ""},
		{"a\\", ""},
		{"(abc", ""},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		char room[64];
		struct str found = log_regex_literal(str_from(rows[i].pattern), room, sizeof(room));

		if (!str_eq(found, str_from(rows[i].literal)))
			print_error("%s: %.*s\n", rows[i].pattern, STR_ARG(found));
		assert_true(str_eq(found, str_from(rows[i].literal)));
	}
}

static void test_texts_come_back(void **state)
{
	struct log_strings_packer packer = {0};
	const struct log_tokens tokens = {ignore_token, NULL};
	struct generator g = {23};

	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		struct buf texts[200] = {0}, head = {0}, rest = {0}, scratch = {0};
		struct str at[200];
		struct column_cursor c;
		struct log_strings s;
		struct arena a;

		arena_init(&a, NULL);
		packer.arena = &a;
		for (unsigned i = 0; i < 200; i++) {
			put_text(&g, &texts[i]);
			at[i] = buf_str(&texts[i]);
		}
		assert_ok(log_strings_put(&packer, &head, &rest, at, 200, &tokens));
		c = column_cursor(buf_str(&head));
		assert_ok(log_strings_get(&s, &c, 200, &a));
		c = column_cursor(buf_str(&rest));
		assert_ok(log_strings_get_rest(&s, &c, &a));
		for (uint32_t i = 0; i < 200; i++) {
			assert_true(str_eq(log_strings_text(&s, i, &scratch), at[i]));
			buf_fini(&texts[i]);
		}
		buf_fini(&head);
		buf_fini(&rest);
		buf_fini(&scratch);
		arena_fini(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages_return_all_fields),
		cmocka_unit_test(test_damaged_pages_are_harmless),
		cmocka_unit_test(test_rows_come_back),
		cmocka_unit_test(test_blocks_have_an_index_and_a_filter),
		cmocka_unit_test(test_templates_are_searched_like_texts),
		cmocka_unit_test(test_literals_of_expressions),
		cmocka_unit_test(test_texts_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
