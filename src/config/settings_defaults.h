/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_SETTINGS_DEFAULTS_H
#define VARVE_CONFIG_SETTINGS_DEFAULTS_H

#include "config/settings.h"

/*
 * Add to a map the defaults of the settings that it does not have, so that config_print() shows all
 * that is in effect. Settings without a default, and those that differ when they are
 * configured at all, are left out. Reading the map again gives the same settings. Null becomes a
 * map. Return 0, -EINVAL if `map` is another value, or -ENOMEM.
 */
MUST_USE int settings_add_defaults(struct config *c, const struct setting *table,
				   struct config_node *map);

#endif
