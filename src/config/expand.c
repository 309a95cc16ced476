/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expands ${...} from left to right, the innermost first. What a reference stands for is copied
 * into the arena and then expanded in turn, with `nested` counting how often, which also ends
 * references to themselves.
 */
#include "config/expand.h"

#include <errno.h>
#include <stdlib.h>

#include "config/config_source.h"
#include "config/yaml.h"

enum { NAME_MAX_BYTES = 256, NESTED_MAX = 16 };

struct expander {
	struct config *c;
	config_env *env;
	void *env_arg;
	struct err *e;
	struct config_node place; /* of the value, for errors */
};

/* What a reference stands for. */
struct resolved {
	struct str text;
	struct str file; /* of ${file:PATH} */
	bool unset, fallback;
};

static int expand_text(struct expander *x, struct buf *out, struct str rest, unsigned nested,
		       bool keep_escapes);

static bool is_variable_name(struct str s)
{
	if (!s.n || s.n >= NAME_MAX_BYTES || (s.p[0] >= '0' && s.p[0] <= '9'))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_'))
			return false;
	}
	return true;
}

static struct str get_variable(const struct expander *x, struct str name)
{
	char text[NAME_MAX_BYTES];
	const char *value;

	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	value = x->env ? x->env(x->env_arg, text) : getenv(text);
	return value ? str_from(value) : (struct str){0};
}

/* Return the position of the } that ends a reference whose inside begins at `s`, or s.n. */
static size_t find_end(struct str s)
{
	unsigned depth = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '}' && !depth--)
			return i;
		if (s.p[i] != '$' || i + 1 == s.n)
			continue;
		depth += s.p[i + 1] == '{';
		i += s.p[i + 1] == '{' || s.p[i + 1] == '$';
	}
	return s.n;
}

/* ---- what a reference stands for ---- */

static int resolve_unset(struct expander *x, struct str name, struct resolved *r)
{
	if (!x->c->allow_unset)
		return config_fail(&x->place, x->e,
				   "environment variable %.*s is not set: set it, give a default "
				   "(${env:%.*s:-text}), or use --allow-unset",
				   STR_ARG(name), STR_ARG(name));
	config_warn(&x->place, "environment variable %.*s is not set and empty", STR_ARG(name));
	r->unset = true;
	return 0;
}

static int resolve_variable(struct expander *x, struct str inside, struct resolved *r)
{
	struct str name = inside, value;
	size_t at;

	if (str_starts(name, STR("env:")))
		name = str_from_at(name, 4);
	at = str_find_str(name, STR(":-"));
	if (!is_variable_name(str_head(name, at)))
		return config_fail(&x->place, x->e,
				   "expected ${env:NAME}, ${env:NAME:-default}, ${file:PATH} or "
				   "${yaml:TEXT}, found ${%.*s}",
				   STR_ARG(str_head(inside, 64)));
	value = get_variable(x, str_head(name, at));
	if (!value.p && at == name.n)
		return resolve_unset(x, name, r);
	r->fallback = !value.p;
	return arena_copy_str(&x->c->arena, value.p ? value : str_from_at(name, at + 2), &r->text);
}

static int resolve_file(struct expander *x, struct str path, struct resolved *r)
{
	struct err why = {0};
	struct buf text;
	int rc;

	if (!path.n)
		return config_fail(&x->place, x->e, "expected ${file:PATH}");
	buf_init(&text, x->c->arena.budget);
	rc = arena_copy_str(&x->c->arena, path, &r->file);
	if (!rc)
		rc = config_source_file(x->c, &text, r->file, true, &why);
	if (rc && rc != -ENOMEM)
		rc = config_fail(&x->place, x->e, "%s", why.text);
	if (!rc && text.n && text.p[text.n - 1] == '\n')
		text.n--;
	if (!rc)
		rc = arena_copy_str(&x->c->arena, buf_str(&text), &r->text);
	buf_fini(&text);
	return rc;
}

/* Resolve what stands between ${ and }. */
static int resolve(struct expander *x, struct str inside, unsigned nested, struct resolved *r)
{
	struct buf text;
	int rc = 0;

	*r = (struct resolved){0};
	if (nested >= NESTED_MAX || x->c->expansions++ >= CONFIG_EXPANSIONS_MAX)
		return config_fail(&x->place, x->e,
				   "${%.*s}: more than %d expansions%s; does it contain itself?",
				   STR_ARG(str_head(inside, 64)),
				   nested >= NESTED_MAX ? NESTED_MAX : CONFIG_EXPANSIONS_MAX,
				   nested >= NESTED_MAX ? " within each other" : "");
	buf_init(&text, x->c->arena.budget);
	if (str_find_str(inside, STR("${")) < inside.n) {
		rc = expand_text(x, &text, inside, nested + 1, true);
		inside = buf_str(&text);
	}
	if (!rc)
		rc = buf_error(&text);
	if (!rc && str_starts(inside, STR("file:")))
		rc = resolve_file(x, str_from_at(inside, 5), r);
	else if (!rc && str_starts(inside, STR("yaml:")))
		rc = arena_copy_str(&x->c->arena, str_from_at(inside, 5), &r->text);
	else if (!rc)
		rc = resolve_variable(x, inside, r);
	buf_fini(&text);
	return rc;
}

