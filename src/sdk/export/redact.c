/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in rules of signal/sanitize, which need no library, on the texts of the host program. */
#include "sdk/export/redact.h"

#include <errno.h>

#include "signal/sanitize/sanitize_otlp.h"
#include "signal/sanitize/sanitize_profile.h"

enum {
	CACHE_BITS = 12, /* 32 KiB: the names of one program */
	RULES_MAX = 64,
};

int redact_new(struct sanitizer **out, const struct varve_options *o, struct err *e)
{
	const struct sanitize_options options = {
		.groups = SANITIZE_DEFAULT_GROUPS |
			  (o->hide_function_names ? SANITIZE_FUNCTION_NAMES : 0u),
		.cache_bits = CACHE_BITS};

	*out = NULL;
	return o->no_sanitize ? 0 : sanitizer_new(out, &options, e);
}

static struct sanitize_run redact_run(const struct sanitizer *z, struct arena *arena,
				      uint32_t counts[RULES_MAX])
{
	return (struct sanitize_run){.z = z, .arena = arena, .counts = counts};
}

int redact_resource(const struct sanitizer *z, struct arena *arena, struct keyvalue *at, uint32_t n)
{
	uint32_t counts[RULES_MAX] = {0};
	struct sanitize_run run = redact_run(z, arena, counts);

	for (uint32_t i = 0; i < n && z; i++) {
		struct str out;
		int rc;

		if (at[i].value.kind != VALUE_STRING)
			continue;
		rc = sanitize_text(&run, SANITIZE_VALUES, at[i].key, at[i].value.s, &out);
		if (rc < 0)
			return rc;
		/* With a NUL, as texts of the resource have. */
		if (rc && arena_copy_str(arena, out, &at[i].value.s))
			return -ENOMEM;
	}
	return 0;
}

int redact_batch(const struct sanitizer *z, struct profile_batch *b)
{
	uint32_t counts[RULES_MAX] = {0};
	struct sanitized_profile changed;
	struct sanitize_run run;
	struct arena arena;
	int rc;

	if (!z)
		return 0;
	run = redact_run(z, &b->arena, counts);
	rc = sanitize_profile(&run, b, &changed);
	if (rc <= 0)
		return rc;
	arena = b->arena; /* the view is in it */
	*b = changed.batch;
	b->arena = arena;
	return 0;
}

int redact_message(const struct sanitizer *z, enum signal_kind signal, struct buf *body)
{
	uint32_t counts[RULES_MAX] = {0};
	struct arena arena;
	struct sanitize_run run = redact_run(z, &arena, counts);
	bool removed;
	struct str out;
	int rc;

	if (!z || !body->n)
		return 0;
	arena_init(&arena, body->budget);
	rc = sanitize_otlp(&run, signal, buf_str(body), &out, &removed);
	if (rc > 0) {
		buf_clear(body);
		buf_put_str(body, out);
		rc = buf_error(body);
	}
	arena_fini(&arena);
	return rc;
}

int redact_text(const struct sanitizer *z, struct buf *text, size_t from)
{
	uint32_t counts[RULES_MAX] = {0};
	struct arena arena;
	struct sanitize_run run = redact_run(z, &arena, counts);
	struct str out;
	int rc;

	if (!z || text->n <= from)
		return 0;
	arena_init(&arena, text->budget);
	rc = sanitize_text(&run, SANITIZE_VALUES, (struct str){0},
			   str_of(text->p + from, text->n - from), &out);
	if (rc > 0) {
		text->n = from;
		buf_put_str(text, out);
		rc = buf_error(text);
	}
	arena_fini(&arena);
	return rc;
}
