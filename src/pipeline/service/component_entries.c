/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the sections of a configuration that define components: receivers, processors, exporters,
 * extensions and connectors. Settings are checked whether a pipeline uses the component or not.
 */
#include "pipeline/service/component_entries.h"

#include <errno.h>

#include "pipeline/service/known_components.h"

enum { SUGGESTIONS_MAX = 128 };

const char *const component_sections[COMPONENT_KINDS] = {
	[COMPONENT_RECEIVER] = "receivers",   [COMPONENT_PROCESSOR] = "processors",
	[COMPONENT_EXPORTER] = "exporters",   [COMPONENT_EXTENSION] = "extensions",
	[COMPONENT_CONNECTOR] = "connectors",
};

int config_expect_map(const struct config_node *n, const char *name, struct err *e)
{
	if (n && n->kind != CONFIG_MAP && n->kind != CONFIG_NULL)
		return config_fail(n, e, "\"%s\" has to be a map", name);
	return 0;
}

int config_expect_keys(const struct config_node *map, const struct config_keys *keys, struct err *e)
{
	for (const struct config_node *n = map ? map->first : NULL; n; n = n->next) {
		struct config_hint h;
		bool found = false;

		for (size_t i = 0; i < keys->n && !found; i++)
			found = str_eq(str_from(keys->at[i]), n->key);
		if (found)
			continue;
		for (size_t i = 0; i < keys->elsewhere_n; i++)
			if (str_eq(str_from(keys->elsewhere[i]), n->key))
				return config_fail(n, e, "%sunknown key \"%.*s\"; it belongs %s",
						   keys->where, STR_ARG(n->key), keys->place);
		h = config_hint(n->key, keys->at, keys->n, sizeof(*keys->at));
		return config_fail(n, e, "%sunknown key%s", keys->where, h.text);
	}
	return 0;
}

/* ---- types ---- */

static const struct component *find_type(const struct component_entries *c,
					 enum component_kind kind, struct str name)
{
	const struct component *const *lists[] = {components, c->more};

	for (size_t i = 0; i < countof(lists); i++)
		for (const struct component *const *t = lists[i]; t && *t; t++)
			if ((*t)->kind == kind && component_is_called(*t, name))
				return *t;
	return NULL;
}

/* Fail for a component of the OpenTelemetry Collector that this program does not have. */
static int lacking_type(const struct component_entries *c, enum component_kind kind,
			const struct config_node *n, const struct known_component *known,
			struct err *e)
{
	bool has = known->nearest && find_type(c, kind, str_from(known->nearest));

	return config_fail(n, e,
			   "unknown %s \"%s\": a component of the OpenTelemetry Collector that "
			   "varve does not have%s%s%s",
			   component_kind_names[kind], known->name,
			   has ? "; the nearest is \"" : "; remove it here and from the pipelines",
			   has ? known->nearest : "", has ? "\"" : "");
}

static int unknown_type(const struct component_entries *c, enum component_kind kind,
			const struct config_node *n, struct str name, struct err *e)
{
	const struct component *const *lists[] = {components, c->more};
	const struct known_component *known = known_component_find(kind, name);
	const char *names[SUGGESTIONS_MAX];
	struct config_hint h;
	size_t count = 0;

	if (known)
		return lacking_type(c, kind, n, known, e);
	for (size_t i = 0; i < countof(lists); i++)
		for (const struct component *const *t = lists[i];
		     t && *t && count < SUGGESTIONS_MAX; t++)
			if ((*t)->kind == kind)
				names[count++] = (*t)->name;
	h = config_hint(name, names, count, sizeof(*names));
	return config_fail(n, e, "unknown %s%s", component_kind_names[kind], h.text);
}

/* ---- ids ---- */

struct component_id {
	struct str type, name;
	bool named; /* false: "type" alone */
};

static struct component_id id_split(struct str id)
{
	struct component_id out = {0};

	out.name = id;
	out.type = str_trim(str_cut(&out.name, '/'));
	out.named = str_find(id, '/') < id.n;
	out.name = str_trim(out.name);
	return out;
}

static bool id_equal(struct component_id a, struct component_id b)
{
	return str_eq(a.type, b.type) && a.named == b.named && str_eq(a.name, b.name);
}

/* Split the id of a component and check its parts, as the OpenTelemetry Collector does. */
static int id_read(const struct config_node *n, struct component_id *out, struct err *e)
{
	*out = id_split(n->key);
	if (!out->type.n)
		return config_fail(n, e, "in \"%.*s\" id: the part before / should not be empty",
				   STR_ARG(n->key));
	if (out->named && !out->name.n)
		return config_fail(n, e, "in \"%.*s\" id: the part after / should not be empty",
				   STR_ARG(n->key));
	return 0;
}

struct component_entry *component_entry_find(const struct component_entries *c,
					     enum component_kind kind, struct str id)
{
	struct component_id wanted = id_split(id);

