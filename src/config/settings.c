/* SPDX-License-Identifier: Apache-2.0 */
/* Option tables: fill a struct from a map, and print help. */
#include "config/settings.h"

#include <errno.h>

#include "config/values.h"

/* What the functions below need for each value. */
struct settings_reader {
	const char *what;
	struct arena *arena;
	struct err *e;
};

static const char *const expected[] = {
	[SETTING_STRING] = "text",
	[SETTING_BOOL] = "true or false",
	[SETTING_INT] = "a whole number, such as 8192",
	[SETTING_BYTES] = "a size, such as 4MiB",
	[SETTING_DURATION] = "a duration, such as 200ms or 1h",
	[SETTING_LIST] = "a list",
	[SETTING_MAP] = "a map",
	[SETTING_GROUP] = "a map",
	[SETTING_CUSTOM] = "a value",
	[SETTING_IGNORED] = "a value",
};

static int read_table(struct settings_reader *r, const struct setting *table,
		      const struct config_node *map, char *out);

/* Return a hint for a frequent mistake, or "". */
static const char *value_hint(const struct setting *o, struct str text)
{
	uint64_t number;

	if (o->type == SETTING_DURATION && !str_to_u64(text, 10, &number))
		return "; a number needs a unit, such as s";
	if (o->type == SETTING_DURATION)
		return "; units are ns, us, ms, s, m, h and d";
	if (o->type == SETTING_BYTES)
		return "; units are KiB, MiB, GiB, KB, MB and GB";
	return "";
}

static int bad_value(struct settings_reader *r, const struct setting *o,
		     const struct config_node *n)
{
	if (n->kind == CONFIG_SCALAR)
		return config_fail(n, r->e, "%s: \"%s\" has to be %s, found \"%.*s\"%s", r->what,
				   o->name, expected[o->type], STR_ARG(str_head(n->text, 64)),
				   value_hint(o, n->text));
	return config_fail(n, r->e, "%s: \"%s\" has to be %s", r->what, o->name, expected[o->type]);
}

static int read_int(struct settings_reader *r, const struct setting *o, const struct config_node *n,
		    int64_t *out)
{
	if (str_to_i64(n->text, out))
		return bad_value(r, o, n);
	if (*out < o->min || *out > o->max)
		return config_fail(n, r->e, "%s: \"%s\" has to be from %lld to %lld, found %lld",
				   r->what, o->name, (long long)o->min, (long long)o->max,
				   (long long)*out);
	return 0;
}

/*
 * Read a node as a string. A map or list that was expanded from ${...} is its YAML, null is empty.
 */
static bool read_string(const struct config_node *n, struct str *out)
{
	*out = n->kind == CONFIG_NULL ? (struct str){0} : n->text;
	return n->kind == CONFIG_SCALAR || n->kind == CONFIG_NULL || n->text.n;
}

/* Read a scalar value. */
static int read_scalar(struct settings_reader *r, const struct setting *o,
		       const struct config_node *n, char *to)
{
	int rc;

	if (o->type == SETTING_STRING)
		return read_string(n, (struct str *)(void *)to) ? 0 : bad_value(r, o, n);
	if (n->kind != CONFIG_SCALAR)
		return bad_value(r, o, n);
	switch (o->type) {
	case SETTING_BOOL:
		rc = setting_parse_bool(n->text, (bool *)to);
		break;
	case SETTING_INT:
		return read_int(r, o, n, (int64_t *)(void *)to);
	case SETTING_BYTES:
		rc = setting_parse_bytes(n->text, (uint64_t *)(void *)to);
		break;
	default:
		rc = setting_parse_duration(n->text, (uint64_t *)(void *)to);
		break;
	}
	return rc ? bad_value(r, o, n) : 0;
}

static uint32_t count_children(const struct config_node *n)
{
	uint32_t count = 0;

	for (const struct config_node *child = n->first; child; child = child->next)
		count++;
	return count;
}

/* Set a list from text that is separated by commas. */
static int split_list(struct settings_reader *r, struct str text, struct setting_list *to)
{
	struct str *texts = arena_alloc(r->arena, text.n + 1, sizeof(*texts));
	uint32_t count = 0;

	if (!texts)
		return -ENOMEM;
	while (text.n)
		texts[count++] = str_cut(&text, ',');
	*to = (struct setting_list){texts, count};
	return 0;
}

static int read_list(struct settings_reader *r, const struct setting *o,
		     const struct config_node *n, struct setting_list *to)
{
	struct str *texts;
	uint32_t i = 0;

	if (n->kind == CONFIG_SCALAR)
		return split_list(r, n->text, to);
	if (n->kind != CONFIG_LIST)
		return bad_value(r, o, n);
	texts = arena_alloc(r->arena, count_children(n), sizeof(*texts));
	if (!texts)
		return -ENOMEM;
	for (const struct config_node *child = n->first; child; child = child->next) {
		if (!read_string(child, &texts[i++]))
			return config_fail(child, r->e, "%s: \"%s\" has to be a list of strings",
					   r->what, o->name);
	}
	*to = (struct setting_list){texts, i};
	return 0;
}

