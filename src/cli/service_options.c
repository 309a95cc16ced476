/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the server: each sets one or more values of the configuration. */
#include "cli/service_options.h"

#include <errno.h>
#include <stdio.h>

#include "pipeline/builtin.h"

#define AT(field) offsetof(struct service_options, field)

const struct option service_options[] = {
	{"config", 'c', OPTION_LIST, AT(config), "FILE", NULL, NULL,
	 "use this configuration instead of the built-in one (also env:NAME, yaml:TEXT); several "
	 "are merged in order"},
	{"watch", 0, OPTION_FLAG, AT(watch), NULL, NULL, NULL,
	 "reload the configuration when one of its files changes"},
	{"allow-unset", 0, OPTION_FLAG, AT(allow_unset), NULL, NULL, NULL,
	 "variables of the configuration that are not set are empty"},
	{"set", 0, OPTION_LIST, AT(set), "PATH=VALUE", NULL, NULL,
	 "override one value: receivers.otlp.protocols.grpc.endpoint=127.0.0.1:5317"},
	{"data", 'd', OPTION_TEXT, AT(data), "DIR", NULL, NULL,
	 "directory of the data (./varve-data)"},
	{"listen", 'l', OPTION_TEXT, AT(listen), "ADDRESS", NULL, NULL,
	 "address of Pyroscope's protocols, OTLP, queries and pages (127.0.0.1:4040)"},
	{"tempo-listen", 0, OPTION_TEXT, AT(tempo_listen), "ADDRESS", NULL, NULL,
	 "another address of queries and pages, for clients of Tempo: 127.0.0.1:3200"},
	{"prometheus-listen", 0, OPTION_TEXT, AT(prometheus_listen), "ADDRESS", NULL, NULL,
	 "address of Prometheus' API with its own paths, without /prometheus: 127.0.0.1:9090"},
	{"otlp-grpc", 0, OPTION_TEXT, AT(otlp_grpc), "ADDRESS", NULL, NULL,
	 "address of OTLP/gRPC (127.0.0.1:4317)"},
	{"otlp-http", 0, OPTION_TEXT, AT(otlp_http), "ADDRESS", NULL, NULL,
	 "address of OTLP/HTTP (127.0.0.1:4318)"},
	{"allowed-hosts", 0, OPTION_TEXT, AT(allowed_hosts), "NAMES", NULL, NULL,
	 "host names of this server, besides localhost: varve.example.com,*.example.com"},
	{"retention", 0, OPTION_TEXT, AT(retention), "TIME", NULL, NULL,
	 "delete data older than this, such as 30d; 0: never"},
	{"retention-traces", 0, OPTION_TEXT, AT(retention_traces), "TIME", NULL, NULL,
	 "delete traces older than this already; 0: as --retention"},
	{"retention-logs", 0, OPTION_TEXT, AT(retention_logs), "TIME", NULL, NULL,
	 "delete logs older than this already; 0: as --retention"},
	{"retention-metrics", 0, OPTION_TEXT, AT(retention_metrics), "TIME", NULL, NULL,
	 "delete metrics older than this already; 0: as --retention"},
	{"retention-profiles", 0, OPTION_TEXT, AT(retention_profiles), "TIME", NULL, NULL,
	 "delete profiles older than this already; 0: as --retention"},
	{"retention-size", 0, OPTION_TEXT, AT(retention_size), "SIZE", NULL, NULL,
	 "delete the oldest days above this size, such as 50GiB; 0: never"},
	{"reject-newer-than", 0, OPTION_TEXT, AT(reject_newer_than), "TIME", NULL, NULL,
	 "refuse data further in the future than this (1h); 0: never"},
	{"rules", 0, OPTION_LIST, AT(rules), "FILE", NULL, NULL,
	 "rule files of Prometheus, also 'rules/*.yml' (rules/*.yml in the data directory)"},
	{"alertmanager", 0, OPTION_LIST, AT(alertmanagers), "URL", NULL, NULL,
	 "send alerts of rules to this Alertmanager (docs/alerts.md)"},
	{"webhook", 0, OPTION_LIST, AT(webhooks), "URL", NULL, NULL,
	 "send alerts of rules to this URL, as an Alertmanager does"},
	{"memory-limit", 0, OPTION_SIZE, AT(memory_limit), "SIZE", "0", NULL,
	 "refuse data above this memory use; 0: a quarter of the machine, at most 1G"},
	{"no-sanitize", 0, OPTION_FLAG, AT(no_sanitize), NULL, NULL, NULL,
	 "store texts as they are received: do not replace secrets, e-mail addresses and cards"},
	{"no-span-metrics", 0, OPTION_FLAG, AT(no_span_metrics), NULL, NULL, NULL,
	 "do not count spans and their durations by service and name, as metrics"},
	{"encrypt-key-file", 0, OPTION_TEXT, AT(encrypt_key_file), "FILE", NULL, NULL,
	 "encrypt what is stored, with the master keys of this file (docs/encryption.md)"},
	{"sender-key-file", 0, OPTION_TEXT, AT(sender_key_file), "FILE", NULL, NULL,
	 "keys with which senders encrypt what they send (docs/encryption.md)"},
	{"tls-cert", 0, OPTION_TEXT, AT(tls_certificate), "FILE", NULL, NULL,
	 "use TLS on all ports, with this certificate chain (PEM)"},
	{"tls-key", 0, OPTION_TEXT, AT(tls_key), "FILE", NULL, NULL,
	 "private key of --tls-cert (PEM)"},
	{"tls-client-ca", 0, OPTION_TEXT, AT(tls_client_ca), "FILE", NULL, NULL,
	 "require client certificates signed by one of these (PEM)"},
	{0},
};