/* ---- references within text ---- */

/* Expand one reference at the beginning of *rest, and cut it off. */
static int expand_first(struct expander *x, struct buf *out, struct str *rest, unsigned nested,
			bool keep_escapes)
{
	struct str inside = str_from_at(*rest, 2);
	size_t end = find_end(inside);
	struct resolved r;
	int rc;

	if (end == inside.n && !nested)
		return config_fail(&x->place, x->e, "expected } after ${");
	if (end == inside.n) { /* not a reference: a password, for example */
		buf_put_str(out, STR("${"));
		*rest = inside;
		return 0;
	}
	rc = resolve(x, str_head(inside, end), nested, &r);
	*rest = str_from_at(inside, end + 1);
	return rc ? rc : expand_text(x, out, r.text, nested + 1, keep_escapes);
}

/* Append the text with its references expanded. `keep_escapes`: leave $$ for later. */
static int expand_text(struct expander *x, struct buf *out, struct str rest, unsigned nested,
		       bool keep_escapes)
{
	int rc = 0;

	while (!rc && rest.n) {
		size_t at = str_find(rest, '$');

		buf_put_str(out, str_head(rest, at));
		rest = str_from_at(rest, at);
		if (str_starts(rest, STR("${"))) {
			rc = expand_first(x, out, &rest, nested, keep_escapes);
		} else if (str_starts(rest, STR("$$"))) {
			buf_put_str(out, keep_escapes ? STR("$$") : STR("$"));
			rest = str_from_at(rest, 2);
		} else {
			buf_put_str(out, str_head(rest, 1));
			rest = str_from_at(rest, 1);
		}
		if (!rc && out->n > CONFIG_VALUE_MAX)
			rc = config_fail(&x->place, x->e, "value exceeds %d bytes",
					 CONFIG_VALUE_MAX);
	}
	return rc;
}

/* ---- values ---- */

static int expand_longer(struct expander *x, struct config_node *n, unsigned nested)
{
	struct buf out;
	int rc;

	buf_init(&out, x->c->arena.budget);
	rc = expand_text(x, &out, n->text, nested, false);
	if (!rc)
		rc = buf_error(&out);
	if (!rc)
		rc = arena_copy_str(&x->c->arena, buf_str(&out), &n->text);
	n->quoted |= yaml_is_null(n->text);
	buf_fini(&out);
	return rc;
}

/*
 * Put the text in the place of the value. A map or list is taken over; text that is not YAML is a
 * string, and so is any other text: readers of the configuration convert it.
 */
static int put_yaml(struct expander *x, struct config_node *n, const struct resolved *r)
{
	struct config_text in = {.text = r->text,
				 .source = r->file.n ? r->file : n->source,
				 .places = r->file.n > 0,
				 .line = x->place.line,
				 .column = x->place.column};
	struct config_node *value = NULL;
	struct err none = {0};
	int rc = yaml_parse(x->c, &in, &value, &none);

	n->text = r->text;
	n->raw = n->quoted = false;
	if (rc == -ENOMEM)
		return rc;
	if (!rc && value && (value->kind == CONFIG_MAP || value->kind == CONFIG_LIST)) {
		n->kind = value->kind;
		n->first = value->first;
		return 0;
	}
	if (n->text.n > CONFIG_VALUE_MAX)
		return config_fail(&x->place, x->e, "value exceeds %d bytes", CONFIG_VALUE_MAX);
	n->quoted = r->fallback && !r->text.n; /* "", not null */
	n->raw = str_find(n->text, '$') < n->text.n;
	return 0;
}

/* Expand a scalar. *nested is how often its parts have been expanded. */
static int expand_value(struct expander *x, struct config_node *n, unsigned *nested)
{
	int rc = 0;

	x->place = *n;
	x->place.line = n->value_line;
	x->place.column = n->value_column;
	while (n->raw && !rc) {
		struct str inside = str_from_at(n->text, 2);
		struct resolved r;

		n->raw = false;
		if (!str_starts(n->text, STR("${")) || find_end(inside) + 1 != inside.n) {
			rc = expand_longer(x, n, *nested);
			break;
		}
		rc = resolve(x, str_head(inside, inside.n - 1), (*nested)++, &r);
		if (!rc)
			rc = put_yaml(x, n, &r);
	}
	if (n->kind == CONFIG_SCALAR && !n->quoted && yaml_is_null(n->text))
		n->kind = CONFIG_NULL;
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): CONFIG_DEPTH_MAX */
static int expand_tree(struct expander *x, struct config_node *n, unsigned nested, unsigned depth)
{
	int rc = n->raw ? expand_value(x, n, &nested) : 0;

	if (depth > CONFIG_DEPTH_MAX)
		return config_fail(n, x->e, "nested deeper than %d levels", CONFIG_DEPTH_MAX);
	for (struct config_node *child = n->first; child && !rc; child = child->next)
		rc = expand_tree(x, child, nested, depth + 1);
	return rc;
}

int expand_references(struct config *c, config_env *env, void *env_arg, struct err *e)
{
	struct expander x = {.c = c, .env = env, .env_arg = env_arg, .e = e};

	return expand_tree(&x, c->root, 0, 0);
}
