/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_YAML_H
#define VARVE_CONFIG_YAML_H

#include "config/config.h"

/* Private to src/config: one YAML document into nodes of `c`. */
struct config_text {
	struct str text, source;
	config_env *env;
	void *env_arg;
	bool places; /* lines and columns mean something */
};

MUST_USE int yaml_parse(struct config *c, const struct config_text *in, struct config_node **out,
			struct err *e);

/* Replace ${...} and $$ in a value; `n` says where it stands. 0, -ENOMEM or -EINVAL. */
MUST_USE int config_expand(struct config *c, const struct config_text *in, struct config_node *n,
			   struct err *e);

/* A new node, or NULL when memory or CONFIG_NODES_MAX is out. */
struct config_node *config_node_new(struct config *c, enum config_kind kind, struct str source);

#endif
