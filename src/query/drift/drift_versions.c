/* SPDX-License-Identifier: Apache-2.0 */
#include "query/drift/drift_versions.h"

#include "base/clock.h"
#include "query/drift/drift.h"

/* Labels of versions, the most reliable first; dots and dashes are as underscores. */
static const struct str labels[] = {
	STR_INIT("service_version"), STR_INIT("version"),  STR_INIT("app_version"),
	STR_INIT("release"),	     STR_INIT("git_ref"),  STR_INIT("git_commit"),
	STR_INIT("commit"),	     STR_INIT("revision"), STR_INIT("vcs_ref_head_revision"),
	STR_INIT("image_tag"),	     STR_INIT("build_id"),
};

static uint64_t slot_of(uint64_t ns)
{
	return ns / NS_PER_SECOND / DRIFT_SLOT_SECONDS;
}

bool drift_versions_note(struct drift_versions *v, struct str text, bool build, uint64_t first,
			 uint64_t last)
{
	struct drift_version *oldest = &v->at[0], *at = NULL;

	text = str_head(text, DRIFT_VERSION_TEXT);
	for (uint32_t i = 0; i < v->n; i++) {
		if (v->at[i].build == build && str_eq(str_from(v->at[i].text), text))
			at = &v->at[i];
		if (v->at[i].last < oldest->last)
			oldest = &v->at[i];
	}
	if (at) {
		at->first = first < at->first ? first : at->first;
		at->last = last > at->last ? last : at->last;
		return false;
	}
	at = v->n < DRIFT_VERSIONS_MAX ? &v->at[v->n++] : oldest;
	*at = (struct drift_version){.first = first, .last = last, .build = build};
	memcpy(at->text, text.p, text.n);
	return true;
}

static bool is_label(struct str name, struct str label)
{
	if (name.n != label.n)
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] != label.p[i] &&
		    !(label.p[i] == '_' && (name.p[i] == '.' || name.p[i] == '-')))
			return false;
	return true;
}

static struct str version_of(struct label_set set)
{
	for (size_t i = 0; i < countof(labels); i++)
		for (uint32_t k = 0; k < set.n; k++)
			if (is_label(set.at[k].name, labels[i]))
				return set.at[k].value;
	return (struct str){0};
}

static int note_series(void *ctx, uint32_t series, const struct store_series *s)
{
	struct str text = version_of(s->labels);

	(void)series;
	if (text.n)
		drift_versions_note(ctx, text, false, slot_of(s->first), slot_of(s->last));
	return 0;
}

int drift_versions_read(struct drift_versions *out, const struct drift_source *source,
			uint64_t from, uint64_t to, struct err *e)
{
	struct store_select select;
	struct selector selector;
	int rc = drift_source_select(source, &selector, &select, e);

	select.from = from;
	select.to = to;
	if (!rc)
		rc = source->store->ops->series(source->store, &select, note_series, out, e);
	selector_fini(&selector);
	return rc;
}

static bool ran_in(const struct drift_version *at, uint64_t from, uint64_t to)
{
	return at->first < to && at->last >= from;
}

static uint32_t put_kind(const struct drift_versions *v, bool build, uint64_t from, uint64_t to,
			 uint64_t other_from, uint64_t other_to, struct buf *out)
{
	enum { SHORT = 12 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < v->n; i++) {
		const struct drift_version *at = &v->at[i];
		struct str text = str_from(at->text);

		if (at->build != build || !ran_in(at, from, to) ||
		    (build && ran_in(at, other_from, other_to)))
			continue;
		if (n++)
			buf_put_str(out, STR(", "));
		buf_put_str(out, build ? str_head(text, SHORT) : text);
	}
	return n;
}

void drift_versions_put(const struct drift_versions *v, uint64_t from, uint64_t to,
			uint64_t other_from, uint64_t other_to, struct buf *out)
{
	if (!put_kind(v, false, from, to, other_from, other_to, out))
		put_kind(v, true, from, to, other_from, other_to, out);
}
