/* SPDX-License-Identifier: Apache-2.0 */
/* The defaults of option tables as nodes of a configuration. */
#include "config/settings_defaults.h"

#include <errno.h>

#include "config/yaml.h"

/* Return the place of the child with that key, or the end of the children. */
static struct config_node **child_place(struct config_node *map, const char *key)
{
	struct config_node **at = &map->first;

	while (*at && !str_eq((*at)->key, str_from(key)))
		at = &(*at)->next;
	return at;
}

static struct config_node *default_node(struct config *c, enum config_kind kind, struct str text)
{
	struct config_node *n = config_node_new(c, kind, STR("default"));

	if (n)
		n->text = text;
	return n;
}

/* Return a list of the texts that commas separate, or NULL without memory. */
static struct config_node *default_list(struct config *c, struct str texts)
{
	struct config_node *list = default_node(c, CONFIG_LIST, STR("")), **end;

	if (!list)
		return NULL;
	for (end = &list->first; texts.n; end = &(*end)->next) {
		*end = default_node(c, CONFIG_SCALAR, str_cut(&texts, ','));
		if (!*end)
			return NULL;
	}
	return list;
}

static int add_default_value(struct config *c, const struct setting *o, struct config_node **at)
{
	struct str text = str_from(o->fallback);
	struct config_node *n = o->type == SETTING_LIST ? default_list(c, text)
							: default_node(c, CONFIG_SCALAR, text);

	if (!n)
		return -ENOMEM;
	n->key = str_from(o->name);
	n->next = *at ? (*at)->next : NULL;
	*at = n;
	return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
static int add_default_group(struct config *c, const struct setting *o, struct config_node **at)
{
	struct config_node *n = *at;
	int rc;

	if (n)
		return settings_add_defaults(c, o->options, n);
	if (o->present)
		return 0;
	n = default_node(c, CONFIG_MAP, STR(""));
	if (!n)
		return -ENOMEM;
	n->key = str_from(o->name);
	rc = settings_add_defaults(c, o->options, n);
	if (!rc && n->first)
		*at = n;
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
int settings_add_defaults(struct config *c, const struct setting *table, struct config_node *map)
{
	int rc = 0;

	if (map->kind == CONFIG_NULL)
		map->kind = CONFIG_MAP;
	if (map->kind != CONFIG_MAP)
		return -EINVAL;
	for (const struct setting *o = table; o->name && !rc; o++) {
		struct config_node **at = child_place(map, o->name);

		if (o->type == SETTING_GROUP)
			rc = add_default_group(c, o, at);
		else if (!o->present && (!*at || (*at)->kind == CONFIG_NULL) && o->fallback &&
			 o->fallback[0])
			rc = add_default_value(c, o, at);
	}
	return rc;
}
