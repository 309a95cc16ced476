/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and checking of actions. Texts of errors follow the collector where it has them. */
#include "pipeline/processors/actions/attribute_actions.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "pipeline/processors/setting_value.h"

enum { ACTIONS_MAX = 1000 };

struct action_settings {
	struct str key, action, from_attribute, from_context, pattern, converted_type;
	struct setting_value value, default_value;
};

static const struct setting action_table[] = {
	SET_STRING(struct action_settings, key, "key", NULL, "The attribute."),
	SET_STRING(struct action_settings, action, "action", NULL,
		   "insert, update, upsert, delete, hash, extract or convert."),
	SET_CUSTOM(struct action_settings, value, "value", setting_value_read, "value",
		   "The value that is set."),
	SET_STRING(struct action_settings, from_attribute, "from_attribute", NULL,
		   "Take the value of this attribute."),
	SET_STRING(struct action_settings, from_context, "from_context", NULL,
		   "Take the value of a header of the request: metadata.NAME."),
	SET_CUSTOM(struct action_settings, default_value, "default_value", setting_value_read,
		   "value", "The value that is set if from_attribute or from_context has none."),
	SET_STRING(struct action_settings, pattern, "pattern", NULL,
		   "A regular expression: of keys (delete, hash), or of the value (extract)."),
	SET_STRING(struct action_settings, converted_type, "converted_type", NULL,
		   "int, double or string."),
	SET_END,
};

static const char *const action_names[ACTION_KINDS] = {
	[ACTION_INSERT] = "insert",   [ACTION_UPDATE] = "update", [ACTION_UPSERT] = "upsert",
	[ACTION_DELETE] = "delete",   [ACTION_HASH] = "hash",	  [ACTION_EXTRACT] = "extract",
	[ACTION_CONVERT] = "convert",
};

static const char *const type_names[ATTRIBUTE_TYPES] = {
	[TYPE_INT] = "int", [TYPE_DOUBLE] = "double", [TYPE_STRING] = "string"};

/* Return the index of a name in any case, or `count`. */
static unsigned find_name(struct str name, const char *const *names, unsigned count)
{
	unsigned i = 0;

	while (i < count && (strlen(names[i]) != name.n || strncasecmp(names[i], name.p, name.n)))
		i++;
	return i;
}

static bool sets_value(enum attribute_action_kind kind)
{
	return kind <= ACTION_UPSERT;
}

static int read_header_name(const struct config_node *n, const char *what, struct str from,
			    struct str *out, struct arena *arena, struct err *e)
{
	static const char prefix[] = "metadata.";
	char *lower;

	if (!from.n)
		return 0;
	if (!str_starts(from, STR("metadata.")) || from.n == strlen(prefix))
		return config_fail(n, e,
				   "%s: \"from_context\" has to be metadata.NAME, found \"%.*s\"",
				   what, STR_ARG(from));
	from = str_from_at(from, strlen(prefix));
	lower = arena_alloc(arena, from.n, 1);
	if (!lower)
		return -ENOMEM;
	for (size_t i = 0; i < from.n; i++)
		lower[i] = (char)tolower((unsigned char)from.p[i]);
	*out = str_of(lower, from.n);
	return 0;
}

/* Check what an action needs and must not have. */
static int check_action(const struct config_node *n, const char *what,
			const struct action_settings *s, enum attribute_action_kind kind,
			struct err *e)
{
	const char *name = action_names[kind];
	int sources = s->value.set + (s->from_attribute.n != 0) + (s->from_context.n != 0);
	bool by_pattern = kind == ACTION_DELETE || kind == ACTION_HASH;

	if (!s->key.n && !(by_pattern && s->pattern.n))
		return config_fail(n, e, "%s: missing required field \"key\"%s", what,
				   by_pattern ? " or \"pattern\"" : "");
	if (sets_value(kind) && sources != 1)
		return config_fail(n, e,
				   "%s: action \"%s\" needs one of \"value\", \"from_attribute\" "
				   "and \"from_context\"",
				   what, name);
	if (!sets_value(kind) && (sources || s->default_value.set))
		return config_fail(n, e, "%s: action \"%s\" does not use a value or its source",
				   what, name);
	if (s->pattern.n && !by_pattern && kind != ACTION_EXTRACT)
		return config_fail(n, e, "%s: action \"%s\" does not use the \"pattern\" field",
				   what, name);
	if (kind == ACTION_EXTRACT && !s->pattern.n)
		return config_fail(n, e, "%s: action \"extract\" needs the field \"pattern\"",
				   what);
	if (s->converted_type.n && kind != ACTION_CONVERT)
		return config_fail(n, e,
				   "%s: action \"%s\" does not use the \"converted_type\" field",
				   what, name);
	return 0;
}