	for (struct component_entry *entry = c->first[kind]; entry; entry = entry->next)
		if (id_equal(id_split(entry->id), wanted))
			return entry;
	return NULL;
}

/* ---- sections ---- */

static int read_settings(struct component_entries *c, struct component_entry *entry, struct err *e)
{
	const struct component *type = entry->type;
	struct str what;
	int rc = arena_printf(c->arena, &what, "%s %s", component_kind_names[type->kind],
			      entry->id.p);

	entry->settings = arena_zalloc(c->arena, 1, type->settings_size + 1);
	if (rc || !entry->settings)
		return -ENOMEM;
	if (type->settings)
		rc = settings_read(type->settings, entry->node, what.p, entry->settings, c->arena,
				   e);
	if (!rc && type->check) {
		struct err why = {0};

		rc = type->check(entry->settings, &why);
		if (rc)
			config_fail(entry->node, e, "%s: %s", what.p, why.text);
		else if (why.text[0])
			config_warn(entry->node, "%s: %s", what.p, why.text);
	}
	return rc;
}

/* A configuration can define an id once, and a `single` component once. */
static int check_others(const struct component_entries *c, const struct component_entry *entry,
			struct err *e)
{
	enum component_kind kind = entry->type->kind;

	for (const struct component_entry *other = c->first[kind]; other; other = other->next) {
		if (str_eq(other->id, entry->id))
			return config_fail(entry->node, e, "%s \"%s\" is defined twice",
					   component_kind_names[kind], entry->id.p);
		if (entry->type->single && other->type == entry->type)
			return config_fail(entry->node, e,
					   "%s \"%s\": a configuration can have one %s only, and "
					   "has \"%s\"",
					   component_kind_names[kind], entry->id.p,
					   entry->type->name, other->id.p);
	}
	return 0;
}

/* A connector is listed among receivers and exporters: its id must not be one of theirs. */
static int check_ambiguous(const struct component_entries *c, const struct component_entry *entry,
			   struct err *e)
{
	static const enum component_kind kinds[] = {COMPONENT_EXPORTER, COMPONENT_RECEIVER};

	for (size_t i = 0; i < countof(kinds); i++)
		if (component_entry_find(c, kinds[i], entry->id))
			return config_fail(entry->node, e,
					   "connectors::%s: ambiguous ID: Found both \"%s\" %s and "
					   "\"%s\" connector. Change one of them, for example the "
					   "connector to \"%s/connector\"",
					   entry->id.p, entry->id.p, component_kind_names[kinds[i]],
					   entry->id.p, entry->id.p);
	return 0;
}

static int read_component(struct component_entries *c, enum component_kind kind,
			  const struct config_node *n, struct err *e)
{
	struct component_entry *entry = arena_zalloc(c->arena, 1, sizeof(*entry));
	struct component_entry **last = &c->first[kind];
	struct component_id id;
	int rc = entry ? id_read(n, &id, e) : -ENOMEM;

	if (!rc)
		rc = arena_printf(c->arena, &entry->id, "%.*s%s%.*s", STR_ARG(id.type),
				  id.named ? "/" : "", STR_ARG(id.name));
	if (rc)
		return rc;
	entry->type = find_type(c, kind, id.type);
	if (!entry->type)
		return unknown_type(c, kind, n, id.type, e);
	entry->node = n;
	rc = check_others(c, entry, e);
	if (!rc && kind == COMPONENT_CONNECTOR)
		rc = check_ambiguous(c, entry, e);
	while (*last)
		last = &(*last)->next;
	*last = entry;
	return rc ? rc : read_settings(c, entry, e);
}

int component_entries_read(struct component_entries *c, const struct config_node *root,
			   struct err *e)
{
	static const char *const keys[] = {"receivers",	 "processors", "exporters",
					   "extensions", "connectors", "service"};
	static const char *const of_service[] = {"pipelines", "telemetry", "access", "api",
						 "limits",    "rules",	   "drift"};
	static const struct config_keys top = {
		keys, countof(keys), "", of_service, countof(of_service), "below \"service\""};
	int rc = config_expect_keys(root, &top, e);

	for (unsigned kind = 0; kind < COMPONENT_KINDS && !rc; kind++) {
		const struct config_node *map =
			config_get(root, str_from(component_sections[kind]));

		rc = config_expect_map(map, component_sections[kind], e);
		for (const struct config_node *n = map ? map->first : NULL; n && !rc; n = n->next)
			rc = read_component(c, kind, n, e);
	}
	return rc;
}

void component_entries_warn_unused(const struct component_entries *c)
{
	for (unsigned kind = 0; kind < COMPONENT_KINDS; kind++)
		for (const struct component_entry *entry = c->first[kind]; entry;
		     entry = entry->next)
			if (!entry->used)
				config_warn(entry->node, "%s \"%s\" is configured, but %s",
					    component_kind_names[kind], entry->id.p,
					    kind == COMPONENT_EXTENSION
						    ? "not listed in service.extensions"
						    : "no pipeline uses it");
}
