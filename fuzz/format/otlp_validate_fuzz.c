/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a received message; the first byte selects the signal. What passes the check
 * can be read as a tree, and converted to JSON and back to a message that passes, too.
 */
#include <errno.h>

#include "format/otlp/schema.h"
#include "fuzz.h"
#include "signal/otlp/tree.h"
#include "signal/otlp/validate.h"

static const enum signal_kind signals[] = {SIGNAL_TRACES, SIGNAL_METRICS, SIGNAL_LOGS,
					   SIGNAL_PROFILES};

static void check_tree(enum signal_kind signal, struct str message, uint32_t items,
		       struct budget *budget)
{
	struct payload_slice slice;
	struct payload p;
	struct otlp_tree tree;
	struct arena arena;
	int rc;

	arena_init(&arena, budget);
	payload_borrow(&p, &slice, signal, items, message);
	rc = otlp_tree_read(&tree, &p, &arena, NULL);
	FUZZ_CHECK(rc != -EBADMSG);
	/* of a metric with several kinds of data only the last one counts */
	FUZZ_CHECK(rc || (signal == SIGNAL_METRICS ? tree.items <= items : tree.items == items));
	arena_fini(&arena);
}

static void check_json(enum signal_kind signal, struct str message, struct budget *budget)
{
	const struct schema_message *schema = otlp_request_schema(signal);
	struct buf json, again;
	struct arena scratch;
	struct err e = {0};
	uint32_t items;
	int rc;

	buf_init(&json, budget);
	buf_init(&again, budget);
	arena_init(&scratch, budget);
	rc = schema_to_json(&json, schema, message, &e);
	FUZZ_CHECK(rc != -EBADMSG);
	if (!rc)
		rc = schema_json_to_proto(&again, schema, buf_str(&json), &scratch, &e);
	FUZZ_CHECK(rc != -EBADMSG);
	if (!rc && again.n)
		FUZZ_CHECK(!otlp_validate(signal, buf_str(&again), &items, &e));
	arena_fini(&scratch);
	buf_fini(&json);
	buf_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct err e = {0};
	uint32_t items;

	if (size < 2)
		return 0;

	enum signal_kind signal = signals[data[0] & 3];
	struct str message = str_of((const char *)data + 1, size - 1);
	int rc = otlp_validate(signal, message, &items, &e);

	FUZZ_CHECK(!rc || (rc == -EBADMSG && e.text[0]));
	if (!rc) {
		check_tree(signal, message, items, &budget);
		check_json(signal, message, &budget);
	}
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
