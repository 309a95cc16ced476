/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_CONFIG_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_CONFIG_H

#include "pipeline/receivers/prometheus/relabel.h"
#include "pipeline/receivers/prometheus/scrape_ingest.h"

/*
 * A job: how targets are discovered and requested. These are keys of Prometheus' scrape_configs
 * that receivers of metrics and of profiles have in common.
 */

/* An element of static_configs, and of the files of file_sd_configs. */
struct target_group {
	struct setting_list targets;
	struct setting_map labels;
};

struct target_groups {
	const struct target_group *at;
	uint32_t n;
};

/* Read a list of {targets, labels} into a struct target_groups. */
setting_reader target_groups_read;

struct file_sd {
	struct setting_list files; /* the last part of a path can have `*` */
	uint64_t refresh_interval_ns;
};

struct file_sds {
	const struct file_sd *at;
	uint32_t n;
};

struct scrape_param {
	struct str name;
	struct setting_list values;
};

struct scrape_params {
	const struct scrape_param *at;
	uint32_t n;
};

struct scrape_basic_auth {
	struct str username, username_file, password, password_file;
};

struct scrape_authorization {
	struct str type, credentials, credentials_file;
};

struct scrape_tls_settings {
	struct str ca, ca_file, cert, cert_file, key, key_file, server_name;
	struct str min_version, max_version; /* TLS12 */
	bool insecure_skip_verify;
};

/* An element of scrape_configs. */
struct scrape_config {
	struct str job_name, metrics_path, scheme;
	uint64_t interval_ns, timeout_ns; /* 0: those of `global` */
	bool honor_labels, honor_timestamps, track_timestamps_staleness;
	bool follow_redirects, enable_compression;
	struct scrape_limits limits;
	struct scrape_params params;
	struct scrape_basic_auth basic_auth;
	struct scrape_authorization authorization; /* also bearer_token */
	struct str bearer_token, bearer_token_file;
	bool has_basic_auth, has_authorization; /* set by the tables */
	struct scrape_tls_settings tls;
	struct str proxy_url;
	struct target_groups static_groups;
	struct file_sds file_sd;
	struct relabel_rules relabel, metric_relabel;
};

enum { SCRAPE_LIST_MAX = 10000 };

extern const struct setting scrape_basic_auth_table[], scrape_authorization_table[],
	scrape_tls_table[];
setting_reader file_sds_read;	   /* file_sd_configs: struct file_sds */
setting_reader scrape_params_read; /* params, a map of lists: struct scrape_params */

/* Fail: the key is not supported at all, or it is a kind of discovery that is not. */
setting_reader scrape_unsupported_read, scrape_discovery_read;

/* Rows of a table that fills a struct scrape_config, or a struct of which it is the first member. */
#define SCRAPE_REQUEST_SETTINGS                                                                    \
	SET_STRING(struct scrape_config, scheme, "scheme", "http", "http or https."),              \
		SET_CUSTOM(struct scrape_config, params, "params", scrape_params_read,             \
			   "map of lists", "Parameters of the URL."),                              \
		SET_BOOL(struct scrape_config, follow_redirects, "follow_redirects", "true",       \
			 "Follow redirects."),                                                     \
		SET_BOOL(struct scrape_config, enable_compression, "enable_compression", "true",   \
			 "Ask for compressed responses."),                                         \
		SET_GROUP(struct scrape_config, basic_auth, "basic_auth", scrape_basic_auth_table, \
			  has_basic_auth, "HTTP Basic authentication."),                           \
		SET_GROUP(struct scrape_config, authorization, "authorization",                    \
			  scrape_authorization_table, has_authorization,                           \
			  "The Authorization header."),                                            \
		SET_STRING(struct scrape_config, bearer_token, "bearer_token", NULL,               \
			   "A bearer token."),                                                     \
		SET_STRING(struct scrape_config, bearer_token_file, "bearer_token_file", NULL,     \
			   "A file with it."),                                                     \
		SET_GROUP_ALWAYS(struct scrape_config, tls, "tls_config", scrape_tls_table,        \
				 "TLS."),                                                          \
		SET_STRING(struct scrape_config, proxy_url, "proxy_url", NULL, "An HTTP proxy.")

