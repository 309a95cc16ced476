/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two arbitrary header blocks, decoded one after the other with the same table, which must stay
 * within its limits.
 */
#include "wire/hpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(void *arg, struct str name, struct str value)
{
	(void)arg;
	if (name.n > HPACK_STRING_MAX || value.n > HPACK_STRING_MAX)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data, size);
	struct hpack h;

	hpack_init(&h);
	for (int i = 0; i < 2; i++) {
		(void)!hpack_decode(&h, i ? in : str_head(in, size / 2), check, NULL);
		if (h.limit > HPACK_TABLE_MAX || h.size > h.limit || h.count > HPACK_ENTRIES_MAX)
			__builtin_trap();
	}
	return 0;
}
