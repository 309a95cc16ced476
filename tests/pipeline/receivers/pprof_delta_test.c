/* SPDX-License-Identifier: Apache-2.0 */
/* Differences of sums that count from the start of a process. */
#include <errno.h>

#include "base/buf.h"
#include "pipeline/receivers/pprof/profile_delta.h"
#include "signal/profile/profile_rows.h"
#include "test/test.h"

#define AT(seconds) ((uint64_t)(seconds)*1000000000)

/* A sample of all profiles of the batch that is made. */
struct given {
	const char *function, *label;
	int64_t values[2];
};

struct fixture {
	struct profile_delta delta;
	struct profile_batch batch;
	struct profile_builder builder;
	struct arena scratch;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	profile_delta_init(&f->delta, 0);
	arena_init(&f->scratch, NULL);
	return profile_batch_init(&f->batch, NULL);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	profile_delta_fini(&f->delta);
	profile_batch_fini(&f->batch);
	arena_fini(&f->scratch);
	free(f);
	return 0;
}

static void add_given(struct fixture *f, const struct given *g, unsigned value)
{
	uint32_t location, stack, attribute = 0;

	assert_ok(profile_add_frame(&f->builder, str_from(g->function), STR("a.go"), 7, &location));
	assert_ok(profile_add_stack(&f->builder, &location, 1, &stack));
	if (g->label)
		assert_ok(profile_add_attribute(&f->builder, STR("k"),
						VALUE_OF_STR(str_from(g->label)), STR(""),
						&attribute));
	assert_ok(profile_add_sample(&f->builder, stack, 0, &attribute, g->label ? 1 : 0,
				     g->values[value]));
}

static void add_given_profile(struct fixture *f, const char *type, const char *unit,
			      const struct given *samples, unsigned n, unsigned value)
{
	struct profile row = {.time_unix_nano = 5};
	uint32_t type_id, unit_id;

	assert_ok(profile_add_string(&f->builder, str_from(type), &type_id));
	assert_ok(profile_add_string(&f->builder, str_from(unit), &unit_id));
	row.sample_type = (struct value_type){type_id, unit_id};
	assert_ok(profile_add_profile(&f->builder, &row, NULL, 0));
	for (unsigned i = 0; i < n; i++)
		add_given(f, &samples[i], value);
}

/* Make a batch of two types, subtract, and return the result of that. */
static int apply(struct fixture *f, const struct given *samples, unsigned n, uint64_t now)
{
	int rc;

	assert_ok(profile_batch_reset(&f->batch));
	assert_ok(profile_builder_init(&f->builder, &f->batch));
	assert_ok(profile_add_resource(&f->builder, NULL, 0));
	assert_ok(profile_add_scope(&f->builder, STR(""), STR(""), NULL, 0));
	add_given_profile(f, "alloc_space", "bytes", samples, n, 0);
	add_given_profile(f, "inuse_space", "bytes", samples, n, 1);
	f->e = (struct err){0};
	rc = profile_delta_apply(&f->delta, &f->batch, now, &f->scratch, &f->e);
	arena_reset(&f->scratch);
	assert_ok_err(profile_batch_check(&f->batch, &f->e), &f->e);
	return rc;
}

/* Apply and commit. */
static void apply_next(struct fixture *f, const struct given *samples, unsigned n, uint64_t now)
{
	assert_ok_err(apply(f, samples, n, now), &f->e);
	profile_delta_commit(&f->delta);
}

static const char *sample_function(const struct fixture *f, uint32_t sample)
{
	static char name[32];
	const struct profile_batch *b = &f->batch;
	uint32_t n, location = *stack_of(b, b->sample_stack[sample], &n);
	const struct line *line = &b->lines.at[b->locations.at[location].lines.at];

	snprintf(name, sizeof(name), "%.*s",
		 STR_ARG(string_of(b, b->functions.at[line->function].name)));
	return name;
}

enum made { SUMS, LEVELS }; /* the two profiles */

/* Return one of the profiles, NULL if it was removed. */
static const struct profile *profile_of(const struct fixture *f, enum made which)
{
	for (uint32_t i = 0; i < f->batch.profiles.n; i++)
		if (str_eq(string_of(&f->batch, f->batch.profiles.at[i].sample_type.type),
			   which == SUMS ? STR("alloc_space") : STR("inuse_space")))
			return &f->batch.profiles.at[i];
	return NULL;
}

/* The samples of a profile as text: "a 3, b 4"; empty if it was removed. */
static void check_samples(const struct fixture *f, enum made which, const char *expected)
{
	const struct profile *p = profile_of(f, which);
	struct buf text = {0};

	for (uint32_t i = 0; p && i < p->sample_count; i++)
		buf_printf(&text, "%s%s %lld", i ? ", " : "",
			   sample_function(f, p->sample_first + i),
			   (long long)sample_total(&f->batch, p->sample_first + i));
	buf_put_char(&text, 0);
	assert_string_equal(text.p, expected);
	buf_fini(&text);
}

static void the_first_profile_has_no_sums(void **state)
{
	struct fixture *f = *state;
	const struct given first[] = {{"a", NULL, {10, 1}}, {"b", NULL, {20, 2}}};

	apply_next(f, first, 2, AT(100));
	check_samples(f, SUMS, "");
	check_samples(f, LEVELS, "a 1, b 2");
	assert_int_equal(profile_of(f, LEVELS)->time_unix_nano, 5);
	assert_null(profile_of(f, SUMS));
}

