/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_EXPAND_H
#define VARVE_CONFIG_EXPAND_H

#include "config/yaml.h"

/*
 * Private to src/config: replace ${...} and $$ in the text of a node. Return 0, -ENOMEM or -EINVAL
 * with an error that names the node's place.
 */
MUST_USE int config_expand(struct config *c, const struct config_text *in, struct config_node *n,
			   struct err *e);

#endif
