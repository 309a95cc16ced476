/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_YAML_H
#define VARVE_CONFIG_YAML_H

#include "config/config.h"

/* Private to src/config: parse YAML text into nodes of a config. */
struct config_text {
	struct str text, source;
	bool places; /* store lines and columns in the nodes */
	/* Without places: of all nodes; 0: unknown. */
	uint32_t line, column;
};

/*
 * Parse one YAML document. *out is its root, NULL if it is empty. Return 0, -ENOMEM or -EINVAL with
 * an error that names the source.
 */
MUST_USE int yaml_parse(struct config *c, const struct config_text *in, struct config_node **out,
			struct err *e);

/* Return whether YAML reads unquoted text as null. */
bool yaml_is_null(struct str text);

/* Make a node. Return NULL when memory or CONFIG_NODES_MAX is used up. */
struct config_node *config_node_new(struct config *c, enum config_kind kind, struct str source);

#endif
