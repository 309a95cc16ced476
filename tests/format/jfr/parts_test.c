/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Different ways to decode a recording give the same batch: in parts or at once, with vectorized or
 * single integers, one type only or all types.
 */
#include <stdlib.h>

#include "format/decode_helper.h"
#include "format/jfr/jfr.h"
#include "format/jfr/jfr_recording.h"
#include "format/otlp/otlp.h"

/*
 * A source that returns exactly the requested bytes in new memory each time, to detect overreads.
 */
struct strict_source {
	struct byte_source source;
	struct str all;
	char *part;
};

static int next_strictly(struct byte_source *source, size_t n, struct str *bytes, struct err *e)
{
	struct strict_source *s = (struct strict_source *)source;
	struct str part = str_head(str_from_at(s->all, source->offset), n);

	(void)e;
	free(s->part);
	s->part = malloc(part.n + 1);
	assert_non_null(s->part);
	if (part.n)
		memcpy(s->part, part.p, part.n);
	*bytes = str_of(s->part, part.n);
	return 0;
}

/* The decoded batch as OTLP, or the error. */
struct outcome {
	struct buf otlp;
	struct err e;
	int rc;
};

static void finish(struct outcome *o, struct profile_batch *b)
{
	if (!o->rc) {
		assert_batch_valid(b);
		assert_ok(format_otlp.encode(&o->otlp, b, NULL, NULL));
	}
	profile_batch_fini(b);
}

static void decode_parts(struct outcome *o, struct str in)
{
	struct strict_source s = {.source.next = next_strictly, .all = in};
	struct profile_batch b;

	*o = (struct outcome){0};
	assert_ok(profile_batch_init(&b, NULL));
	o->rc = format_jfr.decode_parts(&b, &s.source, NULL, &o->e);
	free(s.part);
	finish(o, &b);
}

static void decode_all(struct outcome *o, struct str in)
{
	struct profile_batch b;

	*o = (struct outcome){0};
	assert_ok(profile_batch_init(&b, NULL));
	o->rc = format_jfr.decode(&b, in, NULL, &o->e);
	finish(o, &b);
}

static void assert_same_outcome(struct outcome *a, struct outcome *b)
{
	assert_int_equal(a->rc, b->rc);
	assert_string_equal(a->e.text, b->e.text);
	assert_str_equal(buf_str(&a->otlp), buf_str(&b->otlp));
	buf_fini(&a->otlp);
	buf_fini(&b->otlp);
}

static void decoding_in_parts_of_any_size_gives_the_same_batch(void **state)
{
	(void)state;
	for (int compressed = 0; compressed < 2; compressed++) {
		struct jfr_make m = {.compressed = compressed};

		make_recording(&m);
		make_recording_chunk(&m, "play");
		make_chunk_end(&m);
		for (size_t n = 0; n <= m.out.n; n++) {
			struct outcome parts, all;

			decode_parts(&parts, str_head(buf_str(&m.out), n));
			decode_all(&all, str_head(buf_str(&m.out), n));
			assert_same_outcome(&parts, &all);
		}
		buf_fini(&m.out);
	}
}

/* Append a frame with integers of one to nine bytes; some repeat. Methods need no description. */
static void make_random_frame(struct jfr_make *m, uint32_t *seed)
{
	static const uint64_t methods[] = {1, 3, 200, 70000, 1 << 27, FAR_ID, FAR_ID | 0x80};
	uint32_t r = next_random(seed);

	make_frame(m, r % 50 ? methods[r % 3] : methods[r / 50 % countof(methods)],
		   (int32_t)(r % 11 ? r % 400 : r), r % 3);
}

/* Make a recording with one sample of each of many stacks, up to a few windows deep. */
static void make_deep_stacks(struct jfr_make *m, uint32_t seed)
{
	enum { STACKS = 200, DEPTH = 150 };

	make_recording_chunk(m, "work");
	for (uint64_t i = 0; i < STACKS; i++)
		make_execution(m, 5000 + i, 1000 + i, 1, 0);
	make_checkpoint_begin(m, 1);
	make_pool(m, T_STACK, STACKS);
	for (uint64_t i = 0; i < STACKS; i++) {
		uint32_t depth = next_random(&seed) % DEPTH;

		make_stack(m, 1000 + i, depth);
		while (depth--)
			make_random_frame(m, &seed);
	}
	make_event_end(m);
	make_chunk_end(m);
}

