/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads share a sanitizer and its small cache, and each finds what it has to find. */
#include "base/thread.h"
#include "signal/sanitize/sanitize_text.h"

enum { THREADS = 4, ROUNDS = 20000 };

struct examiner {
	struct thread thread;
	const struct sanitizer *z;
	unsigned seed, wrong;
};

static void examine_texts(void *arg)
{
	struct examiner *x = arg;
	uint32_t counts[64] = {0};
	struct arena arena;

	arena_init(&arena, NULL);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct sanitize_run run = {.z = x->z, .arena = &arena, .counts = counts};
		bool secret = (i * 7 + x->seed) % 5 == 0;
		char text[64];
		struct str out;

		snprintf(text, sizeof(text), secret ? "password=hunter%u" : "harmless %u", i % 97);
		x->wrong += sanitize_text(&run, SANITIZE_VALUES, (struct str){0}, str_from(text),
					  &out) != (secret ? SANITIZE_CHANGED : SANITIZE_KEEP);
		if (i % 100 == 0)
			arena_reset(&arena);
	}
	arena_fini(&arena);
}

static void threads_share_a_sanitizer(void **state)
{
	struct examiner at[THREADS] = {0};
	struct text_fixture f;

	(void)state;
	fixture_start(
		&f, &(struct sanitize_options){.groups = SANITIZE_DEFAULT_GROUPS, .cache_bits = 4});
	for (unsigned i = 0; i < THREADS; i++) {
		at[i].z = f.z;
		at[i].seed = i;
		assert_ok(thread_start(&at[i].thread, "examine", examine_texts, &at[i], NULL));
	}
	for (unsigned i = 0; i < THREADS; i++) {
		thread_join(&at[i].thread);
		assert_int_equal(at[i].wrong, 0);
	}
	fixture_stop(&f);
}

TEST_MAIN(test(threads_share_a_sanitizer))
