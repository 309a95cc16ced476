/* SPDX-License-Identifier: Apache-2.0 */
/* Relabelling: each action is a function; the tables say which keys it needs. */
#include "pipeline/receivers/prometheus/relabel.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "base/regex.h"

enum { RULES_MAX = 1000, GROUPS_MAX = 100, EXPANDED_MAX = 64 << 10 };

static const struct setting rule_settings[] = {
	SET_LIST(struct relabel_rule, source_labels, "source_labels", NULL,
		 "The labels whose values are joined."),
	SET_STRING(struct relabel_rule, separator, "separator", ";", "What is put between them."),
	SET_STRING(struct relabel_rule, regex, "regex", "(.*)", "The anchored expression."),
	SET_INT(struct relabel_rule, modulus, "modulus", "0", 0, INT64_MAX, NULL, "For hashmod."),
	SET_STRING(struct relabel_rule, target_label, "target_label", NULL,
		   "The label that is set."),
	SET_STRING(struct relabel_rule, replacement, "replacement", "$1", "Its value."),
	SET_STRING(struct relabel_rule, action_name, "action", "replace", "What is done."),
	SET_END,
};

/* ---- rules ---- */

static const struct {
	const char *name;
	bool needs_target;
} actions[] = {
	[RELABEL_REPLACE] = {"replace", true},	    [RELABEL_KEEP] = {"keep", false},
	[RELABEL_DROP] = {"drop", false},	    [RELABEL_KEEPEQUAL] = {"keepequal", true},
	[RELABEL_DROPEQUAL] = {"dropequal", true},  [RELABEL_HASHMOD] = {"hashmod", true},
	[RELABEL_LABELMAP] = {"labelmap", false},   [RELABEL_LABELDROP] = {"labeldrop", false},
	[RELABEL_LABELKEEP] = {"labelkeep", false}, [RELABEL_LOWERCASE] = {"lowercase", true},
	[RELABEL_UPPERCASE] = {"uppercase", true},
};

static int find_action(struct relabel_rule *r)
{
	char name[16];

	if (!r->action_name.n || r->action_name.n >= sizeof(name))
		return -EINVAL;
	memcpy(name, r->action_name.p, r->action_name.n);
	name[r->action_name.n] = 0;
	for (unsigned i = 0; i < countof(actions); i++)
		if (!strcasecmp(name, actions[i].name)) {
			r->action = (enum relabel_action)i;
			return 0;
		}
	return -EINVAL;
}

/* Check one rule; compile its expression to find mistakes when the configuration is read. */
static int check_rule(struct relabel_rule *r, const struct config_node *n, const char *what,
		      struct err *e)
{
	struct regex *regex = NULL;
	struct err why = {0};

	if (find_action(r))
		return config_fail(n, e, "%s: unknown relabel action \"%.*s\"", what,
				   STR_ARG(str_head(r->action_name, 40)));
	if (actions[r->action].needs_target && !r->target_label.n)
		return config_fail(n, e,
				   "%s: relabel configuration for %s action requires "
				   "'target_label' value",
				   what, actions[r->action].name);
	if (r->action == RELABEL_HASHMOD && !r->modulus)
		return config_fail(
			n, e, "%s: relabel configuration for hashmod requires non-zero modulus",
			what);
	if (regex_new(&regex, r->regex, REGEX_CAPTURE | REGEX_WHOLE | REGEX_DOT_ALL, &why))
		return config_fail(n, e, "%s: %s", what, why.text);
	if (regex_group_count(regex) > GROUPS_MAX) {
		regex_free(regex);
		return config_fail(n, e, "%s: more than %d groups in \"regex\"", what, GROUPS_MAX);
	}
	regex_free(regex);
	return 0;
}

int relabel_rules_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	struct relabel_rules *out = to;
	struct relabel_rule *rules;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: relabel rules have to be a list", what);
	for (const struct config_node *child = n->first; child; child = child->next)
		count++;
	if (count > RULES_MAX)
		return config_fail(n, e, "%s: more than %d relabel rules", what, RULES_MAX);
	rules = arena_zalloc(arena, count + 1, sizeof(*rules));
	if (!rules)
		return -ENOMEM;
	count = 0;
	for (const struct config_node *child = n->first; child && !rc; child = child->next) {
		rc = settings_read(rule_settings, child, what, &rules[count], arena, e);
		if (!rc)
			rc = check_rule(&rules[count++], child, what, e);
	}
	*out = (struct relabel_rules){rules, count};
	return rc;
}

