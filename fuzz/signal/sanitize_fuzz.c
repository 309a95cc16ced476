/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary text at a place and with a key that the first bytes select. The result is bounded, is
 * not changed by a second run, and what was plain UTF-8 stays so. The same bytes as OTLP messages of
 * each signal and as profiles: a result has to be valid if the input was.
 */
#include <string.h>

#include "format/otlp/otlp.h"
#include "fuzz.h"
#include "signal/otlp/validate.h"
#include "signal/profile/profile_ops.h"
#include "signal/sanitize/sanitize_otlp.h"
#include "signal/sanitize/sanitize_profile.h"

static struct sanitizer *sanitizers[2]; /* the default rules; all of them */

static const char *const keys[] = {"", "note", "db.password", "card.number", "trace_id"};

static struct sanitize_run run_of(unsigned which, struct arena *arena, uint32_t *counts)
{
	static const unsigned groups[2] = {SANITIZE_DEFAULT_GROUPS, 0x1f};

	if (!sanitizers[which])
		FUZZ_CHECK(!sanitizer_new(&sanitizers[which],
					  &(struct sanitize_options){.groups = groups[which],
								     .cache_bits = which * 8},
					  NULL));
	return (struct sanitize_run){.z = sanitizers[which], .arena = arena, .counts = counts};
}

static void check_text(struct sanitize_run *r, uint8_t selector, struct str text)
{
	enum sanitize_place place = (enum sanitize_place)(1u << (selector & 7));
	struct str key = str_from(keys[(selector >> 3) % countof(keys)]), out, again;
	int verdict = sanitize_text(r, place, key, text, &out);

	FUZZ_CHECK(verdict == SANITIZE_KEEP || verdict == SANITIZE_CHANGED);
	FUZZ_CHECK(out.n <= text.n * SANITIZE_GROWTH + SANITIZE_GROWTH_MIN);
	FUZZ_CHECK((verdict == SANITIZE_KEEP) == str_eq(text, out));
	FUZZ_CHECK(sanitize_text(r, place, key, out, &again) == SANITIZE_KEEP);
	if (str_utf8_valid(text) == text.n)
		FUZZ_CHECK(str_utf8_valid(out) == out.n);
}

static void check_message(struct sanitize_run *r, enum signal_kind signal, struct str message)
{
	uint32_t before, after;
	bool removed, valid = !otlp_validate(signal, message, &before, NULL);
	struct str out;
	int verdict = sanitize_otlp(r, signal, message, &out, &removed);

	if (!valid)
		return;
	FUZZ_CHECK(verdict >= 0);
	FUZZ_CHECK(!otlp_validate(signal, out, &after, NULL));
	FUZZ_CHECK(before == after && !removed);
}

static void check_profile(struct sanitize_run *r, struct str message)
{
	struct sanitized_profile changed;
	struct profile_batch b;
	struct err e = {0};

	FUZZ_CHECK(!profile_batch_init(&b, NULL));
	if (!otlp_decode(&b, message, &(struct decode_options){0}, NULL) &&
	    !profile_batch_check(&b, &e)) {
		int verdict = sanitize_profile(r, &b, &changed);

		FUZZ_CHECK(verdict == SANITIZE_KEEP || verdict == SANITIZE_CHANGED);
		if (verdict == SANITIZE_CHANGED)
			FUZZ_CHECK(!profile_batch_check(&changed.batch, &e));
	}
	profile_batch_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum signal_kind signals[] = {SIGNAL_TRACES, SIGNAL_METRICS, SIGNAL_LOGS};
	uint32_t counts[64] = {0};
	struct arena arena;
	struct str input;

	if (size < 2)
		return 0;
	input = str_of((const char *)data + 2, size - 2);
	arena_init(&arena, NULL);
	for (unsigned which = 0; which < 2; which++) {
		struct sanitize_run r = run_of(which, &arena, counts);

		FUZZ_CHECK(sanitizer_rule_count(r.z) <= countof(counts));
		check_text(&r, data[0], input);
		if (data[1] % 4 < 3)
			check_message(&r, signals[data[1] % 4], input);
		else
			check_profile(&r, input);
	}
	arena_fini(&arena);
	return 0;
}
