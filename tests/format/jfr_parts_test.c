/* SPDX-License-Identifier: Apache-2.0 */
/* Two ways to the same batch: part by part or at once, and integers many at a time or one by one. */
#include <stdlib.h>

#include "format/decode_helper.h"
#include "format/jfr/jfr.h"
#include "format/jfr_recording.h"
#include "format/otlp/otlp.h"

/* Hands out exactly what was asked for, each time in other memory, so that whoever reads more or later is caught. */
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

/* What was decoded, as OTLP; or the error. */
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

static void parts_say_what_the_whole_says_wherever_it_is_cut(void **state)
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

/* Frames of one to nine bytes an integer, some often, some once. The methods need not be described. */
static void make_random_frame(struct jfr_make *m, uint32_t *seed)
{
	static const uint64_t methods[] = {1, 3, 200, 70000, 1 << 27, FAR_ID, FAR_ID | 0x80};
	uint32_t r = next_random(seed);

	make_frame(m, r % 50 ? methods[r % 3] : methods[r / 50 % countof(methods)],
		   (int32_t)(r % 11 ? r % 400 : r), r % 3);
}

/* A recording with one sample of each of many stacks, up to some windows deep. */
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

TEST_MAIN(test(parts_say_what_the_whole_says_wherever_it_is_cut),
	  test(integers_of_any_length_are_read_in_deep_stacks))
