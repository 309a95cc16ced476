/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes the actions insert, update, upsert, delete, hash, extract and convert on one list of
 * attributes.
 */
#include "pipeline/processors/actions/action_apply.h"

#include <errno.h>
#include <stdio.h>

#include <openssl/sha.h>

#include "net/http/http.h"

/* ---- setting ---- */

/* Join the values of a header with ";". Return 1, 0 if there is none, or -ENOMEM. */
static int header_value(const struct action_context *c, struct str name, struct value *out)
{
	const struct delivery *d = c->delivery;
	struct str joined = {0};
	unsigned found = 0;
	int rc = 0;

	for (uint32_t i = 0; i < d->metadata_count && !rc; i++) {
		if (!str_eq(d->metadata[i].name, name))
			continue;
		if (found++)
			rc = arena_printf(&c->scratch->arena, &joined, "%.*s;%.*s", STR_ARG(joined),
					  STR_ARG(d->metadata[i].value));
		else
			rc = arena_copy_str(&c->scratch->arena, d->metadata[i].value, &joined);
	}
	*out = VALUE_OF_STR(joined);
	return rc ? rc : found != 0;
}

/* Get the value that an action sets. Return 1, 0 if its source is missing, or -ENOMEM. */
static int source_value(const struct action_context *c, const struct attribute_action *a,
			const struct attributes *list, struct value *out)
{
	const struct otlp_attribute *from = NULL;
	int rc = 0;

	if (a->from_attribute.n)
		from = attributes_get(list, a->from_attribute);
	else if (a->from_header.n)
		rc = header_value(c, a->from_header, out);
	if (rc)
		return rc;
	if (from || a->has_value)
		*out = from ? from->value : a->value;
	return from || a->has_value;
}

static int set_by_action(const struct action_context *c, const struct attribute_action *a,
			 struct attributes *list, bool *changed)
{
	struct otlp_attribute *found = attributes_get(list, a->key);
	struct value value;
	int rc;

	if (found ? a->kind == ACTION_INSERT : a->kind == ACTION_UPDATE)
		return 0;
	rc = source_value(c, a, list, &value);
	if (rc <= 0 || (found && value_eq(&found->value, &value)))
		return rc < 0 ? rc : 0;
	*changed = true;
	return attributes_set(list, &c->scratch->arena, a->key, &value);
}

/* ---- changing what is there ---- */

static bool concerns_key(const struct action_context *c, const struct attribute_action *a,
			 struct str key)
{
	return (a->key.n && str_eq(key, a->key)) ||
	       (a->pattern.n && scratch_match(c->scratch, a->regex, key));
}

static void delete_attributes(const struct action_context *c, const struct attribute_action *a,
			      struct attributes *list, bool *changed)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->list.n; i++)
		if (!concerns_key(c, a, list->list.at[i].key))
			list->list.at[kept++] = list->list.at[i];
	*changed |= kept != list->list.n;
	list->list.n = kept;
}

/* Return the bytes of a value that are hashed; `room` holds those of numbers. */
static struct str hashed_bytes(const struct value *v, char room[8])
{
	switch (v->kind) {
	case VALUE_STRING:
		return v->s;
	case VALUE_BOOL:
		room[0] = (char)v->i;
		return str_of(room, 1);
	case VALUE_INT:
	case VALUE_DOUBLE:
		memcpy(room, &v->i, 8);
		return str_of(room, 8);
	default:
		return (struct str){0};
	}
}

static int hash_value(struct arena *arena, struct value *v)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	char room[8], *text = arena_alloc(arena, 2 * sizeof(digest) + 1, 1);
	struct str bytes = hashed_bytes(v, room);

	if (!text)
		return -ENOMEM;
	*v = VALUE_OF_STR((struct str){0});
	if (!bytes.n)
		return 0; /* also lists, maps and bytes */
	SHA256((const unsigned char *)bytes.p, bytes.n, digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	v->s = str_of(text, 2 * sizeof(digest));
	return 0;
}

static int hash_concerned(const struct action_context *c, const struct attribute_action *a,
			  struct attributes *list, bool *changed)
{
	int rc = 0;

	for (uint32_t i = 0; i < list->list.n && !rc; i++) {
		if (!concerns_key(c, a, list->list.at[i].key))
			continue;
		rc = hash_value(&c->scratch->arena, &list->list.at[i].value);
		*changed = true;
	}
	return rc;
}

