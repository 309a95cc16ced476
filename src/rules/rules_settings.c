/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of rules. They are read from a copy of their node, which outlives a reload. */
#include "rules/rules_settings.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"

const struct setting rules_settings_table[] = {
	SET_LIST(struct rules_settings, files, "files", NULL,
		 "Rule files of Prometheus: paths and patterns such as /etc/varve/rules/*.yml. "
		 "Without any, rules/*.yml and rules/*.yaml in the data directory."),
	SET_DURATION(struct rules_settings, interval_ns, "evaluation_interval", "1m",
		     "Interval of groups that have none."),
	SET_DURATION(struct rules_settings, offset_ns, "query_offset", "0",
		     "How far in the past groups without query_offset are evaluated."),
	SET_DURATION(struct rules_settings, outage_ns, "for_outage_tolerance", "1h",
		     "States of alerts are continued after outages up to this."),
	SET_DURATION(
		struct rules_settings, grace_ns, "for_grace_period", "10m",
		"States of alerts with a shorter \"for\" begin anew after a start; others fire "
		"at the earliest after this time."),
	SET_DURATION(struct rules_settings, resend_ns, "resend_delay", "1m",
		     "Firing alerts are sent again after this time."),
	SET_DURATION(struct rules_settings, timeout_ns, "query_timeout", "30s",
		     "The longest time of a query."),
	SET_STRING(struct rules_settings, external_url, "external_url", "",
		   "URL of this server for links in alerts; empty: that of service.api.endpoint."),
	NOTIFY_SETTINGS(struct rules_settings, notify),
	SET_END,
};

int rules_config_read(struct rules_config **out, const struct config_node *node, struct err *e)
{
	struct rules_config *c = calloc(1, sizeof(*c));
	struct rules_settings checked;
	struct arena scratch;
	int rc = c ? 0 : -ENOMEM;

	arena_init(&scratch, NULL);
	/* with the lines of the original first */
	if (!rc)
		rc = settings_read(rules_settings_table, node, "service rules", &checked, &scratch,
				   e);
	if (!rc && (checked.interval_ns < NS_PER_MS || !checked.timeout_ns))
		rc = config_fail(
			node, e,
			"service rules: \"evaluation_interval\" and \"query_timeout\" must "
			"be longer than 1ms");
	if (!rc && node && node->kind == CONFIG_MAP && node->first)
		config_print(&c->text, node);
	if (!rc)
		rc = buf_error(&c->text);
	if (!rc)
		rc = config_init(&c->config, NULL);
	if (!rc)
		rc = config_parse(&c->config, buf_str(&c->text), "service rules", NULL, NULL, e);
	if (!rc)
		rc = settings_read(rules_settings_table, c->config.root, "service rules",
				   &c->settings, &c->config.arena, e);
	arena_fini(&scratch);
	if (!rc)
		*out = take_ptr(&c);
	else
		err_errno(e, rc, "read the settings of rules");
	rules_config_free(c);
	return rc;
}

void rules_config_free(struct rules_config *c)
{
	if (!c)
		return;
	config_fini(&c->config);
	buf_fini(&c->text);
	free(c);
}
