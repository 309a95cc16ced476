/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a message that is split. The first byte selects the signal and the kind of
 * limit, the second one the limit. No item may be lost or doubled, and the parts have to be within
 * the limits.
 */
#include <errno.h>

#include "fuzz.h"
#include "pipeline/convert/payload_parts.h"
#include "signal/otlp/tree.h"

static const enum signal_kind signals[] = {SIGNAL_TRACES, SIGNAL_METRICS, SIGNAL_LOGS,
					   SIGNAL_PROFILES};

static void check_parts(const struct payload_list *parts, const struct payload *p,
			uint64_t max_items, size_t max_bytes, struct budget *budget)
{
	uint64_t items = 0;

	for (uint32_t i = 0; i < parts->n; i++) {
		const struct payload *part = parts->at[i];
		struct otlp_tree tree;
		struct arena arena;

		arena_init(&arena, budget);
		FUZZ_CHECK(otlp_tree_read(&tree, part, &arena, NULL) != -EBADMSG);
		arena_fini(&arena);
		items += part->items;
		if (part->signal == SIGNAL_PROFILES)
			continue;
		FUZZ_CHECK(!max_items || part->items <= max_items);
		FUZZ_CHECK(!max_bytes || part->bytes <= max_bytes || part->items <= 1);
	}
	/* profiles are decoded, which drops samples of unknown stacks */
	FUZZ_CHECK(p->signal == SIGNAL_PROFILES || items == p->items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct payload_list parts = {0};
	struct otlp_tree tree;
	struct payload *p;
	struct arena arena;
	struct err e = {0};
	int rc;

	if (size < 2)
		return 0;

	enum signal_kind signal = signals[data[0] & 3];
	uint64_t max_items = data[0] & 4 ? data[1] : 0;
	size_t max_bytes = data[0] & 8 ? (size_t)data[1] * 16 : 0;
	struct str message = str_of((const char *)data + 2, size - 2);

	arena_init(&arena, &budget);
	p = payload_copy(signal, 0, message, &budget);
	FUZZ_CHECK(p);
	if (!otlp_tree_read(&tree, p, &arena, NULL)) {
		p->items = tree.items;
		rc = payload_parts_split(&parts, p, max_items, max_bytes, &budget, &e);
		FUZZ_CHECK(!rc || e.text[0]);
		if (!rc)
			check_parts(&parts, p, max_items, max_bytes, &budget);
	}
	payload_list_free(&parts);
	payload_release(p);
	arena_fini(&arena);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
