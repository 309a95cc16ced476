/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoder of pprof gets a view of the batch for each file: the profiles of a group, their scope
 * and a resource without attributes, which are the labels of the series. Samples and stacks are not
 * copied for it.
 */
#include "pipeline/exporters/pyroscope/push_encode.h"

#include <errno.h>
#include <stdio.h>

#include "format/pprof/pprof.h"
#include "wire/text.h"

/* Profiles [first, end) of the batch and their series [series, series_end), of one file. */
struct push_group {
	uint32_t first, end;
	uint32_t series, series_end;
};

/* ---- CPU time of sample counts ---- */

static bool has_scale(const struct series_map *m)
{
	for (uint32_t i = 0; i < m->series.n; i++)
		if (m->series.at[i].scale != 1)
			return true;
	return false;
}

static int64_t scale_value(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b); /* wraps instead of overflowing */
}

/* Replace the values of `view` by scaled ones; a sample without values gets one for each time. */
static int scale_push_values(struct profile_batch *view, const struct series_map *m,
			     struct arena *arena)
{
	uint32_t n = view->sample_count, filled = 0;
	uint32_t *at = arena_alloc(arena, (size_t)n + 1, sizeof(*at));
	int64_t *values =
		arena_alloc(arena, (size_t)view->values.n + view->times.n + 1, sizeof(*values));

	if (!at || !values)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t series = m->of_sample[i];
		uint32_t value = view->sample_values_at[i], end = view->sample_values_at[i + 1];
		uint32_t times = view->sample_times_at[i + 1] - view->sample_times_at[i];
		int64_t scale = series == SERIES_NONE ? 1 : m->series.at[series].scale;

		at[i] = filled;
		if (value == end && scale != 1)
			for (; times; times--)
				values[filled++] = scale;
		for (; value < end; value++)
			values[filled++] = scale_value(view->values.at[value], scale);
	}
	at[n] = filled;
	view->sample_values_at = at;
	view->values.at = values;
	view->values.n = filled;
	return 0;
}

/* Return the text with _ for -, which Pyroscope refuses in types of samples. */
static int without_dashes(struct str in, struct arena *arena, struct str *out)
{
	char *at;

	*out = in;
	if (str_find(in, '-') == in.n)
		return 0;
	at = arena_alloc(arena, in.n, 1);
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < in.n; i++)
		at[i] = (char)(in.p[i] == '-' ? '_' : in.p[i]);
	*out = str_of(at, in.n);
	return 0;
}

/* Give profiles the types that their series have: scaled ones, and those with a missing period. */
static int set_push_types(struct profile_batch *view, const struct series_map *m,
			  struct arena *arena)
{
	static const struct str names[] = {STR_INIT("__type__"), STR_INIT("__unit__"),
					   STR_INIT("__period_type__"),
					   STR_INIT("__period_unit__")};
	size_t n = view->strings.n, room = n + (size_t)view->profiles.n * countof(names);
	struct str *strings = arena_alloc(arena, room, sizeof(*strings));
	struct profile *profiles = arena_alloc(arena, view->profiles.n, sizeof(*profiles));
	uint32_t done = UINT32_MAX;

	if (!strings || !profiles)
		return -ENOMEM;
	memcpy(strings, view->strings.at, n * sizeof(*strings));
	memcpy(profiles, view->profiles.at, view->profiles.n * sizeof(*profiles));
	for (uint32_t i = 0; i < m->series.n; i++) {
		const struct series *s = &m->series.at[i];
		uint32_t id = (uint32_t)n;

		if (s->profile == done)
			continue;
		done = s->profile;
		for (unsigned k = 0; k < countof(names); k++)
			if (without_dashes(label_set_get(s->labels, names[k]), arena,
					   &strings[n++]))
				return -ENOMEM;
		profiles[done].sample_type = (struct value_type){id, id + 1};
		profiles[done].period_type = (struct value_type){id + 2, id + 3};
	}
	view->strings.at = strings;
	view->strings.n = (uint32_t)n;
	view->profiles.at = profiles;
	return 0;
}

