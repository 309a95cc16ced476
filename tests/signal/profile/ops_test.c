/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on batches: append, normalize, filter, aggregate, combine, merge, sort, split. */
#include "signal/profile/profile_ops.h"

#include "format/format.h"
#include "signal/profile/profile_merge.h"
#include "signal/profile/profile_rows.h"
#include "signal/profile/profile_split.h"
#include "signal/random_batch.h"
#include "signal/sample_profile.h"
#include "test/profile_sort.h"

static void make(struct profile_batch *b, uint64_t seed, uint32_t profiles, uint32_t samples)
{
	struct profile_builder builder;

	assert_ok(profile_batch_init(b, NULL));
	assert_ok(profile_builder_init(&builder, b));
	assert_ok(random_batch(&builder, seed, profiles, samples));
	assert_valid(b);
}

static int64_t total(const struct profile_batch *b)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < b->sample_count; i++)
		sum += sample_total(b, i);
	return sum;
}

static void assert_same_bytes(const void *a, size_t a_n, const void *b, size_t b_n)
{
	assert_int_equal(a_n, b_n);
	if (a_n)
		assert_memory_equal(a, b, a_n);
}

/* Assert that two sorted batches are equal row by row. */
static void assert_same_batch(const struct profile_batch *a, const struct profile_batch *b)
{
	assert_int_equal(a->strings.n, b->strings.n);
	for (uint32_t i = 0; i < a->strings.n; i++)
		assert_str_equal(a->strings.at[i], b->strings.at[i]);
	assert_int_equal(a->locations.n, b->locations.n);
	assert_int_equal(a->functions.n, b->functions.n);
	assert_int_equal(a->attributes.n, b->attributes.n);
	assert_int_equal(a->profiles.n, b->profiles.n);
	assert_int_equal(a->resources.n, b->resources.n);
	assert_int_equal(a->sample_count, b->sample_count);
#define SAME(field, n_a, n_b)                                                                      \
	assert_same_bytes(a->field, (n_a) * sizeof(*a->field), b->field, (n_b) * sizeof(*b->field))
	SAME(stacks.at, a->stacks.n, b->stacks.n);
	SAME(links.at, a->links.n, b->links.n);
	SAME(stack_locations.at, a->stack_locations.n, b->stack_locations.n);
	SAME(sample_stack, a->sample_count, b->sample_count);
	SAME(sample_link, a->sample_count, b->sample_count);
	SAME(sample_values_at, a->sample_count + 1, b->sample_count + 1);
	SAME(sample_times_at, a->sample_count + 1, b->sample_count + 1);
	SAME(sample_attributes.at, a->sample_attributes.n, b->sample_attributes.n);
	SAME(values.at, a->values.n, b->values.n);
	SAME(times.at, a->times.n, b->times.n);
#undef SAME
}

static void appending_keeps_every_sample(void **state)
{
	struct profile_batch a, b, out;
	struct profile_builder builder;

	(void)state;
	make(&a, 1, 5, 40);
	make(&b, 2, 4, 30);
	assert_ok(profile_batch_init(&out, NULL));
	assert_ok(profile_builder_init(&builder, &out));
	assert_ok(profile_append(&builder, &a));
	assert_ok(profile_append(&builder, &b));
	assert_valid(&out);
	assert_int_equal(out.profiles.n, 9);
	assert_int_equal(out.sample_count, a.sample_count + b.sample_count);
	assert_int_equal(total(&out), total(&a) + total(&b));
	assert_true(out.strings.n < a.strings.n + b.strings.n);
	profile_batch_fini(&a); /* `out` must not borrow from its sources */
	profile_batch_fini(&b);
	assert_str_equal(out.scopes.at[8].name, STR("scope"));
	profile_batch_fini(&out);
}

