/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the configuration of the server. */
#include "cli/server/server_config.h"

#include <errno.h>
#include <stdlib.h>

int server_config_load(struct server_config **out, const struct service_options *o,
		       const char *name, struct err *e)
{
	struct server_config *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return -ENOMEM;
	rc = config_init(&c->config, NULL);
	if (!rc)
		rc = service_options_load(&c->config, o, name, e);
	if (!rc)
		rc = server_settings_read(&c->settings, config_get(c->config.root, STR("service")),
					  &c->config.arena, e);
	if (!rc)
		*out = take_ptr(&c);
	server_config_free(c);
	return rc;
}

void server_config_free(struct server_config *c)
{
	if (c)
		config_fini(&c->config);
	free(c);
}

/* No line may be suppressed as one of many: each has a site of its own. */
void server_config_log_warnings(const struct server_config *c, const struct log *log)
{
	for (uint32_t i = 0; i < c->config.warnings.n; i++) {
		struct log_site site = {0};
		const struct log_field fields[] = {LOG_STR("msg", STR("configuration")),
						   LOG_STR("warning", c->config.warnings.at[i])};

		log_write(log, LOG_WARN, &site, fields, countof(fields));
	}
}