/* ---- groups ---- */

static bool same_attribute_list(const struct profile_batch *b, struct list one, struct list two)
{
	const uint32_t *refs = b->attribute_refs.at;

	return one.n == two.n &&
	       (!one.n || !memcmp(refs + one.at, refs + two.at, one.n * sizeof(*refs)));
}

static bool same_label(const struct series *a, const struct series *b, struct str name)
{
	return str_eq(label_set_get(a->labels, name), label_set_get(b->labels, name));
}

static bool same_push_file(const struct push_encoding *x, const struct push_group *g,
			   uint32_t series)
{
	const struct series *one = &x->series->series.at[g->series];
	const struct series *two = &x->series->series.at[series];
	const struct profile *p = &x->batch->profiles.at[one->profile];
	const struct profile *q = &x->batch->profiles.at[two->profile];

	return p->scope == q->scope && p->time_unix_nano == q->time_unix_nano &&
	       p->duration_nano == q->duration_nano && p->period == q->period &&
	       same_attribute_list(x->batch, p->attributes, q->attributes) &&
	       same_label(one, two, STR("__name__")) &&
	       same_label(one, two, STR("__period_type__")) &&
	       same_label(one, two, STR("__period_unit__"));
}

/* Return the group that begins with that series. */
static struct push_group find_push_group(const struct push_encoding *x, uint32_t series)
{
	const struct series *s = x->series->series.at;
	struct push_group g = {.first = s[series].profile, .series = series, .series_end = series};

	do
		g.end = s[g.series_end++].profile + 1;
	while (g.series_end < x->series->series.n &&
	       (s[g.series_end].profile < g.end ||
		(s[g.series_end].profile == g.end && same_push_file(x, &g, g.series_end))));
	return g;
}

/* ---- labels ---- */

/* Return whether all series of the group have this label. */
static bool is_common(const struct push_encoding *x, const struct push_group *g,
		      const struct label *l)
{
	for (uint32_t i = g->series; i < g->series_end; i++)
		if (!str_eq(label_set_get(x->series->series.at[i].labels, l->name), l->value))
			return false;
	return true;
}

/* Return the name with the characters that Pyroscope accepts: letters, digits, _ and dots. */
static int push_label_name(struct str name, struct arena *arena, struct str *out)
{
	bool digit = name.n && name.p[0] >= '0' && name.p[0] <= '9';
	char *at = arena_alloc(arena, name.n + 1, 1);
	size_t n = 0;

	if (!at)
		return -ENOMEM;
	if (digit)
		at[n++] = '_';
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || c == '_' || c == '.';

		at[n++] = good ? c : '_';
	}
	*out = str_of(at, n);
	return 0;
}

struct push_labels {
	VEC(struct label) list;
};

static int add_push_label(struct push_labels *to, struct str name, struct str value,
			  struct arena *arena)
{
	for (uint32_t i = 0; i < to->list.n; i++)
		if (str_eq(to->list.at[i].name, name))
			return 0; /* the first one counts */
	return vec_push(arena, &to->list, ((struct label){name, value}));
}

static int make_push_labels(struct push_labels *to, const struct push_encoding *x,
			    const struct push_group *g)
{
	struct label_set labels = x->series->series.at[g->series].labels;
	struct str name;
	int rc = 0;

	for (uint32_t i = 0; i < x->external->n && !rc; i++)
		rc = add_push_label(to, x->external->at[i].name, x->external->at[i].value,
				    x->arena);
	for (uint32_t i = 0; i < labels.n && !rc; i++) {
		const struct label *l = &labels.at[i];

		if (str_starts(l->name, STR("__")) && !str_eq(l->name, STR("__name__")))
			continue;
		if (!is_common(x, g, l))
			continue;
		rc = push_label_name(l->name, x->arena, &name);
		if (!rc)
			rc = add_push_label(to, name, l->value, x->arena);
	}
	return rc;
}

/* ---- the request ---- */