/* Set the attributes named by the groups of the expression, if the value matches it. */
static int extract_attributes(const struct action_context *c, const struct attribute_action *a,
			      struct attributes *list, bool *changed)
{
	const struct otlp_attribute *from = attributes_get(list, a->key);
	struct regex *r = c->scratch->regexes[a->regex];
	uint32_t count = regex_group_count(r);
	struct str *groups;
	int rc = 0;

	if (!from || from->value.kind != VALUE_STRING)
		return 0;
	groups = arena_alloc(&c->scratch->arena, count + 1, sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	if (regex_capture(r, from->value.s, 0, groups, NULL) != 1)
		return 0;
	for (uint32_t i = 1; i <= count && !rc; i++) {
		struct str name;

		rc = arena_copy_str(&c->scratch->arena, regex_group_name(r, i), &name);
		if (!rc)
			rc = attributes_set(list, &c->scratch->arena, name,
					    &VALUE_OF_STR(groups[i]));
	}
	*changed = true;
	return rc;
}

static double double_of_value(const struct value *v)
{
	return v->kind == VALUE_DOUBLE ? v->d : (double)v->i;
}

/* Truncate a double; one that an int cannot hold becomes the nearest int, NaN becomes 0. */
static int64_t int_of(double d)
{
	if (d != d)
		return 0;
	if (d >= 9223372036854775807.0)
		return INT64_MAX;
	return d <= -9223372036854775808.0 ? INT64_MIN : (int64_t)d;
}

static int convert_to_text(struct arena *arena, struct value *v)
{
	struct buf text = {0};
	struct str copy = {0};
	int rc = otlp_value_text(&text, v);

	if (!rc)
		rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(arena, buf_str(&text), &copy);
	buf_fini(&text);
	if (!rc)
		*v = VALUE_OF_STR(copy);
	return rc == -EBADMSG ? 0 : rc;
}

/* Values that are no number stay as they are. */
static void convert_to_number(struct value *v, bool to_int)
{
	bool is_text = v->kind == VALUE_STRING;
	struct value number = {.kind = to_int ? VALUE_INT : VALUE_DOUBLE};

	if (!is_text && v->kind != VALUE_BOOL && v->kind != VALUE_INT && v->kind != VALUE_DOUBLE)
		return;
	if (is_text && (to_int ? str_to_i64(v->s, &number.i) : str_to_double(v->s, &number.d)))
		return;
	if (!is_text && to_int)
		number.i = v->kind == VALUE_DOUBLE ? int_of(v->d) : v->i;
	else if (!is_text)
		number.d = double_of_value(v);
	*v = number;
}

static int convert_attribute(const struct action_context *c, const struct attribute_action *a,
			     struct attributes *list, bool *changed)
{
	struct otlp_attribute *found = attributes_get(list, a->key);
	struct value before;
	int rc = 0;

	if (!found)
		return 0;
	before = found->value;
	if (a->type != TYPE_STRING)
		convert_to_number(&found->value, a->type == TYPE_INT);
	else if (before.kind != VALUE_STRING)
		rc = convert_to_text(&c->scratch->arena, &found->value);
	*changed |= found->value.kind != before.kind;
	return rc;
}

/* ---- applying ---- */

static int apply_one(const struct action_context *c, const struct attribute_action *a,
		     struct attributes *list, bool *changed)
{
	switch (a->kind) {
	case ACTION_DELETE:
		delete_attributes(c, a, list, changed);
		return 0;
	case ACTION_HASH:
		return hash_concerned(c, a, list, changed);
	case ACTION_EXTRACT:
		return extract_attributes(c, a, list, changed);
	case ACTION_CONVERT:
		return convert_attribute(c, a, list, changed);
	default:
		return set_by_action(c, a, list, changed);
	}
}

int action_apply(const struct action_context *c, struct attributes *list, bool *changed)
{
	int rc = 0;

	for (uint32_t i = 0; i < c->actions->n && !rc; i++)
		rc = apply_one(c, &c->actions->at[i], list, changed);
	return rc;
}

int action_apply_message(const struct action_context *c, struct str message, struct str *out)
{
	struct attributes list;
	bool changed = false;
	int rc = otlp_attributes_read(&list, message, c->field, &c->scratch->arena);

	*out = message;
	if (!rc)
		rc = action_apply(c, &list, &changed);
	if (rc || !changed)
		return rc;
	return otlp_attributes_replace(message, c->field, &list, &c->scratch->arena, out);
}
