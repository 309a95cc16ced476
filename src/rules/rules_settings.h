/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_RULES_SETTINGS_H
#define VARVE_RULES_RULES_SETTINGS_H

#include "config/settings.h"
#include "rules/notify/notify_settings.h"

/* The settings below service.rules (docs/rules.md). */
struct rules_settings {
	struct setting_list files; /* paths and patterns of glob(7) */
	uint64_t interval_ns, offset_ns, outage_ns, grace_ns, resend_ns, timeout_ns;
	struct str external_url;
	struct notify_settings notify; /* external labels, too */
};

extern const struct setting rules_settings_table[];

/* The settings with all that they refer to. */
struct rules_config {
	struct config config;
	struct buf text; /* of the node, to compare */
	struct rules_settings settings;
};

/*
 * Read and check the node service.rules (NULL: all defaults). The result does not refer to the node.
 * On success the caller owns *out. Errors name the line.
 */
MUST_USE int rules_config_read(struct rules_config **out, const struct config_node *node,
			       struct err *e);
void rules_config_free(struct rules_config *c); /* takes NULL */

#endif