#define SCRAPE_DISCOVERY_SETTINGS                                                                  \
	SET_CUSTOM(struct scrape_config, static_groups, "static_configs", target_groups_read,      \
		   "list", "Lists of {targets, labels}."),                                         \
		SET_CUSTOM(struct scrape_config, file_sd, "file_sd_configs", file_sds_read,        \
			   "list", "Lists of {files, refresh_interval}."),                         \
		SET_CUSTOM(struct scrape_config, relabel, "relabel_configs", relabel_rules_read,   \
			   "list", "Rules for targets."),                                          \
		SET_REFUSED("oauth2", scrape_unsupported_read),                                    \
		SET_REFUSED("http_sd_configs", scrape_discovery_read),                             \
		SET_REFUSED("dns_sd_configs", scrape_discovery_read),                              \
		SET_REFUSED("kubernetes_sd_configs", scrape_discovery_read),                       \
		SET_REFUSED("consul_sd_configs", scrape_discovery_read),                           \
		SET_REFUSED("docker_sd_configs", scrape_discovery_read),                           \
		SET_REFUSED("ec2_sd_configs", scrape_discovery_read),                              \
		SET_REFUSED("azure_sd_configs", scrape_discovery_read),                            \
		SET_REFUSED("digitalocean_sd_configs", scrape_discovery_read),                     \
		SET_REFUSED("dockerswarm_sd_configs", scrape_discovery_read),                      \
		SET_REFUSED("eureka_sd_configs", scrape_discovery_read),                           \
		SET_REFUSED("gce_sd_configs", scrape_discovery_read),                              \
		SET_REFUSED("hetzner_sd_configs", scrape_discovery_read),                          \
		SET_REFUSED("ionos_sd_configs", scrape_discovery_read),                            \
		SET_REFUSED("kuma_sd_configs", scrape_discovery_read),                             \
		SET_REFUSED("lightsail_sd_configs", scrape_discovery_read),                        \
		SET_REFUSED("linode_sd_configs", scrape_discovery_read),                           \
		SET_REFUSED("marathon_sd_configs", scrape_discovery_read),                         \
		SET_REFUSED("moby_sd_configs", scrape_discovery_read),                             \
		SET_REFUSED("nerve_sd_configs", scrape_discovery_read),                            \
		SET_REFUSED("nomad_sd_configs", scrape_discovery_read),                            \
		SET_REFUSED("openstack_sd_configs", scrape_discovery_read),                        \
		SET_REFUSED("outscale_sd_configs", scrape_discovery_read),                         \
		SET_REFUSED("ovhcloud_sd_configs", scrape_discovery_read),                         \
		SET_REFUSED("puppetdb_sd_configs", scrape_discovery_read),                         \
		SET_REFUSED("scaleway_sd_configs", scrape_discovery_read),                         \
		SET_REFUSED("serverset_sd_configs", scrape_discovery_read),                        \
		SET_REFUSED("stackit_sd_configs", scrape_discovery_read),                          \
		SET_REFUSED("triton_sd_configs", scrape_discovery_read),                           \
		SET_REFUSED("uyuni_sd_configs", scrape_discovery_read),                            \
		SET_REFUSED("vultr_sd_configs", scrape_discovery_read),                            \
		SET_REFUSED("xds_sd_configs", scrape_discovery_read),                              \
		SET_REFUSED("zookeeper_sd_configs", scrape_discovery_read)

/*
 * Allocate a zeroed array for the elements of a list, at most SCRAPE_LIST_MAX. Return 0, -ENOMEM or
 * the result of config_fail().
 */
MUST_USE int scrape_array_read(const struct config_node *n, const char *what, size_t size,
			       struct arena *arena, void **at, uint32_t *count, struct err *e);

/* Check the name, scheme, TLS and authentication of a job. Return 0, or -EINVAL with text in `e`. */
MUST_USE int scrape_config_check(const struct scrape_config *c, struct err *e);

#endif
