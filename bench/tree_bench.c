/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the store's result to the response: 300,000 stacks of 20,000 locations and 6,667 functions,
 * as a larger service has them in a day, are made a call tree, a table and a flame graph.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "query/flamebearer.h"
#include "query/tree/top.h"

enum { STACKS = 300000, LOCATIONS = 20000, SHARED = 20, ROUNDS = 20, MAX_NODES = 8192 };

struct input {
	struct stack_tree stacks;
	struct stack_sums sums;
	struct tree tree;
	bool made;
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % n);
}

static int make_locations(struct input *in, uint32_t *ids)
{
	int rc = 0;

	for (uint32_t i = 0; i < LOCATIONS && !rc; i++) {
		char name[32];

		snprintf(name, sizeof(name), "package.function_%u", i / 3);
		rc = profile_add_frame(&in->stacks.builder, str_from(name), STR("file.c"), i,
				       &ids[i]);
	}
	return rc;
}

/* Make stacks of 5 to 45 frames; each shares its outer frames with the one before. */
static int make_input(struct input *in)
{
	static uint32_t ids[LOCATIONS], stack[64];
	uint64_t seed = 1;
	int rc = stack_tree_init(&in->stacks, NULL);

	if (!rc)
		rc = make_locations(in, ids);
	while (!rc && in->stacks.nodes.n < STACKS) {
		uint32_t depth = 5 + below(&seed, 40), kept = below(&seed, depth), at = 0;

		for (uint32_t k = 0; k < depth && !rc; k++) {
			if (k >= kept || !stack[k])
				stack[k] = ids[below(&seed, k < 5 ? SHARED : LOCATIONS)];
			rc = stack_tree_child(&in->stacks, at, stack[k], &at);
		}
		if (!rc)
			rc = stack_sums_add(&in->stacks, &in->sums, at, 1 + below(&seed, 1000));
	}
	return rc;
}

static void fail_on(int rc)
{
	if (rc) {
		fprintf(stderr, "tree_bench: %d\n", rc);
		exit(1);
	}
}

static void make_tree(void *context)
{
	struct input *in = context;

	if (in->made)
		tree_fini(&in->tree);
	in->made = true;
	fail_on(tree_init(&in->tree, &(struct tree_options){0}, NULL));
	fail_on(tree_add_stacks(&in->tree, &in->stacks, &in->sums, NULL, NULL));
	fail_on(tree_finish(&in->tree));
	bench_keep(in->tree.nodes.n);
}

static void make_table(void *context)
{
	struct input *in = context;
	struct top top;

	fail_on(top_of_tree(&top, &in->tree));
	top_sort(&top, &in->tree, TOP_BY_SELF);
	bench_keep(top.n);
}

static void make_picture(void *context)
{
	struct input *in = context;
	struct flamebearer levels;
	struct cut cut;

	fail_on(cut_of_tree(&cut, &in->tree, &(struct cut_options){.max_nodes = MAX_NODES}, NULL));
	fail_on(flamebearer_of_tree(&levels, &in->tree, &cut, false));
	bench_keep(levels.names.n);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*work)(void *context);
		const char *method;
	} parts[] = {
		{"tree of 300 k stacks", make_tree, "CPU time, best of 20; with totals and order"},
		{"top of 300 k stacks", make_table, "CPU time, best of 20; from the tree"},
		{"picture of 300 k stacks", make_picture,
		 "CPU time, best of 20; 8,192 nodes shown"},
	};
	struct input in = {0};

	fail_on(make_input(&in));
	for (size_t i = 0; i < countof(parts); i++) {
		struct bench_result r = {
			.name = parts[i].name,
			.value = 1e3 * bench_best(ROUNDS, parts[i].work, &in),
			.unit = "ms",
			.better = BENCH_LESS,
			.method = parts[i].method,
		};

		bench_report(&r);
	}
	tree_fini(&in.tree);
	stack_tree_fini(&in.stacks);
	return 0;
}
