/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_SANITIZE_TEXT_H
#define VARVE_TESTS_SANITIZE_TEXT_H

#include "signal/sanitize/sanitize.h"
#include "test/test.h"

/* A sanitizer with its run, for tests of single texts. */
struct text_fixture {
	struct sanitizer *z;
	struct arena arena;
	struct sanitize_run run;
	uint32_t counts[64];
};

static inline void fixture_start(struct text_fixture *f, const struct sanitize_options *o)
{
	struct err e = {0};

	*f = (struct text_fixture){0};
	assert_ok_err(sanitizer_new(&f->z, o, &e), &e);
	arena_init(&f->arena, NULL);
	f->run = (struct sanitize_run){.z = f->z, .arena = &f->arena, .counts = f->counts};
}

static inline void fixture_stop(struct text_fixture *f)
{
	arena_fini(&f->arena);
	sanitizer_free(f->z);
}

/* Return how often a rule has counted. */
static inline uint32_t fixture_count(const struct text_fixture *f, const char *rule)
{
	for (uint32_t i = 0; i < sanitizer_rule_count(f->z); i++)
		if (!strcmp(sanitizer_rule_name(f->z, i), rule))
			return f->counts[i];
	fail_msg("no rule %s", rule);
	return 0;
}

#endif