static void normalizing_drops_unused_and_duplicate_rows(void **state)
{
	struct profile_batch a, out;
	struct profile_builder builder;
	uint32_t id;

	(void)state;
	make(&a, 3, 4, 50);
	assert_ok(profile_builder_init(&builder, &a));
	assert_ok(profile_add_string(&builder, STR("nobody uses me"), &id));
	assert_ok(profile_add_frame(&builder, STR("nor me"), STR(""), 0, &id));
	/* a duplicate of a row that is in use */
	assert_ok(vec_push(&a.arena, &a.strings, a.strings.at[1]));
	a.functions.at[1].filename = a.strings.n - 1;
	assert_valid(&a);
	assert_ok(profile_batch_init(&out, NULL));
	assert_ok(profile_normalize(&out, &a));
	assert_valid(&out);
	assert_int_equal(total(&out), total(&a));
	assert_int_equal(out.sample_count, a.sample_count);
	for (uint32_t i = 0; i < out.strings.n; i++) {
		assert_false(str_eq(out.strings.at[i], STR("nobody uses me")));
		for (uint32_t k = 0; k < i; k++)
			assert_false(str_eq(out.strings.at[i], out.strings.at[k]));
	}
	assert_true(out.resources.n <= 3); /* equal resources are merged */
	profile_batch_fini(&out);
	profile_batch_fini(&a);
}

static bool is_even(const struct profile_batch *src, uint32_t profile, uint32_t sample, void *arg)
{
	(void)src;
	(void)profile;
	(void)arg;
	return sample % 2 == 0;
}

static void filtering_keeps_the_chosen_samples(void **state)
{
	struct profile_batch a, out;
	int64_t expected = 0;

	(void)state;
	make(&a, 4, 3, 41);
	for (uint32_t i = 0; i < a.sample_count; i += 2)
		expected += sample_total(&a, i);
	assert_ok(profile_batch_init(&out, NULL));
	assert_ok(profile_filter(&out, &a, is_even, NULL));
	assert_valid(&out);
	assert_int_equal(total(&out), expected);
	assert_int_equal(out.profiles.n, 3);
	profile_batch_fini(&out);
	profile_batch_fini(&a);
}

static void aggregating_merges_equal_samples(void **state)
{
	struct profile_batch a, once, twice;
	struct profile_builder builder;
	uint32_t samples;

	(void)state;
	make(&a, 5, 3, 60);
	assert_ok(profile_batch_init(&once, NULL));
	assert_ok(profile_aggregate(&once, &a));
	assert_valid(&once);
	assert_int_equal(once.profiles.n, a.profiles.n);
	assert_int_equal(total(&once), total(&a));
	assert_int_equal(once.times.n, a.times.n);
	samples = once.sample_count;

	/* duplicating the samples of each profile changes sums, but adds no rows */
	assert_ok(profile_batch_init(&twice, NULL));
	assert_ok(profile_builder_init(&builder, &twice));
	assert_ok(profile_append(&builder, &a));
	assert_ok(profile_append(&builder, &a));
	assert_ok(profile_batch_reset(&once));
	assert_ok(profile_combine(&once, &twice));
	assert_valid(&once);
	assert_int_equal(total(&once), 2 * total(&a));
	assert_true(once.sample_count <= samples);
	profile_batch_fini(&twice);
	profile_batch_fini(&once);
	profile_batch_fini(&a);
}

static void combining_equals_merging_one_by_one(void **state)
{
	struct profile_batch parts[4], all, merged, combined, one, two;
	struct profile_builder builder;
	struct profile_merge merge;

	(void)state;
	assert_ok(profile_batch_init(&all, NULL));
	assert_ok(profile_batch_init(&merged, NULL));
	assert_ok(profile_batch_init(&combined, NULL));
	assert_ok(profile_batch_init(&one, NULL));
	assert_ok(profile_batch_init(&two, NULL));
	assert_ok(profile_builder_init(&builder, &all));
	assert_ok(profile_merge_init(&merge, &merged));
	for (uint32_t i = 0; i < 4; i++) {
		make(&parts[i], 10 + i, 5, 30);
		assert_ok(profile_append(&builder, &parts[i]));
		assert_ok(profile_merge_add(&merge, &parts[i]));
		profile_batch_fini(&parts[i]);
	}
	assert_ok(profile_merge_finish(&merge));
	profile_merge_fini(&merge);
	assert_valid(&merged);
	assert_ok(profile_combine(&combined, &all));
	assert_valid(&combined);
	assert_int_equal(total(&combined), total(&all));
	assert_true(combined.profiles.n <= 6); /* three services, two types */
	assert_ok(profile_sort(&one, &merged));
	assert_ok(profile_sort(&two, &combined));
	assert_same_batch(&one, &two);
	profile_batch_fini(&one);
	profile_batch_fini(&two);
	profile_batch_fini(&all);
	profile_batch_fini(&merged);
	profile_batch_fini(&combined);
}

