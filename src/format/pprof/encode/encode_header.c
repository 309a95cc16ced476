/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields that occur once in a pprof file. If profiles of the batch differ, the file gets the
 * first default type, URL, patterns and period, the earliest time, the longest duration and all
 * comments. Data that pprof has no field for (the attributes that all resources share, names of
 * scopes, other attributes of profiles) becomes comments "key=value".
 */
#include "format/pprof/encode/encode_header.h"

#include <errno.h>

#include "format/pprof/encode/encode_labels.h"
#include "format/pprof/list_value.h"
#include "format/pprof/schema.h"

static int find_or_add_column(struct pprof_encoder *x, const struct value_type *t, uint32_t *out)
{
	struct out_column c;
	int rc = pprof_out_batch_string(x, t->type, &c.type);

	if (!rc)
		rc = pprof_out_batch_string(x, t->unit, &c.unit);
	if (rc)
		return rc;
	for (*out = 0; *out < x->columns.n; ++*out)
		if (x->columns.at[*out].type == c.type && x->columns.at[*out].unit == c.unit)
			return 0;
	return vec_push(&x->arena, &x->columns, c);
}

/*
 * Return the profile whose type is column `place` among the `n` profiles of a scope from `first`
 * on. The order is that of the profiles, unless the scope records another one: entry i of
 * pprof.scope.sample_type_order is the column of profile i.
 */
static uint32_t profile_at_place(const struct pprof_encoder *x, uint32_t first, uint32_t n,
				 uint32_t place)
{
	const struct scope *s = &x->b->scopes.at[x->b->profiles.at[first].scope];
	const struct value *order =
		profile_find_keyvalue(x->b, s->attributes, PPROF_ATTR_SAMPLE_TYPE_ORDER);
	struct proto_reader r;
	struct list_item item;
	uint32_t found = place;

	if (!order || order->kind != VALUE_LIST)
		return first + place;
	r = list_value_reader(order);
	for (uint32_t i = 0; i < n && list_value_next(&r, &item); i++)
		if (item.value.kind == VALUE_INT && item.value.i == (int64_t)place) {
			found = i;
			break;
		}
	return first + found;
}

static uint32_t scope_end(const struct profile_batch *b, uint32_t first)
{
	uint32_t end = first;

	while (end < b->profiles.n && b->profiles.at[end].scope == b->profiles.at[first].scope)
		end++;
	return end;
}

/*
 * Return whether the profile represents a file without sample types; see add_profiles() in
 * decode.c.
 */
static bool has_no_type(const struct profile_batch *b, uint32_t profile)
{
	const struct profile *p = &b->profiles.at[profile];

	return !p->sample_count && !string_of(b, p->sample_type.type).n &&
	       !string_of(b, p->sample_type.unit).n;
}

int pprof_plan_columns(struct pprof_encoder *x)
{
	const struct profile_batch *b = x->b;
	int rc = 0;

	for (uint32_t p = 0; p < b->profiles.n; p++)
		x->profile_column[p] = NO_COLUMN;
	for (uint32_t first = 0, end; !rc && first < b->profiles.n; first = end) {
		end = scope_end(b, first);
		for (uint32_t i = 0; !rc && i < end - first; i++) {
			uint32_t p = profile_at_place(x, first, end - first, i);

			if (!has_no_type(b, p))
				rc = find_or_add_column(x, &b->profiles.at[p].sample_type,
							&x->profile_column[p]);
		}
		for (uint32_t p = first; !rc && p < end; p++) /* those the order lacks */
			if (x->profile_column[p] == NO_COLUMN && !has_no_type(b, p))
				rc = find_or_add_column(x, &b->profiles.at[p].sample_type,
							&x->profile_column[p]);
	}
	return rc;
}

/* The comments that the file already has, by string of the file. */
struct comment_set {
	struct idset set;
};

static bool has_comment(const struct comment_set *s, uint32_t string)
{
	struct idset_cursor c = idset_seek(&s->set, string);
	uint32_t id;

	while (idset_next(&s->set, &c, &id))
		if (id == string)
			return true;
	return false;
}

static int add_comment(struct pprof_encoder *x, const struct comment_set *seen, struct str text)
{
	uint32_t id;
	int rc = pprof_out_string(x, text, &id);

	if (rc || has_comment(seen, id))
		return rc;
	return vec_push(&x->arena, &x->comments, id);
}

/*
 * Add the comments from `first` on to the set. This happens after each profile or scope, so that
 * equal comments of one profile are kept and those of different profiles are not repeated.
 */
static int record_comments(struct pprof_encoder *x, struct comment_set *seen, uint32_t first)
{
	int rc = 0;

	for (uint32_t i = first; !rc && i < x->comments.n; i++)
		if (!has_comment(seen, x->comments.at[i]))
			rc = idset_add(&seen->set, x->comments.at[i], x->comments.at[i]);
	return rc;
}

static int add_pair_comment(struct pprof_encoder *x, const struct comment_set *seen, struct str key,
			    const struct value *v)
{
	struct str value, text;
	int rc = pprof_value_text(x, v, &value);

	if (!rc)
		rc = arena_printf(&x->arena, &text, "%.*s=%.*s", STR_ARG(key), STR_ARG(value));
	return rc ? rc : add_comment(x, seen, text);
}

