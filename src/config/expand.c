/* SPDX-License-Identifier: Apache-2.0 */
/* Expand ${env:NAME}, ${NAME}, ${env:NAME:-default}, ${file:PATH} and $$ in values. */
#include "config/expand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Note a variable that is not set, or fail. */
static int handle_unset(struct config *c, const struct config_node *n, struct str name,
			struct err *e)
{
	struct str copy;
	int rc;

	if (!c->allow_unset)
		return config_fail(n, e,
				   "environment variable %.*s is not set: set it, give a default "
				   "(${env:%.*s:-text}), or use --allow-unset",
				   STR_ARG(name), STR_ARG(name));
	for (size_t i = 0; i < c->unset.n; i++)
		if (str_eq(c->unset.at[i], name))
			return 0;
	rc = arena_copy_str(&c->arena, name, &copy);
	return rc ? rc : vec_push(&c->arena, &c->unset, copy);
}

/* Append what can be read of a regular file. Return 0 or -errno. */
static int put_file_text(struct buf *out, int fd)
{
	struct stat st;
	ssize_t n = 1;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	while (n > 0 && out->n <= CONFIG_VALUE_MAX) {
		char *to = buf_reserve(out, CONFIG_VALUE_MAX);

		if (!to)
			return -ENOMEM;
		n = read(fd, to, CONFIG_VALUE_MAX);
		out->n += n > 0 ? (size_t)n : 0;
	}
	return n < 0 ? -errno : 0;
}

static int expand_file(struct buf *out, const struct config_node *n, struct str name, struct err *e)
{
	char path[4096];
	size_t before = out->n;
	int fd, rc;

	if (!name.n || name.n >= sizeof(path))
		return config_fail(n, e, "expected ${file:PATH}");
	memcpy(path, name.p, name.n);
	path[name.n] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	rc = fd < 0 ? -errno : put_file_text(out, fd);
	if (fd >= 0)
		close(fd);
	if (rc == -ENOMEM)
		return rc;
	if (rc)
		return config_fail(n, e, "%s: %s", path,
				   rc == -EINVAL ? "not a regular file" : strerror(-rc));
	if (out->n > before && out->p[out->n - 1] == '\n')
		out->n--;
	if (str_utf8_valid(buf_str(out)) < out->n || str_find(buf_str(out), '\0') < out->n)
		return config_fail(n, e, "%s: not text in UTF-8", path);
	return 0;
}

/* Expand the text between ${ and }. */
static int expand_variable(struct buf *out, struct config *c, const struct config_text *in,
			   const struct config_node *n, struct str inside, struct err *e)
{
	struct str fallback = {0}, value, name = inside;
	bool has_default;
	size_t at;

	if (str_starts(name, STR("file:")))
		return expand_file(out, n, str_from_at(name, 5), e);
	if (str_starts(name, STR("env:")))
		name = str_from_at(name, 4);
	at = str_find_str(name, STR(":-"));
	has_default = at < name.n;
	if (has_default) {
		fallback = str_from_at(name, at + 2);
		name = str_head(name, at);
	}
	if (!is_variable_name(name))
		return config_fail(n, e, "expected ${env:NAME} or ${file:PATH}, found ${%.*s}",
				   STR_ARG(str_head(inside, 64)));
	value = get_variable(in, name);
	if (!value.p && !has_default)
		return handle_unset(c, n, name, e);
	buf_put_str(out, value.p ? value : fallback);
	return 0;
}

static int expand_text(struct buf *out, struct config *c, const struct config_text *in,
		       const struct config_node *n, struct err *e)
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
		rc = expand_variable(out, c, in, n, str_of(rest.p + 2, end - 2), e);
		rest = str_from_at(rest, end + 1);
		if (!rc && out->n > CONFIG_VALUE_MAX)
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
	rc = expand_text(&out, c, in, n, e);
	if (!rc)
		rc = buf_error(&out);
	if (!rc)
		rc = arena_copy_str(&c->arena, buf_str(&out), &n->text);
	buf_fini(&out);
	return rc;
}
