/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the keys of a job. Keys of Prometheus that are not supported are errors that say so. */
#include "pipeline/receivers/prometheus/scrape_config.h"

#include <errno.h>

#include "base/clock.h"

#define INTERVAL_MIN_NS NS_PER_MS

/* ---- readers of lists ---- */

int scrape_array_read(const struct config_node *n, const char *what, size_t size,
		      struct arena *arena, void **at, uint32_t *count, struct err *e)
{
	*count = 0;
	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"%.*s\" has to be a list", what, STR_ARG(n->key));
	for (const struct config_node *child = n->first; child; child = child->next)
		++*count;
	if (*count > SCRAPE_LIST_MAX)
		return config_fail(n, e, "%s: \"%.*s\" has more than %d elements", what,
				   STR_ARG(n->key), SCRAPE_LIST_MAX);
	*at = arena_zalloc(arena, *count + 1, size);
	return *at ? 0 : -ENOMEM;
}

static const struct setting target_group_table[] = {
	SET_LIST(struct target_group, targets, "targets", NULL, "Addresses, as host:port."),
	SET_MAP(struct target_group, labels, "labels", "Labels of these targets."),
	SET_END,
};

int target_groups_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	struct target_groups *out = to;
	struct target_group *groups;
	void *at;
	int rc = scrape_array_read(n, what, sizeof(*groups), arena, &at, &out->n, e);

	if (rc)
		return rc;
	out->at = groups = at;
	for (const struct config_node *child = n->first; child && !rc; child = child->next)
		rc = settings_read(target_group_table, child, what, groups++, arena, e);
	return rc;
}

static const struct setting file_sd_table[] = {
	SET_LIST(struct file_sd, files, "files", NULL,
		 "Files in JSON or YAML; the last part of a path can have a *."),
	SET_DURATION(struct file_sd, refresh_interval_ns, "refresh_interval", "5m",
		     "How often they are read again."),
	SET_END,
};

int file_sds_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		  struct err *e)
{
	struct file_sds *out = to;
	struct file_sd *list;
	void *at;
	int rc = scrape_array_read(n, what, sizeof(*list), arena, &at, &out->n, e);

	if (rc)
		return rc;
	out->at = list = at;
	for (const struct config_node *child = n->first; child && !rc;
	     child = child->next, list++) {
		rc = settings_read(file_sd_table, child, what, list, arena, e);
		if (!rc && (!list->files.n || list->refresh_interval_ns < INTERVAL_MIN_NS))
			rc = config_fail(child, e,
					 "%s: \"file_sd_configs\" needs \"files\" and a "
					 "refresh_interval above 0",
					 what);
	}
	return rc;
}

int scrape_params_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	static const struct setting table[] = {
		SET_LIST(struct scrape_param, values, "values", NULL, "Values."),
		SET_END,
	};
	struct scrape_params *out = to;
	struct scrape_param *list;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_MAP)
		return config_fail(n, e, "%s: \"params\" has to be a map of lists", what);
	for (const struct config_node *child = n->first; child; child = child->next)
		count++;
	list = arena_zalloc(arena, count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	*out = (struct scrape_params){list, count};
	for (const struct config_node *child = n->first; child && !rc;
	     child = child->next, list++) {
		struct config_node values = *child, map = {.kind = CONFIG_MAP,
							   .source = child->source,
							   .line = child->line,
							   .column = child->column,
							   .first = &values};

		values.key = STR("values");
		values.next = NULL;
		list->name = child->key;
		rc = settings_read(table, &map, what, list, arena, e);
	}
	return rc;
}

int scrape_unsupported_read(const struct config_node *n, const char *what, void *to,
			    struct arena *arena, struct err *e)
{
	(void)to;
	(void)arena;
	return config_fail(n, e, "%s: unsupported features: %.*s", what, STR_ARG(n->key));
}

int scrape_discovery_read(const struct config_node *n, const char *what, void *to,
			  struct arena *arena, struct err *e)
{
	(void)to;
	(void)arena;
	return config_fail(n, e,
			   "%s: \"%.*s\" is not supported: use static_configs, or file_sd_configs "
			   "with files that another program writes",
			   what, STR_ARG(n->key));
}

/* ---- tables ---- */

