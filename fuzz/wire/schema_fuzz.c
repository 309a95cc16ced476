/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion between JSON and protobuf by a schema table. JSON that converts to protobuf converts
 * back to JSON with the same protobuf; arbitrary protobuf is refused or converts to JSON that can
 * be read. The first byte selects the direction.
 */
#include "../tests/wire/schema_table.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct buf proto, json, again;
	struct arena arena;
	struct str in;
	int rc = 0;

	if (!size)
		return 0;
	arena_init(&arena, &budget);
	buf_init(&proto, &budget);
	buf_init(&json, &budget);
	buf_init(&again, &budget);
	in = str_of((const char *)data + 1, size - 1);
	if (data[0] == 'p')
		buf_put_str(&proto, in);
	else
		rc = schema_json_to_proto(&proto, &everything, in, &arena, NULL);
	if (!rc)
		rc = schema_to_json(&json, &everything, buf_str(&proto), NULL);
	if (!rc) {
		struct err e = {0};

		rc = schema_json_to_proto(&again, &everything, buf_str(&json), &arena, &e);
		FUZZ_CHECK(rc == 0 || rc == -ENOMEM);
	}
	if (!rc && data[0] != 'p') {
		buf_clear(&proto);
		FUZZ_CHECK(schema_to_json(&proto, &everything, buf_str(&again), NULL) == 0);
		FUZZ_CHECK(str_eq(buf_str(&proto), buf_str(&json)));
	}
	buf_fini(&again);
	buf_fini(&json);
	buf_fini(&proto);
	arena_fini(&arena);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
