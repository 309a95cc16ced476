/* SPDX-License-Identifier: Apache-2.0 */
/* Details of spans, packed and as columns: they come back byte for byte, and damage is found. */
#include "store/sqlite/block/columns.h"
#include "store/sqlite/spans/span_check.h"
#include "store/sqlite/spans/span_columns.h"
#include "store/sqlite/spans/span_filter.h"
#include "store/sqlite/spans/span_packed.h"

#include "store/random_details.h"

struct blocks {
	struct arena arena;
	struct span_rows rows;
	struct span_order order;
	struct buf packed, index, columns;
};

static void add_origin(struct blocks *b, const char *message, uint32_t *number)
{
	struct span_origin o = {str_from(message), STR("url")};
	struct buf encoded = {0};

	span_origin_put(&encoded, &o);
	assert_ok(span_rows_string(&b->rows, &b->arena, buf_str(&encoded), number));
	++*number;
	buf_fini(&encoded);
}

static void add_row(struct blocks *b, uint32_t i, struct str details)
{
	struct kept_span s = {.start = i};

	s.trace_id[3] = (uint8_t)(1 + i / 50);
	s.trace_id[4] = (uint8_t)(i / 50 >> 8);
	memcpy(s.span_id, &i, sizeof(i));
	s.span_id[7] = 1;
	assert_ok(span_rows_string(&b->rows, &b->arena, STR("name"), &s.name));
	assert_ok(span_rows_string(&b->rows, &b->arena, STR(""), &s.tenant));
	s.service = s.name;
	if (i % 3)
		add_origin(b, i % 2 ? "\x0a\x08\x0a\x01r\x12\x03\x0a\x01v" : "", &s.resource);
	if (i % 5)
		add_origin(b, "\x0a\x05scope", &s.scope);
	assert_ok(arena_copy_str(&b->arena, details, &s.details));
	b->rows.bytes += details.n;
	assert_ok(vec_push(&b->arena, &b->rows.spans, s));
}

static void encode(struct blocks *b)
{
	assert_ok(span_order_init(&b->order, b->rows.spans.at, b->rows.spans.n));
	assert_ok(span_packed_put(&b->packed, &b->rows, &b->order));
	assert_ok(span_columns_put(&b->index, &b->columns, &b->rows, &b->order));
}

static void make_blocks(struct blocks *b, uint32_t n)
{
	struct proto_writer w = {0};
	uint64_t seed = 5;

	*b = (struct blocks){0};
	arena_init(&b->arena, NULL);
	for (uint32_t i = 0; i < n; i++) {
		proto_writer_clear(&w);
		random_details(&w, &seed);
		add_row(b, i, proto_writer_str(&w));
	}
	/* no messages: invalid tags, and lengths that are longer than needed */
	add_row(b, n, STR("\xff\xff"));
	add_row(b, n + 1, STR("\x4a\x09\x0a\x01k\x12\x04\x0a\x82\x00xy"));
	add_row(b, n + 2, STR("\x4a\x08\x0a\x01k\x12\x03\x18\x80\x00"));
	add_row(b, n + 3, STR(""));
	encode(b);
	proto_writer_fini(&w);
}

static void free_blocks(struct blocks *b)
{
	span_order_fini(&b->order);
	arena_fini(&b->arena);
	buf_fini(&b->packed);
	buf_fini(&b->index);
	buf_fini(&b->columns);
}

/* The rows that a decoded block has before its details are read. */
static void bare_rows(const struct blocks *b, struct span_rows *out, struct arena *a)
{
	*out = (struct span_rows){0};
	for (uint32_t t = 0; t < b->order.traces_n; t++)
		for (uint32_t i = 0; i < b->order.traces[t].n; i++) {
			struct kept_span s = b->order.spans[b->order.traces[t].first + i];

			s.details = (struct str){0};
			s.resource = s.scope = 0;
			assert_ok(vec_push(a, &out->spans, s));
		}
	out->block_spans = out->spans.n;
	for (uint32_t i = 0; i < b->rows.strings.n; i++)
		assert_ok(vec_push(a, &out->strings, b->rows.strings.at[i]));
}

static void assert_same_origin(const struct span_rows *a, uint32_t x, const struct span_rows *b,
			       uint32_t y)
{
	assert_int_equal(x != 0, y != 0);
	if (x)
		assert_str_equal(a->strings.at[x - 1], b->strings.at[y - 1]);
}

static void assert_same_rows(const struct blocks *b, const struct span_rows *rows)
{
	for (uint32_t i = 0; i < rows->spans.n; i++) {
		const struct kept_span *got = &rows->spans.at[i];
		const struct kept_span *put = &b->rows.spans.at[got->start];

		assert_str_equal(got->details, put->details);
		assert_same_origin(rows, got->resource, &b->rows, put->resource);
		assert_same_origin(rows, got->scope, &b->rows, put->scope);
	}
}