static int read_map(struct settings_reader *r, const struct setting *o, const struct config_node *n,
		    struct setting_map *to)
{
	struct setting_pair *pairs;
	uint32_t i = 0;

	if (n->kind != CONFIG_MAP)
		return bad_value(r, o, n);
	pairs = arena_alloc(r->arena, count_children(n), sizeof(*pairs));
	if (!pairs)
		return -ENOMEM;
	for (const struct config_node *child = n->first; child; child = child->next) {
		pairs[i].name = child->key;
		if (!read_string(child, &pairs[i++].value))
			return config_fail(child, r->e, "%s: \"%s\" has to be a map of strings",
					   r->what, o->name);
	}
	*to = (struct setting_map){pairs, i};
	return 0;
}

/* Set the default. The default of a list is separated by commas. */
static int read_default(struct settings_reader *r, const struct setting *o, char *to)
{
	struct config_node n = {.kind = CONFIG_SCALAR, .source = STR("default")};

	if (!o->fallback)
		return 0;
	n.text = str_from(o->fallback);
	if (o->type != SETTING_LIST)
		return read_scalar(r, o, &n, to);
	return split_list(r, n.text, (struct setting_list *)(void *)to);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
static int read_setting(struct settings_reader *r, const struct setting *o,
			const struct config_node *n, char *out)
{
	char *to = out + o->offset;

	if (o->type == SETTING_IGNORED) {
		if (n)
			config_warn(n, "%s: \"%s\" is not supported and ignored%s%s", r->what,
				    o->name, o->help ? ": " : "", o->help ? o->help : "");
		return 0;
	}
	if (o->present)
		out[o->present] = n != NULL;
	if (o->type == SETTING_GROUP) {
		if (n && n->kind != CONFIG_MAP && n->kind != CONFIG_NULL)
			return bad_value(r, o, n);
		return read_table(r, o->options, n, to);
	}
	if (!n || n->kind == CONFIG_NULL)
		return o->type == SETTING_CUSTOM ? 0 : read_default(r, o, to);
	if (o->type == SETTING_CUSTOM)
		return o->read(n, r->what, to, r->arena, r->e);
	if (o->type == SETTING_LIST)
		return read_list(r, o, n, (struct setting_list *)(void *)to);
	if (o->type == SETTING_MAP)
		return read_map(r, o, n, (struct setting_map *)(void *)to);
	return read_scalar(r, o, n, to);
}

static size_t table_size(const struct setting *table)
{
	size_t n = 0;

	while (table[n].name)
		n++;
	return n;
}

static int unknown_key(struct settings_reader *r, const struct setting *table,
		       const struct config_node *n)
{
	struct config_hint h =
		config_hint(n->key, &table[0].name, table_size(table), sizeof(*table));

	return config_fail(n, r->e, "%s: unknown option%s", r->what, h.text);
}

static bool has_setting(const struct setting *table, struct str name)
{
	for (; table->name; table++)
		if (str_eq(str_from(table->name), name))
			return true;
	return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
static int read_table(struct settings_reader *r, const struct setting *table,
		      const struct config_node *map, char *out)
{
	int rc = 0;

	if (map && map->kind == CONFIG_MAP)
		for (const struct config_node *n = map->first; n; n = n->next)
			if (!has_setting(table, n->key))
				return unknown_key(r, table, n);
	for (const struct setting *o = table; o->name && !rc; o++)
		rc = read_setting(r, o, config_get(map, str_from(o->name)), out);
	return rc;
}

int settings_read(const struct setting *table, const struct config_node *map, const char *what,
		  void *out, struct arena *arena, struct err *e)
{
	struct settings_reader r = {what, arena, e};

	if (map && map->kind != CONFIG_MAP && map->kind != CONFIG_NULL)
		return config_fail(map, e, "%s: expected a map of options", what);
	return read_table(&r, table, map, out);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
void settings_help(struct buf *out, const struct setting *table, unsigned indent)
{
	static const char *const names[] = {
		[SETTING_STRING] = "text",
		[SETTING_BOOL] = "bool",
		[SETTING_INT] = "number",
		[SETTING_BYTES] = "bytes",
		[SETTING_LIST] = "list",
		[SETTING_DURATION] = "duration",
		[SETTING_MAP] = "map of strings",
		[SETTING_GROUP] = "",
		[SETTING_CUSTOM] = "",
		[SETTING_IGNORED] = "",
	};

	for (const struct setting *o = table; o->name; o++) {
		if (o->type == SETTING_IGNORED)
			continue;
		buf_printf(out, "%*s%s:", (int)(2 * indent), "", o->name);
		if (o->type == SETTING_CUSTOM)
			buf_printf(out, " (%s)", o->unit);
		else if (o->type != SETTING_GROUP)
			buf_printf(out, " (%s%s%s)", names[o->type], o->unit ? ", " : "",
				   o->unit ? o->unit : "");
		if (o->fallback && o->fallback[0])
			buf_printf(out, " [%s]", o->fallback);
		buf_printf(out, " %s\n", o->help);
		if (o->type == SETTING_GROUP)
			settings_help(out, o->options, indent + 1);
	}
}
