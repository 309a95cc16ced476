/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has to hold before a batch of any source is written as OTLP. Rows are mended in a copy that
 * normalizing makes anyway; mending can make rows equal, so it is normalized once more after it.
 */
#include "format/otlp/otlp.h"
#include "signal/profile/profile_ops.h"

/* Both unset, or start below limit. An unknown end is as far as it can be. */
static bool mend_mapping(struct mapping *m)
{
	if ((!m->start && !m->limit) || m->start < m->limit)
		return false;
	m->limit = UINT64_MAX;
	if (m->start == UINT64_MAX)
		m->start = m->limit = 0;
	return true;
}

static bool mend_number(int64_t *number)
{
	if (*number >= 0)
		return false;
	*number = 0;
	return true;
}

/* A line of a function without any name says nothing. */
static bool mend_function(struct function *f)
{
	if (f->start_line > 0 && !f->name && !f->system_name && !f->filename) {
		f->start_line = 0;
		return true;
	}
	return mend_number(&f->start_line);
}

static bool mend_rows(struct profile_batch *b)
{
	bool mended = false;

	for (uint32_t i = 0; i < b->mappings.n; i++)
		mended |= mend_mapping(&b->mappings.at[i]);
	for (uint32_t i = 0; i < b->functions.n; i++)
		mended |= mend_function(&b->functions.at[i]);
	for (uint32_t i = 0; i < b->lines.n; i++) {
		mended |= mend_number(&b->lines.at[i].line);
		mended |= mend_number(&b->lines.at[i].column);
	}
	return mended;
}

static int mend_text(struct arena *a, struct str *s, bool *mended)
{
	struct str text;
	int rc = otlp_mend_text(a, *s, &text);

	if (rc)
		return rc;
	*mended |= text.p != s->p;
	*s = text;
	return 0;
}

/* Mended text lives in `a`, which outlives the batch. */
static int mend_texts(struct profile_batch *b, struct arena *a, bool *mended)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < b->strings.n; i++)
		rc = mend_text(a, &b->strings.at[i], mended);
	for (uint32_t i = 0; !rc && i < b->attributes.n; i++)
		if (b->attributes.at[i].value.kind == VALUE_STRING)
			rc = mend_text(a, &b->attributes.at[i].value.s, mended);
	for (uint32_t i = 0; !rc && i < b->keyvalues.n; i++) {
		rc = mend_text(a, &b->keyvalues.at[i].key, mended);
		if (!rc && b->keyvalues.at[i].value.kind == VALUE_STRING)
			rc = mend_text(a, &b->keyvalues.at[i].value.s, mended);
	}
	for (uint32_t i = 0; !rc && i < b->scopes.n; i++) {
		rc = mend_text(a, &b->scopes.at[i].name, mended);
		if (!rc)
			rc = mend_text(a, &b->scopes.at[i].version, mended);
	}
	return rc;
}

/* Every time of a sample is in [time, time + duration): where it is not, the range is widened. */
static void mend_range(struct profile_batch *b, struct profile *p)
{
	uint32_t at = b->sample_times_at[p->sample_first],
		 end = b->sample_times_at[p->sample_first + p->sample_count];
	uint64_t first = UINT64_MAX, last = 0, from = p->time_unix_nano, to;

	for (; at < end; at++) {
		uint64_t *time = &b->times.at[at];

		if (unlikely(*time == UINT64_MAX))
			--*time; /* nothing can end behind it */
		first = *time < first ? *time : first;
		last = *time > last ? *time : last;
	}
	if (first > last)
		return; /* no times */
	if (__builtin_add_overflow(from, p->duration_nano, &to))
		to = UINT64_MAX;
	if (!from || first < from)
		from = first;
	if (last >= to)
		to = last + 1;
	p->time_unix_nano = from;
	p->duration_nano = to - from;
}

static int mend_all(struct profile_batch *b, struct arena *text, bool *mended)
{
	int rc = mend_texts(b, text, mended);

	*mended |= mend_rows(b);
	for (uint32_t i = 0; i < b->profiles.n; i++)
		mend_range(b, &b->profiles.at[i]);
	return rc;
}

int otlp_prepare(struct profile_batch *dst, const struct profile_batch *src)
{
	struct profile_batch first, empty = *dst;
	bool mended = false;
	int rc = profile_batch_init(&first, dst->arena.budget);

	if (!rc)
		rc = profile_normalize(&first, src);
	if (!rc)
		rc = mend_all(&first, &dst->arena, &mended);
	if (!rc && mended) {
		rc = profile_normalize(dst, &first);
	} else if (!rc) {
		*dst = first;
		first = empty;
	}
	profile_batch_fini(&first);
	return rc;
}
