/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk decodes to the rows it was encoded from, in every layout, and damage is reported. */
#include "store/sqlite/block/chunk_decode.h"
#include "store/sqlite/block/chunk_encode.h"

#include "base/clock.h"
#include "store/store_support.h"

enum { HOUR = 480000, SERIES = 5, FEW = 12, MANY = 48, NODES = 3000 };

struct fixture {
	struct arena arena;
	struct rows rows;
	struct chunk_parts parts;
};

static void add_sample(struct fixture *f, uint64_t *seed, uint64_t time)
{
	struct rows *r = &f->rows;
	struct link link = {.trace_id = {1}, .span_id = {2}};
	bool linked = test_random(seed, 20) == 0;
	uint32_t number = 0;

	assert_ok(vec_push(&f->arena, &r->node, test_random(seed, NODES)));
	assert_ok(vec_push(&f->arena, &r->value, 10 * (int64_t)test_random(seed, 1000)));
	if (linked) {
		link.span_id[1] = (uint8_t)test_random(seed, 256);
		link.trace_id[1] = (uint8_t)test_random(seed, 4);
		assert_ok(vec_push(&f->arena, &r->links, link));
		number = r->links.n - 1;
	}
	assert_ok(vec_push(&f->arena, &r->link, number));
	assert_ok(vec_push(&f->arena, &r->sample_time, linked ? time + number : 0));
	r->total.at[r->total.n - 1] += r->value.at[r->value.n - 1];
}

/* Make profiles sorted by series and time, the order in which chunks store them. */
static void make_rows(struct fixture *f, uint32_t profiles, uint32_t samples)
{
	struct rows *r = &f->rows;
	uint64_t seed = samples;

	assert_ok(vec_push(&f->arena, &r->links, (struct link){0}));
	for (uint32_t i = 0; i < SERIES * profiles; i++) {
		uint64_t time =
			(HOUR * 3600 + (uint64_t)(i % profiles) * 3500 / profiles) * NS_PER_SECOND +
			i;

		assert_ok(vec_push(&f->arena, &r->series, i / profiles * 3));
		assert_ok(vec_push(&f->arena, &r->time, time));
		assert_ok(vec_push(&f->arena, &r->duration, NS_PER_SECOND));
		assert_ok(vec_push(&f->arena, &r->total, 0));
		assert_ok(vec_push(&f->arena, &r->count, samples));
		for (uint32_t k = 0; k < samples; k++)
			add_sample(f, &seed, time);
	}
	assert_ok(chunk_encode(&f->parts, r, HOUR));
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	arena_init(&f->arena, NULL);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	chunk_parts_fini(&f->parts);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

static struct sample_parts parts_of(const struct fixture *f)
{
	return (struct sample_parts){buf_str(&f->parts.runs), buf_str(&f->parts.detail),
				     buf_str(&f->parts.linked), buf_str(&f->parts.links), NULL};
}

struct sample {
	uint32_t node;
	int64_t value;
	uint64_t time;
	struct link link;
};

static int compare_samples(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct sample));
}

/* Return the samples of a profile in canonical order. */
static struct sample *samples_of(const struct rows *r, uint32_t profile, struct arena *a)
{
	uint32_t *at = rows_offsets(r, a), n = r->count.at[profile];
	struct sample *out = arena_zalloc(a, n, sizeof(*out));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = at[profile] + i;

		out[i].node = r->node.at[row];
		out[i].value = r->value.at[row];
		out[i].time = r->sample_time.at[row];
		out[i].link = r->links.at[r->link.at[row]];
	}
	qsort(out, n, sizeof(*out), compare_samples);
	return out;
}

static void check_rows(struct fixture *f, const struct sample_parts *parts)
{
	struct rows out;
	struct err e = {0};

	assert_ok_err(chunk_points(&out, buf_str(&f->parts.points), HOUR, &f->arena, &e), &e);
	assert_int_equal(out.by_hour, f->rows.series.n == SERIES * FEW);
	assert_ok_err(chunk_samples(&out, parts, &f->arena, &e), &e);
	assert_int_equal(out.series.n, f->rows.series.n);
	for (uint32_t i = 0; i < out.series.n; i++) {
		uint32_t n = f->rows.count.at[i];

		assert_int_equal(out.count.at[i], n);
		assert_int_equal(out.time.at[i], f->rows.time.at[i]);
		assert_int_equal(out.total.at[i], f->rows.total.at[i]);
		assert_memory_equal(samples_of(&out, i, &f->arena),
				    samples_of(&f->rows, i, &f->arena), n * sizeof(struct sample));
	}
}

static void rows_survive_encoding_and_decoding(void **state)
{
	static const uint32_t profiles[] = {FEW, FEW, FEW, MANY, MANY};
	static const uint32_t samples[] = {1, 30, 1000, 5, 400};
	static const bool packed[] = {false, false, true, false, true};

	(void)state;
	for (size_t i = 0; i < countof(samples); i++) {
		struct fixture *f;
		struct sample_parts parts;

		fixture_setup((void **)&f);
		make_rows(f, profiles[i], samples[i]);
		assert_int_equal(f->parts.runs_packed, packed[i]);
		parts = parts_of(f);
		check_rows(f, &parts);
		fixture_teardown((void **)&f);
	}
}

/* Before format 3 links were at the end of the preceding part. */
static void links_at_the_end_of_the_preceding_part_are_read(void **state)
{
	struct fixture *f = *state;
	struct sample_parts parts;

	make_rows(f, FEW, 50);
	parts = parts_of(f);
	assert_true(parts.links.n > 0);
	buf_put_str(&f->parts.linked, parts.links);
	parts.linked = buf_str(&f->parts.linked);
	parts.links = (struct str){0};
	check_rows(f, &parts);
}

