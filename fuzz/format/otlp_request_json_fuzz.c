/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a request in JSON; the first byte selects the signal. A message that passes
 * the check becomes JSON which is converted to the same message again and again.
 */
#include <errno.h>

#include "format/otlp/schema.h"
#include "fuzz.h"
#include "signal/otlp/validate.h"

static const enum signal_kind signals[] = {SIGNAL_TRACES, SIGNAL_METRICS, SIGNAL_LOGS,
					   SIGNAL_PROFILES};

/* Convert a message to JSON and back. Return false without memory. */
static bool round_trip(const struct schema_message *schema, struct str message, struct buf *out)
{
	struct buf json;
	struct arena scratch;
	struct err e = {0};
	int rc;

	buf_init(&json, out->budget);
	arena_init(&scratch, out->budget);
	rc = schema_to_json(&json, schema, message, &e);
	if (!rc)
		rc = schema_json_to_proto(out, schema, buf_str(&json), &scratch, &e);
	FUZZ_CHECK(rc != -EBADMSG);
	arena_fini(&scratch);
	buf_fini(&json);
	return !rc;
}

static void check_message(enum signal_kind signal, struct str message, struct budget *budget)
{
	const struct schema_message *schema = otlp_request_schema(signal);
	struct buf once, twice;
	uint32_t items;

	buf_init(&once, budget);
	buf_init(&twice, budget);
	if (round_trip(schema, message, &once) && once.n) {
		FUZZ_CHECK(!otlp_validate(signal, buf_str(&once), &items, NULL));
		if (round_trip(schema, buf_str(&once), &twice))
			FUZZ_CHECK(str_eq(buf_str(&once), buf_str(&twice)));
	}
	buf_fini(&once);
	buf_fini(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct arena scratch;
	struct buf message;
	struct err e = {0};
	uint32_t items;
	int rc;

	if (!size)
		return 0;

	enum signal_kind signal = signals[data[0] & 3];

	buf_init(&message, &budget);
	arena_init(&scratch, &budget);
	rc = schema_json_to_proto(&message, otlp_request_schema(signal),
				  str_of((const char *)data + 1, size - 1), &scratch, &e);
	FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	arena_fini(&scratch);
	if (!rc && message.n && !otlp_validate(signal, buf_str(&message), &items, &e))
		check_message(signal, buf_str(&message), &budget);
	buf_fini(&message);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
