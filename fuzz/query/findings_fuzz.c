/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of arbitrary collapsed stacks: the first byte selects the kind of profile. Values must not
 * exceed the whole, and the JSON must parse.
 */
#include "decode.h"

#include "format/folded/folded.h"
#include "query/findings/findings_json.h"
#include "wire/json.h"

static void check_finding(const struct findings *all, const struct finding *f, const struct tree *t)
{
	int64_t evidence = 0;

	FUZZ_CHECK(f->value > 0 && f->value <= all->total);
	FUZZ_CHECK(f->node_value > 0 && f->node_value <= f->value);
	FUZZ_CHECK(f->node && f->node < t->nodes.n && f->frames && f->function_n);
	for (uint32_t i = 0; i < f->evidence_n; i++)
		evidence += f->evidence[i].value;
	FUZZ_CHECK(evidence <= f->value);
}

static void check_findings(struct tree *t, enum finding_kind kind)
{
	struct buf out = {0};
	struct json_writer w = json_writer_to(&out, 0);
	struct findings all;
	struct arena arena;
	struct json doc;

	if (findings_of_tree(&all, t, kind))
		return;
	for (uint32_t i = 0; i < all.rows.n; i++)
		check_finding(&all, &all.rows.at[i], t);
	json_open_object(&w);
	if (!findings_put_json(&w, &all, t)) {
		json_close_object(&w);
		arena_init(&arena, NULL);
		json_init(&doc, &arena);
		FUZZ_CHECK(json_parse(&doc, buf_str(&out), NULL) == 0);
		arena_fini(&arena);
	}
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET}, tree_budget = {.limit = FUZZ_BUDGET};
	static const struct tree_options options;
	struct profile_batch b = {0};
	struct tree t = {0};

	if (!size)
		return 0;
	if (fuzz_decode_batch(&b, &budget, &format_folded,
			      str_of((const char *)data + 1, size - 1)) &&
	    tree_init(&t, &options, &tree_budget) == 0 && tree_add(&t, &b, TREE_ONLY, NULL) == 0 &&
	    tree_finish(&t) == 0)
		check_findings(&t, (enum finding_kind)(1u << (data[0] & 3)));
	tree_fini(&t);
	profile_batch_fini(&b);
	return 0;
}
