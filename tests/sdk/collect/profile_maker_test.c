/* SPDX-License-Identifier: Apache-2.0 */
/* Profile batches made from windows: names, types, labels, spans. */
#include "sdk/collect/profile_maker.h"

#include <string.h>

#include "test/test.h"

#ifdef __clang__
#define PLACE __attribute__((noinline, optnone))
#else
#define PLACE __attribute__((noipa))
#endif

PLACE static void hot_function(void)
{
	__asm__ volatile("nop\n\tnop\n\tnop");
}

PLACE static void its_caller(void)
{
	hot_function();
	__asm__ volatile("nop\n\tnop\n\tnop");
}

static const char *one_label(uint32_t labels, uint32_t index, const char **value)
{
	*value = "blue";
	return labels == 3 && index == 0 ? "tenant" : NULL;
}

static struct keyvalue resource[1];
static struct profile_maker maker = {.resource = resource,
				     .resource_count = 1,
				     .label_text = one_label,
				     .heap_interval = 1000,
				     .cpu_period_ns = 10000000,
				     .wall_period_ns = 50000000};
static struct modules *modules;

static int maker_setup(void **state)
{
	struct symbol_options o = {0};
	int rc = modules_new(&modules, NULL, NULL);

	(void)state;
	resource[0] = (struct keyvalue){STR("service.name"), VALUE_OF_STR(STR("shop"))};
	maker.modules = modules;
	rc = rc ? rc : symbol_cache_new(&maker.symbols, 32 * MIB, &o);
	return rc ? rc : stack_ids_init(64 * MIB);
}

static int maker_teardown(void **state)
{
	(void)state;
	stack_ids_fini();
	symbol_cache_free(maker.symbols);
	modules_free(modules);
	return 0;
}

static uint32_t a_stack(void)
{
	const uint64_t pcs[] = {(uint64_t)(uintptr_t)hot_function + 1,
				(uint64_t)(uintptr_t)its_caller + 1, 0x10};

	return stack_ids_add(VARVE_CPU, pcs, countof(pcs));
}

static void add(struct window *w, enum record_kind kind, uint32_t stack, int64_t value,
		int64_t weight)
{
	struct record r = {.kind = (uint8_t)kind,
			   .stack = stack,
			   .labels = 3,
			   .value = value,
			   .weight = weight,
			   .time_ns = w->start_ns + 5};

	r.trace_id[0] = r.span_id[0] = 9;
	window_add(w, &r);
}

static void make(struct window *w, enum varve_profile kind, struct profile_batch *b)
{
	struct err e = {0};

	assert_ok(profile_batch_init(b, NULL));
	assert_ok(profile_make(&maker, w, kind, w->start_ns + 1000000000, b));
	assert_ok_err(profile_batch_check(b, &e), &e);
}

static struct str text(const struct profile_batch *b, uint32_t string)
{
	return b->strings.at[string];
}

/* Return the function name at a depth of a sample's stack. */
static struct str name_at(const struct profile_batch *b, uint32_t sample, uint32_t depth)
{
	uint32_t n;
	const uint32_t *stack = stack_of(b, b->sample_stack[sample], &n);
	const struct location *l;

	assert_true(depth < n);
	l = &b->locations.at[stack[depth]];
	return text(b, b->functions.at[b->lines.at[l->lines.at].function].name);
}

/* Return the profile of this type. */
static const struct profile *profile_of(const struct profile_batch *b, const char *type)
{
	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (str_eq(text(b, b->profiles.at[i].sample_type.type), str_from(type)))
			return &b->profiles.at[i];
	fail_msg("no profile of type %s", type);
	return NULL;
}

static int64_t sum_of(const struct profile_batch *b, const char *type)
{
	const struct profile *p = profile_of(b, type);
	int64_t sum = 0;

	for (uint32_t i = p->sample_first; i < p->sample_first + p->sample_count; i++)
		for (uint32_t k = b->sample_values_at[i]; k < b->sample_values_at[i + 1]; k++)
			sum += b->values.at[k];
	return sum;
}

