/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_HTTPCHECK_SETTINGS_H
#define VARVE_PIPELINE_RECEIVERS_HTTPCHECK_SETTINGS_H

#include "pipeline/exporters/sender/client_settings.h"
#include "pipeline/receivers/httpcheck/response_checks.h"

/* The settings of the httpcheck receiver. */
enum { HTTPCHECK_TARGETS_MAX = 1000 };

struct httpcheck_target {
	struct client_settings client; /* endpoint: one of the addresses */
	struct setting_list endpoints; /* more addresses */
	struct str method, body;
	bool auto_content_type;
	uint64_t timeout;
	struct response_checks checks;
};

struct httpcheck_targets {
	const struct httpcheck_target *at;
	uint32_t n;
};

/* metrics.NAME.enabled */
struct httpcheck_metric {
	bool enabled;
};

struct httpcheck_metrics {
	struct httpcheck_metric status, duration, error, size, passed, failed;
};

struct httpcheck_settings {
	uint64_t interval, initial_delay;
	struct httpcheck_targets targets;
	struct httpcheck_metrics metrics;
};

extern const struct setting httpcheck_table[];

/* Check the settings against each other. Return 0, or -EINVAL with text in `e`. */
int httpcheck_settings_check(const void *settings, struct err *e);

#endif
