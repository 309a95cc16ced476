/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a configuration: read it, set values, print it, suggest names. */
#include "config/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "config/config_source.h"
#include "config/expand.h"
#include "config/yaml.h"

int config_init(struct config *c, struct budget *budget)
{
	*c = (struct config){.text_max = CONFIG_TEXT_MAX,
			     .nodes_max = CONFIG_NODES_MAX,
			     .list_max = CONFIG_MAP_MAX};
	arena_init(&c->arena, budget);
	c->root = config_node_new(c, CONFIG_MAP, STR(""));
	return c->root ? 0 : -ENOMEM;
}

void config_fini(struct config *c)
{
	arena_fini(&c->arena);
	*c = (struct config){0};
}

/* Set `e` to the text with the node's place. */
static int fail_at(const struct config_node *n, struct err *e, const char *text)
{
	if (!n || !n->source.n)
		return err_set(e, -EINVAL, "%s", text);
	if (!n->line)
		return err_set(e, -EINVAL, "%.*s: %s", STR_ARG(n->source), text);
	return err_set(e, -EINVAL, "%.*s:%u:%u: %s", STR_ARG(n->source), n->line, n->column, text);
}

int config_fail(const struct config_node *n, struct err *e, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return fail_at(n, e, text);
}

void config_warn(const struct config_node *n, const char *fmt, ...)
{
	struct config *c = n ? n->config : NULL;
	char text[ERR_TEXT_MAX];
	struct err e = {0};
	struct str copy;
	va_list args;

	if (!c || c->warnings.n >= CONFIG_WARNINGS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fail_at(n, &e, text);
	for (uint32_t i = 0; i < c->warnings.n; i++)
		if (str_eq(c->warnings.at[i], str_from(e.text)))
			return;
	if (!arena_copy_str(&c->arena, str_from(e.text), &copy))
		(void)!vec_push(&c->arena, &c->warnings, copy);
}

/* Find the child with that key, or the end of the list. */
static struct config_node **find_child(struct config_node *map, struct str key)
{
	struct config_node **at = &map->first;

	while (*at && !str_eq((*at)->key, key))
		at = &(*at)->next;
	return at;
}

/* Merge the children of a map. NOLINTNEXTLINE(misc-no-recursion): CONFIG_DEPTH_MAX */
static void merge_maps(struct config_node *to, const struct config_node *from)
{
	struct config_node *next;

	for (struct config_node *n = from->first; n; n = next) {
		struct config_node **at = find_child(to, n->key), *old = *at;

		next = n->next;
		if (old && old->kind == CONFIG_MAP && n->kind == CONFIG_MAP) {
			merge_maps(old, n);
			continue;
		}
		n->next = old ? old->next : NULL;
		*at = n;
	}
}

/*
 * Put the value of a key "a::b" at b in the map a, as the OpenTelemetry Collector does with the
 * keys of the topmost map.
 */
static int split_key(struct config *c, struct config_node *n, struct err *e)
{
	for (unsigned depth = 0; str_find_str(n->key, STR("::")) < n->key.n; depth++) {
		size_t at = str_find_str(n->key, STR("::"));
		struct config_node *inner = config_node_new(c, n->kind, n->source);

		if (!at || at + 2 == n->key.n)
			return config_fail(n, e, "a key must not begin or end with \"::\"");
		if (!inner)
			return -ENOMEM;
		if (depth >= CONFIG_DEPTH_MAX)
			return config_fail(n, e, "nested deeper than %d levels", CONFIG_DEPTH_MAX);
		*inner = *n;
		inner->key = str_from_at(n->key, at + 2);
		*n = (struct config_node){.kind = CONFIG_MAP,
					  .key = str_head(n->key, at),
					  .source = n->source,
					  .line = n->line,
					  .column = n->column,
					  .first = inner,
					  .config = c};
		n = inner;
	}
	return 0;
}

/* Merge the children of a topmost map, whose keys may be paths. */
static int merge_top(struct config *c, struct config_node *to, struct config_node *from,
		     struct err *e)
{
	struct config_node *next;
	int rc = 0;

	for (struct config_node *n = from->first; n && !rc; n = next) {
		struct config_node single = {.kind = CONFIG_MAP, .first = n};

		next = n->next;
		n->next = NULL;
		rc = split_key(c, n, e);
		if (!rc)
			merge_maps(to, &single);
	}
	return rc;
}

/* Parse a topmost map; *out is never NULL. */
static int parse_map(struct config *c, const struct config_text *in, struct config_node **out,
		     struct err *e)
{
	struct config_node *root = NULL;
	int rc = yaml_parse(c, in, &root, e);

	*out = config_node_new(c, CONFIG_MAP, in->source);
	if (rc || !*out)
		return rc ? rc : -ENOMEM;
	if (!root || root->kind == CONFIG_NULL)
		return 0;
	if (root->kind != CONFIG_MAP)
		return config_fail(root, e, "expected a map");
	(*out)->line = root->line;
	(*out)->column = root->column;
	return merge_top(c, *out, root, e);
}

int config_parse_plain(struct config *c, struct str text, const char *source, struct err *e)
{
	struct config_text in = {.text = text, .places = true};
	struct config_node *root;
	int rc = arena_copy_str(&c->arena, str_from(source), &in.source);

	if (!rc)
		rc = parse_map(c, &in, &root, e);
	if (rc)
		return rc;
	c->root = root;
	return 0;
}

int config_parse(struct config *c, struct str text, const char *source, config_env *env,
		 void *env_arg, struct err *e)
{
	int rc = config_parse_plain(c, text, source, e);

	return rc ? rc : expand_references(c, env, env_arg, e);
}

int config_merge(struct config *c, const char *uri, struct err *e)
{
	struct config_text in = {0};
	struct config_node *root;
	struct buf text;
	int rc;

	buf_init(&text, c->arena.budget);
	rc = config_source_read(c, &text, &in, uri, e);
	if (!rc)
		rc = parse_map(c, &in, &root, e);
	if (!rc)
		merge_maps(c->root, root);
	buf_fini(&text);
	return rc;
}

int config_expand(struct config *c, struct err *e)
{
	return expand_references(c, NULL, NULL, e);
}

const struct config_node *config_get(const struct config_node *map, struct str key)
{
	if (!map || map->kind != CONFIG_MAP)
		return NULL;
	for (const struct config_node *n = map->first; n; n = n->next)
		if (str_eq(n->key, key))
			return n;
	return NULL;
}

/* Cut the next key off a path. Return false at its end. */
static bool next_key(struct str *path, bool colons, struct str *key)
{
	size_t at;

	if (!path->p)
		return false;
	if (!colons) {
		*key = str_cut(path, '.');
		return true;
	}
	at = str_find_str(*path, STR("::"));
	*key = str_head(*path, at);
	*path = at < path->n ? str_of(path->p + at + 2, path->n - at - 2) : (struct str){0};
	return true;
}

const struct config_node *config_find(const struct config_node *from, const char *path)
{
	struct str rest = str_from(path), key;

	while (from && next_key(&rest, false, &key))
		from = config_get(from, key);
	return from;
}

/* Return the child with that key; make it, with the value null, if there is none. */
static struct config_node *find_or_make_child(struct config *c, struct config_node *map,
					      struct str key, struct str source)
{
	struct config_node **at = find_child(map, key);
	struct str copy;

	if (*at)
		return *at;
	if (arena_copy_str(&c->arena, key, &copy))
		return NULL;
	*at = config_node_new(c, CONFIG_NULL, source);
	if (*at)
		(*at)->key = copy;
	return *at;
}

/* Follow `path`, making maps on the way. */
static int find_or_make_path(struct config *c, struct str path, struct str source,
			     struct config_node **out, struct err *e)
{
	bool colons = str_find_str(path, STR("::")) < path.n;
	struct config_node *n = c->root;
	unsigned depth = 0;
	struct str key;

	if (!path.n)
		return err_set(e, -EINVAL, "%.*s: expected a path of keys", STR_ARG(source));
	while (next_key(&path, colons, &key)) {
		if (!key.n || ++depth > CONFIG_DEPTH_MAX)
			return err_set(e, -EINVAL, "%.*s: expected keys separated by dots",
				       STR_ARG(source));
		if (n->kind == CONFIG_NULL)
			n->kind = CONFIG_MAP;
		if (n->kind != CONFIG_MAP)
			return err_set(e, -EINVAL, "%.*s: the parent of \"%.*s\" is not a map",
				       STR_ARG(source), STR_ARG(key));
		n = find_or_make_child(c, n, key, source);
		if (!n)
			return -ENOMEM;
	}
	*out = n;
	return 0;
}

int config_set(struct config *c, struct str path, struct str value, struct err *e)
{
	struct config_text in = {.text = value};
	struct config_node *to = NULL, *from = NULL;
	int rc = arena_printf(&c->arena, &in.source, "--set %.*s", STR_ARG(str_head(path, 200)));

	if (!rc)
		rc = yaml_parse(c, &in, &from, e);
	if (!rc)
		rc = find_or_make_path(c, path, in.source, &to, e);
	if (rc || !to)
		return rc;

	struct config_node kept = *to;

	*to = from ? *from : (struct config_node){.kind = CONFIG_NULL, .config = kept.config};
	to->key = kept.key;
	to->next = kept.next;
	to->source = in.source;
	to->line = to->column = 0;
	return 0;
}

/*
 * Return whether YAML reads the unquoted text unchanged. Conservative: quotes are always correct.
 */
static bool can_print_unquoted(struct str s)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"_./+-%";

	if (!s.n || s.p[0] == '-' || s.p[0] == '%' || s.p[0] == '.')
		return false;
	for (size_t i = 0; i < s.n; i++) {
		bool inside = s.p[i] == ':' && i + 1 < s.n && s.p[i + 1] != ' ';

		if (!inside && (!s.p[i] || !strchr(allowed, s.p[i])))
			return false;
	}
	return s.p[0] != ':';
}

