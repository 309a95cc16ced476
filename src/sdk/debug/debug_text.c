/* SPDX-License-Identifier: Apache-2.0 */
/* The text format of Go's runtime/pprof. */
#include "sdk/debug/debug_text.h"

#include <inttypes.h>

static void put_stack_frames(struct buf *out, const struct profile_batch *b, uint32_t stack)
{
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct location *location = &b->locations.at[locations[i]];

		for (uint32_t l = 0; l < location->lines.n; l++) {
			const struct line *line = &b->lines.at[location->lines.at + l];
			const struct function *f = &b->functions.at[line->function];
			struct str file = string_of(
				b, f->filename ? f->filename
					       : b->mappings.at[location->mapping].filename);

			buf_printf(out, "#\t0x%" PRIx64 "\t%.*s\t%.*s", location->address,
				   STR_ARG(string_of(b, f->name)), STR_ARG(file));
			if (line->line)
				buf_printf(out, ":%" PRId64, line->line);
			buf_put_char(out, '\n');
		}
	}
	buf_put_char(out, '\n');
}

static void put_addresses(struct buf *out, const struct profile_batch *b, uint32_t stack)
{
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);

	buf_put_char(out, '@');
	for (uint32_t i = 0; i < n; i++)
		buf_printf(out, " 0x%" PRIx64, b->locations.at[locations[i]].address);
	buf_put_char(out, '\n');
}

/* Write " thread.name=worker thread.state=sleeping thread.id=12". */
static void put_sample_attributes(struct buf *out, const struct profile_batch *b, uint32_t sample)
{
	for (uint32_t i = b->sample_attributes_at[sample]; i < b->sample_attributes_at[sample + 1];
	     i++) {
		const struct attribute *a = &b->attributes.at[b->sample_attributes.at[i]];

		if (a->value.kind == VALUE_STRING)
			buf_printf(out, " %.*s=%.*s", STR_ARG(string_of(b, a->key)),
				   STR_ARG(a->value.s));
		else if (a->value.kind == VALUE_INT)
			buf_printf(out, " %.*s=%" PRId64, STR_ARG(string_of(b, a->key)),
				   a->value.i);
	}
}

static void put_profile_text(struct buf *out, const struct profile_batch *b,
			     const struct profile *p, bool per_thread)
{
	for (uint32_t i = p->sample_first; i < p->sample_first + p->sample_count; i++) {
		if (per_thread) {
			buf_put_str(out, STR("thread"));
			put_sample_attributes(out, b, i);
			buf_put_str(out, STR(":\n"));
		} else {
			buf_printf(out, "%" PRId64 " ", sample_total(b, i));
			put_addresses(out, b, b->sample_stack[i]);
		}
		put_stack_frames(out, b, b->sample_stack[i]);
	}
}

void debug_text(struct buf *out, const char *name, const struct profile_batch *b, bool per_thread)
{
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];
		int64_t total = 0;

		for (uint32_t s = 0; s < p->sample_count; s++)
			total += sample_total(b, p->sample_first + s);
		buf_printf(out, "%s profile: %.*s/%.*s: total %" PRId64 "\n", name,
			   STR_ARG(string_of(b, p->sample_type.type)),
			   STR_ARG(string_of(b, p->sample_type.unit)), total);
		put_profile_text(out, b, p, per_thread);
	}
}