const struct setting scrape_basic_auth_table[] = {
	SET_STRING(struct scrape_basic_auth, username, "username", NULL, "The name."),
	SET_STRING(struct scrape_basic_auth, username_file, "username_file", NULL,
		   "A file with it."),
	SET_STRING(struct scrape_basic_auth, password, "password", NULL, "The password."),
	SET_STRING(struct scrape_basic_auth, password_file, "password_file", NULL,
		   "A file with it."),
	SET_REFUSED("username_ref", scrape_unsupported_read),
	SET_REFUSED("password_ref", scrape_unsupported_read),
	SET_END,
};

const struct setting scrape_authorization_table[] = {
	SET_STRING(struct scrape_authorization, type, "type", "Bearer", "The scheme."),
	SET_STRING(struct scrape_authorization, credentials, "credentials", NULL, "The token."),
	SET_STRING(struct scrape_authorization, credentials_file, "credentials_file", NULL,
		   "A file with it."),
	SET_REFUSED("credentials_ref", scrape_unsupported_read),
	SET_END,
};

const struct setting scrape_tls_table[] = {
	SET_STRING(struct scrape_tls_settings, ca, "ca", NULL, "Trusted certificates, PEM."),
	SET_STRING(struct scrape_tls_settings, ca_file, "ca_file", NULL, "A file with them."),
	SET_STRING(struct scrape_tls_settings, cert, "cert", NULL, "The client's certificate."),
	SET_STRING(struct scrape_tls_settings, cert_file, "cert_file", NULL, "A file with it."),
	SET_STRING(struct scrape_tls_settings, key, "key", NULL, "The client's key."),
	SET_STRING(struct scrape_tls_settings, key_file, "key_file", NULL, "A file with it."),
	SET_STRING(struct scrape_tls_settings, server_name, "server_name", NULL,
		   "The name in the server's certificate."),
	SET_STRING(struct scrape_tls_settings, min_version, "min_version", "TLS12",
		   "TLS10 to TLS13."),
	SET_STRING(struct scrape_tls_settings, max_version, "max_version", NULL, "TLS10 to TLS13."),
	SET_REFUSED("ca_ref", scrape_unsupported_read),
	SET_REFUSED("cert_ref", scrape_unsupported_read),
	SET_REFUSED("key_ref", scrape_unsupported_read),
	SET_BOOL(struct scrape_tls_settings, insecure_skip_verify, "insecure_skip_verify", "false",
		 "Accept any certificate."),
	SET_END,
};

/* ---- checks ---- */

static int check_tls_version(const struct scrape_config *c, struct str version, struct err *e)
{
	static const struct str known[] = {STR_INIT(""), STR_INIT("TLS10"), STR_INIT("TLS11"),
					   STR_INIT("TLS12"), STR_INIT("TLS13")};

	for (size_t i = 0; i < countof(known); i++)
		if (str_eq(version, known[i]))
			return 0;
	return err_set(e, -EINVAL,
		       "job \"%.*s\": unknown TLS version \"%.*s\": use TLS10, TLS11, TLS12 or "
		       "TLS13",
		       STR_ARG(str_head(c->job_name, 80)), STR_ARG(str_head(version, 20)));
}

static int check_job_auth(const struct scrape_config *c, struct err *e)
{
	unsigned ways = (unsigned)c->has_basic_auth + c->has_authorization +
			(c->bearer_token.n || c->bearer_token_file.n);

	if (ways > 1)
		return err_set(e, -EINVAL,
			       "job \"%.*s\": at most one of basic_auth, authorization & "
			       "bearer_token must be configured",
			       STR_ARG(str_head(c->job_name, 80)));
	if (c->basic_auth.password.n && c->basic_auth.password_file.n)
		return err_set(e, -EINVAL,
			       "job \"%.*s\": at most one of basic_auth password & "
			       "password_file must be configured",
			       STR_ARG(str_head(c->job_name, 80)));
	return 0;
}

int scrape_config_check(const struct scrape_config *c, struct err *e)
{
	int rc;

	if (!c->job_name.n)
		return err_set(e, -EINVAL, "\"scrape_configs\": job_name is empty");
	if (!str_eq(c->scheme, STR("http")) && !str_eq(c->scheme, STR("https")))
		return err_set(e, -EINVAL, "job \"%.*s\": scheme has to be http or https",
			       STR_ARG(str_head(c->job_name, 80)));
	rc = check_tls_version(c, c->tls.min_version, e);
	if (!rc)
		rc = check_tls_version(c, c->tls.max_version, e);
	return rc ? rc : check_job_auth(c, e);
}
