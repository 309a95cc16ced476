/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a dictionary segment or as envelopes. A decoded segment keeps batch and tree
 * valid, and its encoding decodes to as many rows.
 */
#include "fuzz.h"
#include "store/sqlite/block/dictionary.h"
#include "store/sqlite/block/frame.h"
#include "store/sqlite/catalog/registry.h"

static bool decode(struct stack_tree *t, struct str in, struct budget *budget)
{
	struct err e = {0};
	bool good = dictionary_init(t, budget) == 0 && dictionary_decode(t, in, &e) == 0;

	for (uint32_t i = 1; good && i < t->nodes.n; i++)
		FUZZ_CHECK(t->nodes.at[i].parent < i);
	return good;
}

static void fuzz_segment(struct str in, struct budget *budget)
{
	struct dictionary_counts first = {1, 1, 1, 1, 1, 1}, a, b;
	struct stack_tree t, again = {0};
	struct buf out = {0};

	if (decode(&t, in, budget) && dictionary_encode(&t, first, &out) == 0) {
		FUZZ_CHECK(decode(&again, buf_str(&out), budget));
		a = dictionary_count(&t);
		b = dictionary_count(&again);
		FUZZ_CHECK(!dictionary_grew(a, b));
		stack_tree_fini(&again);
	}
	stack_tree_fini(&t);
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct str in = str_of((const char *)data, size), out, tenant;
	struct label_set labels;
	struct arena arena;
	struct err e = {0};

	fuzz_segment(in, &budget);
	arena_init(&arena, &budget);
	for (unsigned kind = 0; kind < FRAME_KINDS; kind++)
		(void)!frame_get(in, kind, NULL, &arena, &out, &e);
	(void)!labels_decode(in, &arena, &tenant, &labels, &e);
	arena_fini(&arena);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
