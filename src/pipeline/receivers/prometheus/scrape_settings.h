/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_SETTINGS_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_SETTINGS_H

#include "pipeline/receivers/prometheus/relabel.h"
#include "pipeline/receivers/prometheus/scrape_ingest.h"

/* The settings of the receiver: the part of Prometheus' configuration file that is about scrapes. */

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

struct scrape_configs {
	struct scrape_config *at;
	uint32_t n;
};

struct prometheus_receiver_settings {
	struct prometheus_config {
		struct prometheus_global {
			uint64_t interval_ns, timeout_ns;
			struct setting_map external_labels;
			struct scrape_limits limits;
		} global;
		struct scrape_configs jobs;
	} config;
	bool trim_metric_suffixes;
	uint64_t initial_scrape_offset_ns;
};

extern const struct setting prometheus_receiver_table[];

/* Check the settings, and complete those of jobs by `global`. Return 0, or -EINVAL with `e`. */
MUST_USE int prometheus_receiver_check(const struct prometheus_receiver_settings *s, struct err *e);

#endif
