/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the table of rules. Names of rules become labels of a metric, so they are checked. */
#include "pipeline/processors/sanitize/sanitize_settings.h"

#include <errno.h>

#include "base/regex.h"

struct rule_text {
	struct str name, pattern, action, replacement;
	struct setting_list where;
};

static const struct setting rule_table[] = {
	SET_STRING(struct rule_text, name, "name", NULL,
		   "Name of the rule, in metrics and reports."),
	SET_STRING(struct rule_text, pattern, "pattern", NULL,
		   "Regular expression (PCRE2, at most 4096 bytes) of what is to be replaced."),
	SET_LIST(struct rule_text, where, "where", NULL,
		 "Texts to examine: values, keys, functions, files, spans, bodies, metrics, other; "
		 "default: all but functions and files."),
	SET_STRING(
		struct rule_text, action, "action", "replace",
		"replace, hash, drop (the attribute), drop_item (sample, span, record or point)."),
	SET_STRING(struct rule_text, replacement, "replacement", NULL,
		   "Text for the action replace; default: [REDACTED_NAME]."),
	SET_END,
};

static const char *const action_texts[] = {[SANITIZE_REPLACE] = "replace",
					   [SANITIZE_HASH] = "hash",
					   [SANITIZE_DROP] = "drop",
					   [SANITIZE_DROP_ITEM] = "drop_item"};

enum { DEFAULT_PLACES = SANITIZE_EVERYWHERE & ~(SANITIZE_FUNCTIONS | SANITIZE_FILES) };

/* Return the index of a text in a table of `n`, or n. */
static unsigned index_of_text(struct str text, const char *const *texts, unsigned n)
{
	unsigned i = 0;

	while (i < n && !str_eq(text, str_from(texts[i])))
		i++;
	return i;
}

static int read_places(const struct config_node *n, const char *what, const struct rule_text *t,
		       unsigned *places, struct err *e)
{
	for (uint32_t i = 0; i < t->where.n; i++) {
		unsigned place =
			index_of_text(t->where.at[i], sanitize_place_names, SANITIZE_PLACES);

		if (place == SANITIZE_PLACES)
			return config_fail(n, e,
					   "%s: unknown place \"%.*s\" in \"where\": use values, "
					   "keys, functions, files, spans, bodies, metrics, other",
					   what, STR_ARG(t->where.at[i]));
		*places |= 1u << place;
	}
	if (!t->where.n)
		*places = DEFAULT_PLACES;
	return 0;
}

static bool is_rule_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '_' && c != '-')
			return false;
	}
	return name.n && name.n <= SANITIZE_NAME_MAX;
}

/* Make the default replacement: [REDACTED_CUSTOMER_ID] of the rule customer-id. */
static int default_token(struct str name, struct arena *arena, struct str *token)
{
	char *p;
	int rc = arena_printf(arena, token, "[REDACTED_%.*s]", STR_ARG(str_head(name, 50)));

	if (rc)
		return rc;
	p = (char *)token->p;
	for (size_t i = 10; i < token->n; i++)
		p[i] = (char)(p[i] == '-' ? '_' : p[i] >= 'a' && p[i] <= 'z' ? p[i] - 32 : p[i]);
	return 0;
}

static int check_rule(const struct config_node *n, const char *what, const struct rule_text *t,
		      unsigned action, struct err *e)
{
	if (!is_rule_name(t->name))
		return config_fail(n, e,
				   "%s: \"name\" has to be 1 to %d letters, digits, \"_\" or "
				   "\"-\", found \"%.*s\"",
				   what, SANITIZE_NAME_MAX, STR_ARG(t->name));
	if (!t->pattern.n || t->pattern.n > SANITIZE_PATTERN_MAX)
		return config_fail(n, e, "%s: \"pattern\" has to be 1 to %d bytes", what,
				   SANITIZE_PATTERN_MAX);
	if (action == countof(action_texts))
		return config_fail(n, e,
				   "%s: unknown action \"%.*s\": use replace, hash, drop or "
				   "drop_item",
				   what, STR_ARG(t->action));
	if (t->replacement.n && action != SANITIZE_REPLACE)
		return config_fail(n, e, "%s: action \"%s\" does not use \"replacement\"", what,
				   action_texts[action]);
	if (t->replacement.n > SANITIZE_TOKEN_MAX)
		return config_fail(n, e, "%s: \"replacement\" has more than %d bytes", what,
				   SANITIZE_TOKEN_MAX);
	return 0;
}

