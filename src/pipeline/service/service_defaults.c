/* SPDX-License-Identifier: Apache-2.0 */
/* The defaults of a configuration's components. */
#include "pipeline/service/service_defaults.h"

#include "config/settings_defaults.h"
#include "pipeline/server_settings.h"
#include "pipeline/service/component_entries.h"
#include "pipeline/service/telemetry_settings.h"

static struct config_node *section_of(struct config_node *map, const char *key)
{
	for (struct config_node *n = map ? map->first : NULL; n; n = n->next)
		if (str_eq(n->key, str_from(key)))
			return n;
	return NULL;
}

static const struct component *type_of_id(enum component_kind kind, struct str id)
{
	struct str name = str_trim(str_head(id, str_find(id, '/')));

	for (const struct component *const *c = components; *c; c++)
		if ((*c)->kind == kind && component_is_called(*c, name))
			return *c;
	return NULL;
}

int service_add_defaults(struct config *c)
{
	struct config_node *service = section_of(c->root, "service");
	int rc = 0;

	for (unsigned kind = 0; kind < COMPONENT_KINDS; kind++) {
		struct config_node *section = section_of(c->root, component_sections[kind]);

		for (struct config_node *n = section ? section->first : NULL; n && !rc;
		     n = n->next) {
			const struct component *type = type_of_id(kind, n->key);

			rc = type && type->settings ? settings_add_defaults(c, type->settings, n)
						    : 0;
		}
	}
	if (!rc && section_of(service, "telemetry"))
		rc = settings_add_defaults(c, telemetry_settings_table,
					   section_of(service, "telemetry"));
	for (const struct server_section *s = server_sections; s->name && !rc; s++) {
		struct config_node *n = section_of(service, s->name);

		rc = n ? settings_add_defaults(c, s->settings, n) : 0;
	}
	return rc;
}
