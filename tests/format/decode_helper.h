/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_DECODE_HELPER_H
#define VARVE_TEST_DECODE_HELPER_H

#include "format/format.h"
#include "signal/profile/profile.h"
#include "test/test.h"

/* Checks that apply to every decoder. */

static inline void count_warning(void *arg, const char *text)
{
	(void)text;
	++*(unsigned *)arg;
}

static inline int decode_as(struct profile_batch *b, const struct format *f, struct str in,
			    struct err *e)
{
	return format_decode(b, in, f, STR(""), NULL, NULL, e);
}

static inline void assert_batch_valid(const struct profile_batch *b)
{
	struct err e = {0};

	assert_ok_err(profile_batch_check(b, &e), &e);
}

/* Decode, check the invariants, encode as `to`, and compare. */
static inline void assert_converts(const struct format *from, struct str in,
				   const struct format *to, struct str sample_type,
				   struct str expected)
{
	struct encode_options o = {.sample_type = sample_type};
	struct profile_batch b;
	struct buf out = {0};
	struct err e = {0};

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(decode_as(&b, from, in, &e), &e);
	assert_batch_valid(&b);
	assert_ok_err(to->encode(&out, &b, &o, &e), &e);
	assert_str_equal(buf_str(&out), expected);
	buf_fini(&out);
	profile_batch_fini(&b);
}

/* Check that the input is rejected with an error that contains `says`. */
static inline void assert_refused(const struct format *f, struct str in, const char *says)
{
	struct profile_batch b;
	struct err e = {0};

	assert_ok(profile_batch_init(&b, NULL));
	assert_int_equal(decode_as(&b, f, in, &e), -EBADMSG);
	assert_err_says(&e, says);
	assert_batch_valid(&b);
	profile_batch_fini(&b);
}

/* Decode any input: no crash, no leak, no memory over the budget, and a valid batch on success. */
static inline void decode_anything(const struct format *f, struct str in)
{
	struct budget budget = {.limit = 64 * MIB};
	struct profile_batch b;
	struct err e = {0};

	assert_ok(profile_batch_init(&b, &budget));
	if (decode_as(&b, f, in, &e))
		assert_true(e.text[0] != '\0');
	assert_batch_valid(&b);
	profile_batch_fini(&b);
	assert_int_equal(budget.used, 0);
}

/* Return a copy of exactly that size, so that a sanitizer detects overreads. */
static inline char *exact_copy(struct str in)
{
	char *copy = malloc(in.n ? in.n : 1);

	assert_non_null(copy);
	if (in.n)
		memcpy(copy, in.p, in.n);
	return copy;
}

static inline void survives_truncation(const struct format *f, struct str in)
{
	for (size_t n = 0; n <= in.n; n++) {
		char *copy = exact_copy(str_head(in, n));

		decode_anything(f, str_of(copy, n));
		free(copy);
	}
}

static inline uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static inline void survives_mutation(const struct format *f, struct str in, unsigned mutants)
{
	static const char interesting[] = "\0\xff\x7f\x80;:/#{}[]\"0 \t\n.-";
	uint32_t random = 0x9e3779b9;

	for (unsigned i = 0; i < mutants; i++) {
		char *copy = exact_copy(in);
		unsigned changes = 1 + next_random(&random) % 4;

		while (changes--) {
			uint32_t r = next_random(&random);

			copy[r % in.n] = next_random(&random) % 2
						 ? interesting[(r >> 8) % (sizeof(interesting) - 1)]
						 : (char)(r >> 16);
		}
		decode_anything(f, str_of(copy, in.n - next_random(&random) % (in.n / 8 + 1)));
		free(copy);
	}
}

/* Decode with each budget from zero to enough: out of memory is an error, and nothing leaks. */
static inline void survives_lack_of_memory(const struct format *f, struct str in)
{
	int rc = -ENOMEM;
	unsigned refused = 0;

	for (size_t limit = 0; rc; limit += 1024) {
		struct budget budget = {.limit = limit};
		struct profile_batch b;
		struct err e = {0};

		rc = profile_batch_init(&b, &budget);
		if (!rc) {
			rc = decode_as(&b, f, in, &e);
			assert_batch_valid(&b);
		}
		if (rc)
			assert_int_equal(rc, -ENOMEM);
		refused += rc != 0;
		profile_batch_fini(&b);
		assert_int_equal(budget.used, 0);
		assert_true(limit < 64 * MIB);
	}
	assert_true(refused > 0);
}

/* Decode with the n-th allocation of the batch's arena failing, for each n. */
static inline void survives_failing_allocations(const struct format *f, struct str in)
{
	int rc = -ENOMEM;

	for (unsigned n = 1; rc; n++) {
		struct profile_batch b;
		struct err e = {0};

		assert_ok(profile_batch_init(&b, NULL));
		b.arena.fail_after = n;
		rc = decode_as(&b, f, in, &e);
		assert_batch_valid(&b);
		if (rc)
			assert_int_equal(rc, -ENOMEM);
		profile_batch_fini(&b);
		assert_true(n < 100000);
	}
}

#endif