static void merged_times_span_all_inputs(void **state)
{
	struct profile_batch a, out;
	struct profile_builder builder;

	(void)state;
	assert_ok(profile_batch_init(&a, NULL));
	assert_ok(profile_builder_init(&builder, &a));
	for (uint32_t i = 0; i < 3; i++) {
		assert_ok(profile_begin(&builder, STR("cpu"), STR("nanoseconds")));
		a.profiles.at[i].time_unix_nano = 300 - 100 * i;
		a.profiles.at[i].duration_nano = 10;
		a.profiles.at[i].period = 1 + i;
		assert_ok(profile_add_sample(&builder, 0, 0, NULL, 0, 5));
	}
	assert_ok(profile_batch_init(&out, NULL));
	assert_ok(profile_combine(&out, &a));
	assert_valid(&out);
	assert_int_equal(out.profiles.n, 1);
	assert_int_equal(out.sample_count, 1);
	assert_int_equal(sample_total(&out, 0), 15);
	assert_int_equal(out.profiles.at[0].time_unix_nano, 100);
	assert_int_equal(out.profiles.at[0].duration_nano, 30);
	assert_int_equal(out.profiles.at[0].period, 3);
	profile_batch_fini(&out);
	profile_batch_fini(&a);
}

static struct value list_of(const char *encoded, size_t n)
{
	return (struct value){.kind = VALUE_LIST, .s = str_of(encoded, n)};
}

static void merged_lists_hold_each_element_once(void **state)
{
	static const char one[] = "\x2a\x0a\x0a\x03\x0a\x01"
				  "a"
				  "\x0a\x03\x0a\x01"
				  "b";
	static const char two[] = "\x2a\x0a\x0a\x03\x0a\x01"
				  "b"
				  "\x0a\x03\x0a\x01"
				  "c";
	static const char both[] = "\x2a\x0f\x0a\x03\x0a\x01"
				   "a"
				   "\x0a\x03\x0a\x01"
				   "b"
				   "\x0a\x03\x0a\x01"
				   "c";
	struct profile_batch a, out;
	struct profile_builder builder;
	uint32_t id;

	(void)state;
	assert_ok(profile_batch_init(&a, NULL));
	assert_ok(profile_builder_init(&builder, &a));
	assert_ok(profile_add_resource(&builder, NULL, 0));
	assert_ok(profile_add_scope(&builder, STR(""), STR(""), NULL, 0));
	for (int i = 0; i < 2; i++) {
		assert_ok(profile_add_attribute(&builder, STR("pprof.profile.comment"),
						i ? list_of(two, sizeof(two) - 1)
						  : list_of(one, sizeof(one) - 1),
						STR(""), &id));
		assert_ok(profile_add_profile(&builder, &(struct profile){0}, &id, 1));
	}
	assert_ok(profile_batch_init(&out, NULL));
	assert_ok(profile_combine(&out, &a));
	assert_valid(&out);
	assert_int_equal(out.profiles.n, 1);
	assert_int_equal(out.profiles.at[0].attributes.n, 1);
	id = out.attribute_refs.at[out.profiles.at[0].attributes.at];
	assert_str_equal(out.attributes.at[id].value.s, str_of(both, sizeof(both) - 1));
	profile_batch_fini(&out);
	profile_batch_fini(&a);
}

