/* SPDX-License-Identifier: Apache-2.0 */
/* The fast path and the general path decode the same batch, errors and warnings. */
#include "format/otlp/decode/decode.h"
#include "format/otlp/encode.h"

#include "format/otlp/otlp_support.h"
#include "signal/random_batch.h"

/* Result of a decode: the batch as text, the error, the warnings. */
struct outcome {
	struct proto_writer batch;
	struct buf warnings;
	struct err e;
	int rc;
};

static void note(void *arg, const char *text)
{
	buf_printf(arg, "%s\n", text);
}

/* Decode the message `times` times into one batch, so that its rows are not the first ones. */
static void decode(struct outcome *o, struct str message, bool no_fast_path, unsigned times)
{
	struct decode_options options = {.warn = note, .warn_arg = &o->warnings};
	struct profile_batch b;
	struct otlp_decoder *d;

	*o = (struct outcome){0};
	proto_writer_init(&o->batch, NULL);
	assert_ok(profile_batch_init(&b, NULL));
	d = otlp_decoder_new(&b, message, &options, &o->e);
	assert_non_null(d);
	d->no_fast_path = no_fast_path;
	while (times-- > 0 && !o->rc)
		o->rc = otlp_decode_message(d, message);
	if (!o->rc) {
		assert_ok_err(profile_batch_check(&b, &o->e), &o->e);
		assert_ok(otlp_encode(&o->batch, &b));
	}
	profile_batch_fini(&b);
}

/*
 * Decode a copy of exact size, so that a sanitizer detects overreads, on both paths, and compare.
 * Return true if it decodes.
 */
static bool assert_same(struct str in, unsigned times)
{
	struct outcome fast, slow;
	char *copy = malloc(in.n + 1);
	bool good;

	assert_non_null(copy);
	memcpy(copy + 1, in.p, in.n);
	decode(&fast, str_of(copy + 1, in.n), false, times);
	decode(&slow, str_of(copy + 1, in.n), true, times);
	free(copy);
	assert_int_equal(fast.rc, slow.rc);
	assert_string_equal(fast.e.text, slow.e.text);
	assert_str_equal(buf_str(&fast.warnings), buf_str(&slow.warnings));
	assert_int_equal(proto_mark(&fast.batch), proto_mark(&slow.batch));
	if (proto_mark(&fast.batch))
		assert_memory_equal(proto_writer_str(&fast.batch).p,
				    proto_writer_str(&slow.batch).p, proto_mark(&fast.batch));
	good = !fast.rc;
	proto_writer_fini(&fast.batch);
	proto_writer_fini(&slow.batch);
	buf_fini(&fast.warnings);
	buf_fini(&slow.warnings);
	return good;
}

/* ---- random messages: `odd` of 1000 choices are unusual encodings ---- */

struct maker {
	uint64_t seed;
	uint32_t odd;
	uint32_t rows; /* of each table */
};

static bool is_unusual(struct maker *m)
{
	return test_random(&m->seed, 1000) < m->odd;
}

static void put_number(struct buf *out, uint32_t field, uint64_t n)
{
	if (!n && field % 2)
		return; /* some writers encode zeros, most do not */
	otlp_text_varint(out, PROTO_TAG(field, PROTO_VARINT));
	otlp_text_varint(out, n);
}

static void put_bytes(struct buf *out, uint32_t field, struct str bytes)
{
	otlp_text_varint(out, PROTO_TAG(field, PROTO_BYTES));
	otlp_text_varint(out, bytes.n);
	buf_put_str(out, bytes);
}

/* Return a number of any varint length; negative ones have ten bytes. */
static uint64_t any_number(struct maker *m)
{
	uint64_t n = (uint64_t)test_random(&m->seed, UINT32_MAX) << 32 |
		     test_random(&m->seed, UINT32_MAX);

	return n >> test_random(&m->seed, 64);
}

static uint64_t any_index(struct maker *m)
{
	return is_unusual(m) ? any_number(m) : test_random(&m->seed, m->rows);
}

/* Append an unknown or misplaced field. */
static void put_unusual_field(struct maker *m, struct buf *out)
{
	static const struct str odd[] = {
		STR_INIT("\x78\x01"),	      /* unknown */
		STR_INIT("\x08\x81\x00"),     /* an overlong varint */
		STR_INIT("\x10\x01\x08\x01"), /* in another order */
		STR_INIT("\x88\x00\x01"),     /* a tag of two bytes */
		STR_INIT("\x1a\x02\x08\x01"), STR_INIT("\x1a\x80\x00"),
		STR_INIT("\x22\x01\x01"),     STR_INIT("\x22\x02\x01\x01"),
		STR_INIT("\x0a\x02\x01\x02"), STR_INIT("\x18\xff\xff\xff\xff\xff\x7f"),
	};

	buf_put_str(out, odd[test_random(&m->seed, countof(odd))]);
}