static void later_ones_have_differences(void **state)
{
	struct fixture *f = *state;
	const struct given first[] = {{"a", NULL, {10, 1}}, {"b", NULL, {20, 2}}};
	const struct given second[] = {
		{"a", NULL, {10, 3}}, {"b", NULL, {25, 0}}, {"c", NULL, {7, 4}}};

	apply_next(f, first, 2, AT(100));
	apply_next(f, second, 3, AT(115));
	check_samples(f, SUMS, "b 5, c 7");
	check_samples(f, LEVELS, "a 3, b 0, c 4");
	assert_int_equal(profile_of(f, SUMS)->time_unix_nano, AT(100));
	assert_int_equal(profile_of(f, SUMS)->duration_nano, AT(15));
	assert_int_equal(profile_of(f, LEVELS)->time_unix_nano, 5);
	apply_next(f, second, 3, AT(130));
	check_samples(f, SUMS, "");
}

/* What was not accepted is in the next profile, too. */
static void without_a_commit_nothing_is_lost(void **state)
{
	struct fixture *f = *state;
	const struct given first[] = {{"a", NULL, {10, 1}}}, second[] = {{"a", NULL, {15, 1}}};
	const struct given third[] = {{"a", NULL, {18, 1}}, {"b", NULL, {1, 1}}};

	apply_next(f, first, 1, AT(100));
	assert_ok(apply(f, second, 1, AT(110)));
	check_samples(f, SUMS, "a 5");
	assert_ok(apply(f, third, 2, AT(120)));
	check_samples(f, SUMS, "a 8, b 1");
	assert_int_equal(profile_of(f, SUMS)->duration_nano, AT(20));
	profile_delta_commit(&f->delta);
	apply_next(f, third, 2, AT(130));
	check_samples(f, SUMS, "");
}

static void a_first_profile_without_a_commit_is_not_subtracted(void **state)
{
	struct fixture *f = *state;
	const struct given first[] = {{"a", NULL, {10, 1}}}, second[] = {{"a", NULL, {15, 1}}};

	assert_ok(apply(f, first, 1, AT(100)));
	apply_next(f, second, 1, AT(110));
	check_samples(f, SUMS, "");
	apply_next(f, second, 1, AT(120));
	check_samples(f, SUMS, "");
}

static void a_restart_begins_again(void **state)
{
	struct fixture *f = *state;
	const struct given before[] = {{"a", NULL, {100, 1}}, {"b", NULL, {50, 2}}};
	const struct given after[] = {{"a", NULL, {3, 1}}, {"c", NULL, {500, 2}}};
	const struct given later[] = {
		{"a", NULL, {5, 1}}, {"b", NULL, {4, 2}}, {"c", NULL, {500, 2}}};

	apply_next(f, before, 2, AT(100));
	apply_next(f, after, 2, AT(110));
	check_samples(f, SUMS, "");
	check_samples(f, LEVELS, "a 1, c 2");
	apply_next(f, later, 3, AT(120));
	check_samples(f, SUMS, "a 2, b 4"); /* b counts from the restart */
}

static void labels_tell_samples_apart(void **state)
{
	struct fixture *f = *state;
	const struct given first[] = {{"a", "x", {10, 1}}, {"a", "y", {20, 1}}};
	const struct given second[] = {
		{"a", "y", {21, 1}}, {"a", "x", {12, 1}}, {"a", NULL, {4, 1}}};

	apply_next(f, first, 2, AT(100));
	apply_next(f, second, 3, AT(110));
	check_samples(f, SUMS, "a 1, a 2, a 4");
}

static void equal_samples_are_added_up(void **state)
{
	struct fixture *f = *state;
	const struct given first[] = {{"a", NULL, {10, 1}}, {"a", NULL, {5, 1}}};
	const struct given second[] = {{"a", NULL, {4, 1}}, {"a", NULL, {14, 1}}};

	apply_next(f, first, 2, AT(100));
	apply_next(f, second, 2, AT(110));
	check_samples(f, SUMS, "a 3");
	check_samples(f, LEVELS, "a 1, a 1");
}

/* With more samples than fit, the profile fails, and counting begins again. */
static void the_table_is_bounded(void **state)
{
	struct fixture *f = *state;
	struct given many[40] = {0};
	char names[40][8];

	profile_delta_fini(&f->delta);
	profile_delta_init(&f->delta, 32);
	for (unsigned i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		many[i] = (struct given){names[i], NULL, {5, 1}};
	}
	apply_next(f, many, 20, AT(100));
	assert_int_equal(apply(f, many, 40, AT(110)), -E2BIG);
	assert_err_says(&f->e, "more than 32");
	apply_next(f, many, 20, AT(120));
	check_samples(f, SUMS, "");
	/* samples that vanish make room */
	for (unsigned i = 0; i < 8; i++)
		apply_next(f, many + 10 * (i % 4), 10, AT(130 + i));
	assert_true(f->delta.count <= 32);
	many[0].values[0] = 6;
	apply_next(f, many, 10, AT(150));
}

static void other_profiles_pass(void **state)
{
	struct fixture *f = *state;
	const struct given samples[] = {{"a", NULL, {0, 1}}, {"b", NULL, {-3, 2}}};

	apply_next(f, samples, 2, AT(100));
	apply_next(f, samples, 2, AT(110));
	check_samples(f, SUMS, "");
	check_samples(f, LEVELS, "a 1, b 2");
	assert_int_equal(f->delta.count, 0);
}

TEST_MAIN(test_with(fixture, the_first_profile_has_no_sums),
	  test_with(fixture, later_ones_have_differences),
	  test_with(fixture, without_a_commit_nothing_is_lost),
	  test_with(fixture, a_first_profile_without_a_commit_is_not_subtracted),
	  test_with(fixture, a_restart_begins_again), test_with(fixture, labels_tell_samples_apart),
	  test_with(fixture, equal_samples_are_added_up), test_with(fixture, the_table_is_bounded),
	  test_with(fixture, other_profiles_pass))
