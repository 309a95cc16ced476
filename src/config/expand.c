/* SPDX-License-Identifier: Apache-2.0 */
/* Expand ${env:NAME}, ${NAME}, ${env:NAME:-default} and $$ in values. */
#include "config/expand.h"

#include <stdlib.h>

enum { NAME_MAX_BYTES = 256 };

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

static struct str get_variable(const struct config_text *in, struct str name)
{
	char text[NAME_MAX_BYTES];
	const char *value;

	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	value = in->env ? in->env(in->env_arg, text) : getenv(text);
	return value ? str_from(value) : (struct str){0};
}

/* Expand the text between ${ and }. */
static int expand_variable(struct buf *out, const struct config_text *in,
			   const struct config_node *n, struct str inside, struct err *e)
{
	struct str fallback = {0}, value, name = inside;
	size_t at;

	if (str_starts(name, STR("env:")))
		name = str_from_at(name, 4);
	at = str_find_str(name, STR(":-"));
	if (at < name.n) {
		fallback = str_from_at(name, at + 2);
		name = str_head(name, at);
	}
	if (!is_variable_name(name))
		return config_fail(n, e, "expected ${env:NAME}, found ${%.*s}",
				   STR_ARG(str_head(inside, 64)));
	value = get_variable(in, name);
	buf_put_str(out, value.p ? value : fallback);
	return 0;
}

static int expand_text(struct buf *out, const struct config_text *in, const struct config_node *n,
		       struct err *e)
{
	struct str rest = n->text;
	int rc = 0;

	while (!rc && rest.n) {
		size_t at = str_find(rest, '$'), end;

		buf_put_str(out, str_head(rest, at));
		rest = str_from_at(rest, at);
		if (rest.n < 2 || (rest.p[1] != '$' && rest.p[1] != '{')) {
			buf_put_str(out, str_head(rest, 1));
			rest = str_from_at(rest, 1);
			continue;
		}
		if (rest.p[1] == '$') {
			buf_put_char(out, '$');
			rest = str_from_at(rest, 2);
			continue;
		}
		end = str_find(rest, '}');
		if (end == rest.n)
			return config_fail(n, e, "expected } after ${");
		rc = expand_variable(out, in, n, str_of(rest.p + 2, end - 2), e);
		rest = str_from_at(rest, end + 1);
		if (out->n > CONFIG_VALUE_MAX)
			rc = config_fail(n, e, "value exceeds %d bytes", CONFIG_VALUE_MAX);
	}
	return rc;
}

int config_expand(struct config *c, const struct config_text *in, struct config_node *n,
		  struct err *e)
{
	struct buf out;
	int rc;

	if (n->text.n > CONFIG_VALUE_MAX)
		return config_fail(n, e, "value exceeds %d bytes", CONFIG_VALUE_MAX);
	if (str_find(n->text, '$') == n->text.n)
		return 0;
	buf_init(&out, c->arena.budget);
	rc = expand_text(&out, in, n, e);
	if (!rc)
		rc = buf_error(&out);
	if (!rc)
		rc = arena_copy_str(&c->arena, buf_str(&out), &n->text);
	buf_fini(&out);
	return rc;
}
