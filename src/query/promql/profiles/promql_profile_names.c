/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/profiles/promql_profile_names.h"

#include "base/buf.h"
#include "base/container/hash.h"

const struct str profile_frame_labels[PROFILE_FRAME_LABELS] = {
	[PROFILE_FUNCTION] = STR_INIT("function"),
	[PROFILE_PACKAGE] = STR_INIT("package"),
	[PROFILE_MODULE] = STR_INIT("module"),
	[PROFILE_FILE] = STR_INIT("file"),
};

const struct str profile_scopes[2] = {STR_INIT("self"), STR_INIT("total")};

static const struct unit {
	struct str stored, name;
	double divisor;
} units[] = {
	{STR_INIT("nanoseconds"), STR_INIT("seconds"), 1e9},
	{STR_INIT("microseconds"), STR_INIT("seconds"), 1e6},
	{STR_INIT("milliseconds"), STR_INIT("seconds"), 1e3},
	{STR_INIT("count"), {0}, 1},
	{STR_INIT("1"), {0}, 1},
	{STR_INIT(""), {0}, 1},
};

static struct unit unit_of(struct str stored)
{
	for (size_t i = 0; i < countof(units); i++)
		if (str_eq(units[i].stored, stored))
			return units[i];
	return (struct unit){stored, stored, 1};
}

/* Append text with other characters than letters, digits and '_' as '_'. */
static void put_name(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || c == '_';

		buf_put_char(out, fits ? c : '_');
	}
}

/* Return whether a is b, or begins with b and '_'. */
static bool extends_name(struct str a, struct str b)
{
	return str_starts(a, b) && (a.n == b.n || a.p[b.n] == '_');
}

static void put_type(struct buf *out, const struct profile_type *t)
{
	struct str name = str_eq(t->name, STR("process_cpu")) ? STR("cpu") : t->name;

	if (extends_name(t->sample_type, name)) {
		put_name(out, t->sample_type);
		return;
	}
	put_name(out, name);
	if (str_starts(name, t->sample_type)) /* goroutines:goroutine */
		return;
	buf_put_char(out, '_');
	put_name(out, t->sample_type);
}

/* Copy the buffer to the arena and free it. */
static int take_text(struct buf *text, struct arena *a, struct str *out)
{
	int rc = buf_error(text);

	if (!rc)
		rc = arena_copy_str(a, buf_str(text), out);
	buf_fini(text);
	return rc;
}

int profile_metric_of(struct profile_metric *out, const struct profile_type *t, struct arena *a)
{
	struct unit unit = unit_of(t->sample_unit);
	struct buf name = {0}, suffix = {0};
	int rc;

	*out = (struct profile_metric){.divisor = unit.divisor,
				       .gauge = profile_type_is_gauge(t->id)};
	put_name(&suffix, unit.name);
	rc = take_text(&suffix, a, &out->unit);
	buf_put_str(&name, PROFILE_METRIC_PREFIX);
	put_type(&name, t);
	if (out->unit.n && !str_ends(buf_str(&name), out->unit)) {
		buf_put_char(&name, '_');
		buf_put_str(&name, out->unit);
	}
	if (!rc)
		rc = take_text(&name, a, &out->name);
	else
		buf_fini(&name);
	if (!rc)
		rc = arena_printf(a, &out->help,
				  "%.*s of profiles (%.*s) by function; scope=\"total\" includes "
				  "callees.",
				  STR_ARG(t->sample_type), STR_ARG(t->name));
	return rc;
}

enum profile_frame_label profile_frame_label_find(struct str name)
{
	for (unsigned i = 0; i < PROFILE_FRAME_LABELS; i++)
		if (str_eq(profile_frame_labels[i], name))
			return i;
	return PROFILE_FRAME_LABELS;
}

static bool is_taken(struct str name)
{
	return profile_frame_label_find(name) < PROFILE_FRAME_LABELS ||
	       str_eq(name, PROFILE_SCOPE) || str_eq(name, STR("service"));
}

static int make_label_name(struct str *out, struct str raw, struct arena *a)
{
	struct buf name = {0};

	*out = (struct str){0};
	if (str_starts(raw, STR("__")))
		return 0;
	if (raw.n && raw.p[0] >= '0' && raw.p[0] <= '9')
		buf_put_char(&name, '_');
	put_name(&name, raw);
	if (is_taken(buf_str(&name))) {
		buf_clear(&name);
		buf_put_str(&name, STR("exported_"));
		put_name(&name, raw);
	}
	return take_text(&name, a, out);
}

int profile_aliases_of(struct profile_alias out[PROFILE_ALIASES], struct label_set raw,
		       struct arena *a)
{
	struct str service = label_set_get(raw, STR("service_name"));
	struct str namespace = label_set_get(raw, STR("service.namespace"));
	struct str job = service;
	int rc = 0;

	if (namespace.n)
		rc = arena_printf(a, &job, "%.*s/%.*s", STR_ARG(namespace), STR_ARG(service));
	out[0] = (struct profile_alias){STR("service"), service};
	out[1] = (struct profile_alias){STR("job"), job};
	out[2] = (struct profile_alias){STR("version"), label_set_get(raw, STR("service.version"))};
	out[3] = (struct profile_alias){STR("instance"),
					label_set_get(raw, STR("service.instance.id"))};
	return rc;
}

bool profile_is_alias(struct str name)
{
	return str_eq(name, STR("service")) || str_eq(name, STR("job")) ||
	       str_eq(name, STR("version")) || str_eq(name, STR("instance"));
}

int profile_naming_init(struct profile_naming_table *t, struct arena *a)
{
	*t = (struct profile_naming_table){.arena = a};
	return idset_init(&t->index, a, 64);
}

int profile_naming_get(struct profile_naming_table *t, struct str raw, struct str *name)
{
	uint32_t hash = hash32(raw), id;
	struct profile_raw_label row;
	int rc;

	for (struct idset_cursor at = idset_seek(&t->index, hash); idset_next(&t->index, &at, &id);)
		if (str_eq(t->rows.at[id].raw, raw)) {
			*name = t->rows.at[id].name;
			return 0;
		}
	rc = arena_copy_str(t->arena, raw, &row.raw);
	if (!rc)
		rc = make_label_name(&row.name, raw, t->arena);
	if (!rc)
		rc = idset_add(&t->index, hash, t->rows.n);
	if (!rc)
		rc = vec_push(t->arena, &t->rows, row);
	*name = row.name;
	return rc;
}
