/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decompression of arbitrary bytes: by their magic, and as the kind that the first byte selects. It
 * stays within its limits; the output is compressed again and must decompress to the same.
 */
#include "fuzz.h"

#include <errno.h>

#include "wire/compress/compress.h"
#include "wire/compress/zip.h"

enum { OUTPUT_MAX = 4 << 20 }; /* small, so that decompression bombs take little time */

static const struct decompress_limits limits = {.output = OUTPUT_MAX};

static void check_round_trip(enum compress_kind kind, struct str plain)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct buf packed;
	struct arena a;
	struct str back;

	buf_init(&packed, &budget);
	arena_init(&a, &budget);
	FUZZ_CHECK(compress_bytes(&packed, kind, 1, plain, NULL) == 0);
	FUZZ_CHECK(decompress_bytes(kind, buf_str(&packed), &a, NULL, &back, NULL) == 0);
	FUZZ_CHECK(str_eq(back, plain));
	arena_fini(&a);
	buf_fini(&packed);
	FUZZ_CHECK(budget.used == 0);
}

static void check_one(enum compress_kind kind, struct str in)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct err e = {0};
	struct arena a;
	struct str out = {0};
	int rc;

	arena_init(&a, &budget);
	rc = decompress_bytes(kind, in, &a, &limits, &out, &e);
	FUZZ_CHECK(rc <= 0 && rc != -ENOMEM);
	FUZZ_CHECK(rc == 0 || (e.code == rc && e.text[0]));
	FUZZ_CHECK(budget.peak <= 3 * OUTPUT_MAX);
	if (!rc && kind != COMPRESS_NONE)
		FUZZ_CHECK(out.n <= max_size(OUTPUT_MAX, in.n));
	if (!rc && kind != COMPRESS_NONE && kind != COMPRESS_ZIP && out.n < 65536)
		check_round_trip(kind, out);
	arena_fini(&a);
	FUZZ_CHECK(budget.used == 0);
}

static void check_zip(struct str in)
{
	struct zip_entry entry;
	struct zip z;
	uint64_t entries = 0;
	struct arena a;
	struct str out;

	arena_init(&a, NULL);
	if (zip_open(&z, in, NULL) == 0) {
		while (zip_next(&z, &entry, NULL) == 1 && ++entries < 32) {
			FUZZ_CHECK(entry.name.p >= in.p &&
				   entry.name.p + entry.name.n <= in.p + in.n);
			if (zip_extract(&z, &entry, &a, &limits, &out, NULL) == 0)
				FUZZ_CHECK(out.n == entry.size);
		}
	}
	arena_fini(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data, size);

	if (!size)
		return 0;
	check_one(compress_detect(in), in);
	check_one((enum compress_kind)(data[0] % COMPRESS_KINDS), str_from_at(in, 1));
	check_zip(in);
	return 0;
}