/* Append the message in `inner` as a field of `out`. */
static void put_row(struct maker *m, struct buf *out, uint32_t field, struct buf *inner)
{
	if (is_unusual(m))
		put_unusual_field(m, inner);
	if (inner->n && is_unusual(m) && !test_random(&m->seed, 100))
		inner->n--; /* truncated */
	put_bytes(out, field, buf_str(inner));
	buf_clear(inner);
}

static void put_list(struct maker *m, struct buf *out, uint32_t field, uint32_t most)
{
	struct buf list = {0};

	for (uint32_t n = test_random(&m->seed, most + 1); n > 0; n--)
		otlp_text_varint(&list, any_index(m));
	if (list.n || is_unusual(m))
		put_bytes(out, field, buf_str(&list));
	buf_fini(&list);
}

static void put_location(struct maker *m, struct buf *out)
{
	struct buf row = {0}, line = {0};

	put_number(&row, 1, any_index(m));
	put_number(&row, 2, any_number(m) >> test_random(&m->seed, 60));
	for (uint32_t n = test_random(&m->seed, 3); n > 0; n--) {
		put_number(&line, 1, any_index(m));
		put_number(&line, 2, test_random(&m->seed, 900));
		put_number(&line, 3, test_random(&m->seed, 2));
		put_row(m, &row, 3, &line);
	}
	put_list(m, &row, 4, 2);
	put_row(m, out, TABLE_LOCATIONS, &row);
	buf_fini(&row);
	buf_fini(&line);
}

static void put_function(struct maker *m, struct buf *out)
{
	struct buf row = {0};

	put_number(&row, 1, any_index(m));
	put_number(&row, 2, test_random(&m->seed, 2) ? any_index(m) : 0);
	put_number(&row, 3, any_index(m));
	put_number(&row, 4, is_unusual(m) ? any_number(m) : test_random(&m->seed, 900));
	put_row(m, out, TABLE_FUNCTIONS, &row);
	buf_fini(&row);
}

static void put_string(struct maker *m, struct buf *out)
{
	static const char *const odd[] = {"\xc3\xa4", "\xff", "\xc3", "\xe2\x82"};
	struct buf text = {0};

	for (uint32_t n = test_random(&m->seed, is_unusual(m) ? 300 : 70); n > 0; n--)
		buf_put_char(&text, (char)('a' + n % 26));
	if (is_unusual(m))
		buf_put_str(&text, str_from(odd[test_random(&m->seed, countof(odd))]));
	put_bytes(out, TABLE_STRINGS, buf_str(&text));
	buf_fini(&text);
}

static void put_attribute(struct maker *m, struct buf *out)
{
	struct buf row = {0};

	put_number(&row, 1, any_index(m));
	put_bytes(&row, 2, STR("\x18\x07"));
	put_row(m, out, TABLE_ATTRIBUTES, &row);
	buf_fini(&row);
}

static void put_table_row(struct maker *m, struct buf *out, enum otlp_table table)
{
	struct buf row = {0};

	if (table == TABLE_LOCATIONS)
		put_location(m, out);
	else if (table == TABLE_FUNCTIONS)
		put_function(m, out);
	else if (table == TABLE_STRINGS)
		put_string(m, out);
	else if (table == TABLE_ATTRIBUTES)
		put_attribute(m, out);
	else if (table == TABLE_STACKS)
		put_list(m, &row, 1, 90);
	if (table == TABLE_STACKS || table == TABLE_MAPPINGS || table == TABLE_LINKS)
		put_row(m, out, table, &row);
	buf_fini(&row);
}

static void put_dictionary(struct maker *m, struct buf *out)
{
	for (uint32_t t = 1; t < OTLP_TABLES; t++) {
		if (!is_unusual(m))
			put_bytes(out, t, STR("")); /* the zero row */
		for (uint32_t n = 1; n < m->rows; n++) {
			put_table_row(m, out, (enum otlp_table)t);
			if (is_unusual(m)) /* rows of tables alternate */
				put_table_row(m, out, TABLE_STRINGS);
		}
	}
}

static void put_sample(struct maker *m, struct buf *out)
{
	struct buf row = {0};
	uint64_t time = 1000;

	put_number(&row, 1, any_index(m));
	put_list(m, &row, 2, 3);
	put_number(&row, 3, test_random(&m->seed, 2) ? any_index(m) : 0);
	if (test_random(&m->seed, 2)) {
		struct buf value = {0};

		otlp_text_varint(&value, any_number(m));
		put_bytes(&row, 4, buf_str(&value));
		buf_fini(&value);
	}
	if (is_unusual(m) || test_random(&m->seed, 2))
		put_bytes(&row, 5, str_of((const char *)&time, sizeof(time)));
	put_row(m, out, 2, &row);
	buf_fini(&row);
}