/* ---- compiled rules ---- */

struct relabel {
	struct relabel_rules rules;
	struct buf joined;
	struct str groups[GROUPS_MAX + 1]; /* of the last match */
	struct regex *regex[];
};

int relabel_new(struct relabel **out, struct relabel_rules rules, struct err *e)
{
	struct relabel *r = calloc(1, sizeof(*r) + rules.n * sizeof(struct regex *));
	int rc = 0;

	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	r->rules = rules;
	for (uint32_t i = 0; i < rules.n && !rc; i++)
		rc = regex_new(&r->regex[i], rules.at[i].regex,
			       REGEX_CAPTURE | REGEX_WHOLE | REGEX_DOT_ALL, e);
	if (rc) {
		relabel_free(r);
		return rc;
	}
	*out = r;
	return 0;
}

void relabel_free(struct relabel *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->rules.n; i++)
		regex_free(r->regex[i]);
	buf_fini(&r->joined);
	free(r);
}

/* The rule that is being applied. */
struct relabelling {
	struct relabel *r;
	const struct relabel_rule *rule;
	struct regex *regex;
	struct prom_labels *labels;
	struct arena *arena;
	struct err *e;
};

/* Return the joined values of the source labels, valid until the next call; p NULL: no memory. */
static struct str join_sources(struct relabelling *x)
{
	const struct setting_list *from = &x->rule->source_labels;
	struct buf *joined = &x->r->joined;

	if (from->n == 1) {
		struct str only = prom_labels_get(x->labels, from->at[0]);

		return only.p ? only : STR("");
	}
	buf_clear(joined);
	for (uint32_t i = 0; i < from->n; i++) {
		if (i)
			buf_put_str(joined, x->rule->separator);
		buf_put_str(joined, prom_labels_get(x->labels, from->at[i]));
	}
	if (buf_error(joined))
		return (struct str){0};
	return joined->n ? buf_str(joined) : STR("");
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Return the text of the group that is called `name`; empty if there is none. */
static struct str group_text(struct relabelling *x, struct str name)
{
	uint32_t count = regex_group_count(x->regex);
	uint64_t number;

	if (!str_to_u64(name, 10, &number))
		return number <= count ? x->r->groups[number] : (struct str){0};
	for (uint32_t i = 1; i <= count; i++)
		if (str_eq(regex_group_name(x->regex, i), name) && x->r->groups[i].n)
			return x->r->groups[i];
	return (struct str){0};
}

/*
 * Read what follows a '$': the name of a group into *name. Return the length, 0 if it is no
 * reference, which leaves the '$' as it is.
 */
static size_t reference_length(struct str rest, struct str *name)
{
	bool brace = rest.n && rest.p[0] == '{';
	size_t from = brace, end = from;

	while (end < rest.n && is_word(rest.p[end]))
		end++;
	*name = str_head(str_from_at(rest, from), end - from);
	if (end == from || (brace && (end == rest.n || rest.p[end] != '}')))
		return 0;
	return end + brace;
}

/* Expand the references to groups of the last match. Return 0, -ENOMEM or -E2BIG. */
static int expand_groups(struct relabelling *x, struct str text, struct str *out)
{
	struct buf b = {0};
	int rc;

	*out = text;
	if (str_find(text, '$') == text.n)
		return 0;
	for (size_t i = 0; i < text.n && b.n <= EXPANDED_MAX; i++) {
		struct str rest = str_from_at(text, i + 1), name;
		size_t length;

		if (text.p[i] != '$') {
			buf_put_char(&b, text.p[i]);
		} else if (rest.n && rest.p[0] == '$') {
			buf_put_char(&b, '$');
			i++;
		} else {
			length = reference_length(rest, &name);
			if (length)
				buf_put_str(&b, group_text(x, name));
			else
				buf_put_char(&b, '$');
			i += length;
		}
	}
	rc = buf_error(&b);
	if (!rc && b.n > EXPANDED_MAX)
		rc = err_set(x->e, -E2BIG, "relabelling makes a label of more than %d bytes",
			     EXPANDED_MAX);
	*out = (struct str){0};
	if (!rc && b.n)
		rc = arena_copy_str(x->arena, buf_str(&b), out);
	buf_fini(&b);
	return rc;
}

static int match_text(struct relabelling *x, struct str text)
{
	return regex_capture(x->regex, text, 0, x->r->groups, x->e);
}

static int apply_replace(struct relabelling *x, struct str joined)
{
	struct str target, value;
	int rc = match_text(x, joined);

	if (rc <= 0)
		return rc ? rc : 1;
	rc = expand_groups(x, x->rule->target_label, &target);
	if (!rc)
		rc = expand_groups(x, x->rule->replacement, &value);
	if (rc || !target.n || str_utf8_valid(target) != target.n)
		return rc ? rc : 1;
	rc = prom_labels_set(x->labels, x->arena, target, value);
	return rc ? rc : 1;
}

static int apply_hashmod(struct relabelling *x, struct str joined)
{
	unsigned char md5[EVP_MAX_MD_SIZE];
	uint64_t number = 0;
	struct str text;
	int rc;

	if (EVP_Digest(joined.p, joined.n, md5, NULL, EVP_md5(), NULL) != 1)
		return err_set(x->e, -ENOTSUP, "hashmod: MD5 is not available");
	for (unsigned i = 8; i < 16; i++)
		number = number << 8 | md5[i];
	rc = arena_printf(x->arena, &text, "%llu",
			  (unsigned long long)(number % (uint64_t)x->rule->modulus));
	if (!rc)
		rc = prom_labels_set(x->labels, x->arena, x->rule->target_label, text);
	return rc ? rc : 1;
}

static int apply_case(struct relabelling *x, struct str joined)
{
	char *copy = arena_alloc(x->arena, joined.n + 1, 1);
	int rc;

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < joined.n; i++)
		copy[i] = (char)(x->rule->action == RELABEL_LOWERCASE
					 ? tolower((unsigned char)joined.p[i])
					 : toupper((unsigned char)joined.p[i]));
	rc = prom_labels_set(x->labels, x->arena, x->rule->target_label, str_of(copy, joined.n));
	return rc ? rc : 1;
}