static bool reads_as_null(struct str s)
{
	return str_eq(s, STR("null")) || str_eq(s, STR("Null")) || str_eq(s, STR("NULL"));
}

/*
 * Print text, with quotes if necessary. `value`: escape dollar signs, which are expanded in values.
 */
static void print_scalar(struct buf *out, struct str s, bool quoted, bool value)
{
	if (can_print_unquoted(s) && !quoted && !reads_as_null(s)) {
		buf_put_str(out, s);
		return;
	}
	buf_put_char(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c == '$' && value)
			buf_put_str(out, STR("$$"));
		else if (c < 0x20 || c == 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_put_char(out, (char)c);
	}
	buf_put_char(out, '"');
}

static void indent(struct buf *out, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		buf_put_str(out, STR("  "));
}

/* Print what follows "key:" or "-". NOLINTNEXTLINE(misc-no-recursion): CONFIG_DEPTH_MAX */
static void print_value(struct buf *out, const struct config_node *n, unsigned depth)
{
	if (n->kind == CONFIG_SCALAR) {
		buf_put_char(out, ' ');
		print_scalar(out, n->text, n->quoted, true);
		buf_put_char(out, '\n');
		return;
	}
	if (n->kind != CONFIG_NULL && !n->first) {
		buf_put_str(out, n->kind == CONFIG_MAP ? STR(" {}\n") : STR(" []\n"));
		return;
	}
	buf_put_char(out, '\n');
	for (const struct config_node *child = n->first; child; child = child->next) {
		indent(out, depth);
		if (n->kind == CONFIG_MAP) {
			print_scalar(out, child->key, false, false);
			buf_put_char(out, ':');
		} else {
			buf_put_char(out, '-');
		}
		print_value(out, child, depth + 1);
	}
}

