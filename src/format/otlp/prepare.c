/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preparation of a batch from any source for encoding as OTLP. Rows are repaired in the copy that
 * normalization makes. A repair can make rows equal, so a repaired batch is normalized again.
 */
#include "format/otlp/prepare.h"

#include "format/otlp/utf8_repair.h"
#include "signal/profile/profile_ops.h"

/* Ensure that start and limit are both 0 or start < limit. An invalid limit becomes UINT64_MAX. */
static bool repair_mapping(struct mapping *m)
{
	if ((!m->start && !m->limit) || m->start < m->limit)
		return false;
	m->limit = UINT64_MAX;
	if (m->start == UINT64_MAX)
		m->start = m->limit = 0;
	return true;
}

static bool repair_number(int64_t *number)
{
	if (*number >= 0)
		return false;
	*number = 0;
	return true;
}

/* Clear a negative start line, and the start line of a function without any name. */
static bool repair_function(struct function *f)
{
	if (f->start_line > 0 && !f->name && !f->system_name && !f->filename) {
		f->start_line = 0;
		return true;
	}
	return repair_number(&f->start_line);
}

static bool repair_rows(struct profile_batch *b)
{
	bool changed = false;

	for (uint32_t i = 0; i < b->mappings.n; i++)
		changed |= repair_mapping(&b->mappings.at[i]);
	for (uint32_t i = 0; i < b->functions.n; i++)
		changed |= repair_function(&b->functions.at[i]);
	for (uint32_t i = 0; i < b->lines.n; i++) {
		changed |= repair_number(&b->lines.at[i].line);
		changed |= repair_number(&b->lines.at[i].column);
	}
	return changed;
}

static int repair_text(struct arena *a, struct str *s, bool *changed)
{
	struct str text;
	int rc = otlp_repair_utf8(a, *s, &text);

	if (rc)
		return rc;
	*changed |= text.p != s->p;
	*s = text;
	return 0;
}

/* Repair all text that is not UTF-8. Repaired text lives in `a`, which outlives the batch. */
static int repair_texts(struct profile_batch *b, struct arena *a, bool *changed)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < b->strings.n; i++)
		rc = repair_text(a, &b->strings.at[i], changed);
	for (uint32_t i = 0; !rc && i < b->attributes.n; i++)
		if (b->attributes.at[i].value.kind == VALUE_STRING)
			rc = repair_text(a, &b->attributes.at[i].value.s, changed);
	for (uint32_t i = 0; !rc && i < b->keyvalues.n; i++) {
		rc = repair_text(a, &b->keyvalues.at[i].key, changed);
		if (!rc && b->keyvalues.at[i].value.kind == VALUE_STRING)
			rc = repair_text(a, &b->keyvalues.at[i].value.s, changed);
	}
	for (uint32_t i = 0; !rc && i < b->scopes.n; i++) {
		rc = repair_text(a, &b->scopes.at[i].name, changed);
		if (!rc)
			rc = repair_text(a, &b->scopes.at[i].version, changed);
	}
	return rc;
}

/* Extend the profile's range [time, time + duration) to contain all timestamps of its samples. */
static void repair_time_range(struct profile_batch *b, struct profile *p)
{
	uint32_t at = b->sample_times_at[p->sample_first],
		 end = b->sample_times_at[p->sample_first + p->sample_count];
	uint64_t first = UINT64_MAX, last = 0, from = p->time_unix_nano, to;

	for (; at < end; at++) {
		uint64_t *time = &b->times.at[at];

		if (unlikely(*time == UINT64_MAX))
			--*time; /* an exclusive end after UINT64_MAX cannot be represented */
		first = *time < first ? *time : first;
		last = *time > last ? *time : last;
	}
	if (first > last)
		return; /* no timestamps */
	if (__builtin_add_overflow(from, p->duration_nano, &to))
		to = UINT64_MAX;
	if (!from || first < from)
		from = first;
	if (last >= to)
		to = last + 1;
	p->time_unix_nano = from;
	p->duration_nano = to - from;
}

static int repair_all(struct profile_batch *b, struct arena *text, bool *changed)
{
	int rc = repair_texts(b, text, changed);

	*changed |= repair_rows(b);
	for (uint32_t i = 0; i < b->profiles.n; i++)
		repair_time_range(b, &b->profiles.at[i]);
	return rc;
}

int otlp_prepare(struct profile_batch *dst, const struct profile_batch *src)
{
	struct profile_batch first, empty = *dst;
	bool changed = false;
	int rc = profile_batch_init(&first, dst->arena.budget);

	if (!rc)
		rc = profile_normalize(&first, src);
	if (!rc)
		rc = repair_all(&first, &dst->arena, &changed);
	if (!rc && changed) {
		rc = profile_normalize(dst, &first);
	} else if (!rc) {
		*dst = first;
		first = empty;
	}
	profile_batch_fini(&first);
	return rc;
}
