/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FUZZ_DECODE_H
#define VARVE_FUZZ_DECODE_H

#include "format/format.h"
#include "fuzz.h"

/*
 * Decode the bytes as format `f`; the batch must be valid for any input. Return whether it was
 * decoded.
 */
static inline bool fuzz_decode_batch(struct profile_batch *b, struct budget *budget,
				     const struct format *f, struct str in)
{
	struct err e = {0};
	bool decoded;

	if (profile_batch_init(b, budget))
		return false;
	decoded = format_decode(b, in, f, STR(""), NULL, NULL, &e) == 0;
	FUZZ_CHECK(decoded || e.text[0]);
	FUZZ_CHECK(profile_batch_check(b, NULL) == 0);
	return decoded;
}

/*
 * Decode the bytes as `f`. Encode a decoded batch as `to` (may be NULL); the output must decode
 * again.
 */
static inline void fuzz_decode(const struct format *f, const struct format *to, const uint8_t *data,
			       size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET}, again_budget = {.limit = FUZZ_BUDGET};
	struct profile_batch b = {0}, again = {0};
	struct buf out = {0};
	struct err e = {0};

	if (fuzz_decode_batch(&b, &budget, f, str_of((const char *)data, size)) && to &&
	    b.sample_count && to->encode(&out, &b, NULL, &e) == 0)
		FUZZ_CHECK(fuzz_decode_batch(&again, &again_budget, to, buf_str(&out)) ||
			   again_budget.peak > FUZZ_BUDGET / 2);
	buf_fini(&out);
	profile_batch_fini(&again);
	profile_batch_fini(&b);
	FUZZ_CHECK(budget.used == 0);
	FUZZ_CHECK(again_budget.used == 0);
}

#endif
