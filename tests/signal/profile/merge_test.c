/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging batches with nearly the same rows in nearly the same order, as one program sends them,
 * preserves all sums.
 */
#include "signal/profile/profile_merge.h"

#include "base/container/hash.h"
#include "signal/profile/profile_ops.h"
#include "signal/profile/profile_rows.h"
#include "signal/random_batch.h"
#include "signal/sample_profile.h"

enum { PLACES = 120, SAMPLES = 150 };

/* Return 0 in most cases, else 1 or 2: how this row differs from that of other batches. */
static uint32_t differs(uint64_t *seed)
{
	return test_random(seed, 24) ? 0 : 1 + test_random(seed, 2);
}

static uint32_t add_function(struct profile_builder *b, uint32_t which, uint64_t *seed)
{
	struct function f = {.start_line = which + differs(seed)};
	char text[32];
	uint32_t id, other = differs(seed);

	assert_ok(profile_add_string(b, test_text(text, sizeof(text), "name_", which), &f.name));
	f.system_name = other == 1 ? 0 : f.name;
	if (other == 2)
		assert_ok(profile_add_string(b, test_text(text, sizeof(text), "system_", which),
					     &f.system_name));
	assert_ok(profile_add_string(
		b, test_text(text, sizeof(text), "file_", which / 4 + differs(seed)), &f.filename));
	assert_ok(profile_add_function(b, &f, &id));
	return id;
}

static uint32_t add_location(struct profile_builder *b, uint32_t which, uint64_t *seed)
{
	struct line lines[2] = {{add_function(b, which, seed), which + differs(seed), 0},
				{add_function(b, which / 2, seed), 1, differs(seed)}};
	struct mapping mapping = {.start = 0x1000};
	struct location_parts parts = {.address = 0x1000 + which + differs(seed),
				       .lines = lines,
				       .line_count = 1 + (which + differs(seed)) % 2};
	uint32_t id, attribute;

	assert_ok(profile_add_string(b, differs(seed) ? STR("b.so") : STR("a.so"),
				     &mapping.filename));
	if (!differs(seed))
		assert_ok(profile_add_mapping(b, &mapping, NULL, 0, &parts.mapping));
	assert_ok(
		profile_add_attribute(b, STR("folded"), VALUE_OF_BOOL(true), STR(""), &attribute));
	if (which % 16 == 0 || differs(seed)) {
		parts.attributes = &attribute;
		parts.attribute_count = 1;
	}
	assert_ok(profile_add_location(b, &parts, &id));
	return id;
}

/*
 * Make a batch in which some locations are missing, some are in another order and some are unused.
 */
static void make_batch(struct profile_batch *batch, uint64_t seed)
{
	struct profile_builder b;
	uint32_t locations[PLACES], n = 0, stack;

	assert_ok(profile_batch_init(batch, NULL));
	assert_ok(profile_builder_init(&b, batch));
	assert_ok(profile_begin(&b, STR("cpu"), STR("ns")));
	for (uint32_t i = 0; i < PLACES; i++)
		if (!differs(&seed))
			locations[n++] = add_location(&b, differs(&seed) ? PLACES - i : i, &seed);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint32_t first = test_random(&seed, n - 8), depth = test_random(&seed, 8);

		assert_ok(profile_add_stack(&b, locations + first, depth, &stack));
		assert_ok(profile_add_sample(&b, stack, 0, NULL, 0, test_random(&seed, 100)));
	}
	assert_valid(batch);
}

static uint64_t string_print(const struct profile_batch *b, uint32_t id)
{
	return hash_bytes(b->strings.at[id].p, b->strings.at[id].n);
}

static uint64_t location_print(const struct profile_batch *b, uint32_t id, uint64_t print)
{
	const struct location *l = &b->locations.at[id];
	uint64_t own[] = {print, l->address, b->mappings.at[l->mapping].start,
			  string_print(b, b->mappings.at[l->mapping].filename), l->attributes.n};

	print = hash_bytes(own, sizeof(own));
	for (uint32_t i = 0; i < l->lines.n; i++) {
		const struct line *line = &b->lines.at[l->lines.at + i];
		const struct function *f = &b->functions.at[line->function];
		uint64_t fields[] = {print,
				     (uint64_t)line->line,
				     (uint64_t)line->column,
				     string_print(b, f->name),
				     string_print(b, f->system_name),
				     string_print(b, f->filename),
				     (uint64_t)f->start_line};

		print = hash_bytes(fields, sizeof(fields));
	}
	return print;
}

/* Return a checksum that covers the contents of all samples and is additive over batches. */
static uint64_t batch_print(const struct profile_batch *b)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->sample_count; i++) {
		uint64_t print = 1;
		uint32_t n;
		const uint32_t *locations = stack_of(b, b->sample_stack[i], &n);

		for (uint32_t k = 0; k < n; k++)
			print = location_print(b, locations[k], print);
		sum += print * (uint64_t)sample_total(b, i);
	}
	return sum;
}

/* Assert that all rows of the batch are distinct and in use. */
static void assert_normal(const struct profile_batch *b)
{
	struct profile_batch out;

	assert_valid(b);
	assert_ok(profile_batch_init(&out, NULL));
	assert_ok(profile_normalize(&out, b));
	assert_int_equal(b->strings.n, out.strings.n);
	assert_int_equal(b->mappings.n, out.mappings.n);
	assert_int_equal(b->functions.n, out.functions.n);
	assert_int_equal(b->locations.n, out.locations.n);
	assert_int_equal(b->stacks.n, out.stacks.n);
	assert_int_equal(b->attributes.n, out.attributes.n);
	profile_batch_fini(&out);
}

static void merging_similar_batches_preserves_sums(void **state)
{
	enum { BATCHES = 40 };
	struct profile_batch merged, batch;
	struct profile_merge m;
	uint64_t sum = 0;

	(void)state;
	assert_ok(profile_batch_init(&merged, NULL));
	assert_ok(profile_merge_init(&m, &merged));
	for (uint64_t seed = 0; seed < BATCHES; seed++) {
		make_batch(&batch, seed);
		sum += batch_print(&batch);
		assert_ok(profile_merge_add(&m, &batch));
		profile_batch_fini(&batch);
	}
	assert_ok(profile_merge_finish(&m));
	profile_merge_fini(&m);
	assert_normal(&merged);
	assert_true(batch_print(&merged) == sum);
	profile_batch_fini(&merged);
}

TEST_MAIN(test(merging_similar_batches_preserves_sums))