static void samples_have_names_values_spans_and_labels(void **state)
{
	struct profile_batch b;
	struct window w;
	uint32_t stack = a_stack(), first;

	(void)state;
	assert_ok(window_init(&w, VARVE_CPU, 100, NULL));
	add(&w, RECORD_CPU, stack, 10000000, 1);
	add(&w, RECORD_CPU, stack, 30000000, 3);
	make(&w, VARVE_CPU, &b);
	assert_int_equal(b.profiles.n, 2);
	assert_int_equal(sum_of(&b, "cpu"), 40000000);
	assert_int_equal(sum_of(&b, "samples"), 4);
	first = profile_of(&b, "cpu")->sample_first;
	assert_str_equal(name_at(&b, first, 0), STR("hot_function"));
	assert_str_equal(name_at(&b, first, 1), STR("its_caller"));
	assert_str_equal(name_at(&b, first, 2), STR("[unknown]+0x10"));
	assert_int_equal(b.links.at[b.sample_link[first]].span_id[0], 9);
	assert_int_equal(b.resources.n, 1);
	assert_str_equal(b.keyvalues.at[b.resources.at[0].attributes.at].value.s, STR("shop"));
	profile_batch_fini(&b);
	window_fini(&w);
}

static void samples_of_lost_or_excess_stacks_are_not_dropped(void **state)
{
	struct profile_batch b;
	struct window w;

	(void)state;
	assert_ok(window_init(&w, VARVE_CPU, 2, NULL));
	add(&w, RECORD_CPU, STACK_LOST, 1, 1);
	for (uint32_t i = 0; i < 10; i++) {
		const uint64_t pc = 0x1000 + i;

		add(&w, RECORD_CPU, stack_ids_add(VARVE_CPU, &pc, 1), 1, 1);
	}
	make(&w, VARVE_CPU, &b);
	assert_int_equal(sum_of(&b, "cpu"), 11);
	profile_batch_fini(&b);
	window_fini(&w);
}

static void every_kind_has_its_sample_types(void **state)
{
	static const struct {
		enum varve_profile kind;
		enum record_kind record;
		const char *type;
		/* weight of a record of value 100, and the expected sum of the type */
		int64_t weight, sum;
	} kinds[] = {
		{VARVE_CPU, RECORD_CPU, "samples", 2, 2},
		{VARVE_WALL, RECORD_WALL, "wall", 1, 100},
		{VARVE_HEAP, RECORD_ALLOC, "alloc_space", 65536, 100},
		{VARVE_HEAP, RECORD_ALLOC, "alloc_objects", 3 * 65536, 3},
		{VARVE_MUTEX, RECORD_MUTEX, "contentions", 5 * 65536, 5},
		{VARVE_BLOCK, RECORD_BLOCK, "delay", 65536, 100},
		{VARVE_THREADCREATE, RECORD_THREADCREATE, "threadcreate", 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < countof(kinds); i++) {
		struct profile_batch b;
		struct window w;

		assert_ok(window_init(&w, ~0u, 100, NULL));
		add(&w, kinds[i].record, a_stack(), 100, kinds[i].weight);
		make(&w, kinds[i].kind, &b);
		assert_int_equal(sum_of(&b, kinds[i].type), kinds[i].sum);
		profile_batch_fini(&b);
		window_fini(&w);
	}
}

static void an_allocation_failure_is_reported(void **state)
{
	struct window w;
	unsigned failures = 0;

	(void)state;
	assert_ok(window_init(&w, VARVE_CPU, 100, NULL));
	add(&w, RECORD_CPU, a_stack(), 100, 1);
	for (size_t limit = 16 * KIB; limit < 2 * MIB; limit += 16 * KIB) {
		struct budget budget = {.limit = limit};
		struct profile_batch b;
		int rc = profile_batch_init(&b, &budget);

		rc = rc ? rc : profile_make(&maker, &w, VARVE_CPU, w.start_ns + 1, &b);
		failures += rc != 0;
		profile_batch_fini(&b);
		assert_int_equal(budget.used, 0);
		if (!rc)
			break;
	}
	assert_true(failures > 0);
	window_fini(&w);
}

static void addresses_are_resolved_to_names(void **state)
{
	char name[256];

	(void)state;
	its_caller();
	assert_true(profile_name_address(&maker, (uint64_t)(uintptr_t)hot_function, name,
					 sizeof(name)) > 0);
	assert_string_equal(name, "hot_function");
	profile_name_address(&maker, 0x10, name, sizeof(name));
	assert_string_equal(name, "[unknown]+0x10");
}

TEST_MAIN(test_with(maker, samples_have_names_values_spans_and_labels),
	  test_with(maker, samples_of_lost_or_excess_stacks_are_not_dropped),
	  test_with(maker, every_kind_has_its_sample_types),
	  test_with(maker, an_allocation_failure_is_reported),
	  test_with(maker, addresses_are_resolved_to_names))