const struct option collector_options[] = {
	{"config", 'c', OPTION_LIST, AT(config), "FILE", NULL, NULL,
	 "run this configuration (also env:NAME, yaml:TEXT); several are merged in order"},
	{"set", 0, OPTION_LIST, AT(set), "PATH=VALUE", NULL, NULL,
	 "override one value: processors::batch::timeout=2s"},
	{"watch", 0, OPTION_FLAG, AT(watch), NULL, NULL, NULL,
	 "reload the configuration when one of its files changes"},
	{"allow-unset", 0, OPTION_FLAG, AT(allow_unset), NULL, NULL, NULL,
	 "variables of the configuration that are not set are empty"},
	{"feature-gates", 0, OPTION_LIST, AT(feature_gates), "GATES", NULL, NULL,
	 "accepted for the collector's command lines; there are no feature gates"},
	{"encrypt-key-file", 0, OPTION_TEXT, AT(encrypt_key_file), "FILE", NULL, NULL,
	 "encrypt what is stored, with the master keys of this file (docs/encryption.md)"},
	{0},
};

#define GRPC "receivers.otlp.protocols.grpc."
#define HTTP "receivers.otlp.protocols.http."
#define SHARED_GRPC "receivers.otlp/pyroscope.protocols.grpc."
#define SHARED_HTTP "receivers.otlp/pyroscope.protocols.http."
#define REMOTE_WRITE "receivers.prometheusremotewrite."

enum { PATHS_MAX = 7 };

/* The configuration values that an option sets. */
static const struct {
	size_t offset;
	const char *paths[PATHS_MAX];
} flags[] = {
	{AT(data), {"exporters.store.directory"}},
	{AT(retention), {"exporters.store.retention"}},
	{AT(retention_traces), {"exporters.store.retention_traces"}},
	{AT(retention_logs), {"exporters.store.retention_logs"}},
	{AT(retention_metrics), {"exporters.store.retention_metrics"}},
	{AT(retention_profiles), {"exporters.store.retention_profiles"}},
	{AT(retention_size), {"exporters.store.retention_bytes"}},
	{AT(reject_newer_than), {"exporters.store.reject_newer_than"}},
	{AT(listen),
	 {"service.api.endpoint", "receivers.pyroscope.endpoint", SHARED_GRPC "endpoint",
	  SHARED_HTTP "endpoint", REMOTE_WRITE "endpoint"}},
	{AT(tempo_listen), {"service.api.tempo_endpoint"}},
	{AT(prometheus_listen), {"service.api.prometheus_endpoint"}},
	{AT(otlp_grpc), {GRPC "endpoint"}},
	{AT(otlp_http), {HTTP "endpoint"}},
	{AT(sender_key_file), {"service.access.sender_key_file"}},
	{AT(tls_certificate),
	 {"service.api.tls.cert_file", "receivers.pyroscope.tls.cert_file", GRPC "tls.cert_file",
	  HTTP "tls.cert_file", SHARED_GRPC "tls.cert_file", SHARED_HTTP "tls.cert_file",
	  REMOTE_WRITE "tls.cert_file"}},
	{AT(tls_key),
	 {"service.api.tls.key_file", "receivers.pyroscope.tls.key_file", GRPC "tls.key_file",
	  HTTP "tls.key_file", SHARED_GRPC "tls.key_file", SHARED_HTTP "tls.key_file",
	  REMOTE_WRITE "tls.key_file"}},
	{AT(tls_client_ca),
	 {"service.api.tls.client_ca_file", "receivers.pyroscope.tls.client_ca_file",
	  GRPC "tls.client_ca_file", HTTP "tls.client_ca_file", SHARED_GRPC "tls.client_ca_file",
	  SHARED_HTTP "tls.client_ca_file", REMOTE_WRITE "tls.client_ca_file"}},
};