static void integers_of_any_length_are_read_in_deep_stacks(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed < 20; seed++) {
		struct jfr_make m[2] = {{.compressed = false}, {.compressed = true}};
		struct outcome o[2];

		for (int i = 0; i < 2; i++) {
			make_deep_stacks(&m[i], seed);
			assert_ok(buf_error(&m[i].out));
			decode_parts(&o[i], buf_str(&m[i].out));
			assert_int_equal(o[i].rc, 0);
			buf_fini(&m[i].out);
		}
		assert_same_outcome(&o[0], &o[1]);
	}
}

static int64_t total(const struct profile_batch *b, const struct profile *p)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->sample_count; i++)
		sum += sample_total(b, p->sample_first + i);
	return sum;
}

/* Decode one type only: all profiles exist, those of the type have all samples, others none. */
static void check_one_type(struct str in, const struct profile_batch *all, const char *type)
{
	struct decode_options o = {.sample_type = str_from(type)};
	struct str name = str_head(o.sample_type, str_find(o.sample_type, '/'));
	struct profile_batch b;

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(format_jfr.decode(&b, in, &o, NULL));
	assert_batch_valid(&b);
	assert_int_equal(b.profiles.n, all->profiles.n);
	for (uint32_t i = 0; i < b.profiles.n; i++) {
		const struct profile *one = &b.profiles.at[i], *full = &all->profiles.at[i];
		struct str own = string_of(&b, one->sample_type.type);

		assert_str_equal(own, string_of(all, full->sample_type.type));
		if (str_eq(own, name)) {
			assert_int_equal(one->sample_count, full->sample_count);
			assert_int_equal(total(&b, one), total(all, full));
		} else if (str_eq(name, STR("cpu")) || str_eq(name, STR("wall"))) {
			assert_int_equal(one->sample_count, 0);
		}
	}
	profile_batch_fini(&b);
}

static void decoding_one_type_gives_the_same_samples(void **state)
{
	static const char *const types[] = {
		"cpu",
		"wall/nanoseconds",
		"alloc_in_new_tlab_bytes/bytes",
		"contentions",
		"delay",
		"no such type",
		"",
	};
	struct jfr_make m = {.compressed = true};
	struct profile_batch all;

	(void)state;
	make_recording(&m);
	make_deep_stacks(&m, 3);
	make_recording_chunk(&m, "play");
	make_execution(&m, 6000, 0, 1, 0); /* a nonexistent stack */
	make_chunk_end(&m);
	assert_ok(profile_batch_init(&all, NULL));
	assert_ok(format_jfr.decode(&all, buf_str(&m.out), NULL, NULL));
	for (size_t i = 0; i < countof(types); i++)
		check_one_type(buf_str(&m.out), &all, types[i]);
	profile_batch_fini(&all);
	buf_fini(&m.out);
}

static void a_profile_without_samples_or_finished_chunks_has_no_time(void **state)
{
	struct decode_options o = {.sample_type = STR("cpu")};
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_clock(&m);
	make_chunk_begin(&m);
	make_metadata(&m, recording_types);
	make_allocation(&m, 3100, 512);
	make_header(&m); /* size 0 */
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(format_jfr.decode(&b, buf_str(&m.out), &o, NULL));
	assert_batch_valid(&b);
	assert_int_equal(b.profiles.n, 2);
	assert_int_equal(b.profiles.at[0].duration_nano, 0);
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

TEST_MAIN(test(decoding_in_parts_of_any_size_gives_the_same_batch),
	  test(integers_of_any_length_are_read_in_deep_stacks),
	  test(decoding_one_type_gives_the_same_samples),
	  test(a_profile_without_samples_or_finished_chunks_has_no_time))