static void details_come_back_byte_for_byte(void **state)
{
	struct span_rows rows;
	struct blocks b;
	struct arena a;
	struct err e = {0};

	(void)state;
	arena_init(&a, NULL);
	make_blocks(&b, 3 * SPAN_GROUP_ROWS / 2);
	bare_rows(&b, &rows, &a);
	assert_int_equal(rows.spans.n, b.rows.spans.n);
	assert_ok_err(span_packed_get(&rows, buf_str(&b.packed), &a, &e), &e);
	assert_same_rows(&b, &rows);
	bare_rows(&b, &rows, &a);
	assert_ok_err(
		span_columns_get(&rows, buf_str(&b.index), buf_str(&b.columns), NULL, NULL, &a, &e),
		&e);
	assert_same_rows(&b, &rows);
	assert_true(b.columns.n * 3 < b.packed.n);
	free_blocks(&b);
	arena_fini(&a);
}

/* Leave about one of 200 spans, none of the first group. */
static void pick_rows(struct span_rows *rows, struct arena *a)
{
	uint32_t n = 0;
	uint64_t seed = 9;

	rows->picked = arena_alloc(a, rows->spans.n, sizeof(*rows->picked));
	assert_non_null(rows->picked);
	for (uint32_t i = SPAN_GROUP_ROWS; i < rows->spans.n; i++) {
		if (test_random(&seed, 200))
			continue;
		rows->picked[n] = i;
		rows->spans.at[n++] = rows->spans.at[i];
	}
	assert_true(n > 20);
	rows->spans.n = n;
}

static void some_spans_of_a_block_can_be_read(void **state)
{
	struct span_rows rows;
	struct blocks b;
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	make_blocks(&b, 3 * SPAN_GROUP_ROWS);
	bare_rows(&b, &rows, &a);
	pick_rows(&rows, &a);
	assert_ok(span_packed_get(&rows, buf_str(&b.packed), &a, NULL));
	assert_same_rows(&b, &rows);
	bare_rows(&b, &rows, &a);
	pick_rows(&rows, &a);
	memset(b.columns.p, 0xff, 100); /* of the first group */
	assert_ok(span_columns_get(&rows, buf_str(&b.index), buf_str(&b.columns), NULL, NULL, &a,
				   NULL));
	assert_same_rows(&b, &rows);
	free_blocks(&b);
	arena_fini(&a);
}

static void filters_have_every_value(void **state)
{
	uint64_t key = span_filter_key(SPAN_FILTER_SPAN, STR("key.1"));
	struct span_rows rows;
	struct span_index in;
	struct blocks b;
	struct arena a;
	uint32_t missing, wrong = 0;

	(void)state;
	arena_init(&a, NULL);
	make_blocks(&b, 5000);
	bare_rows(&b, &rows, &a);
	assert_ok(span_packed_get(&rows, buf_str(&b.packed), &a, NULL));
	assert_ok(span_index_check(&rows, buf_str(&b.index), &missing, NULL));
	assert_int_equal(missing, 0);
	assert_ok(span_index_get(&in, &rows, buf_str(&b.index), &a, NULL));
	assert_true(span_filter_has(
		in.groups[0].filter,
		span_filter_text(span_filter_key(SPAN_FILTER_RESOURCE, STR("r")), STR("v"))));
	for (unsigned i = 0; i < 1000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "absent %u", i);
		wrong +=
			span_filter_has(in.groups[0].filter, span_filter_text(key, str_from(text)));
	}
	assert_in_range(wrong, 0, 60); /* about 1 % */
	free_blocks(&b);
	arena_fini(&a);
}

static void an_index_without_times_is_read(void **state)
{
	struct span_rows rows;
	struct span_index in;
	struct buf times = {0};
	struct blocks b;
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	make_blocks(&b, 100);
	column_put_varint(&times, 0); /* starts 0 to 103, without durations */
	column_put_varint(&times, 103);
	column_put_varint(&times, 103);
	column_put_varint(&times, 0);
	bare_rows(&b, &rows, &a);
	assert_ok(span_index_get(&in, &rows, buf_str(&b.index), &a, NULL));
	assert_int_equal(in.group_count, 1);
	assert_int_equal(in.groups[0].last_start, 103);
	assert_int_equal(in.groups[0].longest, 0);
	assert_memory_equal(b.index.p + b.index.n - times.n, times.p, times.n);
	b.index.n -= times.n;
	bare_rows(&b, &rows, &a);
	assert_ok(span_index_get(&in, &rows, buf_str(&b.index), &a, NULL));
	assert_true(in.groups[0].first_start == 0 && in.groups[0].last_start == UINT64_MAX);
	assert_true(in.groups[0].last_end == UINT64_MAX && in.groups[0].longest == UINT64_MAX);
	bare_rows(&b, &rows, &a);
	assert_ok(span_columns_get(&rows, buf_str(&b.index), buf_str(&b.columns), NULL, NULL, &a,
				   NULL));
	assert_same_rows(&b, &rows);
	buf_fini(&times);
	free_blocks(&b);
	arena_fini(&a);
}