static int add_comment_list(struct pprof_encoder *x, const struct comment_set *seen,
			    const struct value *v)
{
	struct proto_reader r = list_value_reader(v);
	struct list_item item;
	struct str text;
	int rc = 0;

	if (v->kind != VALUE_LIST) {
		rc = pprof_value_text(x, v, &text);
		return rc ? rc : add_comment(x, seen, text);
	}
	while (!rc && list_value_next(&r, &item)) {
		rc = pprof_value_text(x, &item.value, &text);
		if (!rc)
			rc = add_comment(x, seen, text);
	}
	return rc;
}

/* Return the header field for an attribute, or NULL if there is none. The first value is used. */
static uint32_t *header_field_of(struct pprof_encoder *x, struct str key)
{
	if (str_eq(key, PPROF_ATTR_DOC_URL))
		return &x->doc_url;
	if (str_eq(key, PPROF_ATTR_DROP_FRAMES))
		return &x->drop_frames;
	if (str_eq(key, PPROF_ATTR_KEEP_FRAMES))
		return &x->keep_frames;
	return NULL;
}

static int add_profile_attribute(struct pprof_encoder *x, const struct comment_set *seen,
				 const struct attribute *a)
{
	struct str key = string_of(x->b, a->key);
	uint32_t *field = header_field_of(x, key);

	if (str_eq(key, PPROF_ATTR_COMMENT))
		return add_comment_list(x, seen, &a->value);
	if (!field || a->value.kind != VALUE_STRING)
		return add_pair_comment(x, seen, key, &a->value);
	return *field ? 0 : pprof_out_string(x, a->value.s, field);
}

static int add_profile_header(struct pprof_encoder *x, struct comment_set *seen,
			      const struct profile *p)
{
	uint32_t first = x->comments.n;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p->attributes.n; i++) {
		uint32_t id = x->b->attribute_refs.at[p->attributes.at + i];

		rc = add_profile_attribute(x, seen, &x->b->attributes.at[id]);
	}
	if (!rc)
		rc = record_comments(x, seen, first);
	if (!rc && !x->period_type && !x->period_unit && !x->period) {
		x->period = p->period;
		rc = pprof_out_batch_string(x, p->period_type.type, &x->period_type);
		if (!rc)
			rc = pprof_out_batch_string(x, p->period_type.unit, &x->period_unit);
	}
	if (p->time_unix_nano && (!x->time || p->time_unix_nano < x->time))
		x->time = p->time_unix_nano;
	if (p->duration_nano > x->duration)
		x->duration = p->duration_nano;
	return rc;
}

static int add_scope_comments(struct pprof_encoder *x, struct comment_set *seen,
			      const struct scope *s)
{
	const struct value *type =
		profile_find_keyvalue(x->b, s->attributes, PPROF_ATTR_DEFAULT_SAMPLE_TYPE);
	uint32_t first = x->comments.n;
	int rc = 0;

	if (type && type->kind == VALUE_STRING && !x->default_type)
		rc = pprof_out_string(x, type->s, &x->default_type);
	if (!rc && s->name.n)
		rc = add_pair_comment(x, seen, STR("otel.scope.name"), &VALUE_OF_STR(s->name));
	if (!rc && s->version.n)
		rc = add_pair_comment(x, seen, STR("otel.scope.version"),
				      &VALUE_OF_STR(s->version));
	for (uint32_t i = 0; !rc && i < s->attributes.n; i++) {
		const struct keyvalue *pair = &x->b->keyvalues.at[s->attributes.at + i];

		if (!str_eq(pair->key, PPROF_ATTR_DEFAULT_SAMPLE_TYPE) &&
		    !str_eq(pair->key, PPROF_ATTR_SAMPLE_TYPE_ORDER))
			rc = add_pair_comment(x, seen, pair->key, &pair->value);
	}
	return rc ? rc : record_comments(x, seen, first);
}

/* Add the attributes that all resources share, taken from the first one. */
static int add_common_attributes(struct pprof_encoder *x, const struct comment_set *seen)
{
	struct list attributes = x->b->resources.at[0].attributes;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < attributes.n; i++) {
		const struct keyvalue *pair = &x->b->keyvalues.at[attributes.at + i];

		if (pprof_is_common_attribute(x->b, pair))
			rc = add_pair_comment(x, seen, pair->key, &pair->value);
	}
	return rc;
}

int pprof_plan_header(struct pprof_encoder *x)
{
	struct comment_set seen;
	int rc = idset_init(&seen.set, &x->arena, 0);

	for (uint32_t p = 0; !rc && p < x->b->profiles.n; p++)
		rc = add_profile_header(x, &seen, &x->b->profiles.at[p]);
	for (uint32_t s = 0; !rc && s < x->b->scopes.n; s++)
		rc = add_scope_comments(x, &seen, &x->b->scopes.at[s]);
	if (!rc && x->b->resources.n)
		rc = add_common_attributes(x, &seen);
	return rc;
}