/* Append a message with the first bytes of a field, at its end or followed by other fields. */
static void put_message(struct buf *out, struct str other, uint32_t field, struct str bytes,
			bool more)
{
	static const char tail[80];

	buf_clear(out);
	buf_put_str(out, other);
	put_bytes(out, field, bytes);
	if (more)
		put_bytes(out, 15, str_of(tail, sizeof(tail)));
}

/* Append samples in a profile in a scope in a resource. */
static void put_resource(struct buf *out, struct str samples)
{
	struct buf scope = {0}, profile = {0};

	buf_put_str(&profile, samples);
	put_bytes(&scope, 2, buf_str(&profile));
	put_bytes(out, 2, buf_str(&scope));
	buf_fini(&scope);
	buf_fini(&profile);
}

struct parts {
	struct buf dictionary, samples, resource, all;
};

static void make_parts(struct maker *m, struct parts *p)
{
	buf_clear(&p->dictionary);
	buf_clear(&p->samples);
	buf_clear(&p->resource);
	put_dictionary(m, &p->dictionary);
	for (uint32_t i = 0; i < 2 * m->rows; i++)
		put_sample(m, &p->samples);
	put_resource(&p->resource, buf_str(&p->samples));
}

static void free_parts(struct parts *p)
{
	buf_fini(&p->dictionary);
	buf_fini(&p->samples);
	buf_fini(&p->resource);
	buf_fini(&p->all);
}

/* Assemble the message, with the dictionary or the profiles last. */
static void put_all(struct parts *p, bool dictionary_last, bool more)
{
	struct buf head = {0};

	if (dictionary_last)
		put_bytes(&head, 1, buf_str(&p->resource));
	else
		put_bytes(&head, 2, buf_str(&p->dictionary));
	put_message(&p->all, buf_str(&head), dictionary_last ? 2 : 1,
		    buf_str(dictionary_last ? &p->dictionary : &p->resource), more);
	buf_fini(&head);
}

static void random_messages_decode_the_same_on_both_paths(void **state)
{
	static const uint32_t odds[] = {0, 1, 10, 100};
	struct parts p = {0};
	unsigned good = 0, bad = 0;

	(void)state;
	for (uint32_t i = 0; i < 2000; i++) {
		struct maker m = {.seed = i, .odd = odds[i % 4], .rows = 2 + i % 200};

		make_parts(&m, &p);
		put_all(&p, i & 4, i & 8);
		if (assert_same(buf_str(&p.all), 1 + i / 16 % 2))
			good++;
		else
			bad++;
	}
	assert_true(good > 1000 && bad > 200); /* both kinds occur */
	free_parts(&p);
}

static void every_prefix_of_a_dictionary_decodes_the_same_on_both_paths(void **state)
{
	struct parts p = {0};

	(void)state;
	for (uint32_t i = 0; i < 12; i++) {
		struct maker m = {.seed = 1000 + i, .odd = i % 3, .rows = 4 + i};
		struct buf head = {0};

		make_parts(&m, &p);
		put_bytes(&head, 1, buf_str(&p.resource));
		for (size_t n = 0; n <= p.dictionary.n; n++) {
			put_message(&p.all, buf_str(&head), 2, str_of(p.dictionary.p, n), n % 2);
			assert_same(buf_str(&p.all), 1);
		}
		buf_fini(&head);
	}
	free_parts(&p);
}

static void every_prefix_of_the_samples_decodes_the_same_on_both_paths(void **state)
{
	struct parts p = {0};

	(void)state;
	for (uint32_t i = 0; i < 12; i++) {
		struct maker m = {.seed = 2000 + i, .odd = i % 3, .rows = 4 + i};

		make_parts(&m, &p);
		for (size_t n = 0; n <= p.samples.n; n++) {
			buf_clear(&p.resource);
			put_resource(&p.resource, str_of(p.samples.p, n));
			put_all(&p, false, n % 2);
			assert_same(buf_str(&p.all), 1);
		}
	}
	free_parts(&p);
}

static void mutants_decode_the_same_on_both_paths(void **state)
{
	struct parts p = {0};
	uint64_t seed = 7;

	(void)state;
	for (uint32_t i = 0; i < 30; i++) {
		struct maker m = {.seed = 3000 + i, .odd = i % 3, .rows = 4 + i};

		make_parts(&m, &p);
		for (uint32_t k = 0; k < 300; k++) {
			struct buf *hit = k % 2 ? &p.dictionary : &p.resource;
			char *at = hit->p + test_random(&seed, (uint32_t)hit->n), was = *at;

			*at = (char)test_random(&seed, 256);
			put_all(&p, k & 2, k & 4);
			assert_same(buf_str(&p.all), 1);
			*at = was;
		}
	}
	free_parts(&p);
}

TEST_MAIN(test(random_messages_decode_the_same_on_both_paths),
	  test(every_prefix_of_a_dictionary_decodes_the_same_on_both_paths),
	  test(every_prefix_of_the_samples_decodes_the_same_on_both_paths),
	  test(mutants_decode_the_same_on_both_paths))