static int check_pattern(const struct config_node *n, const char *what, struct str pattern,
			 struct err *e)
{
	struct regex *compiled = NULL;
	struct err reason = {0};
	int rc = regex_new(&compiled, pattern, REGEX_CAPTURE, &reason);

	regex_free(compiled);
	if (rc == -ENOMEM)
		return rc;
	return rc ? config_fail(n, e, "%s: %s", what, reason.text) : 0;
}

static int read_rule(const struct config_node *n, const char *what,
		     struct sanitize_rule_setting *out, struct arena *arena, struct err *e)
{
	struct rule_text t = {0};
	struct str name;
	unsigned action;
	int rc = settings_read(rule_table, n, what, &t, arena, e);

	if (rc)
		return rc;
	action = index_of_text(t.action, action_texts, countof(action_texts));
	rc = check_rule(n, what, &t, action, e);
	if (!rc)
		rc = check_pattern(n, what, t.pattern, e);
	if (!rc)
		rc = read_places(n, what, &t, &out->rule.places, e);
	if (!rc)
		rc = arena_copy_str(arena, t.name, &name); /* with a NUL */
	if (rc)
		return rc;
	out->rule.name = name.p;
	out->rule.action = action;
	out->pattern = t.pattern;
	out->rule.token = t.replacement;
	return t.replacement.n ? 0 : default_token(t.name, arena, &out->rule.token);
}

static int read_rules(const struct config_node *n, const char *what, void *to, struct arena *arena,
		      struct err *e)
{
	struct sanitize_rule_list *out = to;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"rules\" has to be a list of rules", what);
	for (const struct config_node *c = n->first; c; c = c->next)
		count++;
	if (count > SANITIZE_USER_RULES_MAX)
		return config_fail(n, e, "%s: more than %d rules", what, SANITIZE_USER_RULES_MAX);
	out->at = arena_zalloc(arena, count + 1, sizeof(*out->at));
	if (!out->at)
		return -ENOMEM;
	for (const struct config_node *c = n->first; c && !rc; c = c->next)
		rc = read_rule(c, what, &out->at[out->n++], arena, e);
	return rc;
}

const struct setting sanitize_setting_table[] = {
	SET_BOOL(struct sanitize_settings, secrets, "secrets", "true",
		 "Replace passwords, tokens, keys and cookies."),
	SET_BOOL(struct sanitize_settings, email, "email", "true", "Replace e-mail addresses."),
	SET_BOOL(struct sanitize_settings, cards, "cards", "true",
		 "Replace numbers of payment cards."),
	SET_BOOL(struct sanitize_settings, ip, "ip", "false",
		 "Replace IP addresses, except loopback."),
	SET_BOOL(struct sanitize_settings, function_names, "function_names", "false",
		 "Replace names of functions that contain password, secret, credential or token."),
	SET_STRING(struct sanitize_settings, hash_key_file, "hash_key_file", NULL,
		   "File with the key of the action hash, at least 16 bytes."),
	SET_CUSTOM(struct sanitize_settings, rules, "rules", read_rules, "list of rules",
		   "More rules: {name, where, pattern, action, replacement}."),
	SET_END,
};

int sanitize_settings_check(const void *settings, struct err *e)
{
	const struct sanitize_settings *s = settings;

	for (uint32_t i = 0; i < s->rules.n; i++) {
		const struct sanitize_rule *rule = &s->rules.at[i].rule;

		if (rule->action == SANITIZE_HASH && !s->hash_key_file.n)
			return err_set(e, -EINVAL,
				       "rule \"%s\": action \"hash\" needs \"hash_key_file\"",
				       rule->name);
		for (uint32_t k = 0; k < i; k++)
			if (!strcmp(s->rules.at[k].rule.name, rule->name))
				return err_set(e, -EINVAL, "two rules have the name \"%s\"",
					       rule->name);
	}
	if (!sanitize_settings_groups(s) && !s->rules.n)
		return err_set(e, -EINVAL, "all built-in rules are off and there are no others");
	return 0;
}

unsigned sanitize_settings_groups(const struct sanitize_settings *s)
{
	return (s->secrets ? SANITIZE_SECRETS : 0u) | (s->email ? SANITIZE_EMAIL : 0u) |
	       (s->cards ? SANITIZE_CARDS : 0u) | (s->ip ? SANITIZE_IP : 0u) |
	       (s->function_names ? SANITIZE_FUNCTION_NAMES : 0u);
}