/* Return the sum of the samples without links in a series. */
static int64_t sum_of_series(const struct fixture *f, uint32_t series)
{
	int64_t sum = 0;
	uint32_t at = 0;

	for (uint32_t i = 0; i < f->rows.series.n; i++)
		for (uint32_t k = 0; k < f->rows.count.at[i]; k++, at++)
			if (f->rows.series.at[i] == series && !f->rows.link.at[at])
				sum += f->rows.value.at[at];
	return sum;
}

static void one_series_can_be_read_alone(void **state)
{
	struct fixture *f = *state;
	struct frame_unpacker unpacker = {0};
	uint32_t series, slot;
	struct err e = {0};

	make_rows(f, MANY, 400);
	assert_true(f->parts.runs_packed);
	for (uint32_t wanted = 0; wanted < 3 * SERIES; wanted += 3) {
		struct runs_reader r;
		struct chunk_section s;
		int64_t sum = 0;

		assert_ok_err(runs_begin(&r, buf_str(&f->parts.runs), &unpacker, &f->arena, &e),
			      &e);
		while (runs_peek(&r, &series, &slot)) {
			bool yes = series == wanted;

			assert_int_equal(runs_next(&r, &s, yes ? RUNS_ALL : RUNS_NONE, &e), 1);
			for (uint32_t i = 0; yes && i < s.n; i++)
				sum += s.sums[i];
		}
		assert_int_equal(sum, sum_of_series(f, wanted));
	}
	frame_unpacker_fini(&unpacker);
}

/*
 * Change every byte of the table of pieces and some of the rest: decoding fails or gives other
 * numbers, but does not read outside the input.
 */
static void damaged_pieces_are_reported(void **state)
{
	struct fixture *f = *state;
	unsigned errors = 0;

	make_rows(f, MANY, 400);
	for (size_t i = 0; i < f->parts.runs.n; i += i < 64 ? 1 : 97) {
		struct sample_parts parts = parts_of(f);
		char was = f->parts.runs.p[i];
		struct rows out;
		struct err e = {0};

		f->parts.runs.p[i] = (char)(was ^ (1 << i % 8));
		assert_ok(chunk_points(&out, buf_str(&f->parts.points), HOUR, &f->arena, &e));
		if (chunk_samples(&out, &parts, &f->arena, &e)) {
			assert_true(e.text[0] != '\0');
			errors++;
		}
		f->parts.runs.p[i] = was;
	}
	assert_true(errors > 40);
}

/* A block decodes to its input wherever its columns end. */
static void columns_of_a_block_may_have_any_length(void **state)
{
	struct fixture *f = *state;
	struct frame_packer packer = {0};
	uint64_t seed = 7;

	for (unsigned round = 0; round < 300; round++) {
		uint32_t n = test_random(&seed, 20000), ends[8], count = test_random(&seed, 9),
			 at = 0;
		char *bytes = arena_alloc(&f->arena, n + 1, 1);
		struct buf frame = {0};
		struct str out;
		struct err e = {0};

		for (uint32_t i = 0; i < n; i++)
			bytes[i] = (char)(test_random(&seed, 1 + i / 1000 % 5 * 60) + i / 7000);
		for (uint32_t i = 0; i < count; i++) {
			at += test_random(&seed, round % 2 ? 6000 : 900);
			ends[i] = at = at < n ? at : n;
		}
		assert_ok(
			frame_put_columns(&packer, &frame, FRAME_DETAIL, 1,
					  &(struct frame_columns){str_of(bytes, n), ends, count}));
		assert_ok_err(frame_get(buf_str(&frame), FRAME_DETAIL, NULL, &f->arena, &out, &e),
			      &e);
		assert_str_equal(out, str_of(bytes, n));
		assert_true(frame.n <= FRAME_HEADER + n);
		buf_fini(&frame);
	}
	frame_packer_fini(&packer);
}

/*
 * Two profiles of two series have one sample each. A sample must not be assigned to the other
 * profile.
 */
static void a_sample_of_another_section_is_damage(void **state)
{
	struct fixture *f = *state;
	struct rows *r = &f->rows;

	for (uint32_t i = 0; i < 2; i++) {
		assert_ok(vec_push(&f->arena, &r->series, i));
		assert_ok(vec_push(&f->arena, &r->time, HOUR * 3600 * NS_PER_SECOND));
		assert_ok(vec_push(&f->arena, &r->duration, NS_PER_SECOND));
		assert_ok(vec_push(&f->arena, &r->total, 1));
		assert_ok(vec_push(&f->arena, &r->count, 1));
		assert_ok(vec_push(&f->arena, &r->node, 1));
		assert_ok(vec_push(&f->arena, &r->value, 1));
	}
	assert_ok(chunk_encode(&f->parts, r, HOUR));
	for (size_t i = 0; i < f->parts.detail.n; i++) {
		struct sample_parts parts = parts_of(f);
		struct err e = {0};
		struct rows out;

		assert_ok_err(chunk_points(&out, buf_str(&f->parts.points), HOUR, &f->arena, &e),
			      &e);
		out.count.at[0] = 0; /* claim both samples for the second */
		out.count.at[1] = 2;
		f->parts.detail.p[i] ^= 1;
		assert_int_equal(chunk_samples(&out, &parts, &f->arena, &e), -EUCLEAN);
		f->parts.detail.p[i] ^= 1;
	}
}

TEST_MAIN(test_with(fixture, a_sample_of_another_section_is_damage),
	  test(rows_survive_encoding_and_decoding),
	  test_with(fixture, links_at_the_end_of_the_preceding_part_are_read),
	  test_with(fixture, one_series_can_be_read_alone),
	  test_with(fixture, damaged_pieces_are_reported),
	  test_with(fixture, columns_of_a_block_may_have_any_length))