static int apply_labelmap(struct relabelling *x)
{
	struct prom_labels before;
	int rc = prom_labels_dup(&before, x->labels, x->arena);

	for (uint32_t i = 0; i < before.list.n && !rc; i++) {
		struct str name;

		rc = match_text(x, before.list.at[i].name);
		if (rc <= 0)
			continue;
		rc = expand_groups(x, x->rule->replacement, &name);
		if (!rc && name.n)
			rc = prom_labels_set(x->labels, x->arena, name, before.list.at[i].value);
	}
	return rc ? rc : 1;
}

/* labeldrop and labelkeep */
static int apply_label_filter(struct relabelling *x)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < x->labels->list.n; i++) {
		int matched = match_text(x, x->labels->list.at[i].name);

		if (matched < 0)
			return matched;
		if ((matched > 0) == (x->rule->action == RELABEL_LABELKEEP))
			x->labels->list.at[kept++] = x->labels->list.at[i];
	}
	x->labels->list.n = kept;
	return 1;
}

static int apply_rule(struct relabelling *x)
{
	struct str joined = join_sources(x), target;
	int rc;

	if (!joined.p)
		return -ENOMEM;
	switch (x->rule->action) {
	case RELABEL_REPLACE:
		return apply_replace(x, joined);
	case RELABEL_KEEP:
		return match_text(x, joined);
	case RELABEL_DROP:
		rc = match_text(x, joined);
		return rc < 0 ? rc : !rc;
	case RELABEL_KEEPEQUAL:
	case RELABEL_DROPEQUAL:
		target = prom_labels_get(x->labels, x->rule->target_label);
		return str_eq(target, joined) == (x->rule->action == RELABEL_KEEPEQUAL);
	case RELABEL_HASHMOD:
		return apply_hashmod(x, joined);
	case RELABEL_LABELMAP:
		return apply_labelmap(x);
	case RELABEL_LABELDROP:
	case RELABEL_LABELKEEP:
		return apply_label_filter(x);
	case RELABEL_LOWERCASE:
	case RELABEL_UPPERCASE:
		return apply_case(x, joined);
	}
	return 1;
}

int relabel_apply(struct relabel *r, struct prom_labels *labels, struct arena *arena, struct err *e)
{
	struct relabelling x = {.r = r, .labels = labels, .arena = arena, .e = e};
	int rc = 1;

	for (uint32_t i = 0; i < r->rules.n && rc > 0; i++) {
		x.rule = &r->rules.at[i];
		x.regex = r->regex[i];
		rc = apply_rule(&x);
	}
	return rc;
}