static int encode_file(const struct push_encoding *x, const struct profile_batch *flat,
		       const struct push_group *g, struct buf *out, struct err *e)
{
	uint32_t n = g->end - g->first, scope_of_first = flat->profiles.at[g->first].scope;
	struct profile *profiles = arena_alloc(x->arena, n, sizeof(*profiles));
	struct scope scope = flat->scopes.at[scope_of_first];
	struct resource none = {0};
	struct profile_batch view = *flat;

	if (!profiles)
		return -ENOMEM;
	memcpy(profiles, flat->profiles.at + g->first, n * sizeof(*profiles));
	for (uint32_t i = 0; i < n; i++)
		profiles[i].scope = 0;
	scope.resource = 0;
	view.profiles.at = profiles;
	view.profiles.n = n;
	view.scopes.at = &scope;
	view.scopes.n = 1;
	view.resources.at = &none;
	view.resources.n = 1;
	return x->gzip ? pprof_encode(out, &view, NULL, e) : pprof_encode_raw(out, &view, NULL, e);
}

/* Write the id of a profile, with which servers recognize a repeated request. */
static void put_profile_id(struct proto_writer *w, const uint8_t id[PROFILE_ID_SIZE])
{
	static const uint8_t none[PROFILE_ID_SIZE];
	char hex[2 * PROFILE_ID_SIZE], text[40];

	if (!memcmp(id, none, sizeof(none)))
		return;
	hex_digits(hex, str_of((const char *)id, PROFILE_ID_SIZE));
	snprintf(text, sizeof(text), "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16,
		 hex + 20);
	proto_put_bytes(w, 2, str_from(text));
}

static void put_push_series(struct proto_writer *w, const struct push_labels *labels,
			    struct str file, const uint8_t id[PROFILE_ID_SIZE])
{
	size_t series = proto_mark(w), inner = series;

	put_profile_id(w, id);
	proto_put_bytes(w, 1, file);
	proto_put_header(w, 2, inner);
	for (uint32_t i = labels->list.n; i-- > 0;) {
		inner = proto_mark(w);
		proto_put_bytes(w, 2, labels->list.at[i].value);
		proto_put_bytes(w, 1, labels->list.at[i].name);
		proto_put_header(w, 1, inner);
	}
	proto_put_header(w, 1, series);
}

static int put_push_group(struct push_encoding *x, const struct profile_batch *flat,
			  const struct push_group *g, struct proto_writer *out, struct err *e)
{
	struct push_labels labels = {0};
	struct buf file = {0};
	int rc = make_push_labels(&labels, x, g);

	if (!rc)
		rc = encode_file(x, flat, g, &file, e);
	if (!rc) {
		put_push_series(out, &labels, buf_str(&file), flat->profiles.at[g->first].id);
		x->files++;
	}
	buf_fini(&file);
	return rc;
}

static void count_refused(struct push_encoding *x)
{
	for (uint32_t i = 0; i < x->series->refused.n; i++) {
		const struct series_refusal *r = &x->series->refused.at[i];

		x->refused += x->batch->profiles.at[r->profile].sample_count;
		if (!x->reason.n)
			x->reason = r->reason;
	}
}

int push_encode(struct push_encoding *x, struct proto_writer *out, struct err *e)
{
	struct profile_batch flat = *x->batch;
	int rc = 0;

	x->files = 0;
	x->refused = 0;
	x->reason = (struct str){0};
	count_refused(x);
	if (x->batch->profiles.n)
		rc = set_push_types(&flat, x->series, x->arena);
	if (!rc && has_scale(x->series))
		rc = scale_push_values(&flat, x->series, x->arena);
	for (uint32_t i = 0; i < x->series->series.n && !rc;) {
		struct push_group g = find_push_group(x, i);

		rc = put_push_group(x, &flat, &g, out, e);
		i = g.series_end;
	}
	if (!rc)
		rc = proto_writer_error(out);
	return rc && (!e || !e->text[0]) ? err_errno(e, rc, "encoding profiles") : rc;
}