static int read_action(const struct config_node *n, const char *what, struct attribute_action *out,
		       struct arena *arena, struct err *e)
{
	struct action_settings s = {0};
	unsigned kind, type;
	int rc = settings_read(action_table, n, what, &s, arena, e);

	if (rc)
		return rc;
	kind = find_name(s.action, action_names, ACTION_KINDS);
	type = find_name(s.converted_type, type_names, ATTRIBUTE_TYPES);
	if (kind == ACTION_KINDS)
		return config_fail(n, e,
				   "%s: unsupported action \"%.*s\": use insert, update, upsert, "
				   "delete, hash, extract or convert",
				   what, STR_ARG(s.action));
	rc = check_action(n, what, &s, kind, e);
	if (!rc && kind == ACTION_CONVERT && type == ATTRIBUTE_TYPES)
		rc = config_fail(n, e,
				 "%s: \"converted_type\" has to be int, double or string, found "
				 "\"%.*s\"",
				 what, STR_ARG(s.converted_type));
	if (rc)
		return rc;
	*out = (struct attribute_action){.kind = kind,
					 .key = s.key,
					 .pattern = s.pattern,
					 .has_value = s.value.set || s.default_value.set,
					 .value = s.value.set ? s.value.value
							      : s.default_value.value,
					 .from_attribute = s.from_attribute,
					 .type = type};
	return read_header_name(n, what, s.from_context, &out->from_header, arena, e);
}

int attribute_actions_read(const struct config_node *n, const char *what, void *to,
			   struct arena *arena, struct err *e)
{
	struct attribute_actions *out = to;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"%.*s\" has to be a list of actions", what,
				   STR_ARG(n->key));
	for (const struct config_node *c = n->first; c; c = c->next)
		count++;
	if (count > ACTIONS_MAX)
		return config_fail(n, e, "%s: more than %d actions", what, ACTIONS_MAX);
	out->at = arena_zalloc(arena, count + 1, sizeof(*out->at));
	if (!out->at)
		return -ENOMEM;
	for (const struct config_node *c = n->first; c && !rc; c = c->next)
		rc = read_action(c, what, &out->at[out->n++], arena, e);
	return rc;
}

/* Each group of a pattern needs a name, that of the attribute which it sets. */
static int check_groups(struct str pattern, struct err *e)
{
	struct regex *r;
	int rc = regex_new(&r, pattern, REGEX_CAPTURE, e);
	uint32_t groups;

	if (rc)
		return rc;
	groups = regex_group_count(r);
	if (!groups)
		rc = err_set(e, -EINVAL,
			     "action \"extract\": pattern contains no named matcher groups");
	for (uint32_t i = 1; i <= groups && !rc; i++)
		if (!regex_group_name(r, i).n)
			rc = err_set(e, -EINVAL,
				     "action \"extract\": pattern contains at least one unnamed "
				     "matcher group, the %u. one: write (?P<name>...)",
				     i);
	regex_free(r);
	return rc;
}

static int compile_action(struct attribute_action *a, struct scratch_pool *pool, struct err *e)
{
	bool extracts = a->kind == ACTION_EXTRACT;
	int rc = extracts ? check_groups(a->pattern, e) : 0;

	if (rc || !a->pattern.n)
		return rc;
	return scratch_pool_add(pool, a->pattern, extracts ? REGEX_CAPTURE : 0, &a->regex, e);
}

int attribute_actions_compile(struct attribute_actions *out,
			      const struct attribute_actions *actions, struct scratch_pool *pool,
			      struct err *e)
{
	int rc = 0;

	out->at = calloc(actions->n + 1, sizeof(*out->at));
	if (!out->at)
		return err_errno(e, -ENOMEM, "actions");
	for (; out->n < actions->n && !rc; out->n++) {
		out->at[out->n] = actions->at[out->n];
		rc = compile_action(&out->at[out->n], pool, e);
	}
	return rc;
}