static void needed_columns_alone_are_read(void **state)
{
	const struct trace_field key = {.scope = TRACE_SCOPE_SPAN, .key = STR("key.1")};
	struct span_need need;
	struct span_rows rows;
	struct blocks b;
	struct arena a;
	unsigned found = 0;

	(void)state;
	arena_init(&a, NULL);
	make_blocks(&b, 2000);
	bare_rows(&b, &rows, &a);
	assert_ok(span_need_of(&need, &key, 1, &a));
	assert_ok(span_columns_get(&rows, buf_str(&b.index), buf_str(&b.columns), &need, NULL, &a,
				   NULL));
	for (uint32_t i = 0; i < rows.spans.n; i++) {
		struct str put = b.rows.spans.at[rows.spans.at[i].start].details;
		struct str got = rows.spans.at[i].details;
		struct value x, y;
		bool had = otlp_attribute_find(put, OTLP_SPAN_ATTRIBUTES, key.key, &x);

		assert_true(got.n <= put.n);
		assert_int_equal(otlp_attribute_find(got, OTLP_SPAN_ATTRIBUTES, key.key, &y), had);
		assert_false(otlp_attribute_find(got, OTLP_SPAN_ATTRIBUTES, STR("key.2"), &y));
		found += had;
	}
	assert_true(found > 100);
	free_blocks(&b);
	arena_fini(&a);
}

static void decode_any(const struct blocks *b, struct str index, struct str columns,
		       struct str packed)
{
	struct budget budget = {.limit = 64 * MIB};
	struct span_rows rows;
	struct arena a;
	struct err e = {0};
	int rc;

	arena_init(&a, &budget);
	bare_rows(b, &rows, &a);
	rc = span_columns_get(&rows, index, columns, NULL, NULL, &a, &e);
	assert_true(!rc || (e.text[0] && (rc == -EUCLEAN || rc == -ENOMEM)));
	bare_rows(b, &rows, &a);
	rc = span_packed_get(&rows, packed, &a, NULL);
	assert_true(!rc || rc == -EUCLEAN || rc == -ENOMEM);
	arena_fini(&a);
	assert_int_equal(budget.used, 0);
}

static void mutate(struct blocks *b, struct buf *part, uint64_t *seed)
{
	for (unsigned i = 0; i < 3000; i++) {
		size_t at = test_random(seed, (uint32_t)part->n);
		char was = part->p[at];

		part->p[at] = (char)test_random(seed, 256);
		decode_any(b, buf_str(&b->index), buf_str(&b->columns), buf_str(&b->packed));
		part->p[at] = was;
	}
}

static void truncated_and_changed_details_do_no_harm(void **state)
{
	struct blocks b;
	uint64_t seed = 3;

	(void)state;
	make_blocks(&b, 100);
	for (size_t n = 0; n < b.index.n; n += 7) {
		char *cut = malloc(n ? n : 1);

		memcpy(cut, b.index.p, n);
		decode_any(&b, str_of(cut, n), buf_str(&b.columns),
			   str_head(buf_str(&b.packed), n));
		free(cut);
	}
	for (size_t n = 0; n < b.columns.n; n += 7)
		decode_any(&b, buf_str(&b.index), str_head(buf_str(&b.columns), n),
			   str_head(buf_str(&b.packed), n));
	mutate(&b, &b.index, &seed);
	mutate(&b, &b.columns, &seed);
	mutate(&b, &b.packed, &seed);
	free_blocks(&b);
}

static void groups_are_cut_by_bytes(void **state)
{
	struct span_rows rows;
	struct span_index in;
	struct buf details = {0};
	struct blocks b = {0};
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	arena_init(&b.arena, NULL);
	for (unsigned i = 0; i < SPAN_GROUP_BYTES / 3; i += 100)
		buf_put_str(&details, STR("\x4a\x62\x0a\x01k\x12\x5d\x0a\x5b"
					  "0123456789012345678901234567890123456789012345678901234"
					  "567890123456789012345678901234567890"));
	for (uint32_t i = 0; i < 7; i++)
		add_row(&b, i, buf_str(&details));
	encode(&b);
	bare_rows(&b, &rows, &a);
	assert_ok(span_columns_get(&rows, buf_str(&b.index), buf_str(&b.columns), NULL, NULL, &a,
				   NULL));
	assert_same_rows(&b, &rows);
	assert_ok(span_index_get(&in, &rows, buf_str(&b.index), &a, NULL));
	assert_int_equal(in.group_count, 4);
	buf_fini(&details);
	free_blocks(&b);
	arena_fini(&a);
}

TEST_MAIN(test(details_come_back_byte_for_byte), test(some_spans_of_a_block_can_be_read),
	  test(filters_have_every_value), test(an_index_without_times_is_read),
	  test(needed_columns_alone_are_read), test(truncated_and_changed_details_do_no_harm),
	  test(groups_are_cut_by_bytes))