void config_print(struct buf *out, const struct config_node *node)
{
	struct buf text = {.budget = out->budget};

	print_value(&text, node, 0);
	buf_put_str(out, str_trim(buf_str(&text)));
	buf_put_char(out, '\n');
	if (buf_error(&text))
		out->failed = true;
	buf_fini(&text);
}

enum { WORD_MAX = 64 };

/* Return the Damerau-Levenshtein distance: swapping two neighbours counts as one edit. */
static unsigned edit_distance(struct str a, struct str b)
{
	unsigned rows[3][WORD_MAX + 1];

	for (size_t j = 0; j <= b.n; j++)
		rows[1][j] = (unsigned)j;
	for (size_t i = 1; i <= a.n; i++) {
		unsigned *before = rows[(i + 2) % 3];
		unsigned *last = rows[i % 3], *now = rows[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= b.n; j++) {
			bool same = a.p[i - 1] == b.p[j - 1];
			unsigned best = last[j - 1] + !same;

			best = last[j] + 1 < best ? last[j] + 1 : best;
			best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] &&
			    a.p[i - 2] == b.p[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
	}
	return rows[(a.n + 1) % 3][b.n];
}

const char *config_suggest(struct str word, const void *names, size_t count, size_t stride)
{
	const char *best = NULL;
	unsigned best_distance = word.n < 4 ? 2 : word.n < 8 ? 3 : 4; /* must be below */

	if (word.n > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const char *name = *(const char *const *)((const char *)names + i * stride);
		struct str other = name ? str_from(name) : (struct str){0};
		unsigned d;

		if (!other.n || other.n > WORD_MAX)
			continue;
		d = edit_distance(word, other);
		if (d < best_distance) {
			best = name;
			best_distance = d;
		}
	}
	return best;
}

/* Append two texts. Return false, and leave the hint as it was, if they do not fit. */
static bool hint_add(struct config_hint *h, struct str a, struct str b)
{
	size_t n = strlen(h->text);

	if (n + a.n + b.n + sizeof(", ...") > sizeof(h->text))
		return false;
	memcpy(h->text + n, a.p, a.n);
	memcpy(h->text + n + a.n, b.p, b.n);
	h->text[n + a.n + b.n] = '\0';
	return true;
}

struct config_hint config_hint(struct str word, const void *names, size_t count, size_t stride)
{
	const char *meant = config_suggest(word, names, count, stride);
	struct str before = STR("; expected one of ");
	struct config_hint h;

	snprintf(h.text, sizeof(h.text), " \"%.*s\"", STR_ARG(str_head(word, WORD_MAX)));
	if (meant && hint_add(&h, STR("; did you mean \""), str_from(meant)) &&
	    hint_add(&h, STR("\"?"), STR("")))
		return h;
	for (size_t i = 0; i < count; i++) {
		const char *name = *(const char *const *)((const char *)names + i * stride);

		if (!hint_add(&h, before, str_from(name))) {
			size_t n = strlen(h.text);

			snprintf(h.text + n, sizeof(h.text) - n, ", ...");
			break;
		}
		before = STR(", ");
	}
	return h;
}