/* The same content built in another order sorts to the same bytes. */
static void sorting_gives_a_canonical_order(void **state)
{
	struct profile_batch a, b, one, two;
	struct profile_builder builder;

	(void)state;
	assert_ok(profile_batch_init(&a, NULL));
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_batch_init(&one, NULL));
	assert_ok(profile_batch_init(&two, NULL));
	for (int backwards = 0; backwards < 2; backwards++) {
		assert_ok(profile_builder_init(&builder, backwards ? &b : &a));
		assert_ok(profile_begin(&builder, STR("cpu"), STR("count")));
		for (uint32_t i = 0; i < 200; i++) {
			uint64_t seed = backwards ? 199 - i : i;

			assert_ok(random_sample(&builder, &seed, 1));
		}
	}
	assert_ok(profile_sort(&one, &a));
	assert_ok(profile_sort(&two, &b));
	assert_valid(&one);
	assert_same_batch(&one, &two);
	profile_batch_fini(&one);
	profile_batch_fini(&two);
	profile_batch_fini(&a);
	profile_batch_fini(&b);
}

struct parts {
	struct profile_merge merge;
	uint32_t count, samples;
	uint8_t ids[64][PROFILE_ID_SIZE];
	uint32_t id_count;
};

static int take_part(const struct profile_batch *part, void *arg)
{
	struct parts *p = arg;

	assert_valid(part);
	p->count++;
	p->samples += part->sample_count;
	for (uint32_t i = 0; i < part->profiles.n && p->id_count < 64; i++)
		memcpy(p->ids[p->id_count++], part->profiles.at[i].id, PROFILE_ID_SIZE);
	return profile_merge_add(&p->merge, part);
}

static void parts_add_up_to_the_whole(void **state)
{
	struct profile_batch a, sum, whole, one, two;
	struct parts parts = {0};
	struct err e = {0};

	(void)state;
	make(&a, 20, 6, 80);
	assert_ok(profile_batch_init(&sum, NULL));
	assert_ok(profile_batch_init(&whole, NULL));
	assert_ok(profile_batch_init(&one, NULL));
	assert_ok(profile_batch_init(&two, NULL));
	assert_ok(profile_merge_init(&parts.merge, &sum));
	assert_ok_err(profile_split(&a, &(struct profile_split_limits){4096, UINT32_MAX}, take_part,
				    &parts, &e),
		      &e);
	assert_ok(profile_merge_finish(&parts.merge));
	profile_merge_fini(&parts.merge);
	assert_true(parts.count > 4);
	assert_int_equal(parts.samples, a.sample_count);
	for (uint32_t i = 0; i < parts.id_count; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_memory_not_equal(parts.ids[i], parts.ids[k], PROFILE_ID_SIZE);
	for (uint32_t i = 0; i < sum.profiles.n; i++)
		/* each part has the duration of its whole profile */
		sum.profiles.at[i].duration_nano = 0;
	assert_ok(profile_combine(&whole, &a));
	for (uint32_t i = 0; i < whole.profiles.n; i++)
		whole.profiles.at[i].duration_nano = 0;
	assert_ok(profile_sort(&one, &sum));
	assert_ok(profile_sort(&two, &whole));
	assert_same_batch(&one, &two);
	profile_batch_fini(&one);
	profile_batch_fini(&two);
	profile_batch_fini(&whole);
	profile_batch_fini(&sum);

	assert_int_equal(profile_split(&a, &(struct profile_split_limits){100, UINT32_MAX},
				       take_part, &parts, &e),
			 -E2BIG);
	assert_err_says(&e, "exceeds the limit");
	profile_batch_fini(&a);
}

/*
 * Make a profile with a small sample, one with `n` observations (with or without values), and a
 * small one.
 */
static void make_long_sample(struct profile_batch *b, uint32_t n, bool with_values)
{
	struct profile_builder builder;
	uint64_t seed = 40;
	uint32_t stack;

	assert_ok(profile_batch_init(b, NULL));
	assert_ok(profile_builder_init(&builder, b));
	assert_ok(random_batch(&builder, seed, 1, 1));
	do
		assert_ok(random_stack(&builder, &seed, &stack));
	while (!stack);
	for (uint32_t i = 0; i < n; i++) {
		assert_ok(vec_push(&b->arena, &b->times, 1000 + i));
		if (with_values)
			assert_ok(vec_push(&b->arena, &b->values, i % 2 ? (int64_t)i : -1));
	}
	assert_ok(profile_sample_end(b, stack, 0));
	assert_ok(random_sample(&builder, &seed, 0));
	assert_valid(b);
}

struct sizes {
	struct parts parts;
	size_t limit;
};

static int take_small_part(const struct profile_batch *part, void *arg)
{
	struct sizes *s = arg;
	struct buf out = {0};
	struct err e = {0};

	assert_ok_err(
		format_by_name(STR("otlp"))->encode(&out, part, &(struct encode_options){0}, &e),
		&e);
	assert_true(out.n <= s->limit);
	buf_fini(&out);
	return take_part(part, &s->parts);
}

static void a_large_sample_is_split_between_its_observations(void **state)
{
	static const uint32_t observations[] = {1000, 3000};

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct profile_batch a, sum, whole, one, two;
		struct sizes sizes = {.limit = 2048};
		struct err e = {0};

		make_long_sample(&a, observations[i / 2], i % 2);
		assert_ok(profile_batch_init(&sum, NULL));
		assert_ok(profile_batch_init(&whole, NULL));
		assert_ok(profile_batch_init(&one, NULL));
		assert_ok(profile_batch_init(&two, NULL));
		assert_ok(profile_merge_init(&sizes.parts.merge, &sum));
		assert_ok_err(profile_split(&a,
					    &(struct profile_split_limits){sizes.limit, UINT32_MAX},
					    take_small_part, &sizes, &e),
			      &e);
		assert_ok(profile_merge_finish(&sizes.parts.merge));
		profile_merge_fini(&sizes.parts.merge);
		assert_valid(&sum);
		assert_true(sizes.parts.count > observations[i / 2] * 8 / sizes.limit);
		for (uint32_t k = 1; k < sizes.parts.id_count; k++)
			assert_memory_not_equal(sizes.parts.ids[k], sizes.parts.ids[k - 1],
						PROFILE_ID_SIZE);
		assert_ok(profile_combine(&whole, &a));
		assert_ok(profile_sort(&one, &sum));
		assert_ok(profile_sort(&two, &whole));
		assert_same_batch(&one, &two);
		profile_batch_fini(&one);
		profile_batch_fini(&two);
		profile_batch_fini(&whole);
		profile_batch_fini(&sum);
		profile_batch_fini(&a);
	}
}

