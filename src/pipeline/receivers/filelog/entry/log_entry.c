/* SPDX-License-Identifier: Apache-2.0 */
/* Log entries, and the paths of their fields. */
#include "pipeline/receivers/filelog/entry/log_entry.h"

#include <ctype.h>
#include <errno.h>

int log_entry_copy(struct log_entry *out, struct arena *arena, const struct log_entry *from)
{
	int rc;

	*out = *from;
	rc = arena_copy_str(arena, from->severity_text, &out->severity_text);
	if (!rc)
		rc = log_node_copy(&out->body, arena, &from->body);
	if (!rc)
		rc = log_node_copy(&out->attributes, arena, &from->attributes);
	return rc ? rc : log_node_copy(&out->resource, arena, &from->resource);
}

/* ---- parsing ---- */

static int field_error(struct str text, size_t at, const char *why, struct err *e)
{
	return err_set(e, -EINVAL, "field \"%.*s\": at character %zu: %s",
		       STR_ARG(str_head(text, 100)), at + 1, why);
}

/* Read ["key"] or ['key'] at *at. */
static int read_bracket(struct str text, size_t *at, struct str *key, struct err *e)
{
	size_t start = *at + 2, end;
	char quote = start <= text.n ? text.p[*at + 1] : 0;

	if (quote != '"' && quote != '\'')
		return field_error(text, *at, "expected a key in quotes after [", e);
	end = start + str_find(str_from_at(text, start), quote);
	if (end >= text.n)
		return field_error(text, start, "the quote is not closed", e);
	if (end + 1 >= text.n || text.p[end + 1] != ']')
		return field_error(text, end, "expected ] after the key", e);
	*key = str_of(text.p + start, end - start);
	*at = end + 2;
	return 0;
}

/* Read a name up to the next dot or bracket at *at. */
static int read_name(struct str text, size_t *at, struct str *key, struct err *e)
{
	size_t end = *at;

	while (end < text.n && text.p[end] != '.' && text.p[end] != '[')
		end++;
	if (end == *at)
		return field_error(text, *at, "expected a name", e);
	for (size_t i = *at; i < end; i++)
		if (strchr("]\"' \t", text.p[i]) || !text.p[i])
			return field_error(text, i, "unexpected character in a name", e);
	*key = str_of(text.p + *at, end - *at);
	*at = end;
	return 0;
}

static bool read_root(struct str name, enum entry_root *root)
{
	static const struct {
		struct str name;
		enum entry_root root;
	} roots[] = {
		{STR_INIT("body"), ENTRY_BODY},
		{STR_INIT("$body"), ENTRY_BODY},
		{STR_INIT("$"), ENTRY_BODY},
		{STR_INIT("attributes"), ENTRY_ATTRIBUTES},
		{STR_INIT("$attributes"), ENTRY_ATTRIBUTES},
		{STR_INIT("resource"), ENTRY_RESOURCE},
		{STR_INIT("$resource"), ENTRY_RESOURCE},
	};

	for (size_t i = 0; i < countof(roots); i++) {
		if (!str_eq(name, roots[i].name))
			continue;
		*root = roots[i].root;
		return true;
	}
	return false;
}

int entry_field_parse(struct entry_field *out, struct str text, struct err *e)
{
	struct entry_field f = {.set = true, .text = text};
	struct str key;
	size_t at = 0;
	int rc = read_name(text, &at, &key, e);

	if (rc)
		return rc;
	if (!read_root(key, &f.root))
		f.keys[f.n++] = key;
	while (at < text.n) {
		if (f.n == ENTRY_FIELD_KEYS_MAX)
			return field_error(text, at, "more than 16 keys", e);
		if (text.p[at] == '[') {
			rc = read_bracket(text, &at, &f.keys[f.n], e);
		} else if (text.p[at] == '.') {
			at++;
			rc = read_name(text, &at, &f.keys[f.n], e);
		} else {
			rc = field_error(text, at, "expected . or [", e);
		}
		if (rc)
			return rc;
		f.n++;
	}
	*out = f;
	return 0;
}

/* ---- access ---- */

static struct log_node *field_root(struct log_entry *entry, const struct entry_field *f)
{
	return f->root == ENTRY_BODY	   ? &entry->body
	       : f->root == ENTRY_RESOURCE ? &entry->resource
					   : &entry->attributes;
}

struct log_node *entry_field_get(struct log_entry *entry, const struct entry_field *f)
{
	struct log_node *at = field_root(entry, f);

	for (uint32_t i = 0; at && i < f->n; i++)
		at = log_node_get(at, f->keys[i]);
	return at;
}

/* Return the map of that key, which is created or replaces what is no map; NULL without memory. */
static struct log_node *make_map(struct log_node *map, struct str key, struct arena *arena)
{
	const struct log_node empty = {.kind = VALUE_MAP};
	struct log_node *found = log_node_get(map, key);

	if (found && found->kind == VALUE_MAP)
		return found;
	return log_node_set(map, arena, key, &empty) ? NULL : log_node_get(map, key);
}

int entry_field_set(struct log_entry *entry, const struct entry_field *f,
		    const struct log_node *value, struct arena *arena, struct err *e)
{
	struct log_node *at = field_root(entry, f);
	bool merge = value->kind == VALUE_MAP;

	if (!f->n && !merge && f->root != ENTRY_BODY)
		return err_set(e, -EINVAL, "%.*s has to be a map, not %s", STR_ARG(f->text),
			       log_node_kind_name(value));
	if (!f->n && !merge) {
		*at = *value;
		return 0;
	}
	for (uint32_t i = 0; i + !merge < f->n; i++) {
		at = make_map(at, f->keys[i], arena);
		if (!at)
			return err_errno(e, -ENOMEM, "set a field");
	}
	if (merge ? log_node_merge(at, arena, value)
		  : log_node_set(at, arena, f->keys[f->n - 1], value))
		return err_errno(e, -ENOMEM, "set a field");
	return 0;
}

bool entry_field_remove(struct log_entry *entry, const struct entry_field *f, struct log_node *out)
{
	struct log_node *at = field_root(entry, f);

	if (!f->n) {
		if (out)
			*out = *at;
		*at = (struct log_node){.kind = f->root == ENTRY_BODY ? VALUE_EMPTY : VALUE_MAP};
		return true;
	}
	for (uint32_t i = 0; at && i + 1 < f->n; i++)
		at = log_node_get(at, f->keys[i]);
	return at && log_node_remove(at, f->keys[f->n - 1], out);
}