/* Append the content of a single-quoted YAML string; $ is doubled against expansion. */
static void put_yaml_quoted(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		buf_put_char(out, text.p[i]);
		if (text.p[i] == '\'' || text.p[i] == '$')
			buf_put_char(out, text.p[i]);
	}
}

/* Set a string value: quoted, so that YAML does not interpret it. */
static int set_text(struct config *c, const char *path, const char *value, struct err *e)
{
	struct buf quoted = {0};
	int rc;

	buf_put_char(&quoted, '\'');
	put_yaml_quoted(&quoted, str_from(value));
	buf_put_char(&quoted, '\'');
	rc = buf_error(&quoted);
	if (!rc)
		rc = config_set(c, str_from(path), buf_str(&quoted), e);
	buf_fini(&quoted);
	return rc;
}

/* Set a list from "a,b". */
static int set_list(struct config *c, const char *path, struct str rest, struct err *e)
{
	struct buf list = {0};
	int rc;

	buf_put_char(&list, '[');
	while (rest.n) {
		buf_put_char(&list, '\'');
		put_yaml_quoted(&list, str_trim(str_cut(&rest, ',')));
		buf_put_str(&list, STR("',"));
	}
	buf_put_char(&list, ']');
	rc = buf_error(&list);
	if (!rc)
		rc = config_set(c, str_from(path), buf_str(&list), e);
	buf_fini(&list);
	return rc;
}

/* Set a list of the values of a repeated option. */
static int set_values(struct config *c, const char *path, const struct option_list *values,
		      struct err *e)
{
	struct buf list = {0};
	int rc;

	buf_put_char(&list, '[');
	for (unsigned i = 0; i < values->n; i++) {
		buf_put_char(&list, '\'');
		put_yaml_quoted(&list, str_from(values->at[i]));
		buf_put_str(&list, STR("',"));
	}
	buf_put_char(&list, ']');
	rc = buf_error(&list);
	if (!rc)
		rc = config_set(c, str_from(path), buf_str(&list), e);
	buf_fini(&list);
	return rc;
}

/* Set the key file of the components of one type in a section. */
static int set_key_file_of(struct config *c, const char *section, struct str type, const char *file,
			   unsigned *found, struct err *e)
{
	const struct config_node *list = config_find(c->root, section);
	char path[256];
	int rc = 0;

	for (const struct config_node *n = list ? list->first : NULL; n && !rc; n = n->next) {
		if (!str_eq(str_head(n->key, str_find(n->key, '/')), type) || n->key.n > 128)
			continue;
		++*found;
		snprintf(path, sizeof(path), "%s::%.*s::encrypt_key_file", section,
			 STR_ARG(n->key));
		rc = set_text(c, path, file, e);
	}
	return rc;
}

/* Set the key file of all that keeps data. */
static int set_key_file(struct config *c, const char *file, struct err *e)
{
	unsigned found = 0;
	int rc = set_key_file_of(c, "exporters", STR("store"), file, &found, e);

	if (!rc)
		rc = set_key_file_of(c, "extensions", STR("file_storage"), file, &found, e);
	if (!rc && !found)
		rc = err_set(
			e, -EINVAL,
			"--encrypt-key-file: the configuration stores nothing: it has neither an "
			"exporter store nor an extension file_storage");
	return rc;
}

static int set_flags(struct config *c, const struct service_options *o, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < countof(flags) && !rc; i++) {
		const char *value = *(const char *const *)((const char *)o + flags[i].offset);

		for (size_t k = 0; value && k < PATHS_MAX && flags[i].paths[k] && !rc; k++)
			rc = set_text(c, flags[i].paths[k], value, e);
	}
	if (!rc && o->allowed_hosts)
		rc = set_list(c, "service.access.allowed_hosts", str_from(o->allowed_hosts), e);
	if (!rc && o->rules.n)
		rc = set_values(c, "service.rules.files", &o->rules, e);
	if (!rc && o->alertmanagers.n)
		rc = set_values(c, "service.rules.alertmanagers", &o->alertmanagers, e);
	if (!rc && o->webhooks.n)
		rc = set_values(c, "service.rules.webhooks", &o->webhooks, e);
	if (!rc && o->encrypt_key_file)
		rc = set_key_file(c, o->encrypt_key_file, e);
	if (!rc && o->memory_limit) {
		char text[32];

		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)(max_size(o->memory_limit, MIB) / MIB));
		rc = config_set(c, STR("processors.memory_limiter.limit_mib"), str_from(text), e);
	}
	return rc;
}