typedef int operation(struct profile_batch *dst, const struct profile_batch *src);

/* Each allocation of each operation fails once: nothing leaks, and the input is unchanged. */
static void failed_allocations_are_errors(void **state)
{
	static operation *const operations[] = {profile_normalize, profile_combine,
						profile_aggregate, profile_sort};
	struct profile_batch a;

	(void)state;
	make(&a, 30, 4, 20);
	for (size_t i = 0; i < countof(operations); i++) {
		int rc = -ENOMEM;

		for (size_t limit = 8 * KIB; rc; limit += 3 * KIB) {
			struct budget budget = {.limit = limit};
			struct profile_batch out;

			rc = profile_batch_init(&out, &budget);
			if (!rc)
				rc = operations[i](&out, &a);
			assert_true(rc == 0 || rc == -ENOMEM);
			profile_batch_fini(&out);
			assert_int_equal(budget.used, 0);
		}
		for (unsigned nth = 1; nth < 200; nth++) {
			struct profile_batch out;

			assert_ok(profile_batch_init(&out, NULL));
			out.arena.fail_after = nth;
			rc = operations[i](&out, &a);
			assert_true(rc == 0 || rc == -ENOMEM);
			profile_batch_fini(&out);
		}
		assert_valid(&a);
	}
	profile_batch_fini(&a);
}

TEST_MAIN(test(appending_keeps_every_sample), test(normalizing_drops_unused_and_duplicate_rows),
	  test(filtering_keeps_the_chosen_samples), test(aggregating_merges_equal_samples),
	  test(combining_equals_merging_one_by_one), test(merged_times_span_all_inputs),
	  test(merged_lists_hold_each_element_once), test(sorting_gives_a_canonical_order),
	  test(parts_add_up_to_the_whole), test(a_large_sample_is_split_between_its_observations),
	  test(failed_allocations_are_errors))
