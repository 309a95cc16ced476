/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_PPROF_MUTATE_H
#define VARVE_TEST_PPROF_MUTATE_H

/* Random mutations of pprof files: they decode or are rejected with an error text. */
#include "format/pprof/pprof.h"
#include "format/pprof/pprof_support.h"
#include "test/test.h"

static inline void decode_damaged(struct profile_batch *b, struct str in, bool check)
{
	struct err e = {0};

	assert_ok(profile_batch_reset(b));
	if (pprof_decode(b, in, &(struct decode_options){0}, &e))
		assert_true(e.text[0] != 0);
	else if (check)
		assert_ok_err(profile_batch_check(b, &e), &e);
}

enum { LARGE = 64 * 1024 };

static inline void mutate(struct profile_batch *b, struct str in, unsigned rounds)
{
	uint64_t seed = 42;
	char *copy = malloc(in.n);

	assert_non_null(copy);
	memcpy(copy, in.p, in.n);
	for (unsigned round = 0; round < rounds; round++) {
		size_t at[4];

		for (unsigned k = 0; k <= round % 4; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			at[k] = (seed >> 33) % in.n;
			copy[at[k]] = (char)(seed >> 20);
		}
		/* checking the invariants of a large batch takes longer than decoding it */
		decode_damaged(b, str_of(copy, in.n), in.n < LARGE || round % 16 == 0);
		for (unsigned k = 0; k <= round % 4; k++)
			copy[at[k]] = in.p[at[k]];
	}
	free(copy);
}

/* Decode 10,000 mutants of each of these fixtures; skip the test if there are none. */
static inline void mutate_fixtures(const char *const *names, size_t n)
{
	struct profile_batch b;
	unsigned seen = 0;

	assert_ok(profile_batch_init(&b, NULL));
	for (size_t i = 0; i < n; i++) {
		char *path = fixture_path(names[i]);
		struct arena a;

		if (!path)
			continue;
		arena_init(&a, NULL);
		mutate(&b, read_plain(&a, path), 10000);
		arena_fini(&a);
		free(path);
		seen++;
	}
	profile_batch_fini(&b);
	if (!seen) {
		print_message("no fixtures\n");
		skip();
	}
}

#endif