/* Return whether `text` is the name of a component of this type: "type" or "type/name". */
static bool names_component(struct str text, struct str type)
{
	return str_starts(text, type) && (text.n == type.n || text.p[type.n] == '/');
}

/* Set a list of a pipeline to its components of other types. */
static int remove_from_list(struct config *c, const struct config_node *pipeline,
			    const struct config_node *list, struct str type, struct err *e)
{
	struct buf path = {0}, rest = {0};
	int rc;

	buf_printf(&path, "service::pipelines::%.*s::%.*s", STR_ARG(pipeline->key),
		   STR_ARG(list->key));
	buf_put_char(&rest, '[');
	for (const struct config_node *n = list->first; n; n = n->next)
		if (!names_component(n->text, type))
			buf_printf(&rest, "'%.*s',", STR_ARG(n->text));
	buf_put_char(&rest, ']');
	rc = buf_error(&path) ? -ENOMEM : buf_error(&rest);
	if (!rc)
		rc = config_set(c, buf_str(&path), buf_str(&rest), e);
	buf_fini(&path);
	buf_fini(&rest);
	return rc;
}

/* Remove the settings of the components, which would be unused. */
static void forget_components(struct config *c, struct str section, struct str type)
{
	for (struct config_node *n = c->root->first; n; n = n->next) {
		struct config_node **at = &n->first;

		while (str_eq(n->key, section) && *at)
			if (names_component((*at)->key, type))
				*at = (*at)->next;
			else
				at = &(*at)->next;
	}
}

/* Remove the components of a type from all pipelines, and from the section that has their settings. */
static int remove_components(struct config *c, struct str section, struct str type, struct err *e)
{
	static const struct str lists[] = {STR_INIT("receivers"), STR_INIT("processors"),
					   STR_INIT("exporters")};
	const struct config_node *pipelines = config_find(c->root, "service.pipelines");
	int rc = 0;

	for (const struct config_node *p = pipelines ? pipelines->first : NULL; p && !rc;
	     p = p->next)
		for (size_t i = 0; i < countof(lists) && !rc; i++) {
			const struct config_node *list = config_get(p, lists[i]);
			bool has = false;

			if (!list || list->kind != CONFIG_LIST)
				continue;
			for (const struct config_node *n = list->first; n; n = n->next)
				has |= names_component(n->text, type);
			if (has)
				rc = remove_from_list(c, p, list, type, e);
		}
	if (!rc)
		forget_components(c, section, type);
	return rc;
}

static int set_overrides(struct config *c, const struct option_list *set, struct err *e)
{
	int rc = 0;

	for (unsigned i = 0; i < set->n && !rc; i++) {
		struct str value = str_from(set->at[i]), path = str_cut(&value, '=');

		if (!value.p)
			return err_set(e, -EINVAL, "--set %s: expected PATH=VALUE", set->at[i]);
		rc = config_set(c, path, value, e);
	}
	return rc;
}

static int load_files(struct config *c, const struct option_list *files, struct err *e)
{
	int rc = 0;

	for (unsigned i = 0; i < files->n && !rc; i++)
		rc = config_merge(c, files->at[i], e);
	return rc;
}

int service_options_load(struct config *c, const struct service_options *o, const char *name,
			 struct err *e)
{
	const struct builtin *b = builtin_find(name);
	int rc = -ENOENT;

	c->allow_unset = o->allow_unset;
	if (o->config.n)
		rc = load_files(c, &o->config, e);
	else if (b)
		rc = config_parse(c, str_from(b->yaml), "built-in", NULL, NULL, e);
	else
		err_set(e, rc, "no built-in configuration \"%s\"", name);
	if (!rc)
		rc = set_flags(c, o, e);
	if (!rc)
		rc = set_overrides(c, &o->set, e);
	if (!rc && o->no_sanitize)
		rc = remove_components(c, STR("processors"), STR("sanitize"), e);
	if (!rc && o->no_span_metrics)
		rc = remove_components(c, STR("connectors"), STR("spanmetrics"), e);
	return rc ? rc : config_expand(c, e);
}
